// Counts a term in the segments of a snapshot.
#include <algorithm>
#include <array>
#include <numeric>

#include "plan/live_entry.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/query/plan/whole_statistics.hpp"

namespace warpdex {
namespace {

std::uint64_t occurrences(const Index& index, const PostingsEntry& entry) {
  if (!entry.is_short()) return entry.collection_frequency;
  std::array<std::uint32_t, kBlockSize> docids;
  std::array<std::uint32_t, kBlockSize> frequencies;
  read_short_list(index.settings().codec, index.sections(), entry, index.counts().documents,
                  docids.data(), frequencies.data());
  return std::accumulate(frequencies.begin(), frequencies.begin() + entry.document_frequency,
                         std::uint64_t{0});
}

/// Removed documents may be among those of a seed.
void append_seeds(const Index& index, const LiveEntry& found, std::vector<PartSeed>& seeds) {
  if (found.entry.is_short()) return;
  std::uint32_t counted = removed_postings(index, found);
  const auto of_list = list_seeds(index.sections(), found.entry);
  for (std::size_t i = 0; i < of_list.size(); ++i) {
    if (kSeedRanks.at(i) <= counted || of_list[i].frequency == 0) continue;
    seeds.push_back({kSeedRanks.at(i) - counted, of_list[i]});
    counted = kSeedRanks.at(i);
  }
}

}  // namespace

std::optional<LiveEntry> live_entry(const Index& index, const std::optional<PostingsEntry>& entry) {
  if (!entry) return std::nullopt;
  const FrequencyChange removed = index.frequency_change(entry->term_number);
  // More than there are is damage.
  if (removed.documents >= entry->document_frequency) return std::nullopt;
  return LiveEntry{*entry, removed};
}

TermFrequencies frequencies_of(const Index& index, const LiveEntry& found) {
  const std::uint64_t all = occurrences(index, found.entry);
  return {found.entry.document_frequency - found.removed.documents,
          all - std::min(all, found.removed.occurrences)};
}

std::uint32_t removed_postings(const Index& index, const LiveEntry& found) {
  const std::uint64_t removed =
      index.settings().has_forward
          ? found.removed.documents
          : std::min<std::uint64_t>(index.removed_documents(), found.entry.document_frequency);
  return static_cast<std::uint32_t>(removed);
}

PartTerm part_term(const Snapshot& snapshot, std::string_view term) {
  PartTerm counted;
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    const Index& index = *segment.index;
    const std::optional<LiveEntry> found = live_entry(index, index.find(term));
    if (!found) continue;
    const TermFrequencies here = frequencies_of(index, *found);
    counted.frequencies.documents += here.documents;
    counted.frequencies.occurrences += here.occurrences;
    append_seeds(index, *found, counted.seeds);
  }
  return counted;
}

}  // namespace warpdex
