// Describes a list by its term's entry in the lexicon, and decodes short lists.
#include "gpu/batch/list_writer.hpp"

#include <cmath>

#include "gpu/batch/short_lists.hpp"
#include "warpdex/indexer/format/impacts.hpp"

namespace warpdex::gpu {
namespace {

float weight_of(const PlannedTerm& term) { return term.weight > 0 ? term.weight : 1.0F; }

}  // namespace

void SnapshotScorers::make(const PlannedTerm& term, const CollectionStatistics& statistics,
                           Known& known) const {
  known = {query_, term.document_frequency, term.collection_frequency, term.weight,
           make_term_scorer(settings_, statistics, term.document_frequency,
                            term.collection_frequency, weight_of(term))};
}

/// An upper bound of a list's scores, whatever its postings are.
float ListWriter::largest_score(const TermScorer& scorer, std::uint64_t largest_frequency) {
  switch (scorer.kind) {
    case ScorerKind::kImpact: return scorer.weight * static_cast<float>(kMaxImpact);
    case ScorerKind::kBm25: return scorer.weight;
    case ScorerKind::kQueryLikelihood: break;
  }
  return scorer.weight * std::log1p(static_cast<float>(largest_frequency) * scorer.c0) * 1.00001F;
}

TermScorer ListWriter::scorer_of(const PlannedTerm& term, const CollectionStatistics& statistics,
                                 std::uint64_t document_frequency,
                                 std::uint64_t occurrences) const {
  return make_term_scorer(settings_, statistics, document_frequency, occurrences, weight_of(term));
}

std::uint64_t ListWriter::write_packed(const PlacedIndex& index, const PostingsEntry& entry,
                                       std::vector<std::uint32_t>& packed, ListSource& list) {
  list.flags |= kPacked;
  list.first_block = static_cast<std::uint32_t>(packed.size());
  packed.resize(packed.size() + 2 * std::size_t{entry.document_frequency});
  return write_packed_list(index.index, entry, index.first_document,
                           packed.data() + list.first_block);
}

}  // namespace warpdex::gpu
