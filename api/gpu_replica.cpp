#include "gpu_replica.hpp"

#include <algorithm>

namespace warpdex {

GpuReplica::GpuReplica(const Snapshot& snapshot, std::span<const GpuSnapshot> shards,
                       std::size_t threads, Device device, const GpuReplica* before)
    : shards_(shards.begin(), shards.end()),
      phrases_(snapshot, shards, threads, device, before != nullptr ? &before->phrases_ : nullptr) {
  if (!columns_of(snapshot.settings().schema).empty()) facets_.emplace(snapshot, shards);
  if (before == nullptr) return;
  const std::lock_guard lock(before->mutex_);
  for (const std::vector<GpuVectors>& set : before->vectors_) {
    std::vector<GpuVectors>& own = vectors_.emplace_back();
    for (std::size_t i = 0; i < set.size(); ++i) own.push_back(set[i].next(shards_[i]));
  }
}

std::optional<GpuFacets::Counting> GpuReplica::start_facets(const PlannedQuery& plan,
                                                            const SearchSettings& settings,
                                                            std::span<const FacetRequest> wanted) {
  if (!facets_) return std::nullopt;
  return facets_->start(plan, settings, wanted);
}

std::span<const GpuVectors> GpuReplica::vectors(std::size_t set) {
  const std::lock_guard lock(mutex_);
  if (vectors_.size() <= set) vectors_.resize(set + 1);
  if (vectors_[set].empty()) {
    std::vector<GpuVectors> uploaded;
    for (const GpuSnapshot& shard : shards_) uploaded.emplace_back(shard, set);
    vectors_[set] = std::move(uploaded);
  }
  return vectors_[set];
}

std::string GpuReplica::note() const {
  const std::string of_phrases = phrases_.note();
  const std::lock_guard lock(mutex_);
  const auto is_resident = [](const std::vector<GpuVectors>& set) {
    return std::ranges::all_of(set, &GpuVectors::is_resident);
  };
  if (std::ranges::all_of(vectors_, is_resident)) return of_phrases;
  return "the GPU's memory does not hold the vectors; the CPU searches them" +
         (of_phrases.empty() ? "" : "; " + of_phrases);
}

}  // namespace warpdex
