#include "warpdex/rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/select/select_k.hpp"

namespace warpdex {
namespace {

constexpr std::uint32_t kNanCode = ~std::uint32_t{0};

/// Smaller for better values; the largest number for NaN.
std::uint32_t code_of(float value, bool largest) {
  if (std::isnan(value)) return kNanCode;
  const auto bits = std::bit_cast<std::uint32_t>(value == 0 ? 0.F : value);
  const std::uint32_t ascending = bits >> 31 != 0 ? ~bits : bits | 0x80000000U;
  return largest ? ~ascending : ascending;
}

float value_of(float value) {
  if (std::isnan(value)) return std::numeric_limits<float>::quiet_NaN();
  return value == 0 ? 0.F : value;
}

template <class Id>
void select_on_gpu(const Gpu& gpu, const MatrixView<float>& values, std::size_t k, bool largest,
                   float* values_out, Id* ids_out) {
  const Stream stream(gpu.device());
  SelectScratch scratch(gpu.device(), &gpu.resources().memory());
  select_k(values, k, largest ? SelectOrder::kLargest : SelectOrder::kSmallest, values_out, ids_out,
           scratch, stream);
  stream.synchronize();
}

}  // namespace

Selection select_k(std::span<const float> values, std::size_t columns, std::size_t k,
                   bool largest) {
  if (columns == 0 || values.size() % columns != 0) {
    throw UsageError("the values are no rows of " + std::to_string(columns) +
                     "; give as many as rows times columns");
  }
  if (k == 0) throw UsageError("a k of 0 selects nothing; k is 1 or more");
  Selection selection;
  const std::size_t kept = std::min(k, columns);
  const float worst = std::numeric_limits<float>::infinity() * (largest ? -1.F : 1.F);
  std::vector<std::uint64_t> keys(columns);
  for (std::size_t first = 0; first < values.size(); first += columns) {
    for (std::size_t i = 0; i < columns; ++i) {
      keys[i] = std::uint64_t{code_of(values[first + i], largest)} << 32 | i;
    }
    const auto end = keys.begin() + static_cast<std::ptrdiff_t>(kept);
    std::partial_sort(keys.begin(), end, keys.end());
    for (std::size_t i = 0; i < k; ++i) {
      const std::size_t id = i < kept ? keys[i] & 0xFFFFFFFFU : 0;
      selection.values.push_back(i < kept ? value_of(values[first + id]) : worst);
      selection.ids.push_back(i < kept ? static_cast<std::int64_t>(id) : -1);
    }
  }
  return selection;
}

void select_k(const Gpu& gpu, const float* values, std::size_t rows, std::size_t columns,
              std::size_t k, bool largest, float* values_out, std::uint32_t* ids_out) {
  select_on_gpu(gpu, {values, rows, columns, columns}, k, largest, values_out, ids_out);
}

void select_k(const Gpu& gpu, const float* values, std::size_t rows, std::size_t columns,
              std::size_t k, bool largest, float* values_out, std::int64_t* ids_out) {
  select_on_gpu(gpu, {values, rows, columns, columns}, k, largest, values_out,
                reinterpret_cast<std::uint64_t*>(ids_out));  // kNoId is -1
}

}  // namespace warpdex
