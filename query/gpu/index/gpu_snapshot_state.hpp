// What engines see of a snapshot on a GPU. Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"

namespace warpdex {

namespace gpu {

/// An uploaded segment, and the index that it was uploaded from.
struct UploadedSegment {
  UploadedSegment(std::shared_ptr<const Index> uploaded, Resources& resources,
                  const GpuIndexSettings& settings)
      : index(std::move(uploaded)), gpu_index(*index, resources, settings) {}

  std::shared_ptr<const Index> index;
  GpuIndex gpu_index;
};

}  // namespace gpu

struct GpuSnapshot::State {
  /// A segment, and the bits of its removed documents: Batch::removed; null where there are none.
  struct Segment {
    std::shared_ptr<const gpu::UploadedSegment> uploaded;
    std::shared_ptr<const AccountedBuffer> removed;
    std::uint32_t first_document = 0;

    const std::uint32_t* removed_bits() const {
      return removed == nullptr ? nullptr : static_cast<const std::uint32_t*>(removed->data());
    }
  };

  State(const Snapshot& uploaded, Resources& used, const State* before);
  static std::optional<std::size_t> find(const Index& index, const State* before);
  void add(const Snapshot::Segment& from, const State* before);
  std::shared_ptr<const gpu::UploadedSegment> upload(const std::shared_ptr<const Index>& index);
  std::size_t share_of(std::uint64_t bytes, std::uint64_t left) const;
  std::shared_ptr<const AccountedBuffer> upload_removed(const Index& index);

  Snapshot snapshot;
  Resources& resources;
  std::vector<Segment> segments;
  std::uint64_t to_come = 0;  ///< bytes of the segments that are still to be uploaded, about
  std::uint64_t segments_to_come = 0;  ///< their number
  std::size_t memory = 0;
  std::size_t new_memory = 0;
};

}  // namespace warpdex
