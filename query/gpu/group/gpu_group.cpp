// Uploads each shard of each replica to its GPU.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "gpu/index/gpu_snapshot_state.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/query/gpu/gpu_group.hpp"

namespace warpdex {
namespace {

/// Segments move to other shards if the largest shard is so much larger than it need be.
constexpr double kMaxExcess = 1.25;

std::vector<std::uint64_t> bytes_of(const Snapshot& snapshot) {
  std::vector<std::uint64_t> bytes;
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    bytes.push_back(gpu::estimated_bytes(*segment.index));
  }
  return bytes;
}

std::uint64_t largest_of(std::span<const std::uint64_t> bytes,
                         std::span<const std::size_t> begins) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    std::uint64_t sum = 0;
    for (std::size_t j = begins[i]; j < begins[i + 1]; ++j) sum += bytes[j];
    largest = std::max(largest, sum);
  }
  return largest;
}

/// Where shards begin if each segment that was there stays, and new ones join those before them.
/// None if a shard would have no segment.
std::optional<std::vector<std::size_t>> stay(const Snapshot& before,
                                             std::span<const std::size_t> begins,
                                             const Snapshot& later) {
  std::vector<std::size_t> now{0};
  const auto& old = before.segments();
  const auto& segments = later.segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto known = std::ranges::find_if(old, [&](const Snapshot::Segment& one) {
      return are_same_segment(*one.index, *segments[i].index);
    });
    if (known == old.end()) continue;
    const auto shard =
        std::ranges::upper_bound(begins, static_cast<std::size_t>(known - old.begin())) -
        begins.begin() - 1;
    if (static_cast<std::size_t>(shard) == now.size()) now.push_back(i);
    if (static_cast<std::size_t>(shard) >= now.size()) return std::nullopt;
  }
  if (now.size() + 1 != begins.size()) return std::nullopt;
  now.push_back(segments.size());
  return now;
}

/// Uploads part by part: those of one GPU one after the other, those of several beside each other.
template <class Upload>
std::vector<GpuSnapshot> upload_all(std::span<Resources* const> gpus, const Upload& upload) {
  std::vector<Resources*> each;
  for (Resources* const gpu : gpus) {
    if (std::ranges::find(each, gpu) == each.end()) each.push_back(gpu);
  }
  std::vector<std::optional<GpuSnapshot>> parts(gpus.size());
  parallel_for(each.size(), each.size(), [&](std::size_t, std::size_t number) {
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      if (gpus[i] == each[number]) parts[i].emplace(upload(i));
    }
  });
  std::vector<GpuSnapshot> all;
  for (std::optional<GpuSnapshot>& part : parts) all.push_back(std::move(*part));
  return all;
}

}  // namespace

GpuGroup::GpuGroup(const Snapshot& snapshot, std::span<Resources* const> gpus, std::size_t shards)
    : GpuGroup(snapshot, {gpus.begin(), gpus.end()}, cut_into_shards(bytes_of(snapshot), shards),
               nullptr) {}

GpuGroup::GpuGroup(const Snapshot& snapshot, std::vector<Resources*> gpus,
                   std::vector<std::size_t> begins, const GpuGroup* before)
    : snapshot_(snapshot), gpus_(std::move(gpus)), begins_(std::move(begins)) {
  if (gpus_.empty() || gpus_.size() % shards() != 0) {
    throw UsageError(std::to_string(gpus_.size()) + " GPUs cannot hold " +
                     std::to_string(shards()) +
                     " shards; give a multiple of that, as many for each replica");
  }
  parts_ = upload_all(gpus_, [&](std::size_t i) {
    const std::size_t first = begins_[i % shards()];
    const std::size_t count = begins_[i % shards() + 1] - first;
    if (before != nullptr) return before->parts_[i].next(snapshot_, first, count);
    return GpuSnapshot(snapshot_, first, count, *gpus_[i]);
  });
}

GpuGroup GpuGroup::next(const Snapshot& later) const {
  const std::vector<std::uint64_t> bytes = bytes_of(later);
  std::vector<std::size_t> begins = cut_into_shards(bytes, shards());
  const auto same = stay(snapshot_, begins_, later);
  if (same && static_cast<double>(largest_of(bytes, *same)) <=
                  kMaxExcess * static_cast<double>(largest_of(bytes, begins))) {
    begins = *same;
  }
  return GpuGroup(later, gpus_, std::move(begins), this);
}

std::size_t GpuGroup::used_shards() const {
  std::size_t used = 0;
  for (std::size_t i = 0; i < shards(); ++i) used += begins_[i] < begins_[i + 1] ? 1 : 0;
  return used;
}

bool GpuGroup::is_resident() const {
  return std::ranges::all_of(parts_, [](const GpuSnapshot& part) { return part.is_resident(); });
}

bool GpuGroup::has_list(std::size_t segment, const PostingsEntry& list) const {
  return std::ranges::all_of(parts_,
                             [&](const GpuSnapshot& part) { return part.has_list(segment, list); });
}

std::size_t GpuGroup::memory() const {
  std::size_t sum = 0;
  for (const GpuSnapshot& part : parts_) sum += part.memory();
  return sum;
}

std::size_t GpuGroup::new_memory() const {
  std::size_t sum = 0;
  for (const GpuSnapshot& part : parts_) sum += part.new_memory();
  return sum;
}

}  // namespace warpdex
