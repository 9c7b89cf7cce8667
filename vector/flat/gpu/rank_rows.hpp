// The nearest of chosen rows, which differ between queries: rows are read one by one and compared
// in the canonical order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/flat_data.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

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
