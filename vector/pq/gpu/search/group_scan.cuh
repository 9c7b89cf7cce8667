// Canonical distances of a query to the codes of its lists, four groups a warp at a time.
#pragma once

#include <cstdint>

#include "pq/gpu/search/kernels.hpp"
#include "pq/gpu/search/table_entry.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {

inline constexpr std::uint32_t kCodeChunk = 16;  ///< bytes of a chunk's code; kCodeChunkBytes

/// Byte kByte of a code's chunk, times the size of a table's entry.
template <int kByte>
__device__ __forceinline__ std::uint32_t entry_offset(const uint4& words) {
  const std::uint32_t word = kByte < 4    ? words.x
                             : kByte < 8  ? words.y
                             : kByte < 12 ? words.z
                                          : words.w;
  constexpr int kShift = kByte % 4 * 8;
  return (kShift == 0 ? word << 2 : word >> (kShift - 2)) & 0x3FC;
}

/// Adds the entries of the bytes [kByte, count) of a chunk to the sums of kCount codes, in order.
template <int kByte, bool kIsWhole, int kCount>
__device__ __forceinline__ void add_entries_of(const uint4 (&words)[kCount], std::uint32_t count,
                                               const std::uint8_t* tables, float (&sums)[kCount]) {
  if constexpr (kByte < static_cast<int>(kCodeChunk)) {
    if (!kIsWhole && kByte >= count) return;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const std::uint32_t offset = kByte * kTableEntries * 4 + entry_offset<kByte>(words[i]);
      sums[i] = __fadd_rn(sums[i], *reinterpret_cast<const float*>(tables + offset));
    }
    add_entries_of<kByte + 1, kIsWhole>(words, count, tables, sums);
  }
}

/// The words of a vector in a chunk of `width` bytes a vector: 4, 8, 12 or 16. Others are 0.
__device__ __forceinline__ uint4 load_code(const std::uint8_t* chunk, std::uint32_t lane,
                                           std::uint32_t width) {
  if (width == kCodeChunk) return reinterpret_cast<const uint4*>(chunk)[lane];
  const auto* const own = reinterpret_cast<const std::uint32_t*>(chunk + lane * width);
  return {own[0], width > 4 ? own[1] : 0, width > 8 ? own[2] : 0, 0};
}

/// Adds the entries of whole codes, byte after byte. `groups[i]` is where the group of code i
/// begins, `lane` its vector there.
template <int kCount>
__device__ __forceinline__ void add_codes(const DeviceCodes& codes, const float* tables,
                                          const std::uint8_t* const (&groups)[kCount],
                                          const std::uint32_t (&lanes)[kCount],
                                          float (&sums)[kCount]) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(tables);
  for (std::uint32_t begin = 0; begin < codes.bytes; begin += kCodeChunk) {
    const std::uint32_t width = min(kCodeChunk, codes.stored_bytes() - begin);
    const std::uint32_t count = min(kCodeChunk, codes.bytes - begin);
    uint4 words[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      words[i] = load_code(groups[i] + begin * kGroupVectors, lanes[i], width);
    }
    const std::uint8_t* const own = bytes + std::size_t{begin} * kTableEntries * 4;
    if (count == kCodeChunk) {
      add_entries_of<0, true>(words, count, own, sums);
    } else {
      add_entries_of<0, false>(words, count, own, sums);
    }
  }
}

/// The value, smaller when nearer, that the sum of the vector at `position` stands for.
template <bool kIsL2>
__device__ __forceinline__ float value_of_sum(const DeviceCodes& codes, std::uint32_t position,
                                              float sum) {
  if constexpr (kIsL2) return sum < 0 ? 0.0F : __fadd_rn(sum, 0.0F);
  if (codes.terms == nullptr) return __fadd_rn(sum, 0.0F);
  return __fadd_rn(__fmul_rn(sum, codes.terms[position]), 0.0F);
}

/// Whether a filter (null: all) allows a row.
__device__ __forceinline__ bool is_allowed(const std::uint64_t* filter, std::uint32_t row) {
  return filter == nullptr || (filter[row / 64] >> (row % 64) & 1) != 0;
}

/// The groups of a query's lists, one list behind the other. A warp visits them in ascending order.
class GroupWalk {
 public:
  __device__ GroupWalk(const ScanCodesTask& task, std::uint32_t slot)
      : codes_(task.codes),
        lists_(task.probed.lists + std::size_t{task.chosen.query(slot)} * task.probed.probes),
        ends_(task.made.ends + std::size_t{slot} * task.used),
        bases_(task.made.bases + std::size_t{slot} * task.used),
        used_(task.used) {}

  /// Of all lists.
  __device__ std::uint32_t groups() const { return ends_[used_ - 1]; }

  /// Moves on to a group.
  __device__ void seek(std::uint32_t group) {
    if (group >= end_) enter(find_probe(group));
    group_ = group;
  }

