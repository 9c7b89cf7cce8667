// More than 2^31 components: more than fit in 32 bits with a sign.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/vector/flat/plain_search.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/searcher/vector_searcher.hpp"

namespace warpdex::vector {

/// Zeros that take no memory until they are written to.
class ZeroPages {
 public:
  explicit ZeroPages(std::size_t bytes)
      : bytes_(bytes),
        data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~ZeroPages() { munmap(data_, bytes_); }
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;
  void* data() const { return data_ == MAP_FAILED ? nullptr : data_; }

 private:
  std::size_t bytes_;
  void* data_;
};

/// Halves, 0 but for each hundredth row: that begins with 4 ones from row 524,200 on, before that
/// with 1 to 3.
class ManyComponents {
 public:
  ManyComponents() : pages_(kRows * kDimension * 2), norms_(kRows) {
    auto* const halves = static_cast<std::uint16_t*>(pages_.data());
    if (halves == nullptr) return;
    for (std::size_t row = 0; row < kRows; row += 100) {
      const std::size_t ones = row >= 524'200 ? 4 : 1 + row / 100 % 3;
      for (std::size_t c = 0; c < ones; ++c) halves[row * kDimension + c] = 0x3C00;
      norms_[row] = static_cast<float>(ones);
    }
  }

  FlatVectors vectors() const {
    return {
        Metric::kL2, {pages_.data(), Store::kHalf, kRows, kDimension, kDimension}, {}, norms_, {}};
  }

  /// Searches with queries that begin with 4 ones; the nearest rows lie on both sides of component
  /// 2^31, which row 524,288 begins with.
  static void expect_found(const VectorSearcher& searcher, std::size_t count) {
    std::vector<float> queries(count * kDimension);
    Neighbors expected{count, 4, {}, std::vector<float>(count * 4)};
    for (std::size_t q = 0; q < count; ++q) {
      std::fill_n(queries.begin() + static_cast<std::ptrdiff_t>(q * kDimension), 4, 1.0F);
      for (const int row : {524'200, 524'300, 524'400, 524'500}) expected.rows.push_back(row);
    }
    reference::expect_same(searcher.nearest(queries, 4), expected,
                           std::to_string(count) + " queries");
  }

 private:
  static constexpr std::size_t kDimension = 4096;
  static constexpr std::size_t kRows = 524'288 + 1000;

  ZeroPages pages_;
  std::vector<float> norms_;
};

}  // namespace warpdex::vector
