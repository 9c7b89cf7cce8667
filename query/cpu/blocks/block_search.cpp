// OR by blocks of documents: bounds of superblocks, of their blocks, and scores.
#include "cpu/blocks/block_search.hpp"

#include <algorithm>
#include <numeric>

#include "plan/sum_slack.hpp"

namespace warpdex {
namespace {

/// Fewer lists, and more documents, are searched faster by windows.
constexpr std::size_t kFewestLists = 5;
constexpr std::uint32_t kMostDocuments = 512;
constexpr std::size_t kCacheLine = 64;
/// Superblocks are sorted by so many levels of their bounds.
constexpr std::uint32_t kLevels = 256;
/// The threshold is raised after this share of the wanted documents.
constexpr std::size_t kShareOfRise = 8;

}  // namespace

BlockSearch::BlockSearch() : kernels_(block_kernels()) {}

bool BlockSearch::takes(std::span<const PlannedTerm* const> terms, std::uint32_t k) {
  return terms.size() >= kFewestLists && k <= kMostDocuments &&
         std::ranges::all_of(terms, [](const PlannedTerm* term) { return term->weight > 0; });
}

float BlockSearch::bound(const DocumentBlocks& blocks, std::span<const PlannedTerm* const> terms,
                         bool is_exact) {
  float bound = 0;
  for (const PlannedTerm* term : terms) {
    const BlockList list = blocks.list(term->entry.term_number);
    bound += term->weight * static_cast<float>(list.largest_of_all);
  }
  return bound * sum_slack(is_exact, terms.size());
}

float BlockSearch::run(const Searched& segment, std::span<const PlannedTerm* const> terms,
                       bool is_exact, TopK& top, const std::function<bool()>& goes_on) {
  segment_ = &segment;
  top_ = &top;
  slack_ = sum_slack(is_exact, terms.size());
  given_ = 0;
  rise_ = std::max<std::size_t>(1, top.k() / kShareOfRise);
  open(terms);
  bound_superblocks();
  order_superblocks();
  std::uint32_t together = 1;  // few at first, which raise the threshold
  while (std::uint32_t count = take_superblocks(together)) {
    if (goes_on && !goes_on()) return bound_of_rest(count);
    find_records(count, 0, half_);
    count = drop_superblocks(count);
    find_records(count, half_, lists_.size());
    for (std::uint32_t i = 0; i < count; ++i) search_superblock(i);
    together = std::min(2 * together, kTogether);
  }
  top.compact();
  return -1;
}

/// Sorts the lists by their bounds.
void BlockSearch::open(std::span<const PlannedTerm* const> terms) {
  const std::size_t count = terms.size();
  half_ = count / 2;
  canonical_weights_.resize(count);
  canonical_records_.resize(count);
  lists_.resize(count);
  weights_.resize(count);
  order_of_lists_.resize(count);
  records_.resize(kTogether * count);
  places_.resize(kTogether * count);
  bounds_.clear();
  for (const PlannedTerm* term : terms) segment_->blocks.prefetch(term->entry.term_number);
  for (std::uint32_t i = 0; i < count; ++i) {
    canonical_weights_[i] = terms[i]->weight;
    const BlockList list = segment_->blocks.list(terms[i]->entry.term_number);
    bounds_.emplace_back(-canonical_weights_[i] * static_cast<float>(list.largest_of_all), i);
  }
  std::ranges::sort(bounds_);
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    const std::uint32_t i = bounds_[slot].second;
    lists_[slot] = segment_->blocks.list(terms[i]->entry.term_number);
    weights_[slot] = canonical_weights_[i];
    order_of_lists_[i] = slot;
  }
}

void BlockSearch::add_bounds(std::size_t list, std::vector<float>& sums) {
  const BlockList& own = lists_[list];
  if (own.words != nullptr) {
    kernels_.add_superblocks(own, weights_[list], segment_->blocks.superblocks(), sums.data());
    return;
  }
  for (std::uint32_t i = 0; i < own.count; ++i) {
    sums[own.numbers[i]] += weights_[list] * static_cast<float>(own.largest[i]);
  }
}

void BlockSearch::bound_superblocks() {
  const std::size_t room = (std::size_t{segment_->blocks.superblocks()} + 63) / 64 * 64;
  first_bounds_.assign(room, 0);
  rest_bounds_.assign(room, 0);
  for (std::size_t i = 0; i < half_; ++i) add_bounds(i, first_bounds_);
  for (std::size_t i = half_; i < lists_.size(); ++i) add_bounds(i, rest_bounds_);
}

/// Sorts those that can enter by levels of their bounds, from the lowest that can.
void BlockSearch::order_superblocks() {
  const std::uint32_t superblocks = segment_->blocks.superblocks();
  chosen_.resize(superblocks);
  levels_.resize(superblocks);
  const float lowest = top_->threshold() / slack_ * (2 - slack_);
  float highest = lowest;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < superblocks; ++i) {
    const float bound = first_bounds_[i] + rest_bounds_[i];
    chosen_[count] = i;
    count += bound > 0 && bound >= lowest ? 1 : 0;
    highest = std::max(highest, bound);
  }
  const float scale =
      highest > lowest ? static_cast<float>(kLevels - 1) / (highest - lowest) : 0.0F;
  std::uint32_t begins[kLevels + 1] = {};
  for (std::size_t i = 0; i < count; ++i) {
    const float bound = first_bounds_[chosen_[i]] + rest_bounds_[chosen_[i]];
    levels_[i] = static_cast<std::uint8_t>(static_cast<float>(kLevels - 1) -
                                           std::min((bound - lowest) * scale, 255.0F));
    ++begins[levels_[i] + 1];
  }
  std::partial_sum(begins, begins + kLevels + 1, begins);
  order_.resize(count);
  for (std::size_t i = 0; i < count; ++i) order_[begins[levels_[i]]++] = chosen_[i];
  next_ = 0;
}

