// Exact search on a GPU among the vectors of several segments: among all of them, or within a set
// of rows for each query. A segment stays in GPU memory when others are added or removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// The vectors of a segment in GPU memory. Immutable; any number of searchers on any threads share
/// it.
class GpuSegmentVectors {
 public:
  /// Uploads the vectors, at least one. These (what `vectors` refers to) and the resources outlive
  /// it. Throws as search_on_gpu() does. O(bytes).
  GpuSegmentVectors(const FlatVectors& vectors, Resources& resources);
  ~GpuSegmentVectors();
  GpuSegmentVectors(const GpuSegmentVectors&) = delete;
  GpuSegmentVectors& operator=(const GpuSegmentVectors&) = delete;

  /// False where memory did not suffice: then nothing of it is on the GPU.
  bool is_resident() const;
  /// Bytes of GPU memory.
  std::size_t memory() const;

  struct State;  ///< for searchers
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// A segment as a searcher sees it.
struct GpuSegment {
  std::shared_ptr<const GpuSegmentVectors> vectors;  ///< resident
  std::uint32_t first_row = 0;                       ///< the number of its first row in answers
  const RowFilter* live = nullptr;  ///< its rows that searches may find; null: all. Read once.
};

/// Sets of rows in GPU memory, a bit for each row, one set for each query.
struct GpuRowSets {
  std::uint32_t* words;  ///< set q begins at q * stride; row r of a segment is bit r % 32 of the
                         ///< segment's word r / 32
  std::size_t stride;
};
/// A segment's words in a set, GpuSegmentSearcher::first_word() on, are a multiple of so many.
inline constexpr std::size_t kSetWords = 512;

/// Answers are those of a FlatSearcher over all segments together, to the bit; rows are numbered
/// through all segments. Any number of threads may search at once; each takes its own stream and
/// scratch memory, all within the budget of the resources. If too little is left, a search waits
/// until another ends, or throws Error.
class GpuSegmentSearcher {
 public:
  /// One segment or more, in the order of their rows, all of one metric, type and dimension. The
  /// resources outlive this. O(rows) where not all are live.
  GpuSegmentSearcher(std::vector<GpuSegment> segments, Resources& resources);
  ~GpuSegmentSearcher();
  GpuSegmentSearcher(GpuSegmentSearcher&&) noexcept;
  GpuSegmentSearcher& operator=(GpuSegmentSearcher&&) noexcept;

  /// Live rows of all segments.
  std::size_t live_rows() const;
  /// Words of a set of rows, and where those of a segment begin.
  std::size_t set_words() const;
  std::size_t first_word(std::size_t segment) const;

  /// Takes the answers of queries [first, first + count): k rows and distances each, as Neighbors
  /// has them, in memory of the host that is used again after the call.
  using TakeAnswers = std::function<void(std::size_t first, std::size_t count,
                                         const std::int32_t* rows, const float* distances)>;

  /// The k nearest live rows of each query; k is from 1 to live_rows(). Throws as
  /// FlatSearcher::nearest() does.
  void nearest(std::span<const float> queries, std::size_t k, const TakeAnswers& take) const;

  /// The same, left in GPU memory: calls take(first, count, rows, stream) for queries [first, first
  /// + count), whose rows, k each, will be at `rows` for what is queued in `stream` by the call.
  using TakeRows = std::function<void(std::size_t first, std::size_t count,
                                      const std::int32_t* rows, const Stream& stream)>;
  void nearest_on_gpu(std::span<const float> queries, std::size_t k, const TakeRows& take) const;

  /// The k nearest of each query within its set of rows, which `fill` queues in `stream` for
  /// queries [first, first + count): all words of each set. Rows that are not live must not be in
  /// it. k is 1 or more. O(rows / 32 + rows of the set * dimension) a query.
  using FillSets = std::function<void(std::size_t first, std::size_t count, const GpuRowSets& sets,
                                      const Stream& stream)>;
  void nearest_within(std::span<const float> queries, std::size_t k, const FillSets& fill,
                      const TakeAnswers& take) const;

  /// The same answers, faster if many queries have large sets: first the `wide_k` nearest of all
  /// rows are found, for all queries together, and filtered by the sets. If fewer than k of them
  /// are in a query's set, the rows of the set are read. wide_k is from k to kMaxWide.
  void nearest_passing(std::span<const float> queries, std::size_t k, std::size_t wide_k,
                       const FillSets& fill, const TakeAnswers& take) const;
  static constexpr std::size_t kMaxWide = 2048;

  /// The k nearest of each query among the rows listed for it: rows[begins[q]] to
  /// rows[begins[q + 1]], in any order, none of them twice. k is 1 or more.
  void nearest_among(std::span<const float> queries, std::size_t k,
                     std::span<const std::uint32_t> rows, std::span<const std::uint32_t> begins,
                     const TakeAnswers& take) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::vector
