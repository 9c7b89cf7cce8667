// Moves through a list: gallops over block metadata, and decodes only what is asked for.
#include "cpu/list_cursor.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "plan/seed_threshold.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {

void ListCursor::open(const Index& index, const PostingsEntry& entry) {
  entry_ = entry;
  size_ = entry.document_frequency;
  block_ = 0;
  position_ = 0;
  bits_of_ = kNothing;
  docids_of_ = kNothing;
  frequencies_of_ = kNothing;
  scores_of_ = kNothing;
  if (entry.is_short()) {
    open_short(index, entry);
    return;
  }
  view_ = PostingsView(index.settings().codec, index.sections(), entry, index.counts().documents);
  const std::uint8_t* const docids = index.sections().docids.data() + entry.docid_offset;
  docid_list_ = {index.settings().codec, entry.docid_parameter, size_, docids,
                 docids + entry.docid_bytes};
  blocks_ = view_.blocks();
  last_docids_ = view_.last_docids();
}

void ListCursor::open_short(const Index& index, const PostingsEntry& entry) {
  read_short_list(index.settings().codec, index.sections(), entry, index.counts().documents,
                  docids_, frequencies_);
  last_of_short_ = docids_[size_ - 1];
  std::fill_n(docids_ + size_, kBlockPadding, last_of_short_);
  blocks_ = 1;
  last_docids_ = &last_of_short_;
  docids_of_ = 0;
  frequencies_of_ = 0;
}

void ListCursor::set_scorer(const Index& index, const ScorerSettings& settings,
                            const CollectionStatistics& statistics, const PlannedTerm& term) {
  std::uint64_t occurrences = term.collection_frequency;
  if (occurrences == 0) {
    occurrences = entry_.is_short()
                      ? std::accumulate(frequencies_, frequencies_ + size_, std::uint64_t{0})
                      : entry_.collection_frequency;
  }
  const std::uint64_t documents = term.document_frequency == 0 ? size_ : term.document_frequency;
  set_scorer(index, make_term_scorer(settings, statistics, documents, occurrences, term.weight),
             occurrences);
}

void ListCursor::set_scorer(const Index& index, const TermScorer& scorer,
                            std::uint64_t occurrences) {
  scorer_ = scorer;
  lengths_ = index.lengths(entry_.field).data();
  bound_of_short_ = -1;
  if (entry_.is_short()) return;
  const float largest = facts_of(scorer_.kind).rises ? 0 : largest_score(scorer_, occurrences);
  block_bounds_.reset({view_.bounds(), blocks_}, scorer_, largest);
  range_bounds_.reset(list_range_bounds(index.sections(), entry_, index.counts().documents),
                      scorer_, largest);
}

const float* ListCursor::scores_of_short() {
  if (scores_of_ != 0) {
    kernels().of(scorer_.kind).score(scorer_, docids_, frequencies_, lengths_, size_, scores_);
    scores_of_ = 0;
  }
  return scores_;
}

float ListCursor::bound_of_short() {
  if (bound_of_short_ < 0) {
    const float* const scores = scores_of_short();
    bound_of_short_ = *std::max_element(scores, scores + size_);
  }
  return bound_of_short_;
}

float ListCursor::seed(const IndexSections& sections, std::uint32_t k) {
  if (!entry_.is_short()) return seed_score(sections, entry_, scorer_, k);
  if (size_ < k) return 0;
  // As integers, scores keep their order; those of a damaged list may not.
  std::uint32_t sorted[kBlockSize];
  const float* const scores = scores_of_short();
  std::transform(scores, scores + size_, sorted,
                 [](float score) { return std::bit_cast<std::uint32_t>(score); });
  std::nth_element(sorted, sorted + k - 1, sorted + size_, std::greater<>());
  return std::bit_cast<float>(sorted[k - 1]);
}

