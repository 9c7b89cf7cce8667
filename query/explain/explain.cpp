// Scores one document as the engines do, and keeps the parts.
#include "warpdex/query/explain/explain.hpp"

#include <map>
#include <string_view>

#include "explain/explain_tree.hpp"
#include "explain/explained_term.hpp"
#include "plan/term_uses.hpp"
#include "tree/flat_tree.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex {
namespace {

/// The occurrences of a planned term, as the scorers count them.
std::uint64_t explained_occurrences(const Index& index, const PlannedTerm& term) {
  if (term.collection_frequency != 0) return term.collection_frequency;
  if (!term.entry.is_short()) return term.entry.collection_frequency;
  std::uint64_t sum = 0;
  for (const std::uint32_t frequency : read_postings(index, term.entry).frequencies) {
    sum += frequency;
  }
  return sum;
}

/// The names of the query's terms in a segment, by their places in its lexicon.
std::map<std::uint32_t, std::string_view> names_of(const Index& index,
                                                   const std::vector<TermUse>& uses) {
  std::map<std::uint32_t, std::string_view> names;
  for (const TermUse& use : uses) {
    if (const auto entry = index.find(use.term)) names[entry->term_number] = use.term;
  }
  return names;
}

}  // namespace

ExplainedIndex::ExplainedIndex(const Snapshot& of, const ScorerSettings& wanted)
    : snapshot(of),
      scorer(effective_scorer(of.settings(), wanted)),
      fields(text_fields(of.settings().schema)),
      statistics(of.text_statistics()) {
  wanted.validate();
  if (statistics.empty()) statistics.push_back(of.statistics());
}

std::optional<TermExplanation> explain_term(const ExplainedIndex& of, const ExplainedPlace& place,
                                            const PlannedTerm& term, std::string_view name) {
  const std::uint32_t frequency = frequency_in(place.index, term.entry, place.document);
  if (frequency == 0) return std::nullopt;
  const std::uint64_t documents =
      term.document_frequency == 0 ? term.entry.document_frequency : term.document_frequency;
  const std::uint64_t occurrences = explained_occurrences(place.index, term);
  const CollectionStatistics& own = of.statistics[term.entry.field];
  const TermScorer score = make_term_scorer(of.scorer, own, documents, occurrences, term.weight);
  const std::uint32_t length = place.index.lengths(term.entry.field)[place.document];
  const bool are_several = of.fields.size() > 1;
  TermExplanation found{.term = std::string(are_several ? without_mark(name) : name),
                        .weight = term.weight,
                        .frequency = frequency,
                        .document_frequency = documents,
                        .collection_frequency = occurrences,
                        .factor = score.weight,
                        .c0 = score.c0,
                        .c1 = score.c1,
                        .c2 = score.c2,
                        .score = score(frequency, length)};
  if (!are_several) return found;
  found.field = of.fields[term.entry.field].name;
  found.length = length;
  found.documents = own.documents;
  found.average_length = own.average_length();
  return found;
}

std::string term_of_number(const Index& index, std::uint32_t number) {
  std::string found;
  index.for_each_term_of_group(number / kLexiconGroup,
                               [&](std::string_view term, const PostingsEntry& entry) {
                                 if (entry.term_number == number) found = term;
                               });
  return found;
}

std::string_view searched_by_name(SearchedBy by) {
  switch (by) {
    case SearchedBy::kEngine: return "engine";
    case SearchedBy::kCpuEngine: return "cpu engine";
    case SearchedBy::kGpuEngine: return "gpu engine";
    case SearchedBy::kGpuPhrase: return "gpu phrase";
    case SearchedBy::kTrees: break;
  }
  return "trees";
}

struct Explainer::State {
  State(const Snapshot& snapshot, const Query& asked, const ScorerSettings& scorer)
      : index(snapshot, scorer), query(asked) {
    if (query.tree != nullptr) {
      tree.emplace(index, *query.tree);
      why_trees = flattened(*query.tree).why_not;
      return;
    }
    plan = plan_query(snapshot, query);
    uses = sorted_uses(query);
  }

  void explain_terms(const ExplainedPlace& place, Explanation& found) const {
    const auto names = names_of(place.index, uses);
    const PlannedQuery& own = plan.segments.empty() ? plan : plan.segments[place.segment];
    for (const PlannedTerm& term : own.terms) {
      if (term.is_prohibited || term.weight == 0) continue;
      const auto name = names.find(term.entry.term_number);
      if (name == names.end()) continue;
      if (auto share = explain_term(index, place, term, name->second)) {
        found.score += share->score;
        found.terms.push_back(std::move(*share));
      }
    }
  }

  ExplainedIndex index;
  Query query;
  PlannedQuery plan;
  std::vector<TermUse> uses;
  std::optional<TreeExplainer> tree;
  std::string why_trees;
};

Explainer::Explainer(const Snapshot& snapshot, const Query& query, const ScorerSettings& scorer)
    : state_(std::make_unique<State>(snapshot, query, scorer)) {}
Explainer::~Explainer() = default;
Explainer::Explainer(Explainer&&) noexcept = default;
Explainer& Explainer::operator=(Explainer&&) noexcept = default;

Explanation Explainer::explain(std::uint32_t document) const {
  const Snapshot& snapshot = state_->index.snapshot;
  const std::size_t number = snapshot.segment_of(document);
  const Snapshot::Segment& segment = snapshot.segments()[number];
  const ExplainedPlace place{number, *segment.index, document - segment.first_document};
  const CollectionStatistics statistics = snapshot.statistics();
  Explanation found;
  found.id = snapshot.document_name(document);
  found.length = static_cast<std::uint32_t>(place.index.length_of(place.document));
  found.scorer = state_->index.scorer;
  found.documents = statistics.documents;
  found.average_length = statistics.average_length();
  if (state_->tree) {
    found.searched_by = SearchedBy::kTrees;
    found.why_trees = state_->why_trees;
    found.tree = state_->tree->explain(place);
    if (!found.tree->matches) return found;
    found.score = found.tree->score;
  } else {
    state_->explain_terms(place, found);
  }
  if (!place.index.sections().static_scores.empty()) {
    found.static_score = place.index.sections().static_scores[place.document];
    found.score += found.static_score;
  }
  return found;
}

Explanation explain(const Snapshot& snapshot, const Query& query, const ScorerSettings& scorer,
                    std::uint32_t document) {
  Explanation found = Explainer(snapshot, query, scorer).explain(document);
  if (!query.or_else || !found.tree || found.tree->matches) return found;
  return explain(snapshot, *query.or_else, scorer, document);
}

}  // namespace warpdex
