// Settings of vectors that are stored beside other data, one a row.
#pragma once

#include <cstddef>

#include "warpdex/vector/metric.hpp"
#include "warpdex/vector/rows/vector_view.hpp"

namespace warpdex::vector {

struct RowSettings {
  Metric metric = Metric::kInnerProduct;
  Store store = Store::kFloat;
  std::size_t dimension = 0;  ///< 1 to kMaxDimension
  bool operator==(const RowSettings&) const = default;
};

}  // namespace warpdex::vector
