// Cuts drivers into block ranges and sorts these by their place in the query.
#include "gpu/batch/and_block_ranges.hpp"

#include <algorithm>
#include <numeric>

namespace warpdex::gpu {
namespace {

/// A list is cut so that AND has this many CTAs, before a CTA takes more of its blocks.
constexpr std::uint32_t kAndCtas = 512;

/// The place of a range in its query. Ranges of fewer than kAndBlocks blocks share a place.
constexpr std::uint32_t place_of(std::uint32_t block) { return block / kAndBlocks; }

}  // namespace

std::uint32_t and_range_blocks(std::uint32_t list_blocks, bool are_few) {
  std::uint32_t blocks = kAndBlocks;
  while (are_few && blocks > 1 && list_blocks <= kAndCtas * blocks / 2) blocks /= 2;
  return blocks;
}

void AndBlockRanges::clear() {
  drivers_.clear();
  counts_.clear();
}

std::uint32_t AndBlockRanges::count(bool are_few) {
  are_few_ = are_few;
  counts_.clear();
  std::uint32_t all = 0;
  for (const std::uint32_t blocks : drivers_) {
    const std::uint32_t step = and_range_blocks(blocks, are_few);
    const std::uint32_t full = place_of(blocks);
    const std::uint32_t last = (blocks % kAndBlocks + step - 1) / step;
    if (counts_.size() < full + 1) counts_.resize(full + 1);
    for (std::uint32_t place = 0; place < full; ++place) counts_[place] += kAndBlocks / step;
    counts_[full] += last;
    all += full * (kAndBlocks / step) + last;
  }
  return all;
}

void AndBlockRanges::write(std::uint32_t query, std::uint32_t owner, BlockRange* ranges) {
  const std::uint32_t blocks = drivers_[query];
  const std::uint32_t step = and_range_blocks(blocks, are_few_);
  for (std::uint32_t block = 0; block < blocks; block += step) {
    ranges[counts_[place_of(block)]++] = {owner, block, std::min(step, blocks - block)};
  }
}

void BlockRangeOrder::add(const std::vector<std::uint32_t>& counts) {
  if (totals_.size() < counts.size()) totals_.resize(counts.size());
  for (std::size_t place = 0; place < counts.size(); ++place) totals_[place] += counts[place];
}

void BlockRangeOrder::finish() {
  std::exclusive_scan(totals_.begin(), totals_.end(), totals_.begin(), 0U);
}

void BlockRangeOrder::place(std::vector<std::uint32_t>& counts) {
  for (std::size_t place = 0; place < counts.size(); ++place) {
    const std::uint32_t count = counts[place];
    counts[place] = totals_[place];
    totals_[place] += count;
  }
}

}  // namespace warpdex::gpu
