// Answers as Python sees them.
#pragma once

#include <memory>
#include <vector>

#include "support.hpp"
#include "warpdex/answer.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/scorer_settings.hpp"

namespace warpdex::python {

/// The answer to one query, which hits keep.
struct Found {
  Query query;
  Answer answer;
  ScorerSettings scorer;
  bool by_words = true;  ///< alone, so that scores can be explained
};

class Hits {
 public:
  explicit Hits(std::shared_ptr<const Found> found) : found_(std::move(found)) {}

  const Answer& answer() const { return found_->answer; }
  const Found& found() const { return *found_; }

 private:
  std::shared_ptr<const Found> found_;
};

/// A document of an answer.
class Hit {
 public:
  Hit(Hits hits, std::size_t rank) : hits_(std::move(hits)), rank_(rank) {}

  AnswerHit get() const { return hits_.answer()[rank_]; }
  Explanation explain() const;

 private:
  Hits hits_;
  std::size_t rank_;
};

/// The answers to many queries, as arrays.
class Batch {
 public:
  /// `hits` has the answers as such too, or is empty.
  explicit Batch(BatchAnswer&& answer, std::vector<Hits> hits = {});

  const BatchAnswer& answer() const { return answer_; }
  /// (scores float32 n x k, docs uint32 n x k, counts uint32 n)
  nb::tuple arrays() const { return arrays_; }
  /// For each query a list of its documents' ids.
  nb::list ids() const;
  /// A Hits for each query; None where only arrays were asked for.
  nb::object hits() const;
  void save_trec(const std::string& path, const std::vector<std::string>& qids,
                 const std::string& tag) const;

 private:
  BatchAnswer answer_;  ///< its arrays are in arrays_
  std::vector<Hits> hits_;
  nb::tuple arrays_;
  const float* scores_;
  const std::uint32_t* documents_;
  const std::uint32_t* counts_;
  std::size_t rows_;
};

/// Texts, and snippets, by field.
nb::dict fields_dict(const std::vector<ShownField>& shown);
nb::dict snippets_dict(const std::vector<ShownField>& shown);
/// By column.
nb::dict facets_dict(const std::vector<Facet>& of_answer);

/// Binds Hit, Hits, Batch and Explanation.
void bind_answers(nb::module_& module);

}  // namespace warpdex::python
