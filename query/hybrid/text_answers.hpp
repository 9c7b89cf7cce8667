// What the words of queries found. Internal.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "warpdex/query/engine/engine.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex {

/// What the text half found, where it lies.
class TextAnswers {
 public:
  explicit TextAnswers(std::vector<SearchResult> results) : results_(std::move(results)) {}
  /// `results` has the answers to queries that `batch` leaves.
  TextAnswers(BatchAnswers batch, std::vector<SearchResult> results)
      : batch_(std::move(batch)), results_(std::move(results)) {}

  std::span<const Hit> hits(std::size_t query) const {
    if (!batch_) return results_[query].hits;
    const AnswerView answer = (*batch_)[query];
    return answer.is_answered ? answer.hits : std::span<const Hit>(results_[query].hits);
  }

 private:
  std::optional<BatchAnswers> batch_;
  std::vector<SearchResult> results_;
};

}  // namespace warpdex
