// The order in which rows are compared: scattered, so that the first ones are like all of them
// whatever order they lie in.
#pragma once

#include <cstdint>
#include <numeric>

#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex::vector {

/// Rows are taken in groups of 32 that lie together. The groups are visited by steps of about 0.618
/// of their number, which spread them evenly.
class TileOrder {
 public:
  static constexpr std::uint32_t kGroupRows = 32;

  /// For `rows` rows, in panels of `panel_rows`, a multiple of 32.
  TileOrder(std::uint32_t rows, std::uint32_t panel_rows)
      : panels_((rows + panel_rows - 1) / panel_rows) {
    groups_ = panels_ * (panel_rows / kGroupRows);
    step_ = static_cast<std::uint32_t>(groups_ * 0.6180339887);
    while (step_ > 1 && std::gcd(step_, groups_) != 1) --step_;
    if (step_ == 0) step_ = 1;
  }

  /// For places in panels that are rows themselves.
  static TileOrder of_places(std::uint32_t places, std::uint32_t panel_rows) {
    TileOrder order(places, panel_rows);
    order.step_ = 1;
    return order;
  }

  WARPDEX_HOST_DEVICE std::uint32_t panels() const { return panels_; }

  /// The row at a place in the panels; rows or more where there is none.
  WARPDEX_HOST_DEVICE std::uint32_t row(std::uint32_t place) const {
    const std::uint64_t group = std::uint64_t{place / kGroupRows} * step_ % groups_;
    return static_cast<std::uint32_t>(group) * kGroupRows + place % kGroupRows;
  }

 private:
  std::uint32_t panels_;
  std::uint32_t groups_;
  std::uint32_t step_;
};

}  // namespace warpdex::vector
