// Describes a list by its term's entry in the lexicon, and decodes short lists.
#include "gpu/batch/list_writer.hpp"

#include <cmath>

#include "gpu/batch/short_lists.hpp"
#include "warpdex/indexer/format/impacts.hpp"

namespace warpdex::gpu {
namespace {

/// An upper bound of a list's scores, whatever its postings are.
float largest_score(const TermScorer& scorer, std::uint64_t largest_frequency) {
  switch (scorer.kind) {
    case ScorerKind::kImpact: return scorer.weight * static_cast<float>(kMaxImpact);
    case ScorerKind::kBm25: return scorer.weight;
    case ScorerKind::kQueryLikelihood: break;
  }
  return scorer.weight * std::log1p(static_cast<float>(largest_frequency) * scorer.c0) * 1.00001F;
}

}  // namespace

const TermScorer& SnapshotScorers::of(const PlannedTerm& term,
                                      const CollectionStatistics& statistics) {
  const float weight = term.weight > 0 ? term.weight : 1.0F;
  for (const Known& each : known_) {
    if (each.document_frequency == term.document_frequency &&
        each.collection_frequency == term.collection_frequency && each.weight == weight) {
      return each.scorer;
    }
  }
  known_.push_back({term.document_frequency, term.collection_frequency, weight,
                    make_term_scorer(settings_, statistics, term.document_frequency,
                                     term.collection_frequency, weight)});
  return known_.back().scorer;
}

void ListWriter::write(const PlannedTerm& term, const CollectionStatistics& statistics,
                       std::uint32_t flags, const RawPlace& raw, List& list) {
  list = List{};
  std::uint64_t occurrences = term.entry.collection_frequency;
  list.size = term.entry.document_frequency;
  list.blocks = block_count(list.size);
  list.tile_row = kNone;
  list.flags = static_cast<std::uint16_t>(flags);
  list.first_document = index_.first_document;
  std::uint64_t largest = 0;
  if (term.entry.is_short()) {
    occurrences = write_raw(term.entry, raw, list);
    largest = occurrences;
  } else {
    index_.place(term.entry, list);
    largest = occurrences - list.size + 1;  // all other frequencies are 1 at least
  }
  if (largest >= (1U << 23)) list.flags |= kHugeFrequencies;
  const TermScorer scorer = term.document_frequency != 0
                                ? scorers_.of(term, statistics)
                                : make_term_scorer(settings_, statistics, list.size, occurrences,
                                                   term.weight > 0 ? term.weight : 1.0F);
  list.weight = scorer.weight;
  list.c0 = scorer.c0;
  list.c1 = scorer.c1;
  list.bound = largest_score(scorer, largest);
}

/// Returns the term's collection frequency.
std::uint64_t ListWriter::write_raw(const PostingsEntry& entry, const RawPlace& raw,
                                    List& list) const {
  const RawList place = needs_raw(index_, entry)
                            ? RawList{raw.device, write_raw_list(index_.index, entry,
                                                                 index_.first_document, raw.host)}
                            : index_.find_raw(entry);
  list.flags |= kRaw;
  list.docids.bytes = reinterpret_cast<const std::uint8_t*>(place.raw);
  list.frequencies.bytes = reinterpret_cast<const std::uint8_t*>(place.raw + kRawEntries);
  list.last_docids = place.raw + list.size - 1;
  return place.occurrences;
}

}  // namespace warpdex::gpu
