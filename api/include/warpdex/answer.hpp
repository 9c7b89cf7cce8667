// The answer to a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/query/explanation.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/shown_field.hpp"

namespace warpdex {

class Answer;
class Snapshot;

/// A document of an answer. Valid while the answer lives.
class AnswerHit {
 public:
  AnswerHit(const Answer& answer, std::size_t rank) : answer_(&answer), rank_(rank) {}

  /// Looked up when it is asked for. Throws FormatError for a damaged table of ids.
  std::string_view id() const;
  float score() const;
  /// The docID in the commit that was searched.
  std::uint32_t document() const;
  /// The stored fields that were asked for, those that the document has.
  const std::vector<ShownField>& fields() const;
  /// The text of one of them; none if it was not asked for or the document has none.
  std::optional<std::string_view> field(std::string_view name) const;
  /// Its values in a column of that name. UsageError where the index has none, FormatError.
  std::vector<FieldValue> values(std::string_view column) const;
  /// Its place in a sorted answer, for SearchOptions::after.
  std::string cursor() const;
  /// How the score comes about; null if that was not asked for.
  const Explanation* explanation() const;
  /// The same of a query by words, afterwards, with the scorer that the search had. Throws as
  /// IndexReader::explain().
  Explanation explain(const Query& query, const ScorerSettings& scorer = {}) const;

 private:
  const Answer* answer_;
  std::size_t rank_;
};

/// Up to k documents, best first; equal scores by docID. Keeps the
/// commit that was searched open, but none of a GPU's memory.
class Answer {
 public:
  std::string id{};           ///< of the request
  std::uint64_t matches = 0;  ///< exact if counted and no terms are cut, else a lower bound
  bool matches_exact = false;
  bool fell_back_to_or = false;       ///< and-or: the answer is OR's
  bool scores_are_distances = false;  ///< smaller ones are better
  /// A clause (a prefix, a pattern, a range, a near word) stands for more terms than are taken.
  bool terms_cut = false;
  bool is_complete = true;      ///< false: the deadline passed first
  float max_missing_score = 0;  ///< of one that is not complete: no missing document scores more
  std::vector<Facet> facets{};  ///< as SearchOptions::facets ask, in their order
  bool is_of_gpu = false;       ///< of a search by words alone: a GPU answered it, not the CPU

  std::size_t size() const { return hits_.size(); }
  bool empty() const { return hits_.empty(); }
  AnswerHit operator[](std::size_t rank) const { return {*this, rank}; }

  class Iterator {
   public:
    Iterator(const Answer& answer, std::size_t rank) : answer_(&answer), rank_(rank) {}
    AnswerHit operator*() const { return {*answer_, rank_}; }
    Iterator& operator++() {
      ++rank_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return rank_ != other.rank_; }

   private:
    const Answer* answer_;
    std::size_t rank_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  /// The number of the commit that was searched; 0 of an answer that no search gave.
  std::uint64_t commit() const;

 private:
  friend class AnswerHit;
  friend class AnswerMaker;
  struct Scored {
    std::uint32_t document = 0;
    float score = 0;
  };

  std::shared_ptr<const Snapshot> snapshot_;
  std::vector<Scored> hits_;
  std::vector<std::vector<ShownField>> fields_;  ///< one a hit, or none
  std::vector<Explanation> explanations_;        ///< one a hit, or none
};

/// The answers to many requests as arrays: a row for each, best documents first; equal scores by
/// docID. Keeps the commit that was searched open, but none of a GPU's memory.
class BatchAnswer {
 public:
  /// Behind the last document of a row.
  static constexpr std::uint32_t kNoDocument = 0xFFFFFFFF;

  std::uint32_t k = 0;                     ///< columns
  std::vector<std::uint32_t> documents{};  ///< docIDs, size() × k
  std::vector<float> scores{};             ///< size() × k; 0 behind the last document of a row
  std::vector<std::uint32_t> counts{};     ///< documents of each row
  bool scores_are_distances = false;       ///< smaller ones are better
  bool is_complete = true;                 ///< false: the deadline passed before some were answered

  std::size_t size() const { return counts.size(); }
  /// The id of one of the documents. Throws FormatError for a damaged table of ids.
  std::string_view id(std::uint32_t document) const;
  /// The number of the commit that was searched.
  std::uint64_t commit() const;

 private:
  friend class Searcher;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace warpdex
