// Neighbours of queries to files: lines of ids, rows and distances as vector files, JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "warpdex/vector_index.hpp"

namespace warpdex::tools {

/// One query's answers: as many distances as rows, nearest first; rows of -1 are none.
struct QueryNeighbors {
  std::uint64_t query;  ///< its row in the file of queries
  std::span<const std::int32_t> rows;
  std::span<const float> distances;
};

/// Takes the queries in order.
class NeighborOutput {
 public:
  virtual ~NeighborOutput() = default;
  virtual void add(const QueryNeighbors& answer) = 0;
  /// Writes what is left and waits for the disk. Nothing may be added after it. Throws IoError.
  virtual void write_through() = 0;
  /// The output is there after it. Once, at the end. Throws IoError.
  virtual void finish() = 0;
};

/// Where answers go, by --output, --distances and --json.
struct NeighborTargets {
  std::string output;     ///< empty or "-": standard output, as lines
  std::string distances;  ///< a file of floats, or empty
  std::string json;       ///< a file or "-", or empty
};

/// The answers that will come.
struct NeighborShape {
  std::uint64_t queries = 0;
  /// Of an answer in files: one of fewer rows is filled up with -1 and the worst distance. None:
  /// answers are of any length (a range search), which only lines and JSON can hold.
  std::optional<std::size_t> places{};
  bool has_estimates = false;  ///< distances are those of codes
};

/// Lines are: query, id, distance, between tabs. Throws UsageError where a format cannot hold that,
/// and where two outputs go to one place.
std::unique_ptr<NeighborOutput> make_neighbor_output(const NeighborTargets& targets,
                                                     const VectorIndex& index,
                                                     const NeighborShape& shape);

}  // namespace warpdex::tools
