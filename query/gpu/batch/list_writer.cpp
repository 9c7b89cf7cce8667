// Describes a list by its term's entry in the lexicon, and decodes short lists.
#include "gpu/batch/list_writer.hpp"

#include <cmath>

#include "gpu/batch/short_lists.hpp"
#include "warpdex/indexer/format/impacts.hpp"

namespace warpdex::gpu {
namespace {

/// From here on, a frequency is huge.
constexpr std::uint64_t kHuge = std::uint64_t{1} << 23;

/// An upper bound of a list's scores, whatever its postings are.
float largest_score(const TermScorer& scorer, std::uint64_t largest_frequency) {
  switch (scorer.kind) {
    case ScorerKind::kImpact: return scorer.weight * static_cast<float>(kMaxImpact);
    case ScorerKind::kBm25: return scorer.weight;
    case ScorerKind::kQueryLikelihood: break;
  }
  return scorer.weight * std::log1p(static_cast<float>(largest_frequency) * scorer.c0) * 1.00001F;
}

float weight_of(const PlannedTerm& term) { return term.weight > 0 ? term.weight : 1.0F; }

}  // namespace

void SnapshotScorers::make(const PlannedTerm& term, const CollectionStatistics& statistics,
                           Known& known) const {
  known = {query_, term.document_frequency, term.collection_frequency, term.weight,
           make_term_scorer(settings_, statistics, term.document_frequency,
                            term.collection_frequency, weight_of(term))};
}

void ListWriter::write(const PlacedIndex& index, std::size_t segment, const PlannedTerm& term,
                       const CollectionStatistics& statistics, std::uint32_t flags,
                       std::vector<std::uint32_t>& packed, ListSource& list) {
  const PostingsEntry& entry = term.entry;
  list.size = entry.document_frequency;
  list.tile_row = kNone;
  list.flags = static_cast<std::uint16_t>(flags);
  list.segment = static_cast<std::uint16_t>(segment);
  std::uint64_t occurrences = entry.collection_frequency;
  std::uint64_t largest = 0;
  if (entry.is_short()) {
    occurrences = write_raw(index, entry, packed, list);
    largest = occurrences;
  } else {
    index.place(entry, list);
    list.first_block = entry.first_block;
    list.first_base = entry.first_base;
    list.frequent_list = entry.frequent_list;
    list.docid_parameter = entry.docid_parameter;
    list.frequency_parameter = entry.frequency_parameter;
    largest = occurrences - list.size + 1;  // all other frequencies are 1 at least
  }
  if (largest >= kHuge) list.flags |= kHugeFrequencies;
  const TermScorer scorer =
      term.document_frequency != 0
          ? scorers_.of(term, statistics)
          : make_term_scorer(settings_, statistics, list.size, occurrences, weight_of(term));
  list.weight = scorer.weight;
  list.c0 = scorer.c0;
  list.c1 = scorer.c1;
  list.bound = largest_score(scorer, largest);
}

/// Returns the term's collection frequency.
std::uint64_t ListWriter::write_raw(const PlacedIndex& index, const PostingsEntry& entry,
                                    std::vector<std::uint32_t>& packed, ListSource& list) {
  list.flags |= kRaw;
  if (entry.document_frequency >= index.fewest_raw) {
    const RawList place = index.find_raw(entry);
    list.docids = reinterpret_cast<const std::uint8_t*>(place.raw);
    return place.occurrences;
  }
  list.flags |= kPacked;
  list.first_block = static_cast<std::uint32_t>(packed.size());
  packed.resize(packed.size() + 2 * std::size_t{entry.document_frequency});
  return write_packed_list(index.index, entry, index.first_document,
                           packed.data() + list.first_block);
}

}  // namespace warpdex::gpu
