// Walks the frequencies downwards with the numbers of documents by length.
#include "gpu/batch/live_list_seeds.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "warpdex/codecs/codec.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/score_bound.hpp"

namespace warpdex::gpu {
namespace {

/// The pair of a frequency and a code of encode_rounded_up().
ListSeed pair_of(std::uint32_t frequency, std::uint32_t code) {
  const std::uint64_t length = std::min<std::uint64_t>(
      rounded_value(static_cast<std::uint8_t>(code)), std::numeric_limits<std::uint32_t>::max());
  return {static_cast<std::uint16_t>(frequency),
          encode_length_up(static_cast<std::uint32_t>(length))};
}

}  // namespace

std::vector<ListSeed> SeedTable::take(std::span<const std::uint32_t> ranks, double average_length) {
  average_length = std::max(average_length, 1.0);
  std::vector<ListSeed> best(ranks.size());
  std::vector<double> best_scores(ranks.size());
  std::vector<std::uint32_t> codes(ranks.size(), kLengths);  // at the frequency before
  std::array<std::uint32_t, kLengths> reached{};  // by length, with this frequency or more
  for (std::uint32_t frequency = kFrequencies - 1; frequency > 0; --frequency) {
    if (!has_row_[frequency]) continue;
    std::uint32_t* const row = counts_.data() + frequency * kLengths;
    for (std::size_t code = 0; code < kLengths; ++code) reached[code] += row[code];
    std::fill_n(row, kLengths, 0);
    std::uint64_t sum = 0;
    std::size_t place = 0;
    for (std::uint32_t code = 0; code < kLengths && place < ranks.size(); ++code) {
      sum += reached[code];
      for (; place < ranks.size() && sum >= ranks[place]; ++place) {
        if (code >= codes[place]) continue;  // a larger frequency has as short a length
        codes[place] = code;
        const ListSeed pair = pair_of(frequency, code);
        const double score =
            default_saturation(pair.frequency, warpdex::decode_length(pair.length), average_length);
        if (score <= best_scores[place]) continue;
        best_scores[place] = score;
        best[place] = pair;
      }
    }
  }
  has_row_.fill(false);
  return best;
}

void add_live_postings(const Index& index, const PostingsEntry& entry, SeedTable& table) {
  const PostingsView list(index.settings().codec, index.sections(), entry,
                          index.counts().documents);
  const bool has_impacts = index.settings().impacts.has_value();
  const RemovedRows removed = index.removed();
  const std::span<const std::uint32_t> lengths = index.lengths(entry.field);
  std::array<std::uint32_t, kBlockSize> docids;
  std::array<std::uint32_t, kBlockSize> frequencies;
  for (std::uint32_t block = 0; block < list.blocks(); ++block) {
    list.read_docids(block, docids.data());
    list.read_frequencies(block, frequencies.data());
    for (std::uint32_t i = 0; i < list.block_count(block); ++i) {
      table.add(frequencies[i], has_impacts ? 0 : lengths[docids[i]],
                removed.contains(docids[i]) ? 0 : 1);
    }
  }
}

}  // namespace warpdex::gpu
