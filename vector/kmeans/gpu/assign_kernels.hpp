// The two steps of an assignment: candidates from products, then the nearest among them.
#pragma once

#include <cstdint>

#include "kmeans/gpu/assign_points.hpp"

namespace warpdex::vector {

/// Places of a point's list of candidates, at the most.
inline constexpr std::uint32_t kMaxRoom = 32;
/// Parts of the centroids. Two CTAs that read the same points do not need more of the L2 cache than
/// one, so where points do not stay in shared memory each takes half of the centroids.
inline constexpr std::uint32_t kMaxParts = 2;

struct AssignTask {
  RowPanels points;  ///< from the first panel on
  CentroidPanels centroids;
  std::uint32_t chunks;
  std::uint32_t room;          ///< places of a list
  std::uint32_t first_panels;  ///< of centroids that only give a first limit
  PointCandidates out;         ///< likewise
};

/// Parts that the centroids are cut into, and places of a list, for panels of so many chunks.
std::uint32_t assign_parts(std::uint32_t chunks);
std::uint32_t assign_room(std::uint32_t chunks);

/// Queues the products of `panels` panels of points with all centroids: each point's candidates.
void assign_panels(const AssignTask& task, std::uint32_t panels, const Stream& stream);

struct ResolveTask {
  DeviceRows points;
  DeviceChoice choice;
  TileOrder order;
  std::uint32_t first_place;
  std::uint32_t places;
  PointCandidates candidates;
  std::uint32_t room;
  std::uint32_t parts;
  CentroidPanels centroids;
  float scale;              ///< of sums to squared distances
  bool computes_distances;  ///< also of points with one candidate
  std::uint32_t* clusters;
  float* distances;
};

/// Queues the comparison of the points' candidates.
void resolve_points(const ResolveTask& task, const Stream& stream);

}  // namespace warpdex::vector
