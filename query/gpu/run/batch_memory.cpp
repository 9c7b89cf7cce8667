// Lays out batches in a lane's memory.
#include "gpu/run/batch_memory.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/make_entries.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {
namespace {

/// The memory grows by this share at most, beyond what is needed.
constexpr std::size_t kGrowthShares = 8;

/// Up to this size, a kernel copies the image and clears the counters: faster than a copy and a
/// memset.
constexpr std::size_t kFewBytes = std::size_t{1} << 19;

}  // namespace

void grow(PinnedBuffer& buffer, std::size_t bytes) {
  if (buffer.size() >= bytes) return;
  buffer = PinnedBuffer();
  buffer = PinnedBuffer(bytes + bytes / 4);
}

std::size_t BatchMemory::share() const { return share_beside(reserved_); }

std::size_t BatchMemory::share_beside(std::size_t reserved) const {
  const std::size_t all = index_.scratch_share();
  return all - std::min(all, reserved);
}

void BatchMemory::reserve(std::size_t bytes) {
  reserved_ = bytes;
  if (scratch_.size() > share()) scratch_.reset();
}

/// Finds the places of the regions, in the memory that there is or in more. False if there is not
/// enough.
bool BatchMemory::make_room(std::size_t queries, const Regions<std::size_t>& bytes) {
  const auto lay_out = [&](void* begin) {
    Arena arena(begin);
    regions_.image = arena.take<std::uint8_t>(bytes.image);
    regions_.cleared = arena.take<std::uint8_t>(bytes.cleared);
    regions_.tables = arena.take<std::uint8_t>(bytes.tables);
    regions_.documents = arena.take<std::uint8_t>(bytes.documents);
    regions_.made = arena.take<std::uint8_t>(bytes.made);
    return arena.used();
  };
  const std::size_t needed = lay_out(nullptr);
  const std::size_t all = share();
  if (needed > all && queries > 1) return false;
  // The part before may still be under way.
  if (scratch_.size() > all || scratch_.size() < needed) stream_.synchronize();
  if (scratch_.size() > all) scratch_.reset();  // the number of lanes has grown
  const std::size_t more = std::min(needed + std::min(needed / 4, all / kGrowthShares), all);
  const auto allocate = [&](std::size_t size) {
    return scratch_.allocate(size, *index_.budget, index_.device);
  };
  if (scratch_.size() < needed && !(more > needed && allocate(more)) && !allocate(needed)) {
    return false;
  }
  lay_out(scratch_.data());
  return true;
}

void BatchMemory::give_back() {
  if (scratch_.size() <= share()) return;
  stream_.synchronize();  // the part before may still be under way
  scratch_.reset();
}

bool BatchMemory::lay_out(const BatchPlan& plan) {
  BatchStages nowhere{};
  Regions<std::size_t> bytes;
  bytes.image = plan.image_bytes;
  bytes.cleared = place_cleared(nullptr, plan, nowhere);
  bytes.tables = place_tables(nullptr, plan, nowhere);
  bytes.documents = place_documents(nullptr, plan, nowhere);
  ImageParts none{};
  bytes.made = lay_out_made(plan.shape, nullptr, none);
  if (!make_room(plan.queries, bytes)) return false;
  shape_ = plan.shape;
  image_bytes_ = bytes.image;
  cleared_bytes_ = bytes.cleared;
  turn_of_staging_ = 1 - turn_of_staging_;
  grow(stagings_[turn_of_staging_], image_bytes_);
  places_ = {};
  place_cleared(regions_.cleared, plan, places_);
  place_tables(regions_.tables, plan, places_);
  place_documents(regions_.documents, plan, places_);
  return true;
}

ImageParts BatchMemory::device() const {
  ImageParts parts = gpu::lay_out(shape_, regions_.image);
  lay_out_made(shape_, regions_.made, parts);
  return parts;
}

void BatchMemory::upload(bool overlaps) {
  send(overlaps);
  if (!shape_.sends_entries) return;
  const ImageParts parts = device();
  launch_make_entries({.entries = parts.entries,
                       .uses = parts.uses,
                       .tables = parts.tables,
                       .entry_count = shape_.entries,
                       .segments = shape_.segments,
                       .range_blocks = shape_.range_blocks,
                       .lists = parts.lists,
                       .queries = parts.queries,
                       .list_spans = parts.list_spans,
                       .table_ranges = parts.table_ranges},
                      stream_.handle());
}

/// Queues the upload and the clearing.
void BatchMemory::send(bool overlaps) {
  const cudaStream_t stream = stream_.handle();
  const auto words = [](std::size_t bytes) {
    return static_cast<std::uint32_t>(bytes / sizeof(uint4));  // regions of arenas are multiples of
                                                               // 16 bytes
  };
  if (std::max(image_bytes_, cleared_bytes_) <= kFewBytes) {
    const ImageFetch image{static_cast<const uint4*>(staging().device_data()),
                           static_cast<uint4*>(regions_.image), words(image_bytes_),
                           static_cast<uint4*>(regions_.cleared), words(cleared_bytes_)};
    return launch_fetch(image, overlaps, stream);
  }
  check_cuda(cudaMemcpyAsync(regions_.image, staging().data(), image_bytes_, cudaMemcpyHostToDevice,
                             stream),
             "cudaMemcpyAsync of a batch");
  check_cuda(cudaMemsetAsync(regions_.cleared, 0, cleared_bytes_, stream),
             "cudaMemsetAsync of a batch's state");
}

}  // namespace warpdex::gpu
