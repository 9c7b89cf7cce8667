// Describes lists by their terms' entries in the lexicon, and decodes short lists.
#include "gpu/batch/term_lists.hpp"

#include <algorithm>

#include "gpu/batch/short_lists.hpp"

namespace warpdex::gpu {
namespace {

/// From here on, a frequency is huge.
constexpr std::uint64_t kHuge = std::uint64_t{1} << 23;

/// Returns the term's collection frequency.
std::uint64_t describe_short(const PlacedIndex& index, const PostingsEntry& entry,
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

void describe_long(const PlacedIndex& index, const PostingsEntry& entry, ListSource& list) {
  index.place(entry, list);
  list.first_block = entry.first_block;
  list.first_base = entry.first_base;
  list.frequent_list = entry.frequent_list;
  list.docid_parameter = entry.docid_parameter;
  list.frequency_parameter = entry.frequency_parameter;
}

void find_live_seeds(const PlacedIndex& index, const PlannedTerm& term, TermList& list) {
  const LiveSeeds* const live = index.removals.live_seeds;
  const std::span<const ListSeed> stored = list_seeds(index.index.sections(), term.entry);
  for (std::size_t place = 0; place < stored.size(); ++place) {
    const std::uint32_t rank = kSeedRanks[place];
    list.seeds[place] = live != nullptr
                            ? live->get(term.entry, place)
                            : LiveSeed{stored[place], rank - std::min(rank, term.removed)};
  }
}

}  // namespace

std::uint64_t describe_list(const PlacedIndex& index, const PostingsEntry& entry,
                            std::vector<std::uint32_t>& packed, ListSource& list) {
  list.size = entry.document_frequency;
  std::uint64_t occurrences = entry.collection_frequency;
  if (entry.is_short()) {
    occurrences = describe_short(index, entry, packed, list);
  } else {
    describe_long(index, entry, list);
  }
  if (largest_frequency(list.size, occurrences) >= kHuge) list.flags |= kHugeFrequencies;
  return occurrences;
}

void describe_term(const PlacedIndex& index, const PlannedTerm& term, bool wants_seeds,
                   std::vector<std::uint32_t>& packed, TermList& list) {
  list.occurrences = describe_list(index, term.entry, packed, list.source);
  if (wants_seeds && !term.entry.is_short()) find_live_seeds(index, term, list);
}

}  // namespace warpdex::gpu
