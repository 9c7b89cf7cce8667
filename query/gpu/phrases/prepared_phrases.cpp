// Describes the lists of phrases, segment by segment, the rarest word first.
#include "gpu/phrases/prepared_phrases.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "gpu/batch/short_lists.hpp"
#include "gpu/batch/term_lists.hpp"
#include "tree/phrase_scorer.hpp"
#include "warpdex/indexer/format/positions.hpp"

namespace warpdex::gpu {
namespace {

/// Where the positions of a list are. Throws FormatError for an entry that no encoder wrote.
PositionList positions_of(const GpuPositions::State::Uploaded& segment, const PostingsEntry& entry,
                          std::uint64_t occurrences) {
  PositionReader(segment.index->sections(), entry, occurrences);  // checks it
  PositionList list{};
  list.occurrences = static_cast<std::uint32_t>(occurrences);
  if (entry.occurrences != 0) {  // they are in blocks
    list.bytes = segment.positions + entry.position_offset;
    list.codes = segment.codes + entry.first_position_block;
    list.offsets = segment.offsets + entry.first_position_block;
    list.bases = segment.bases + entry.first_position_base;
    if (!entry.is_short()) list.starts = segment.starts + entry.first_position_start;
  } else if (entry.position_bytes == 0) {
    list.single_position = entry.single_position;
  } else {
    list.codes = segment.short_positions + entry.position_offset;
    list.bytes = list.codes + 1;
  }
  return list;
}

}  // namespace

/// Describes a list, and adds its postings to `raw` if they are to be uploaded.
void PreparedPhrases::add_list(const GpuPositions::State& index, const PostingsEntry& entry,
                               std::size_t segment) {
  const std::size_t number = index.numbers[segment];
  const GpuIndex::State& placed = index.snapshot.state().segments[number].uploaded->placed;
  PreparedList& list = lists.emplace_back();
  list.segment = segment;
  packed_.clear();
  occurrences_.push_back(describe_list(placed, entry, packed_, list.source));
  list.positions = positions_of(*index.segments[segment], entry, occurrences_.back());
  if ((list.source.flags & kPacked) == 0) return;
  raw.resize(raw.size() + kRawListEntries);
  pad_list(packed_.data(), list.source.size, raw.data() + raw.size() - kRawListEntries);
}

/// False if the segment lacks a word.
bool PreparedPhrases::add_segment(const GpuPositions::State& index, const PlannedNode& phrase,
                                  std::size_t segment) {
  const std::size_t number = index.snapshot.state().number(index.numbers[segment]);
  const std::size_t count = phrase.should.size();
  std::vector<const PostingsEntry*> entries;
  for (const PlannedNode& word : phrase.should) {
    const std::optional<PlannedTerm>& term = word.terms[number];
    if (!term) return false;
    entries.push_back(&term->entry);
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t word) { return entries[word]->document_frequency; });
  SegmentPhrase& added = phrases.emplace_back();
  added.query = static_cast<std::uint32_t>(queries.size());
  added.segment = static_cast<std::uint32_t>(segment);
  added.first_list = static_cast<std::uint32_t>(lists.size());
  added.first_word = static_cast<std::uint32_t>(words.size());
  added.words = static_cast<std::uint32_t>(count);
  std::vector<std::uint32_t> terms;  // of the lists
  for (const std::size_t word : order) {
    const std::uint32_t term = entries[word]->term_number;
    const auto known = std::ranges::find(terms, term);
    words.push_back({phrase.positions[word], static_cast<std::uint32_t>(known - terms.begin())});
    if (known != terms.end()) continue;
    terms.push_back(term);
    add_list(index, *entries[word], segment);
  }
  added.lists = static_cast<std::uint32_t>(terms.size());
  blocks.push_back(block_count(lists[added.first_list].source.size));
  return true;
}

/// Sets how the query scores, of which a segment has all words.
void PreparedPhrases::set_scorer(const PlannedTree& tree, const ScorerSettings& scorer,
                                 const SegmentPhrase& segment, const Largest& largest,
                                 PhraseQuery& query) {
  using Counts = std::pair<std::uint64_t, std::uint64_t>;
  const PlannedNode& phrase = tree.root;
  const auto own = [&](std::size_t word) {
    for (std::uint32_t i = 0; i < segment.words; ++i) {
      const PhraseWord& known = words[segment.first_word + i];
      const std::size_t list = segment.first_list + known.list;
      if (known.offset != phrase.positions[word]) continue;
      return Counts(lists[list].source.size, occurrences_[list]);
    }
    return Counts();
  };
  const PhraseScorer scores = make_phrase_scorer(phrase, scorer, tree.statistics.front(), own);
  for (const TermScorer& part : scores.parts()) {
    parts.push_back({part.weight, part.c0, part.c1, part.c2});
  }
  query.parts = static_cast<std::uint32_t>(parts.size()) - query.first_part;
  query.slack = scores.slack();
  query.prunes = scores.rises();
  query.prunes_blocks = scores.rises() && scores.only() != nullptr && largest.static_score == 0;
  const float bound = scores.largest(largest.frequency) + largest.static_score;
  const float scale = static_cast<float>(kPhraseBins) / bound;
  query.bin_scale = std::isfinite(scale) ? scale : 0;
}

void PreparedPhrases::add(const GpuPositions::State& index, const PlannedTree& tree,
                          const ScorerSettings& scorer) {
  PhraseQuery query{};
  query.first_part = static_cast<std::uint32_t>(parts.size());
  const std::size_t first = phrases.size();
  Largest largest;
  for (std::size_t segment = 0; segment < index.segments.size(); ++segment) {
    if (!add_segment(index, tree.root, segment)) continue;
    const SegmentPhrase& added = phrases.back();
    std::uint64_t most = ~std::uint64_t{0};
    for (std::size_t list = added.first_list; list < lists.size(); ++list) {
      most = std::min(most, largest_frequency(lists[list].source.size, occurrences_[list]));
    }
    const std::size_t number = index.numbers[segment];
    const GpuIndex::State& placed = index.snapshot.state().segments[number].uploaded->placed;
    largest.frequency = std::max(largest.frequency, most);
    largest.static_score = std::max(largest.static_score, placed.largest_static);
    query.capacity += lists[added.first_list].source.size;
  }
  if (phrases.size() > first) set_scorer(tree, scorer, phrases[first], largest, query);
  queries.push_back(query);
}

}  // namespace warpdex::gpu