  /// Of the group: the distance of its list's centroid, its codes, the position of its first vector
  /// and that behind its list's last one.
  __device__ float base() const { return base_; }
  __device__ const std::uint8_t* group_codes() const {
    return codes_.groups + std::size_t{group_ + group_shift_} * codes_.group_bytes();
  }
  __device__ std::uint32_t position() const {
    return static_cast<std::uint32_t>(group_ * kGroupVectors) + position_shift_;
  }
  __device__ std::uint32_t position_end() const { return position_end_; }

 private:
  /// The list that a group is in, which is no earlier than the last one found.
  __device__ std::uint32_t find_probe(std::uint32_t group) const {
    std::uint32_t low = probe_;
    for (std::uint32_t high = used_ - 1; low < high;) {
      const std::uint32_t middle = (low + high) / 2;
      if (group < ends_[middle]) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  __device__ void enter(std::uint32_t probe) {
    const std::uint32_t first = probe == 0 ? 0 : ends_[probe - 1];
    const auto list = static_cast<std::uint32_t>(lists_[probe]);
    probe_ = probe;
    end_ = ends_[probe];
    base_ = bases_[probe];
    // Differences of unsigned numbers, right modulo 2^32.
    group_shift_ = codes_.group_begins[list] - first;
    position_shift_ = codes_.begins[list] - first * static_cast<std::uint32_t>(kGroupVectors);
    position_end_ = codes_.begins[list + 1];
  }

  const DeviceCodes& codes_;
  const std::int32_t* lists_;
  const std::uint32_t* ends_;
  const float* bases_;
  std::uint32_t used_;
  std::uint32_t probe_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t group_ = 0;
  std::uint32_t group_shift_ = 0;
  std::uint32_t position_shift_ = 0;
  std::uint32_t position_end_ = 0;
  float base_ = 0;
};

/// Groups that a warp takes at a time: so many loads of a lane are under way.
inline constexpr int kAtOnce = 4;

/// What a thread has of a tile: a vector of each of four groups.
struct TileValues {
  float values[kAtOnce];
  std::uint32_t positions[kAtOnce];
  std::uint32_t exists;  ///< bit i: vector i is there, and is allowed
};

/// Scores the groups [first, first + 4) of a query, as far as they are below `last`. A warp.
template <bool kIsL2>
__device__ __forceinline__ void score_tile(const ScanCodesTask& task, const float* tables,
                                           GroupWalk& walk, std::uint32_t first, std::uint32_t last,
                                           TileValues& tile) {
  tile.exists = 0;
  if (first >= last) return;
  const std::uint8_t* groups[kAtOnce];
  const std::uint32_t lanes[kAtOnce] = {lane_id(), lane_id(), lane_id(), lane_id()};
#pragma unroll
  for (int i = 0; i < kAtOnce; ++i) {
    const bool is_inside = first + i < last;
    if (is_inside) walk.seek(first + i);
    const std::uint32_t position = walk.position() + lane_id();
    groups[i] = walk.group_codes();
    tile.positions[i] = position;
    tile.values[i] = walk.base();
    if (!is_inside || position >= walk.position_end()) continue;
    if constexpr (kIsL2) tile.values[i] = __fadd_rn(tile.values[i], task.codes.terms[position]);
    if (task.filter == nullptr || is_allowed(task.filter, task.codes.row_numbers[position])) {
      tile.exists |= 1U << i;
    }
  }
  add_codes<kAtOnce>(task.codes, tables, groups, lanes, tile.values);
#pragma unroll
  for (int i = 0; i < kAtOnce; ++i) {
    if (!kIsL2 && (tile.exists >> i & 1) == 0) continue;
    tile.values[i] = value_of_sum<kIsL2>(task.codes, tile.positions[i], tile.values[i]);
  }
}

/// Calls visit(tile, is_first) for the groups of the CTA's share of query slot blockIdx.y: all
/// threads as many times. The shares of the CTAs of a query are equal.
template <bool kIsL2, class Visit>
__device__ __forceinline__ void scan_share(const ScanCodesTask& task, const float* tables,
                                           const Visit& visit) {
  GroupWalk walk(task, blockIdx.y);
  const std::uint64_t groups = walk.groups();
  const auto first = static_cast<std::uint32_t>(groups * blockIdx.x / gridDim.x);
  const auto last = static_cast<std::uint32_t>(groups * (blockIdx.x + 1) / gridDim.x);
  const std::uint32_t step = blockDim.x / kWarp * kAtOnce;
  for (std::uint32_t tile = first; tile < last; tile += step) {
    TileValues values;
    score_tile<kIsL2>(task, tables, walk, tile + warp_id() * kAtOnce, last, values);
    visit(values, tile == first);
  }
}

}  // namespace warpdex::vector
