// Looks the terms of removed documents up in the forward index, and reads the lists that need new
// seeds.
#include "gpu/batch/live_seeds.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>
#include <string_view>

#include "gpu/batch/live_list_seeds.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/indexer/format/bm25.hpp"
#include "warpdex/indexer/format/seeds.hpp"

namespace warpdex::gpu {
namespace {

/// A new seed is one that a few more documents reach than its rank, so that it need not be found
/// again when the next ones are removed. More would lower it.
std::uint32_t with_spare(std::uint32_t rank) { return rank + rank / 32; }

/// A list's documents that are not removed.
std::uint64_t live_documents(const Index& index, const PostingsEntry& entry) {
  return entry.document_frequency - index.frequency_change(entry.term_number).documents;
}

/// Of documents in a text field.
double average_length(const IndexCounts& counts, std::size_t field) {
  if (counts.texts.empty()) {
    return CollectionStatistics{counts.documents, counts.tokens}.average_length();
  }
  const TextCounts& text = counts.texts[field];
  return CollectionStatistics{text.documents, text.tokens}.average_length();
}

}  // namespace

LiveSeeds::LiveSeeds(const Index& index) {
  auto lists = std::make_shared<Lists>();
  lists->places.resize(index.counts().terms);
  std::vector<std::vector<PostingsEntry>> longs(index.term_groups());
  parallel_for(0, index.term_groups(), [&](std::size_t, std::size_t group) {
    index.for_each_term_of_group(group, [&](std::string_view, const PostingsEntry& entry) {
      if (entry.is_short()) return;
      lists->places[entry.term_number] = {
          entry.first_seed, static_cast<std::uint8_t>(seed_count(entry.document_frequency)),
          entry.field};
      longs[group].push_back(entry);
    });
  });
  for (const auto& some : longs) lists->longs.insert(lists->longs.end(), some.begin(), some.end());
  lists_ = std::move(lists);
  seeds_.resize(index.sections().seeds.size());
  for (const PostingsEntry& entry : lists_->longs) {
    const auto stored = list_seeds(index.sections(), entry);
    for (std::size_t place = 0; place < stored.size(); ++place) {
      seeds_[entry.first_seed + place] = {stored[place], kSeedRanks[place], 0};
    }
  }
}

std::uint64_t LiveSeeds::remove(const Index& index, RemovedRows before, RemovedRows now) {
  constexpr std::size_t kWords = 16;  // of bits that a thread takes together
  const std::size_t parts = (now.words().size() + kWords - 1) / kWords;
  std::atomic<std::uint64_t> postings = 0;
  parallel_for(0, parts, [&](std::size_t, std::size_t part) {
    const std::size_t end = std::min((part + 1) * kWords, now.words().size());
    std::uint64_t own = 0;
    for (std::size_t i = part * kWords; i < end; ++i) {
      std::uint64_t left = now.words()[i] & ~(before.none() ? 0 : before.words()[i]);
      for (; left != 0; left &= left - 1) {
        own += count(index, static_cast<std::uint32_t>(64 * i + std::countr_zero(left)));
      }
    }
    postings += own;
  });
  return postings;
}

/// Returns the number of the document's terms.
std::uint64_t LiveSeeds::count(const Index& index, std::uint32_t document) {
  // In an index of impacts, seeds do not depend on lengths.
  const bool has_lengths = !index.settings().impacts;
  std::uint64_t terms = 0;
  index.for_each_term_of_document(document, [&](std::uint32_t term, std::uint32_t frequency) {
    ++terms;
    if (term >= lists_->places.size()) return;
    const Place& place = lists_->places[term];
    if (place.count == 0) return;
    const std::uint32_t length = index.lengths(place.field)[document];
    for (std::uint32_t i = place.first; i < place.first + place.count; ++i) {
      const ListSeed& seed = seeds_[i].seed;
      if (frequency < seed.frequency) continue;
      if (has_lengths && length > warpdex::decode_length(seed.length)) continue;
      std::atomic_ref(seeds_[i].removed).fetch_add(1, std::memory_order_relaxed);
    }
  });
  return terms;
}

/// Whether a seed has fewer live documents than its rank, although the list has as many.
bool LiveSeeds::lacks_seeds(const Index& index, const PostingsEntry& entry) const {
  const std::uint32_t count = seed_count(entry.document_frequency);
  std::uint32_t lacking = 0;  // the lowest rank
  for (std::uint32_t place = count; place-- > 0;) {
    if (get(entry, place).documents < kSeedRanks[place]) lacking = kSeedRanks[place];
  }
  return lacking != 0 && live_documents(index, entry) >= lacking;
}

/// The lists that lack seeds, the shortest first, of so many postings together at most.
std::vector<const PostingsEntry*> LiveSeeds::find_lacking(const Index& index,
                                                          std::uint64_t max_postings) const {
  constexpr std::size_t kLists = 256;  // that a thread looks at together
  const std::vector<PostingsEntry>& longs = lists_->longs;
  const std::size_t parts = (longs.size() + kLists - 1) / kLists;
  std::vector<std::vector<const PostingsEntry*>> found(parts);
  parallel_for(0, parts, [&](std::size_t, std::size_t part) {
    const std::size_t end = std::min((part + 1) * kLists, longs.size());
    for (std::size_t i = part * kLists; i < end; ++i) {
      if (lacks_seeds(index, longs[i])) found[part].push_back(&longs[i]);
    }
  });
  std::vector<const PostingsEntry*> lacking;
  for (const auto& some : found) lacking.insert(lacking.end(), some.begin(), some.end());
  std::ranges::stable_sort(lacking, {}, &PostingsEntry::document_frequency);
  const auto is_too_much = [&](const PostingsEntry* entry) {
    if (entry->document_frequency > max_postings) return true;
    max_postings -= entry->document_frequency;
    return false;
  };
  lacking.erase(std::ranges::find_if(lacking, is_too_much), lacking.end());
  return lacking;
}

void LiveSeeds::renew(const Index& index, std::uint64_t max_postings) {
  std::vector<const PostingsEntry*> lacking = find_lacking(index, max_postings);
  std::ranges::reverse(lacking);  // so that no thread is left with a long one at the end
  std::vector<std::optional<SeedTable>> tables(default_threads());
  parallel_for(tables.size(), lacking.size(), [&](std::size_t thread, std::size_t i) {
    if (!tables[thread]) tables[thread].emplace();
    renew_list(index, *lacking[i], *tables[thread]);
  });
}

void LiveSeeds::renew_list(const Index& index, const PostingsEntry& entry, SeedTable& table) {
  const std::uint64_t live = live_documents(index, entry);
  std::vector<std::uint32_t> ranks;
  for (const std::uint32_t rank : kSeedRanks) {
    if (rank > live) break;
    ranks.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(with_spare(rank), live)));
  }
  add_live_postings(index, entry, table);
  const double average = average_length(index.counts(), entry.field);
  const std::vector<ListSeed> seeds = table.take(ranks, average);
  for (std::size_t place = 0; place < seeds.size(); ++place) {
    if (seeds[place].frequency == 0) continue;  // damage: the list has fewer postings
    seeds_[entry.first_seed + place] = {seeds[place], ranks[place], 0};
  }
}

}  // namespace warpdex::gpu