/// The next ones that can enter, `most` at most. Returns how many.
std::uint32_t BlockSearch::take_superblocks(std::uint32_t most) {
  std::uint32_t count = 0;
  for (; next_ < order_.size() && count < most; ++next_) {
    const std::uint32_t superblock = order_[next_];
    if (can_enter(first_bounds_[superblock] + rest_bounds_[superblock])) {
      together_[count++] = superblock;
    }
  }
  return count;
}

/// Finds the records of some of the lists. Each read is asked for before the first is needed.
void BlockSearch::find_records(std::uint32_t count, std::size_t begin, std::size_t end) {
  const std::size_t lists = lists_.size();
  for (std::size_t list = begin; list < end; ++list) {
    kernels_.find(lists_[list], together_, count, &places_[list * kTogether]);
  }
  for (std::size_t list = begin; list < end; ++list) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t place = places_[list * kTogether + i];
      const std::uint8_t*& record = records_[i * lists + list];
      record = nullptr;
      if (place == BlockList::kNone) continue;
      record = lists_[list].records + lists_[list].starts[place];
      __builtin_prefetch(record);
    }
  }
}

/// Keeps those where blocks can enter by their bounds of the first lists. Returns how many.
std::uint32_t BlockSearch::drop_superblocks(std::uint32_t count) {
  const std::size_t lists = lists_.size();
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    float* const bounds = block_bounds_[kept];
    std::fill_n(bounds, kBlocksOfSuperblock, 0.0F);
    const BlockRecords first{&records_[i * lists], weights_.data(), half_};
    const float more = rest_bounds_[together_[i]];
    if (kernels_.add_blocks(first, more, slack_, top_->threshold(), bounds) == 0) continue;
    if (kept != i) {
      std::copy_n(&records_[i * lists], half_, &records_[kept * lists]);
      together_[kept] = together_[i];
    }
    ++kept;
  }
  return kept;
}

void BlockSearch::search_superblock(std::uint32_t place) {
  const std::size_t lists = lists_.size();
  const BlockRecords rest{&records_[place * lists + half_], weights_.data() + half_, lists - half_};
  const std::uint32_t blocks =
      kernels_.add_blocks(rest, 0, slack_, top_->threshold(), block_bounds_[place]);
  if (blocks != 0) score_blocks(place, blocks);
}

/// Gives the documents of a superblock's blocks that can enter to the best.
void BlockSearch::score_blocks(std::uint32_t place, std::uint32_t blocks) {
  const std::size_t lists = lists_.size();
  for (std::uint32_t left = blocks; left != 0; left &= left - 1) {
    std::fill_n(sums_ + kDocumentsOfBlock * std::countr_zero(left), kDocumentsOfBlock,
                kUntouchedSum);
  }
  for (std::size_t i = 0; i < lists; ++i) {
    const std::uint8_t* const record = records_[place * lists + order_of_lists_[i]];
    canonical_records_[i] = record;
    if (record != nullptr) __builtin_prefetch(record + kCacheLine);
  }
  kernels_.add_documents({canonical_records_.data(), canonical_weights_.data(), lists}, blocks,
                         sums_);
  for (; blocks != 0; blocks &= blocks - 1) {
    const auto block = static_cast<std::uint32_t>(std::countr_zero(blocks));
    const std::uint32_t first = block * kDocumentsOfBlock;
    // Minus zero, which a threshold may be, would let untouched documents through.
    std::uint32_t found = kernels_.at_least(sums_ + first, std::max(0.0F, top_->threshold()));
    for (; found != 0; found &= found - 1) {
      const std::uint32_t in_superblock =
          first + static_cast<std::uint32_t>(std::countr_zero(found));
      const std::uint32_t document = together_[place] * kDocumentsOfSuperblock + in_superblock;
      if (segment_->removed.contains(document)) continue;
      top_->insert(sums_[in_superblock], segment_->first_document + document);
      ++given_;
    }
    if (given_ >= rise_) {
      top_->compact();
      given_ = 0;
    }
  }
}

/// An upper bound of the scores in superblocks that were not looked at, the last `taken` too.
float BlockSearch::bound_of_rest(std::uint32_t taken) const {
  float bound = 0;
  const auto add = [&](std::uint32_t superblock) {
    bound = std::max(bound, first_bounds_[superblock] + rest_bounds_[superblock]);
  };
  for (std::uint32_t i = 0; i < taken; ++i) add(together_[i]);
  for (std::size_t i = next_; i < order_.size(); ++i) add(order_[i]);
  return bound * slack_;
}

}  // namespace warpdex
