// Assigns points slab by slab.
#include <algorithm>

#include "kmeans/gpu/assign_points.hpp"
#include "kmeans/gpu/kernels.hpp"

namespace warpdex::vector {
namespace {

/// Panels of points that lists of candidates are made for at a time.
constexpr std::uint32_t kSlabPanels = 8192;
/// Bytes of panels that are packed at a time, where they are not kept.
constexpr std::size_t kSlabBytes = std::size_t{2} << 30;

}  // namespace

PointAssignment::PointAssignment(std::uint32_t dimension, std::uint32_t points, bool keeps_panels,
                                 bool packs_some)
    : dimension_(dimension),
      points_(points),
      keeps_panels_(keeps_panels),
      packs_some_(packs_some || !keeps_panels) {
  const std::uint32_t panels = TileOrder(points, kPanelRows).panels();
  const auto by_bytes =
      static_cast<std::uint32_t>(std::max<std::size_t>(1, kSlabBytes / panel_bytes(dimension)));
  slab_panels_ = std::max(1U, std::min({panels, kSlabPanels, by_bytes}));
}

void PointAssignment::lay_out(Arena& arena) {
  const auto take = [&](std::size_t panels) {
    return RowPanels{arena.take<std::uint8_t>(panels * panel_bytes(dimension_)),
                     arena.take<float>(panels * kPanelRows),
                     arena.take<float>(panels * kPanelRows)};
  };
  if (keeps_panels_) kept_ = take(TileOrder(points_, kPanelRows).panels());
  if (packs_some_) slab_ = take(slab_panels_);
  const std::size_t places = std::size_t{slab_panels_} * kPanelRows;
  candidates_ = {arena.take<PointCandidate>(places * kMaxParts * kMaxRoom),
                 arena.take<std::uint32_t>(places * kMaxParts),
                 arena.take<float>(places * kMaxParts)};
}

void PointAssignment::pack(const DeviceRows& points, const DeviceChoice& choice,
                           const PanelRules& rules, const Stream& stream) {
  const TileOrder order(choice.count, kPanelRows);
  pack_rows(points, choice, order, rules, 0, order.panels(), kept_, stream);
}

void PointAssignment::run(const DeviceRows& points, const DeviceChoice& choice,
                          const PanelRules& rules, const CentroidPanels& centroids,
                          bool uses_panels, bool computes_distances, std::uint32_t* clusters,
                          float* distances, const Stream& stream) {
  const TileOrder order(choice.count, kPanelRows);
  const std::uint32_t chunks = panel_chunks(dimension_);
  const std::uint32_t parts = assign_parts(chunks);
  const std::uint32_t room = assign_room(chunks);
  // With many centroids, a first look at some of them keeps lists short.
  const std::uint32_t centroid_panels = (centroids.count - 1) / kPanelRows + 1;
  const std::uint32_t first_panels = centroid_panels / parts >= 16 ? 2 : 0;
  for (std::uint32_t panel = 0; panel < order.panels(); panel += slab_panels_) {
    const std::uint32_t count = std::min(slab_panels_, order.panels() - panel);
    RowPanels part = slab_;
    if (uses_panels) {
      const std::size_t place = std::size_t{panel} * kPanelRows;
      part = {kept_.halves + panel * panel_bytes(dimension_), kept_.offsets + place,
              kept_.slacks + place};
    } else {
      pack_rows(points, choice, order, rules, panel, count, part, stream);
    }
    assign_panels({part, centroids, chunks, room, first_panels, candidates_}, count, stream);
    resolve_points(
        {points, choice, order, panel * kPanelRows, count * kPanelRows, candidates_, room, parts,
         centroids, 1 / (rules.scale * rules.scale), computes_distances, clusters, distances},
        stream);
  }
}

void lay_out_panels(Arena& arena, std::uint32_t dimension, CentroidPanels& centroids) {
  const std::size_t padded =
      (std::size_t{centroids.count} + kPanelRows - 1) / kPanelRows * kPanelRows;
  centroids.panels = {arena.take<std::uint8_t>(padded / kPanelRows * panel_bytes(dimension)),
                      arena.take<float>(padded),
                      arena.take<float>(padded),
                      arena.take<float>(padded),
                      arena.take<float>(padded),
                      arena.take<float>(padded),
                      arena.take<std::uint32_t>(padded)};
  centroids.offsets = arena.take<float>(padded);
  centroids.sizes = arena.take<float>(padded);
  centroids.bounds = arena.take<CentroidBounds>(1);
}

}  // namespace warpdex::vector
