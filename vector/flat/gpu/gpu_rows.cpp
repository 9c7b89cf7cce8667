// Uploads vectors, or leaves them where they are.
#include "flat/gpu/gpu_rows.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <limits>
#include <string>

#include "flat/error_bound.hpp"
#include "flat/search_input.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::vector {
namespace {

/// GPU memory that is left to searches when vectors are uploaded, at the least: they keep some
/// numbers for each row.
std::size_t min_scratch(std::size_t rows) { return std::max(std::size_t{64} << 20, rows * 32); }

template <class Value>
void upload_values(std::span<const Value> values, AccountedBuffer& to, const Stream& stream) {
  to.buffer().upload({reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()},
                     stream);
}

}  // namespace

GpuRows::GpuRows(const FlatVectors& vectors, Resources& resources,
                 const GpuSearchSettings& settings)
    : host_(vectors),
      device_(resources.device()),
      memory_(settings.memory == 0 ? resources.memory().left() : settings.memory,
              &resources.memory()),
      rules_{HalfBound(vectors.metric, vectors.vectors.dimension), 1} {
  check_vectors(vectors.vectors);
  const CurrentDevice current(device_);
  const Stream stream(device_);
  const ErrorBound bound(vectors.metric, vectors.vectors.dimension);
  float largest = 0;
  for (const float norm : vectors.norms) {
    is_bounded_ = is_bounded_ && bound.is_bounded(norm);
    largest = std::max(largest, norm);
  }
  rules_.scale = is_bounded_ ? half_scale(vectors.metric, largest) : 1;
  if (!vectors.centre.empty()) {
    if (!centre_.allocate(vectors.centre.size_bytes(), memory_, device_)) {
      throw Error("there is no GPU memory left for vectors; give more");
    }
    upload_values(vectors.centre, centre_, stream);
    rules_.centre = static_cast<const float*>(centre_.data());
  }
  if (upload(stream) && is_bounded_) {
    AccountedBuffer found;
    if (found.allocate(sizeof(float), memory_, device_)) {
      const float rounding =
          measure_rounding(rows_, count(), rules_, static_cast<float*>(found.data()), stream);
      rules_.bound = HalfBound(vectors.metric, vectors.vectors.dimension, rounding);
    }
    if (settings.keeps_halves) keep_panels(stream);
  }
  stream.synchronize();
}

std::uint32_t GpuRows::stride() const {
  const auto step = static_cast<std::uint32_t>(16 / store_bytes(host_.vectors.store));
  return (dimension() + step - 1) / step * step;
}

std::size_t GpuRows::row_bytes() const {
  return stride() * store_bytes(host_.vectors.store) + sizeof(float);
}

bool GpuRows::upload(const Stream& stream) {
  const std::size_t bytes = count() * row_bytes() + host_.row_numbers.size_bytes();
  if (count() == 0 || bytes + min_scratch(count()) > memory_.left()) return false;
  if (!data_.allocate(count() * (row_bytes() - sizeof(float)), memory_, device_) ||
      !norms_.allocate(count() * sizeof(float), memory_, device_) ||
      (!host_.row_numbers.empty() &&
       !row_numbers_.allocate(host_.row_numbers.size_bytes(), memory_, device_))) {
    data_.reset();
    norms_.reset();
    return false;
  }
  copy_rows(host_.vectors, 0, count(), data_.data(), stride(), stream);
  upload_values(host_.norms, norms_, stream);
  if (!host_.row_numbers.empty()) upload_values(host_.row_numbers, row_numbers_, stream);
  rows_ = {data_.data(), host_.vectors.store, dimension(), stride(),
           static_cast<const float*>(norms_.data())};
  return true;
}

void GpuRows::keep_panels(const Stream& stream) {
  const TileOrder order(count(), kPanelRows);
  const std::size_t places = std::size_t{order.panels()} * kPanelRows;
  const auto lay_out = [&](void* memory) {
    Arena arena(memory);
    panels_ = {arena.take<std::uint8_t>(order.panels() * panel_bytes(dimension())),
               arena.take<float>(places), arena.take<float>(places)};
    return arena.used();
  };
  const std::size_t bytes = lay_out(nullptr);
  if (bytes + min_scratch(count()) > memory_.left() ||
      !panel_memory_.allocate(bytes, memory_, device_)) {
    panels_ = {};
    return;
  }
  lay_out(panel_memory_.data());
  pack_rows(rows_, {.count = count()}, order, rules_, 0, order.panels(), panels_, stream);
}

void copy_if_they_fit(const FlatVectors& vectors, Resources& resources, const MemoryBudget& memory,
                      std::optional<GpuRows>& rows) {
  if (vectors.vectors.rows == 0) return;
  rows.emplace(vectors, resources,
               GpuSearchSettings{.memory = std::max<std::size_t>(1, memory.left())});
  if (!rows->is_resident()) rows.reset();
}

void copy_rows(const VectorView& from, std::size_t first, std::size_t count, void* to,
               std::uint32_t stride, const Stream& stream) {
  const std::size_t size = store_bytes(from.store);
  if (from.stride == stride) {
    check_cuda(cudaMemcpyAsync(to, from.row(first), ((count - 1) * stride + from.dimension) * size,
                               cudaMemcpyHostToDevice, stream.handle()),
               "cudaMemcpyAsync");
    return;
  }
  check_cuda(
      cudaMemcpy2DAsync(to, stride * size, from.row(first), from.stride * size,
                        from.dimension * size, count, cudaMemcpyHostToDevice, stream.handle()),
      "cudaMemcpy2DAsync");
}

}  // namespace warpdex::vector
