// A snapshot on a GPU, as engines use it. Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/batch/live_seeds.hpp"
#include "gpu/index/gpu_index_state.hpp"
#include "gpu/index/joined_segments.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"

namespace warpdex {

namespace gpu {

/// GPU memory of a segment's lists and lengths, about.
std::uint64_t estimated_bytes(const Index& index);

/// An uploaded segment, and the index that it was uploaded from.
struct UploadedSegment {
  UploadedSegment(std::shared_ptr<const Index> uploaded, Resources& resources,
                  const GpuIndexSettings& settings, std::uint32_t first)
      : index(std::move(uploaded)), placed(*index, resources, settings, first) {}

  std::shared_ptr<const Index> index;
  GpuIndex::State placed;
};

}  // namespace gpu

struct GpuSnapshot::State {
  /// A segment, and the bits of its removed documents: Batch::removed; null where there are none.
  struct Segment {
    std::shared_ptr<const gpu::UploadedSegment> uploaded;
    std::shared_ptr<const AccountedBuffer> removed;
    std::shared_ptr<const gpu::LiveSeeds> live_seeds;  ///< if there is a forward index
    std::uint32_t first_document = 0;

    /// The bits by its own docIDs; null if no document was removed.
    const std::uint32_t* own_bits() const {
      return removed == nullptr ? nullptr : static_cast<const std::uint32_t*>(removed->data());
    }
    /// For a search in this segment alone: with bits by spaced docID.
    gpu::Removals removals() const {
      if (removed == nullptr) return {};
      return {own_bits() - uploaded->placed.first_document / 32, live_seeds.get()};
    }
  };

  /// Which segments of a snapshot they are.
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  State(const Snapshot& whole, const Range& uploaded, Resources& used, const State* before);
  static std::optional<std::size_t> find(const Index& index, const State* before);
  static bool is_at(std::uint32_t spaced_first, std::optional<std::size_t> segment,
                    const State* before);
  static std::vector<std::uint32_t> spaced_firsts(const Snapshot& snapshot, const State* before);
  void add(const Snapshot::Segment& from, std::uint32_t spaced_first, const State* before);
  std::shared_ptr<const gpu::UploadedSegment> upload(const std::shared_ptr<const Index>& index,
                                                     std::uint32_t spaced_first);
  static std::shared_ptr<const gpu::LiveSeeds> find_live_seeds(const Index& index,
                                                               std::optional<std::size_t> known,
                                                               const State* before);
  void join(const State* before);
  std::size_t share_of(std::uint64_t bytes, std::uint64_t left) const;
  std::shared_ptr<const AccountedBuffer> upload_removed(const Index& index);

  /// The number of a segment in the whole snapshot.
  std::size_t number(std::size_t segment) const { return range.first + segment; }

  const Range range;
  const bool is_all;    ///< it is no part
  const bool is_plain;  ///< Snapshot::is_plain() of the whole
  Snapshot snapshot;    ///< of the segments that are here
  Resources& resources;
  std::vector<Segment> segments;
  std::shared_ptr<const gpu::JoinedSegments>
      joined;                 ///< all segments as one, where that is possible
  std::uint64_t to_come = 0;  ///< bytes of the segments that are still to be uploaded, about
  std::uint64_t segments_to_come = 0;  ///< their number
  std::size_t memory = 0;
  std::size_t new_memory = 0;
};

}  // namespace warpdex
