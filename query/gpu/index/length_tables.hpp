// What the GPU is given of the documents' lengths, made of those of the index. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/layout/length_codes.hpp"

namespace warpdex::gpu {

/// The arrays of Lengths.
struct LengthTables {
  std::vector<std::uint8_t> codes;
  std::vector<std::uint8_t> rests;
  std::vector<std::uint32_t> long_bases;
  std::vector<std::uint32_t> long_lengths;
};

/// Tables of the lengths by docID, the codes padded to whole tiles. O(lengths), by all threads.
LengthTables make_length_tables(std::span<const std::uint32_t> lengths);

}  // namespace warpdex::gpu
