// Thresholds from bounds, and from canonical distances where bounds do not suffice.
#include "flat/bounded_set.hpp"

#include <algorithm>

namespace warpdex::vector {

BoundedSet::BoundedSet(std::size_t k, std::size_t rows) : k_(k), capacity_(capacity(k, rows)) {
  entries_.reserve(capacity_);
}

std::size_t BoundedSet::capacity(std::size_t k, std::size_t rows) {
  constexpr std::size_t kMinRoom = 64;
  return std::min(std::max(2 * k, k + kMinRoom), rows + 1);
}

void BoundedSet::lower_limit(BoundedSetScratch& scratch) {
  if (entries_.size() < k_) return;
  scratch.highs.clear();
  for (const Entry& entry : entries_) scratch.highs.push_back(entry.high);
  const auto kth = scratch.highs.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
  std::nth_element(scratch.highs.begin(), kth, scratch.highs.end());
  limit_ = std::min(limit_, *kth);
  std::erase_if(entries_, [this](const Entry& entry) { return entry.low > limit_; });
}

void BoundedSet::compute(const float* query, const CanonicalDistances& canonical,
                         BoundedSetScratch& scratch) {
  scratch.keys.clear();
  for (const Entry& entry : entries_) scratch.keys.push_back(canonical.key(query, entry.position));
}

void BoundedSet::compact(const QueryBlock& block, std::size_t index, const float* query,
                         const CanonicalDistances& canonical, BoundedSetScratch& scratch) {
  lower_limit(scratch);
  const std::size_t room = capacity_ - k_;
  if (entries_.size() <= capacity_ - (room + 1) / 2) return;
  // Bounds let too many through. Of what there is, no more than the k nearest can be needed.
  compute(query, canonical, scratch);
  std::vector<std::uint64_t> nearest = scratch.keys;
  keep_nearest(nearest, k_);
  const std::uint64_t last = nearest.back();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (scratch.keys[i] <= last) entries_[kept++] = entries_[i];
  }
  entries_.resize(kept);
  if (kept == k_) limit_ = std::min(limit_, block.sum_limit(index, key_value(last)));
}

std::vector<std::uint64_t> BoundedSet::take(const float* query, const CanonicalDistances& canonical,
                                            BoundedSetScratch& scratch) {
  lower_limit(scratch);
  compute(query, canonical, scratch);
  std::vector<std::uint64_t> nearest = scratch.keys;
  keep_nearest(nearest, k_);
  return nearest;
}

}  // namespace warpdex::vector
