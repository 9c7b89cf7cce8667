// Makes and changes an index of documents.
#include "warpdex/writer.hpp"

#include <memory>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "writer_state.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

void make_empty(const fs::path& folder, const NewIndex& settings, const WriterOptions& options) {
  BuildOptions build;
  build.output = folder;
  build.analyzer = settings.analyzer;
  build.codec = settings.codec;
  for (const std::string& name : settings.fields) {
    build.fields += (build.fields.empty() ? "" : ",") + name;
  }
  build.stored_fields = settings.stored;
  build.schema = settings.schema;
  build.vectors = settings.vectors;
  build.positions = settings.positions;
  build.memory = options.memory;
  build.threads = options.threads;
  build_index(*(settings.is_weighted ? vectors_from_memory({}) : documents_from_memory({})), build);
}

}  // namespace

Writer::Writer(const fs::path& folder, const NewIndex& settings, const WriterOptions& options) {
  const std::uint64_t least = (options.merges ? 2 : 1) * kMinBuildMemory;
  if (options.memory < least) {
    throw UsageError("a writer needs at least " + std::to_string(least >> 20) +
                     " MiB of memory; allow more");
  }
  std::error_code ignored;
  const bool is_new =
      options.creates && (!fs::exists(folder, ignored) ||
                          (fs::is_directory(folder, ignored) && fs::is_empty(folder, ignored)));
  if (is_new) make_empty(folder, settings, options);
  state_ = std::make_unique<State>(folder, options);
}

Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

const IndexSettings& Writer::settings() const { return state_->index->settings(); }

void Writer::add(NewDocument document) { state_->take(std::move(document), false); }
void Writer::update(NewDocument document) { state_->take(std::move(document), true); }

BuildReport Writer::add(DocumentReader& documents, const FilesOptions& options) {
  if (state_->options.journal) {
    throw UsageError(
        "a writer with a journal takes documents one by one; add those of files by a "
        "writer without one");
  }
  state_->make_ready();
  state_->flush();
  AddOptions add{.update = options.update, .build = state_->build_options()};
  add.build.static_scores = options.static_scores;
  add.build.on_progress = options.on_progress;
  if (options.on_bad_document) {
    add.build.on_bad_document = OnBadDocument::kSkip;
    add.build.on_skipped_document = options.on_bad_document;
  }
  return state_->index->add(documents, add);
}

BuildReport Writer::add_files(ReaderOptions files, const FilesOptions& options) {
  state_->make_ready();
  files.stored = settings().stored_fields;
  files.columns = columns_of(settings().schema);
  files.text_fields = text_names_of(settings().schema);
  files.vectors = vector_fields(settings().schema);
  return add(*open_documents(files), options);
}

bool Writer::remove(std::string_view id) { return state_->remove(id); }

std::uint64_t Writer::remove_where(std::string_view filter) {
  const FilterNode condition = parse_filter(filter);
  if (condition == FilterNode()) {
    throw UsageError("the filter is empty; remove all documents of a filter, as 'id EXISTS'");
  }
  check_filter(condition, settings().schema);
  const CommitReport before = commit();
  state_->notes.insert(state_->notes.end(), before.notes.begin(), before.notes.end());
  const Snapshot snapshot = Snapshot::open(state_->target);
  const vector::RowFilter documents = evaluate_filter(snapshot, condition).documents;
  std::uint64_t removed = 0;
  for (std::size_t i = documents.next_allowed(0); i < documents.rows();
       i = documents.next_allowed(i + 1)) {
    removed += remove(snapshot.document_name(static_cast<std::uint32_t>(i))) ? 1 : 0;
  }
  return removed;
}

bool Writer::has(std::string_view id) {
  state_->make_ready();
  return state_->places.contains(std::string(id)) || state_->index->has(id);
}

void Writer::sync() { state_->sync(); }
std::uint64_t Writer::recovered() const { return state_->recovered; }
CommitReport Writer::commit(const std::function<void()>& check) { return state_->commit(check); }
void Writer::rollback() { state_->rollback(); }

MergeReport Writer::merge(bool all, const std::function<void(double)>& on_progress) {
  state_->make_ready();
  state_->flush();
  return state_->index->merge({.all = all,
                               .memory = state_->options.memory,
                               .threads = state_->options.threads,
                               .on_progress = on_progress});
}

void Writer::finish_merges(const std::function<void()>& check) {
  state_->make_ready();
  state_->flush();
  state_->index->finish_merges(check);
}

}  // namespace warpdex
