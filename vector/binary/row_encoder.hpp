// Rows of an index to their codes, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "distance/distance_kernels.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/vector/binary/binary_quantizer.hpp"
#include "warpdex/vector/rows/vector_view.hpp"

namespace warpdex::vector {

/// One thread's.
class RowEncoder {
 public:
  RowEncoder(const VectorView& rows, const BinaryQuantizer& quantizer)
      : rows_(rows),
        quantizer_(quantizer),
        layout_{quantizer.code_bytes()},
        row_(padded(quantizer.dimension)),
        rotated_(row_.size()),
        code_(quantizer.code_words()) {}

  /// Sets the code of a row in its group; returns its correction.
  CodeCorrection encode_row(std::size_t row, std::uint8_t* group) {
    copy_row(rows_, row, row_.data());
    const CodeCorrection correction =
        encode(quantizer_, row_.data(), rotated_.data(), code_.data());
    layout_.write(reinterpret_cast<const std::uint8_t*>(code_.data()), row % kGroupVectors, group);
    return correction;
  }

 private:
  const VectorView& rows_;
  const BinaryQuantizer& quantizer_;
  CodeGroups layout_;
  std::vector<float> row_;
  std::vector<float> rotated_;
  std::vector<std::uint32_t> code_;
};

}  // namespace warpdex::vector
