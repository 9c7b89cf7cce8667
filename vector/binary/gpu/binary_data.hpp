// What kernels of a search of binary codes read: plain structs with pointers into GPU memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex::vector {

/// The codes of queries in GPU memory, and what QueryCode has besides.
struct DeviceQueryCodes {
  const std::uint32_t* words = nullptr;  ///< as CodeKernels::xor_distances reads them
  std::uint32_t stride = 0;              ///< words from one query to the next, a multiple of 4
  const float* weights = nullptr;
  const float* bases = nullptr;
  std::uint32_t count = 0;
  std::uint32_t bits = 0;
  std::int32_t top = 0;           ///< of all queries
  const float* shares = nullptr;  ///< of products whose vectors have terms
};

/// BinaryVectors in GPU memory.
struct DeviceBinaryCodes {
  using Queries = DeviceQueryCodes;

  const std::uint8_t* groups = nullptr;
  const float* terms = nullptr;    ///< null: there are none
  const float* factors = nullptr;  ///< of corrections; null: all are 1
  std::uint32_t rows = 0;
  std::uint32_t dimension = 0;
  std::uint32_t bits = 0;
  bool is_l2 = false;

  WARPDEX_HOST_DEVICE std::uint32_t plane_words() const { return (dimension + 31) / 32; }
  WARPDEX_HOST_DEVICE std::uint32_t code_words() const { return plane_words() * bits; }
  WARPDEX_HOST_DEVICE std::size_t group_bytes() const { return std::size_t{code_words()} * 128; }
};

}  // namespace warpdex::vector
