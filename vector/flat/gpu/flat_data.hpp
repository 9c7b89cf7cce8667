// What kernels of exact search read: plain structs with pointers into GPU memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/vector/rows/vector_view.hpp"

namespace warpdex::vector {

/// The vectors that are in GPU memory, or the part of them that is there at a time.
struct DeviceRows {
  const void* data = nullptr;
  Store store = Store::kFloat;
  std::uint32_t dimension = 0;
  std::uint32_t stride = 0;      ///< components; rows begin at multiples of 16 bytes
  const float* norms = nullptr;  ///< of FlatVectors
};

/// Those of them that a search compares.
struct DeviceChoice {
  std::uint32_t count = 0;
  /// Where in DeviceRows each lies; null: [0, count).
  const std::uint32_t* positions = nullptr;
  /// The number by which answers name each; null: its place in the choice, plus `first_id`.
  const std::uint32_t* ids = nullptr;
  std::uint32_t first_id = 0;
};

/// Queries as they are compared in the canonical order of arithmetic.
struct DeviceQueries {
  const float* values = nullptr;  ///< padded as distance_kernels.hpp says, rows of `stride`
  std::uint32_t count = 0;
  std::uint32_t stride = 0;
};

/// The k nearest of each query, sorted, as values that are smaller when nearer (order_key.hpp).
/// Missing places: infinity, and an id of all ones.
struct DeviceAnswers {
  float* values = nullptr;  ///< count * k
  std::uint32_t* ids = nullptr;
  std::uint32_t k = 0;
};

/// Bytes of scratch memory, at most: more makes nothing faster.
inline constexpr std::size_t kMaxScratch = std::size_t{4} << 30;
/// Queries of a block, at most.
inline constexpr std::size_t kMaxBlock = 16384;

}  // namespace warpdex::vector