float ListCursor::bound_between(std::uint32_t begin, std::uint32_t end) {
  if (entry_.is_short()) return bound_of_short();
  if (range_bounds_.size() > 0) {
    return range_bounds_.largest(begin / kRangeDocuments, (end - 1) / kRangeDocuments + 1);
  }
  float bound = 0;
  for (std::uint32_t block = block_; block < blocks_ && first_possible(block) < end; ++block) {
    bound = std::max(bound, block_bounds_[block]);
  }
  return bound;
}

float ListCursor::bound() {
  if (entry_.is_short()) return bound_of_short();
  ScoreBounds& bounds = range_bounds_.size() > 0 ? range_bounds_ : block_bounds_;
  return bounds.largest(0, bounds.size());
}

void ListCursor::gallop(std::uint32_t docid) {
  std::uint32_t step = 1;
  std::uint32_t low = block_;  // last_docids_[low] < docid
  while (low + step < blocks_ && last_docids_[low + step] < docid) {
    low += step;
    step *= 2;
  }
  const std::uint32_t high = std::min(low + step, blocks_);
  block_ = static_cast<std::uint32_t>(
      std::lower_bound(last_docids_ + low + 1, last_docids_ + high, docid) - last_docids_);
  position_ = 0;
}

void ListCursor::throw_disorder() {
  throw FormatError(
      "a posting list is damaged (its blocks do not ascend); run 'warpdex verify', then restore "
      "the index or build it again");
}

void ListCursor::load_docids() {
  // While a damaged block throws, nothing is cached.
  docids_of_ = kNothing;
  view_.read_docids(block_, docids_);
  const std::uint32_t loaded = count();
  std::fill_n(docids_ + loaded, kBlockPadding, docids_[loaded - 1]);
  docids_of_ = block_;
}

void ListCursor::load_frequencies() {
  frequencies_of_ = kNothing;
  view_.read_frequencies(block_, frequencies_);
  frequencies_of_ = block_;
}

void ListCursor::load_scores(const Kernels& kernels) {
  kernels.of(scorer_.kind).score(scorer_, docids(), frequencies(), lengths_, count(), scores_);
  scores_of_ = block_;
}

bool ListCursor::contains(const Kernels& kernels, std::uint32_t docid) {
  skip_to_block(docid);
  if (at_end() || docid < first_possible(block_)) return false;
  if (!is_loaded()) {
    if (const std::uint8_t* const bytes = bit_set()) return is_in_set(kernels, bytes, docid);
  }
  return docids()[seek(kernels, docid)] == docid;
}

/// Of a block that is not dense.
const std::uint8_t* ListCursor::read_bits(const BlockRef& ref) {
  if (bits_of_ != block_) {
    bits_of_ = kNothing;
    if (!read_gap_bits(docid_list_, ref, view_.base(block_), last_docids_[block_], bits_)) {
      return nullptr;
    }
    bits_of_ = block_;
  }
  return reinterpret_cast<const std::uint8_t*>(bits_);
}

bool ListCursor::is_in_set(const Kernels& kernels, const std::uint8_t* bytes, std::uint32_t docid) {
  const std::uint32_t bit = docid - first_possible(block_);
  if ((bytes[bit / 8] >> bit % 8 & 1) == 0) return false;
  // The position is the number of bits before it; damaged bits could exceed the block's count.
  position_ = std::min(kernels.rank(bytes, bit), count() - 1);
  return true;
}

std::size_t ListCursor::intersect_block(const Kernels& kernels, const std::uint32_t* docids,
                                        std::size_t count, std::uint8_t* matched,
                                        std::uint8_t* positions) {
  constexpr std::size_t kFewForDense = 12;  // up to here, bit tests cost less than decoding the
                                            // block
  std::size_t found = 0;
  const std::uint8_t* const bytes = !is_loaded() && count < kFewForDense ? bit_set() : nullptr;
  if (bytes != nullptr) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_in_set(kernels, bytes, docids[i])) continue;
      matched[found] = static_cast<std::uint8_t>(i);
      positions[found++] = static_cast<std::uint8_t>(position_);
    }
    return found;
  }
  found = kernels.intersect(docids, count, this->docids(), position_, matched, positions);
  if (found > 0) position_ = positions[found - 1];
  return found;
}

}  // namespace warpdex
