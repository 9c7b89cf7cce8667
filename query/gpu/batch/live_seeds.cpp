// Looks the terms of removed documents up in the forward index.
#include "gpu/batch/live_seeds.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <string_view>

#include "warpdex/core/parallel.hpp"
#include "warpdex/indexer/format/seeds.hpp"

namespace warpdex::gpu {

LiveSeeds::LiveSeeds(const Index& index)
    : places_(index.counts().terms), removed_(index.sections().seeds.size()) {
  parallel_for(0, index.term_groups(), [&](std::size_t, std::size_t group) {
    index.for_each_term_of_group(group, [&](std::string_view, const PostingsEntry& entry) {
      if (entry.is_short()) return;
      places_[entry.term_number] = {
          entry.first_seed, static_cast<std::uint8_t>(seed_count(entry.document_frequency))};
    });
  });
}

void LiveSeeds::remove(const Index& index, RemovedRows before, RemovedRows now) {
  constexpr std::size_t kWords = 16;  // of bits that a thread takes together
  const std::size_t parts = (now.words().size() + kWords - 1) / kWords;
  parallel_for(0, parts, [&](std::size_t, std::size_t part) {
    const std::size_t end = std::min((part + 1) * kWords, now.words().size());
    for (std::size_t i = part * kWords; i < end; ++i) {
      std::uint64_t left = now.words()[i] & ~(before.none() ? 0 : before.words()[i]);
      for (; left != 0; left &= left - 1) {
        count(index, static_cast<std::uint32_t>(64 * i + std::countr_zero(left)));
      }
    }
  });
}

void LiveSeeds::count(const Index& index, std::uint32_t document) {
  // In an index of impacts, seeds do not depend on lengths.
  const bool has_lengths = !index.settings().impacts;
  const std::uint32_t length = index.lengths()[document];
  index.for_each_term_of_document(document, [&](std::uint32_t term, std::uint32_t frequency) {
    if (term >= places_.size()) return;
    const Place& place = places_[term];
    for (std::uint32_t i = place.first; i < place.first + place.count; ++i) {
      const ListSeed& seed = index.sections().seeds[i];
      if (frequency < seed.frequency) continue;
      if (has_lengths && length > decode_length(seed.length)) continue;
      std::atomic_ref(removed_[i]).fetch_add(1, std::memory_order_relaxed);
    }
  });
}

std::uint32_t LiveSeeds::live(const PostingsEntry& entry, std::size_t place) const {
  const std::uint32_t rank = kSeedRanks[place];
  return rank - std::min(rank, removed_[entry.first_seed + place]);
}

}  // namespace warpdex::gpu
