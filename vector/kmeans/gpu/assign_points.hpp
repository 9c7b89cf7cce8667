// The nearest centroid of each point.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/products.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// What all centroids have in common.
struct CentroidBounds {
  float slack;     ///< how far bounds are apart, at the most, by the centroids' part
  float share;     ///< of the points' slacks that is needed
  float relative;  ///< HalfBound's, with the centroids' own rounding
};

/// Centroids in GPU memory, and as panels.
struct CentroidPanels {
  const float* centroids = nullptr;  ///< count * dimension, without gaps
  std::uint32_t count = 0;
  QueryPanels panels;                ///< of the centroids
  float* offsets = nullptr;          ///< what is added to the products of each; infinite for none
  float* sizes = nullptr;            ///< squared length of each from the centre, scaled
  CentroidBounds* bounds = nullptr;  ///< one
  /// Of each centroid, whether points may be assigned to it; null: to all.
  const std::uint32_t* is_closed = nullptr;
};

/// A centroid that may be the nearest of a point.
struct PointCandidate {
  float sum;
  std::uint32_t centroid;
};

/// The candidates of a slab of points: lists by places in the panels, and by part of the centroids.
struct PointCandidates {
  PointCandidate* candidates = nullptr;
  std::uint32_t* counts = nullptr;  ///< may pass a list's room: then all are candidates
  float* limits = nullptr;          ///< candidates with larger sums are none
};

/// Assigns points to centroids. Points that are not packed are packed slab by slab.
class PointAssignment {
 public:
  /// For points of one dimension, up to `points` of them. `keeps_panels`: all are packed at once,
  /// by pack(). `packs_some`: run() may be given others as well.
  PointAssignment(std::uint32_t dimension, std::uint32_t points, bool keeps_panels,
                  bool packs_some);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// If it keeps panels: packs all points, as the choice that run() is given.
  void pack(const DeviceRows& points, const DeviceChoice& choice, const PanelRules& rules,
            const Stream& stream);

  /// Queues the assignment of the chosen points: clusters[position], the nearest centroid, ties to
  /// the smaller number, and distances[position]: the squared distance in the canonical order or,
  /// without `computes_distances` and where only one centroid comes into question, as the product
  /// has it. `uses_panels`: the choice is what pack() was given.
  void run(const DeviceRows& points, const DeviceChoice& choice, const PanelRules& rules,
           const CentroidPanels& centroids, bool uses_panels, bool computes_distances,
           std::uint32_t* clusters, float* distances, const Stream& stream);

 private:
  std::uint32_t dimension_;
  std::uint32_t points_;
  bool keeps_panels_;
  bool packs_some_;
  std::uint32_t slab_panels_;
  RowPanels kept_;
  RowPanels slab_;
  PointCandidates candidates_;
};

/// Takes the memory of `centroids`' panels, for its count, or measures it.
void lay_out_panels(Arena& arena, std::uint32_t dimension, CentroidPanels& centroids);

/// Queues the packing of the centroids into `centroids`' panels.
void pack_centroids(const CentroidPanels& centroids, std::uint32_t dimension,
                    const PanelRules& rules, const Stream& stream);

}  // namespace warpdex::vector
