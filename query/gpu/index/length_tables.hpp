// The tables of document lengths that the GPU gets, made from the lengths of the index. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/layout/length_codes.hpp"

namespace warpdex::gpu {

/// The arrays of Lengths.
struct LengthTables {
  std::vector<std::uint8_t> codes;
  std::vector<std::uint8_t> remainders;
  std::vector<std::uint32_t> long_bases;
  std::vector<std::uint32_t> long_lengths;
};

/// Makes the tables; codes are padded to whole tiles. `lengths` is by docID. O(lengths), on all
/// threads.
LengthTables make_length_tables(std::span<const std::uint32_t> lengths);

}  // namespace warpdex::gpu
