// Answers, and what is computed for all rows: canonical distances and the ranks of rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/flat_data.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/vector/metric.hpp"

namespace warpdex::vector {

/// Queues the padding of `count` queries of `dimension` floats to rows of `stride`; for kCosine
/// they are scaled to length 1, to the bits of normalize().
void prepare_on_gpu(const float* queries, std::uint32_t count, std::uint32_t dimension,
                    Metric metric, float* prepared, std::uint32_t stride, const Stream& stream);

/// Queues the filling of answers with missing places.
void clear_answers(const DeviceAnswers& answers, std::uint32_t queries, const Stream& stream);

/// Queues the copy of rows of 32-bit values: row list[i] of `from` becomes row i of `to`.
void gather_rows(const float* from, const std::uint32_t* list, std::uint32_t count,
                 std::uint32_t columns, float* to, const Stream& stream);

/// What a scan of rows found, k for each query, sorted.
struct FoundAnswers {
  const float* values;
  const std::uint32_t* ids;
  std::uint32_t k;
  std::uint32_t first_id;  ///< added to each id that is not missing
};

/// Queues the joining of two sorted lists for each of `count` queries: those of `answers` for query
/// list[i] (null: i), and found ones i. The k best are the new answers. `joined` is scratch memory
/// for the answers of `count` queries.
void join_answers(const DeviceAnswers& answers, const FoundAnswers& found,
                  const std::uint32_t* list, std::uint32_t count, const DeviceAnswers& joined,
                  const Stream& stream);

/// Queues the turning of answers into rows and distances as the metric has them.
void write_answers(const DeviceAnswers& answers, std::uint32_t queries, Metric metric,
                   std::int32_t* rows, float* distances, const Stream& stream);

/// Queues the computation of all distances, as values that are smaller when nearer: that of query q
/// and place p of the choice goes to values[q * stride + p]. At most 2^19 queries. Reads the
/// vectors once for each 8 queries. O(queries * choice * dimension).
void scan_rows(const DeviceRows& rows, const DeviceChoice& choice, const DeviceQueries& queries,
               bool is_l2, float* values, std::size_t stride, const Stream& stream);

/// A segment's vectors; those of one search have the same type, dimension and stride.
struct RankedSegment {
  const void* data;
  std::uint32_t first_row;   ///< the number of its first row in answers
  std::uint32_t first_word;  ///< of its rows in sets
};

/// The rows of a query: those of a set, or listed ones.
struct RankedRows {
  const std::uint32_t* words = nullptr;  ///< of sets; null: rows are listed
  std::uint32_t set_words = 0;
  const std::uint32_t* listed = nullptr;
  const std::uint32_t* begins =
      nullptr;  ///< query q has listed[begins[q]] to listed[begins[q + 1]]
};

/// What all queries share.
struct RankTask {
  const RankedSegment* segments;  ///< in GPU memory
  std::uint32_t segment_count;
  DeviceRows rows;  ///< of any segment: type, dimension and stride are read
  DeviceQueries queries;
  RankedRows chosen;
  bool is_l2;
  /// By query: not 0 where its answers are known and stay as they are; null: nowhere.
  const std::uint32_t* is_settled = nullptr;
};

/// Queues, for each query, the filtering of the nearest of all rows, `wide`, by its set of rows:
/// the first k of those that are in it become the answers. `is_settled` says where these are the k
/// nearest of the set: where there are k, or where `wide` has all rows there are.
void pass_rows(const RankTask& task, const DeviceAnswers& wide, const DeviceAnswers& answers,
               std::uint32_t* is_settled, const Stream& stream);

class RankSearch {
 public:
  /// For blocks of up to `queries` queries, whose rows are `width` words of a set or listed rows at
  /// the most.
  RankSearch(std::size_t queries, std::size_t k, std::size_t width);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Queues the search. Replaces `answers`, of k each.
  void run(const RankTask& task, const DeviceAnswers& answers, const Stream& stream);

 private:
  std::uint32_t k_;
  std::uint32_t pass_k_;
  std::uint32_t parts_;  ///< CTAs that share a query's rows
  std::size_t queries_;
  unsigned long long* found_ = nullptr;  ///< entries by query and part, pass_k_ each
  unsigned long long* last_ = nullptr;   ///< by query: the last answer of the pass before
};

}  // namespace warpdex::vector
