// Scores one document as the engines do, and keeps the parts.
#include "warpdex/query/explain/explain.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "plan/term_uses.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex {
namespace {

/// The occurrences of a planned term, as the scorers count them.
std::uint64_t explained_occurrences(const Index& index, const PlannedTerm& term) {
  if (term.document_frequency != 0) return term.collection_frequency;
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

Explanation explain(const Snapshot& snapshot, const Query& query, const ScorerSettings& scorer,
                    std::uint32_t document) {
  scorer.validate();
  const std::size_t number = snapshot.segment_of(document);
  const Snapshot::Segment& segment = snapshot.segments()[number];
  const Index& index = *segment.index;
  const std::uint32_t local = document - segment.first_document;
  const PlannedQuery whole = plan_query(snapshot, query);
  const PlannedQuery& plan = whole.segments.empty() ? whole : whole.segments[number];
  const CollectionStatistics statistics = snapshot.statistics();

  Explanation found;
  found.id = snapshot.document_name(document);
  found.length = static_cast<std::uint32_t>(index.length_of(local));
  found.scorer = effective_scorer(snapshot.settings(), scorer);
  found.documents = statistics.documents;
  found.average_length = statistics.average_length();
  const std::vector<TermUse> uses = sorted_uses(query);
  const auto names = names_of(index, uses);
  const std::vector<Field> fields = text_fields(snapshot.settings().schema);
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited || term.weight == 0) continue;
    const std::uint32_t frequency = frequency_in(index, term.entry, local);
    if (frequency == 0) continue;
    const std::uint64_t documents =
        term.document_frequency == 0 ? term.entry.document_frequency : term.document_frequency;
    const std::uint64_t occurrences = explained_occurrences(index, term);
    const CollectionStatistics own =
        plan.text_statistics.empty() ? statistics : plan.text_statistics[term.entry.field];
    const TermScorer score =
        make_term_scorer(found.scorer, own, documents, occurrences, term.weight);
    const std::uint32_t length = index.lengths(term.entry.field)[local];
    const std::string_view name = names.at(term.entry.term_number);
    found.terms.push_back({.term = std::string(fields.size() > 1 ? without_mark(name) : name),
                           .weight = term.weight,
                           .frequency = frequency,
                           .document_frequency = documents,
                           .collection_frequency = occurrences,
                           .factor = score.weight,
                           .c0 = score.c0,
                           .c1 = score.c1,
                           .c2 = score.c2,
                           .score = score(frequency, length)});
    found.score += found.terms.back().score;
    if (fields.size() <= 1) continue;
    TermExplanation& explained = found.terms.back();
    explained.field = fields[term.entry.field].name;
    explained.length = length;
    explained.documents = own.documents;
    explained.average_length = own.average_length();
  }
  if (!index.sections().static_scores.empty()) {
    found.static_score = index.sections().static_scores[local];
    found.score += found.static_score;
  }
  return found;
}

}  // namespace warpdex
