// Marks documents as removed, and adds up what their terms lose.
#include "living/open_segment.hpp"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "format/manifest.hpp"
#include "warpdex/core/storage/packed_file.hpp"
#include "warpdex/indexer/format/section_names.hpp"

namespace warpdex {
namespace {

template <class T>
std::span<const std::uint8_t> bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

/// New changes are added up once there are this many of them, and as many as changed terms.
constexpr std::size_t kManyChanges = std::size_t{1} << 16;

/// Both together, each term once, sorted by term.
std::vector<FrequencyChange> sum_of(std::span<const FrequencyChange> before,
                                    std::vector<FrequencyChange> changes) {
  changes.insert(changes.end(), before.begin(), before.end());
  std::sort(changes.begin(), changes.end(), [](const FrequencyChange& a, const FrequencyChange& b) {
    return a.term_number < b.term_number;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (kept > 0 && changes[kept - 1].term_number == changes[i].term_number) {
      changes[kept - 1].documents += changes[i].documents;
      changes[kept - 1].occurrences += changes[i].occurrences;
    } else {
      changes[kept++] = changes[i];
    }
  }
  changes.resize(kept);
  return changes;
}

}  // namespace

std::optional<std::uint32_t> OpenSegment::find(std::string_view name) const {
  const std::optional<std::uint32_t> document = index_->find_document(name);
  if (!document || removed().contains(*document)) return std::nullopt;
  return document;
}

RemovedRows OpenSegment::removed() const {
  return rows_ ? RemovedRows(rows_->words()) : index_->removed();
}

std::uint64_t OpenSegment::removed_documents() const {
  return rows_ ? rows_->count() : index_->removed_documents();
}

void OpenSegment::remove(std::uint32_t document) {
  std::vector<FrequencyChange> terms;
  if (index_->settings().has_forward) {
    index_->for_each_term_of_document(document, [&](std::uint32_t term, std::uint32_t frequency) {
      terms.push_back({term, 1, frequency});
    });
  }
  if (!rows_) rows_.emplace(index_->counts().documents, index_->removed());
  removed_texts_.resize(index_->counts().texts.size());
  if (rows_->contains(document)) return;
  new_changes_.insert(new_changes_.end(), terms.begin(), terms.end());
  // From here on nothing throws.
  rows_->add(document);
  removed_tokens_ += index_->length_of(document);
  for (std::size_t field = 0; field < removed_texts_.size(); ++field) {
    const std::uint32_t length = index_->lengths(field)[document];
    removed_texts_[field].documents += length > 0 ? 1 : 0;
    removed_texts_[field].tokens += length;
  }
  if (new_changes_.size() >= std::max(kManyChanges, changes_.size())) add_up_changes();
}

/// Adds up what terms have lost. Memory then goes with the terms, not with the documents. Without
/// memory for it, it is left for the next time.
void OpenSegment::add_up_changes() noexcept {
  try {
    std::vector<FrequencyChange> sum = sum_of(changes_, new_changes_);
    changes_.swap(sum);
    new_changes_.clear();
  } catch (const std::bad_alloc&) {
  }
}

SegmentInfo OpenSegment::write(ReplacementFolder& folder, std::uint64_t commit) const {
  SegmentInfo info = info_;
  if (rows_) info.removals.reset();
  if (!is_new_) folder.keep(info);
  if (!rows_) return info;
  std::vector<FrequencyChange> changes = sum_of(changes_, new_changes_);
  changes = sum_of(index_->frequency_changes(), std::move(changes));
  std::vector<NamedBytes> sections{{std::string(kRemovedRows), bytes_of(rows_->words())}};
  if (index_->settings().has_forward) {
    sections.push_back({std::string(section::kFrequencyChanges),
                        bytes_of(std::span<const FrequencyChange>(changes))});
  }
  const std::string file = removals_file(info.number, commit);
  PackedFile packed = pack_sections(file, sections);
  folder.write(file, packed.bytes);
  info.removals = {
      file,
      std::move(packed.sections),
      {{"documents", rows_->count()}, {"tokens", index_->removed_tokens() + removed_tokens_}}};
  std::vector<TextCounts> texts = removed_texts_;
  for (std::size_t field = 0; field < texts.size(); ++field) {
    texts[field].documents += index_->removed_text(field).documents;
    texts[field].tokens += index_->removed_text(field).tokens;
  }
  append_texts(texts, info.removals->counts);
  return info;
}

}  // namespace warpdex
