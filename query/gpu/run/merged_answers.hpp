// The answers of a batch, merged from those of the segments. Plain C++. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/query/engine/engine.hpp"

namespace warpdex::gpu {

/// Score descending, then docID ascending.
inline bool comes_before(const Hit& a, const Hit& b) {
  return a.score != b.score ? a.score > b.score : a.document < b.document;
}

/// The answers of one segment; its document 0 is `first_document` of the snapshot.
struct SegmentAnswers {
  BatchAnswers answers;
  std::uint32_t first_document = 0;
};

/// Owns the answers. At first each query has an answer without documents.
class MergedAnswers final : public BatchAnswers::Source {
 public:
  explicit MergedAnswers(std::size_t queries) : results_(queries), is_answered_(queries, 1) {}

  /// Sets a query's answer to the k best documents of the segments (score descending, then docID
  /// ascending) and to the sum of their matches. It is unanswered if a segment left it unanswered.
  /// O(segments k). For different queries on any threads.
  void merge(std::size_t query, std::span<const SegmentAnswers> segments, std::uint32_t k);
  /// Marks the query as unanswered.
  void leave(std::size_t query) { is_answered_[query] = 0; }
  /// Marks the query's answer, which is merged later, as OR's.
  void fall_back(std::size_t query) { results_[query].fell_back_to_or = true; }

  std::uint64_t matches(std::size_t query) const { return results_[query].matches; }
  bool is_answered(std::size_t query) const { return is_answered_[query] != 0; }

  std::size_t size() const override { return results_.size(); }
  AnswerView answer(std::size_t query) const override;

 private:
  std::vector<SearchResult> results_;
  std::vector<std::uint8_t> is_answered_;  ///< bytes, since several threads write at a time
};

}  // namespace warpdex::gpu
