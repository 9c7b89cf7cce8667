// Counts short lists by their postings, decides which fit, and decodes those. Each takes a pass
// over the lexicon, group by group.
#include "gpu/batch/short_lists.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>

#include "warpdex/core/parallel.hpp"
#include "warpdex/indexer/format/postings.hpp"

namespace warpdex::gpu {
namespace {

/// Calls visit(entry) for all short lists, on all threads.
template <class Visit>
void for_each_short(const Index& index, const Visit& visit) {
  parallel_for(0, index.term_groups(), [&](std::size_t, std::size_t group) {
    index.for_each_term_of_group(group, [&](std::string_view, const PostingsEntry& entry) {
      if (entry.is_short()) visit(entry);
    });
  });
}

/// With a term of more occurrences, which no real index has, no list is taken.
constexpr std::uint64_t kMaxOccurrences = 0xFFFFFFFF;

/// Lists with fewer postings are most of all, seldom asked for, and decoded fast.
constexpr std::uint32_t kFewPostings = 8;

/// The postings that a list must have to be taken; kBlockSize if none is.
std::uint32_t find_fewest(const Index& index, std::size_t bytes) {
  std::array<std::atomic<std::uint64_t>, kBlockSize> lists{};  // by their postings
  for_each_short(index, [&](const PostingsEntry& entry) {
    if (entry.document_frequency >= kFewPostings) ++lists[entry.document_frequency];
  });
  std::uint32_t fewest = kBlockSize;
  for (std::uint64_t all = 0; fewest > kFewPostings; --fewest) {
    all += lists[fewest - 1];
    if (all * kRawBytes > bytes) break;
  }
  return fewest;
}

}  // namespace

std::uint64_t write_packed_list(const Index& index, const PostingsEntry& entry,
                                std::uint32_t first_document, std::uint32_t* packed) {
  const std::uint32_t size = entry.document_frequency;
  std::array<std::uint32_t, kBlockSize> docids;
  std::array<std::uint32_t, kBlockSize> values;
  read_short_list(index.settings().codec, index.sections(), entry, index.counts().documents,
                  docids.data(), values.data());
  std::uint64_t occurrences = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    packed[i] = docids[i] + first_document;
    packed[size + i] = values[i] - 1;
    occurrences += values[i];
  }
  return occurrences;
}

void pad_list(const std::uint32_t* packed, std::uint32_t size, std::uint32_t* raw) {
  std::fill(std::copy_n(packed, size, raw), raw + kRawEntries, kNone);
  std::fill(std::copy_n(packed + size, size, raw + kRawEntries), raw + kRawListEntries, 0U);
}

std::uint64_t write_raw_list(const Index& index, const PostingsEntry& entry,
                             std::uint32_t first_document, std::uint32_t* raw) {
  std::array<std::uint32_t, 2 * kBlockSize> packed;
  const std::uint64_t occurrences = write_packed_list(index, entry, first_document, packed.data());
  pad_list(packed.data(), entry.document_frequency, raw);
  return occurrences;
}

ShortLists make_short_lists(const Index& index, std::uint32_t first_document, std::size_t bytes) {
  const std::uint32_t fewest = find_fewest(index, bytes);
  if (fewest == kBlockSize) return {};
  ShortLists lists;
  lists.fewest = fewest;
  lists.places.resize(index.counts().terms);
  for_each_short(index, [&](const PostingsEntry& entry) {
    if (entry.document_frequency >= fewest) lists.places[entry.term_number].list = 0;
  });
  std::uint32_t count = 0;
  for (ShortLists::Place& place : lists.places) {
    if (place.list != kNone) place.list = count++;
  }
  lists.raw.resize(std::size_t{count} * kRawListEntries);
  std::atomic<bool> has_huge = false;
  for_each_short(index, [&](const PostingsEntry& entry) {
    if (entry.document_frequency < fewest) return;
    ShortLists::Place& place = lists.places[entry.term_number];
    const std::uint64_t occurrences = write_raw_list(
        index, entry, first_document, lists.raw.data() + std::size_t{place.list} * kRawListEntries);
    place.occurrences = static_cast<std::uint32_t>(occurrences);
    if (occurrences > kMaxOccurrences) has_huge = true;
  });
  return has_huge ? ShortLists{} : lists;
}

}  // namespace warpdex::gpu
