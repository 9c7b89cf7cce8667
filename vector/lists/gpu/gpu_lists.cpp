// Lays the lists out in panels.
#include "lists/gpu/gpu_lists.hpp"

#include <string>

#include "flat/gpu/products.hpp"
#include "lists/gpu/kernels.hpp"
#include "lists/gpu/place_lists.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

std::vector<std::uint32_t> find_panels(std::span<const std::uint64_t> begins) {
  std::vector<std::uint32_t> panels{0};
  for (std::size_t list = 0; list + 1 < begins.size(); ++list) {
    const std::uint64_t rows = begins[list + 1] - begins[list];
    panels.push_back(panels.back() +
                     static_cast<std::uint32_t>((rows + kPanelRows - 1) / kPanelRows));
  }
  return panels;
}

}  // namespace

GpuLists::GpuLists(const Lists<RowCoding>& vectors, Resources& resources, std::size_t memory)
    : host_(vectors),
      panel_begins_(find_panels(vectors.begins)),
      places_(panel_begins_.back() * kPanelRows),
      rows_(vectors.vectors, resources, {.memory = memory, .keeps_halves = false}),
      centroids_(vectors.centroids, resources, {}),
      sizes_(sizes_of_largest(vectors.begins)) {
  if (!centroids_.is_resident() && centroids_.count() > 0) {
    throw Error("the centroids of this inverted file need " +
                std::to_string(centroids_.count() * centroids_.row_bytes() >> 20) +
                " MiB of GPU memory; give more, or search it on the CPU");
  }
  if (rows_.count() == 0) return;
  const CurrentDevice current(rows_.device());
  const Stream stream(rows_.device());
  const auto lay_out = [&](void* begin) {
    Arena arena(begin);
    positions_ = arena.take<std::uint32_t>(places_);
    ids_ = arena.take<std::uint32_t>(places_);
    device_begins_ = arena.take<std::uint32_t>(host_.begins.size());
    device_panel_begins_ = arena.take<std::uint32_t>(host_.begins.size());
    panels_ = {arena.take<std::uint8_t>(panel_begins_.back() * panel_bytes(rows_.dimension())),
               arena.take<float>(places_), arena.take<float>(places_)};
    return arena.used();
  };
  const std::size_t bytes = lay_out(nullptr);
  if (!rows_.is_resident() || !memory_.allocate(bytes, rows_.memory(), rows_.device())) {
    const std::size_t needed = bytes + rows_.count() * rows_.row_bytes();
    throw Error("this inverted file needs " + std::to_string(needed >> 20) +
                " MiB of GPU memory, and room to search; give more, or search it on the CPU");
  }
  lay_out(memory_.data());
  std::vector<std::uint32_t> positions(places_, kNoEntry);
  std::vector<std::uint32_t> ids(places_, kNoEntry);
  for (std::size_t list = 0; list < lists(); ++list) {
    std::size_t place = std::size_t{panel_begins_[list]} * kPanelRows;
    for (std::uint64_t row = host_.begins[list]; row < host_.begins[list + 1]; ++row, ++place) {
      positions[place] = static_cast<std::uint32_t>(row);
      ids[place] = vectors.vectors.row_number(row);
    }
  }
  copy_to_gpu(positions_, positions.data(), positions.size(), stream);
  copy_to_gpu(ids_, ids.data(), ids.size(), stream);
  const std::vector<std::uint32_t> begins(host_.begins.begin(), host_.begins.end());
  copy_to_gpu(device_begins_, begins.data(), begins.size(), stream);
  copy_to_gpu(device_panel_begins_, panel_begins_.data(), panel_begins_.size(), stream);
  if (rows_.is_bounded()) {
    const RowPage all = page();
    pack_rows(all.rows, all.choice, order(), rows_.rules(), 0, panel_begins_.back(), panels_,
              stream);
  }
  stream.synchronize();
}

RowPage GpuLists::page() const {
  return {rows_.rows(), {.count = places_, .positions = positions_, .ids = ids_, .first_id = 0}};
}

}  // namespace warpdex::vector
