// Rows that lie one after the other behind a header.
#pragma once

#include <utility>

#include "data/data_file.hpp"
#include "data/row_source.hpp"

namespace warpdex::vector {

class BlockSource final : public RowSource {
 public:
  /// The rows begin `begin` bytes into the file, and the file has all of them.
  BlockSource(DataFile file, const RowShape& shape, std::uint64_t begin)
      : file_(std::move(file)), begin_(begin) {
    shape_ = shape;
    file_.expect_sequence();
  }

  void load(std::uint64_t first, std::size_t rows, void* out) override {
    const std::size_t row_bytes = shape_.dimension * stored_bytes(shape_.type);
    file_.read(begin_ + first * row_bytes, rows * row_bytes, out);
  }

 private:
  DataFile file_;
  std::uint64_t begin_;
};

}  // namespace warpdex::vector
