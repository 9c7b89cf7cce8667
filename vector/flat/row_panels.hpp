// Rows of an index, panel by panel, as the panel product reads them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "flat/error_bound.hpp"
#include "product/product_kernels.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// A panel of up to kernels.vectors rows.
struct RowPanel {
  std::vector<float> components;
  std::array<float, kMaxPanelVectors> offsets{};
  std::array<float, kMaxPanelVectors> slacks{};
  std::array<std::uint32_t, kMaxPanelVectors> positions{};
  std::size_t count = 0;

  /// The bits of a mask that stand for rows.
  std::uint32_t present() const {
    return static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
  }
};

/// Packs the vectors at positions [first, last) that a filter allows, in order.
class RowPanels {
 public:
  /// `filter` may be null. All must outlive it.
  RowPanels(const FlatVectors& vectors, const ProductKernels& kernels, const RowFilter* filter,
            std::size_t first, std::size_t last);

  /// The next panel; null at the end. Valid until the next call.
  const RowPanel* next();

 private:
  bool collect();
  void pack(std::size_t place);

  const FlatVectors& vectors_;
  std::size_t panel_vectors_;
  const RowFilter* filter_;
  std::size_t next_;
  std::size_t last_;
  ErrorBound bound_;
  std::vector<float> row_;
  RowPanel panel_;
};

}  // namespace warpdex::vector
