// Lays out batches in a lane's memory.
#include "gpu/run/batch_memory.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {
namespace {

/// The memory grows by this share at most, beyond what is needed.
constexpr std::size_t kShares = 8;

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
  return all - std::min(all, inline_counters_.size() + reserved);
}

void BatchMemory::reserve(std::size_t bytes) {
  reserved_ = bytes;
  if (scratch_.size() > share()) scratch_.reset();
}

/// Finds the places of the pieces, in the memory that there is or in more. False if there is not
/// enough.
bool BatchMemory::make_room(std::size_t queries, const Pieces<std::size_t>& bytes) {
  const auto lay_out = [&](void* begin) {
    Arena arena(begin);
    pieces_.image = arena.take<std::uint8_t>(bytes.image);
    pieces_.cleared = arena.take<std::uint8_t>(bytes.cleared);
    pieces_.tables = arena.take<std::uint8_t>(bytes.tables);
    pieces_.documents = arena.take<std::uint8_t>(bytes.documents);
    return arena.used();
  };
  const std::size_t needed = lay_out(nullptr);
  const std::size_t all = share();
  if (needed > all && queries > 1) return false;
  // The part before may still be under way.
  if (scratch_.size() > all || scratch_.size() < needed) stream_.synchronize();
  if (scratch_.size() > all) scratch_.reset();  // the number of lanes has grown
  const std::size_t more = std::min(needed + std::min(needed / 4, all / kShares), all);
  const auto allocate = [&](std::size_t size) {
    return scratch_.allocate(size, *index_.budget, index_.device);
  };
  if (scratch_.size() < needed && !(more > needed && allocate(more)) && !allocate(needed)) {
    return false;
  }
  lay_out(scratch_.data());
  return true;
}

/// Bytes of an image before the block ranges of OR's lists.
std::size_t BatchMemory::inline_bytes() const {
  return static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(host().table_ranges) -
                                  static_cast<const std::uint8_t*>(staging().data()));
}

/// Whether the batch is a single query of OR whose image can be an argument of its first kernel: no
/// other kernel runs before, it has no raw lists, and there is memory for its own counters.
bool BatchMemory::can_inline(const BatchPlan& plan) {
  const BatchShape& shape = plan.shape;
  const bool is_alone = plan.queries == 1 && shape.or_queries == 1 &&
                        shape.and_queries + shape.and_fallback_queries == 0;
  const bool can = is_alone && plan.round_count == 0 && shape.raw_lists == 0 &&
                   inline_bytes() <= kInlineWords * sizeof(uint4) && plan.tails_bytes == 0;
  if (!can || inline_counters_.size() != 0) return can;
  inline_counter_bytes_ = cleared_bytes_;
  return inline_counters_.allocate(2 * inline_counter_bytes_, *index_.budget, index_.device);
}

void* BatchMemory::inline_counters(std::uint32_t turn) const {
  return static_cast<std::uint8_t*>(inline_counters_.data()) + turn * inline_counter_bytes_;
}

bool BatchMemory::lay_out(const BatchPlan& plan) {
  BatchStages nowhere{};
  Pieces<std::size_t> bytes;
  bytes.image = plan.image_bytes;
  bytes.cleared = place_cleared(nullptr, plan, nowhere);
  bytes.tables = place_tables(nullptr, plan, nowhere);
  bytes.documents = place_documents(nullptr, plan, nowhere);
  if (!make_room(plan.queries, bytes)) return false;
  shape_ = plan.shape;
  image_bytes_ = bytes.image;
  cleared_bytes_ = bytes.cleared;
  turn_of_staging_ = 1 - turn_of_staging_;
  grow(stagings_[turn_of_staging_], image_bytes_);
  is_inline_ = can_inline(plan);
  if (is_inline_) turn_ = 1 - turn_;
  places_ = {};
  place_cleared(is_inline_ ? inline_counters(turn_) : pieces_.cleared, plan, places_);
  place_tables(pieces_.tables, plan, places_);
  place_documents(pieces_.documents, plan, places_);
  return true;
}

void BatchMemory::upload(bool overlaps) {
  const cudaStream_t stream = stream_.handle();
  const auto words = [](std::size_t bytes) {
    return static_cast<std::uint32_t>(bytes / sizeof(uint4));  // pieces of arenas are multiples of
                                                               // 16 bytes
  };
  if (is_inline_) {
    if (!is_clear_) {
      check_cuda(cudaMemsetAsync(inline_counters_.data(), 0, inline_counters_.size(), stream),
                 "cudaMemsetAsync");
    }
    is_clear_ = true;
    inline_query_.ranges = device().table_ranges;
    inline_query_.to = static_cast<uint4*>(pieces_.image);
    inline_query_.cleared = static_cast<uint4*>(inline_counters(1 - turn_));
    inline_query_.words = words(inline_bytes());
    inline_query_.cleared_words = words(inline_counter_bytes_);
    std::memcpy(inline_query_.content, staging().data(), inline_bytes());
    return;
  }
  if (std::max(image_bytes_, cleared_bytes_) <= kFewBytes) {
    const ImageFetch image{static_cast<const uint4*>(staging().device_data()),
                           static_cast<uint4*>(pieces_.image), words(image_bytes_),
                           static_cast<uint4*>(pieces_.cleared), words(cleared_bytes_)};
    return launch_fetch(image, overlaps, stream);
  }
  check_cuda(cudaMemcpyAsync(pieces_.image, staging().data(), image_bytes_, cudaMemcpyHostToDevice,
                             stream),
             "cudaMemcpyAsync of a batch");
  check_cuda(cudaMemsetAsync(pieces_.cleared, 0, cleared_bytes_, stream),
             "cudaMemsetAsync of a batch's state");
}

}  // namespace warpdex::gpu
