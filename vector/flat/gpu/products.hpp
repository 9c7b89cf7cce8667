// Products of rows and queries on the tensor cores: panels, the comparison of their sums with
// limits, lists of candidates, and the distances of those that are left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>

#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/half_bound.hpp"
#include "warpdex/core/cuda/host_device.hpp"
#include "warpdex/core/cuda/stream.hpp"

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

inline constexpr std::uint32_t kPanelRows = 128;    ///< of a panel
inline constexpr std::uint32_t kChunkColumns = 32;  ///< components that lie together
inline constexpr std::uint32_t kChunkBytes = kPanelRows * kChunkColumns * 2;

/// Chunks of a panel.
WARPDEX_HOST_DEVICE constexpr std::uint32_t panel_chunks(std::uint32_t dimension) {
  return (dimension + kChunkColumns - 1) / kChunkColumns;
}
/// Bytes of a panel.
WARPDEX_HOST_DEVICE constexpr std::size_t panel_bytes(std::uint32_t dimension) {
  return std::size_t{panel_chunks(dimension)} * kChunkBytes;
}

/// What turns vectors into panels.
struct PanelRules {
  HalfBound bound;
  float scale;                    ///< of vectors, and for L2 of queries
  const float* centre = nullptr;  ///< in GPU memory; null: the origin
};

/// Panels of vectors, and what is known of each row. A row is identified by its place in the
/// panels, which TileOrder turns into its place in the choice.
struct RowPanels {
  std::uint8_t* halves = nullptr;
  float* offsets = nullptr;  ///< what is added to the products of each row; infinite for no row
  float* slacks = nullptr;   ///< HalfBound's, of each row
};

/// Panels of queries.
struct QueryPanels {
  std::uint8_t* halves = nullptr;
  float* limits = nullptr;  ///< larger sums are not wanted; for all rows of the panels
  float* slacks = nullptr;  ///< of each query
  float* shifts = nullptr;  ///< what a distance has more than its sum, of each query
  float* scales = nullptr;  ///< of distances to sums, of each query
  /// If not null: how much rounding moved each query, as a share of its length (HalfBound's u).
  float* roundings = nullptr;
  /// Set where nothing is known of a query's sums. Its limit is such that no row is wanted.
  std::uint32_t* is_open = nullptr;
};

/// Waits for the measurement of the rounding r of HalfBound, over rows [0, count), and returns it.
/// `largest` is a float of scratch memory. Reads the rows once.
float measure_rounding(const DeviceRows& rows, std::uint32_t count, const PanelRules& rules,
                       float* largest, const Stream& stream);

/// Queues the packing of the panels [first, first + count) of the choice.
void pack_rows(const DeviceRows& rows, const DeviceChoice& choice, const TileOrder& order,
               const PanelRules& rules, std::uint32_t first, std::uint32_t count,
               const RowPanels& panels, const Stream& stream);

/// Queues the packing of queries. Each one's limit is made from wanted_values[query * stride],
/// a value of the canonical order that is still wanted; null: all are.
void pack_queries(const DeviceQueries& queries, std::uint32_t dimension, const PanelRules& rules,
                  const float* wanted_values, std::size_t stride, const QueryPanels& panels,
                  const Stream& stream);

/// A row that may be among the nearest of a query.
struct Candidate {
  float sum;            ///< a lower bound of its distance, in the query's unit
  std::uint32_t place;  ///< in the panels of rows
};

/// Where the candidates of queries go.
struct CandidateLists {
  Candidate* candidates = nullptr;
  std::size_t capacity = 0;         ///< of each query's list; list q begins at q * capacity
  std::uint32_t* counts = nullptr;  ///< of each query; may pass the capacity, by those left out
  /// Where list q begins, instead of q * capacity, with one more for the end; null: there.
  const std::uint64_t* begins = nullptr;
};

/// Rows that are not packed: the kernel rounds them to halves itself.
struct LooseRows {
  DeviceRows rows;
  DeviceChoice choice;
  TileOrder order;
  PanelRules rules;
};

/// A part of the rows against all queries.
struct MatchTask {
  RowPanels rows;             ///< from the first panel of the part on
  std::uint32_t row_panels;   ///< of the part, 1 or more
  std::uint32_t first_place;  ///< of the part
  QueryPanels queries;
  std::uint32_t query_count;  ///< 1 or more
  std::uint32_t chunks;       ///< of a panel
  CandidateLists lists;
  /// All sums are wanted: row i of the part becomes candidate i of each list, whose count is not
  /// changed.
  bool takes_all;
};

/// Queues the products: O(rows * queries * dimension). Lists get their candidates in any order.
void match(const MatchTask& task, const Stream& stream);

/// The most queries and components for match_few().
inline constexpr std::uint32_t kMaxFewQueries = 128;
inline constexpr std::uint32_t kMaxFewDimension = 512;

/// The same for few queries, of rows that are not packed: each is read once. Of task.rows it sets
/// the slacks and reads nothing.
void match_few(const MatchTask& task, const LooseRows& loose, const Stream& stream);

struct TightenTask {
  CandidateLists lists;
  std::uint32_t query_count;
  std::uint32_t k;
  /// Of all rows, from the first panel on; null: they have none.
  const float* row_slacks;
  QueryPanels queries;
  /// Candidates that every list has, whatever its count says; 0: as many as counted.
  std::uint32_t given_count;
  bool overlaps = false;  ///< Launch::overlaps
};

/// Lists have a power of two of places, from 512 up to this.
inline constexpr std::uint32_t kMaxListCapacity = 16384;

/// Queues the emptying of all lists.
void clear_counts(const CandidateLists& lists, std::uint32_t query_count, const Stream& stream);

/// Queues, for each query: a limit is found that k candidates are certainly within, the query's
/// limit lowered to it, and candidates with larger sums are taken off the list. A query whose list
/// was too short becomes open (QueryPanels). O(candidates).
void tighten(const TightenTask& task, const Stream& stream);

struct RescoreTask {
  DeviceRows rows;
  DeviceChoice choice;
  TileOrder order;
  DeviceQueries queries;
  bool is_l2;
  CandidateLists lists;
  const std::uint32_t* is_open;  ///< of QueryPanels; may be null for rescore_all()
  bool overlaps = false;         ///< Launch::overlaps, of rescore()
};

/// Queues, for each query, the ranking of its candidates and of what `answers` holds already (if
/// `has_answers`): the k nearest replace it. Answers of open queries stay, or become missing. k up
/// to kBlockSelectLimit (core/select). O(candidates * dimension).
void rescore(const RescoreTask& task, const DeviceAnswers& answers, bool has_answers,
             const Stream& stream);

/// Queues the canonical distances of all candidates, of lists whose places are set by `begins`:
/// keys[i] of candidate i is an order_key() of value and id. `total` is the last of the begins.
void rescore_all(const RescoreTask& task, std::uint64_t total, std::uint64_t* keys,
                 const Stream& stream);

}  // namespace warpdex::vector
