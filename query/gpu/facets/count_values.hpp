// Launches the kernel that counts the values of a column. Internal.
#pragma once

#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::gpu {

/// A column of a segment; pointers are the GPU's. ColumnView says what they hold.
struct PlacedColumn {
  const std::uint8_t* packed;
  const std::uint32_t* present;  ///< a bit a document; null: each has a value
  const std::uint32_t* begins;   ///< null: no document has several values
  std::uint32_t slots;
  std::uint32_t width;    ///< bits of a value
  std::uint32_t entries;  ///< of the tables: packed values are below
};

/// Counters, which are added to.
struct ValueCounters {
  std::uint32_t* with_values;  ///< documents that have a value: one number
  std::uint32_t* documents;    ///< by packed value
  std::uint32_t* values;       ///< likewise, of columns with several; else null
};

/// Counts over the documents whose bits are set in `words` words.
void launch_count_values(const std::uint32_t* set, std::uint32_t words, const PlacedColumn& column,
                         const ValueCounters& to, const Stream& stream);

}  // namespace warpdex::gpu
