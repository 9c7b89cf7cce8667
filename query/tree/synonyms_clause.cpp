#include "tree/synonyms_clause.hpp"

#include <algorithm>
#include <optional>

#include "scorers/scorers.hpp"
#include "tree/leaf_clauses.hpp"
#include "tree/window_parts.hpp"

namespace warpdex {
namespace {

/// Whether the score of a sum of frequencies is at most the sum of their scores.
bool adds_up(ScorerKind kind) {
  return kind == ScorerKind::kBm25 || kind == ScorerKind::kBm25Plus ||
         kind == ScorerKind::kBm25Lucene || kind == ScorerKind::kImpact;
}

class SynonymsClause final : public TreeClause {
 public:
  SynonymsClause(const Index& index, const PlannedNode& node, std::size_t segment,
                 const ScorerSettings& scorer, const std::vector<CollectionStatistics>& statistics)
      : scores_(node.scores) {
    lists_.reserve(node.should.size());  // they do not move
    std::uint64_t documents = 0;
    std::uint64_t occurrences = 0;
    std::uint64_t here = 0;
    float weight = 0;
    std::size_t field = 0;
    for (const PlannedNode& word : node.should) {
      std::uint64_t own = 0;
      if (const std::optional<PlannedTerm>& term = word.terms[segment]) {
        lists_.emplace_back().open(index, term->entry);
        own = occurrences_of(lists_.back());
      }
      here += own;
      const auto known = std::ranges::find_if(word.terms, &std::optional<PlannedTerm>::has_value);
      if (known == word.terms.end() && !word.elsewhere) continue;
      const PlannedTerm& term = known == word.terms.end() ? *word.elsewhere : **known;
      // Of an index of one segment, whose list has the word, they are not told.
      documents = std::max<std::uint64_t>(documents, term.document_frequency == 0
                                                         ? term.entry.document_frequency
                                                         : term.document_frequency);
      occurrences += term.collection_frequency == 0 ? own : term.collection_frequency;
      weight = term.weight;
      field = term.entry.field;
    }
    lengths_ = index.lengths(field).data();
    frequencies_.resize(kTreeWindow);
    if (!scores_ || lists_.empty()) return;
    scorer_ = make_term_scorer(scorer, statistics[field], documents, occurrences, weight);
    largest_ = largest_score(scorer_, here) * facts_of(scorer_.kind).bound_slack;
    for (ListCursor& list : lists_) list.set_scorer(index, scorer_, occurrences_of(list));
  }

  bool has_lists() const { return !lists_.empty(); }

  std::uint32_t next_document(const Kernels& kernels, std::uint32_t document) override {
    std::uint32_t next = kNoDocument;
    for (ListCursor& list : lists_) next = std::min(next, list.next_document(kernels, document));
    return next;
  }

  float bound(const TreeWindow& window) override {
    if (!scores_) return 0;
    if (!adds_up(scorer_.kind)) return largest_;
    float sum = 0;
    for (ListCursor& list : lists_) {
      list.skip_to_block(window.begin);
      if (!list.at_end()) sum += list.bound_between(window.begin, window.end);
    }
    return std::min(largest_, sum * kSlack);
  }

  std::uint64_t cost() const override {
    std::uint64_t sum = 0;
    for (const ListCursor& list : lists_) sum += list.size();
    return sum;
  }

  void match(const Kernels& kernels, const TreeWindow& window, const WindowBits& within,
             WindowMatches& matches) override {
    matches.bits = {};
    std::fill(frequencies_.begin(), frequencies_.end(), std::uint32_t{0});
    for (ListCursor& list : lists_) {
      for_each_part(list, kernels, window, [&](std::uint32_t begin, std::uint32_t end) {
        const std::uint32_t* const docids = list.docids();
        const std::uint32_t* const frequencies = scores_ ? list.frequencies() : nullptr;
        for (std::uint32_t i = begin; i < end; ++i) {
          const std::uint32_t place = docids[i] - window.begin;
          set_bit(matches.bits, place);
          if (frequencies != nullptr) frequencies_[place] += frequencies[i];
        }
      });
    }
    for (std::size_t i = 0; i < within.size(); ++i) matches.bits[i] &= within[i];
    if (!scores_) return;
    for_each_bit(matches.bits, [&](std::uint32_t place) {
      matches.scores[place] = scorer_(frequencies_[place], lengths_[window.begin + place]);
    });
  }

 private:
  /// Sums of bounds are rounded.
  static constexpr float kSlack = 1.0F + 1e-5F;

  bool scores_;
  std::vector<ListCursor> lists_;
  const std::uint32_t* lengths_ = nullptr;
  std::vector<std::uint32_t> frequencies_;  ///< in a window, by place
  TermScorer scorer_;
  float largest_ = 0;
};

}  // namespace

std::unique_ptr<TreeClause> make_synonyms_clause(
    const Index& index, const PlannedNode& node, std::size_t segment, const ScorerSettings& scorer,
    const std::vector<CollectionStatistics>& statistics) {
  auto clause = std::make_unique<SynonymsClause>(index, node, segment, scorer, statistics);
  if (!clause->has_lists()) return make_nothing_clause();
  return clause;
}

}  // namespace warpdex
