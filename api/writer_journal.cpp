// What a Writer does with its journal: takes it in, and ends it by a commit or a rollback.
#include <new>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "writer_state.hpp"

namespace warpdex {

void Writer::State::make_ready() {
  if (has_lost) {
    throw IoError("documents were lost when the index '" + folder.string() +
                  "' could not be written; call rollback(), then give all since the last commit "
                  "again");
  }
  if (is_behind) {
    forget();
    index->rollback();
    take_journal();
    is_behind = false;
  }
  if (options.journal && !journal) journal = index->open_journal();
}

std::uint64_t Writer::State::take_journal() {
  std::uint64_t changes = 0;
  notes.clear();
  const ChangeVisitor visit{[&](Document&& document) {
                              take_put(std::move(document));
                              ++changes;
                            },
                            [&](std::string_view id) {
                              take_remove(id);
                              ++changes;
                            }};
  try {
    if (journal) {
      journal->for_each(visit);
    } else {
      index->read_journal(visit);
    }
  } catch (...) {
    is_behind = true;
    throw;
  }
  return changes;
}

void Writer::State::take_put(Document&& document) {
  const auto fail = [&](const std::string& what) {
    throw FormatError("the journal of the index '" + folder.string() +
                      "' is damaged: the document '" + document.id + "' has other " + what);
  };
  if (document.stored.size() != settings().stored_fields.size()) fail("stored fields");
  if (document.texts.size() != text_fields(settings().schema).size()) fail("text fields");
  try {
    check(document);  // an earlier program may have taken what this one refuses
    put(std::move(document));
    flush_much();
  } catch (const BadDocument& error) {
    notes.emplace_back(error.what());
  }
}

void Writer::State::take_remove(std::string_view id) {
  try {
    if (places.contains(std::string(id))) flush();
  } catch (const BadDocument& error) {
    notes.emplace_back(error.what());
  }
  index->remove(id);
}

void Writer::State::sync() {
  if (!options.journal) {
    throw UsageError("the writer of '" + folder.string() +
                     "' has no journal; open it with one, or call commit()");
  }
  make_ready();
  journal->sync();
}

CommitReport Writer::State::commit(const std::function<void()>& check) {
  make_ready();
  try {
    flush(check);
  } catch (...) {
    if (has_lost && has_found) {  // the journal that was found is still there
      has_lost = false;
      is_behind = true;
    }
    throw;
  }
  CommitReport report;
  const std::uint64_t before = index->number();
  try {
    report = index->commit(check);
  } catch (...) {
    is_behind = journal || has_found;
    throw;
  }
  if (report.number > before) {
    journal.reset();  // it went with the folder of the last commit
    has_found = false;
  }
  try {
    report.notes.insert(report.notes.end(), notes.begin(), notes.end());
  } catch (const std::bad_alloc&) {  // the notes go, the commit stays
  }
  notes.clear();
  return report;
}

void Writer::State::rollback() {
  forget();
  has_lost = true;  // where the index cannot be opened again
  journal.reset();
  if (index && options.journal) index->remove_journal();
  open(target);
  has_lost = false;
  is_behind = false;
}

}  // namespace warpdex
