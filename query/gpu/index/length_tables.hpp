// The tables of document lengths that the GPU gets, made from the lengths of the index. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/layout/length_codes.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

/// The arrays and the number of Lengths.
struct LengthTables {
  std::vector<std::uint8_t> codes;
  std::vector<std::uint8_t> remainders;
  std::vector<std::uint32_t> long_bases;
  std::vector<std::uint32_t> long_lengths;
  std::uint32_t field_stride = 0;
  std::uint32_t longest = 0;  ///< the largest length
};

/// Makes the tables. `fields` has the lengths of each text field by docID, of the same documents.
/// O(lengths), on all threads.
LengthTables make_length_tables(std::span<const std::span<const std::uint32_t>> fields);
LengthTables make_length_tables(const Index& index);

}  // namespace warpdex::gpu
