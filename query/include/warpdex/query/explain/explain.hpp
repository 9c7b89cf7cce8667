// Takes the score of a document apart.
#pragma once

#include <cstdint>
#include <memory>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/explanation.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// Explains the scores that one query gives documents. For one thread at a time.
class Explainer {
 public:
  /// Throws UsageError for settings out of range, FormatError for damage.
  Explainer(const Snapshot& snapshot, const Query& query, const ScorerSettings& scorer);
  ~Explainer();
  Explainer(Explainer&&) noexcept;
  Explainer& operator=(Explainer&&) noexcept;

  /// The score that a search gives the document, by the same operations in the same order. Of terms
  /// with signs, whether the document matches is not asked: terms that it lacks are left out, and
  /// so are those with a - sign. Of a tree, each clause says whether it matches, and why not; a
  /// tree that does not match scores 0. O(terms log postings), and of prefixes and the like the
  /// terms that they stand for. Throws UsageError for a docID past the last, FormatError.
  Explanation explain(std::uint32_t document) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same of one document. One that a tree with Query::or_else does not match is explained by
/// that.
Explanation explain(const Snapshot& snapshot, const Query& query, const ScorerSettings& scorer,
                    std::uint32_t document);

}  // namespace warpdex
