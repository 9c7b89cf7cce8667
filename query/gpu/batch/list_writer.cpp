// Describes a list and says how it scores.
#include "gpu/batch/list_writer.hpp"

namespace warpdex::gpu {
namespace {

float weight_of(const PlannedTerm& term) { return term.weight > 0 ? term.weight : 1.0F; }

}  // namespace

void SnapshotScorers::make(const PlannedTerm& term, const CollectionStatistics& statistics,
                           Known& known) const {
  known = {query_,
           term.document_frequency,
           term.collection_frequency,
           term.weight,
           term.entry.field,
           make_term_scorer(settings_, statistics, term.document_frequency,
                            term.collection_frequency, weight_of(term))};
}

void ListWriter::write(const PlacedIndex& index, const PlannedTerm& term,
                       const CollectionStatistics& statistics, std::vector<std::uint32_t>& packed,
                       ListSource& list, ListUse& use) {
  const std::uint64_t occurrences = describe_list(index, term.entry, packed, list);
  const TermScorer scorer =
      term.document_frequency != 0
          ? scorers_.of(term, statistics)
          : make_term_scorer(settings_, statistics, list.size, occurrences, weight_of(term));
  use.weight = scorer.weight;
  use.c0 = scorer.c0;
  use.c1 = scorer.c1;
  use.c2 = scorer.c2;
  use.field = term.entry.field;
  use.bound = largest_score(scorer, largest_frequency(list.size, occurrences));
}

}  // namespace warpdex::gpu
