// The raw lists that are uploaded with an index are its short lists, those with the most postings.
#include "gpu/batch/short_lists.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "tests/query/engine/living_support.hpp"
#include "warpdex/indexer/format/postings.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kFirst = 3 * kSpaceDocuments;
constexpr std::size_t kBytes = kRawListEntries * sizeof(std::uint32_t);

void expect_list(const Index& index, const PostingsEntry& entry, const ShortLists& lists) {
  const ShortLists::Place& place = lists.places[entry.term_number];
  const Postings wanted = read_postings(index, entry);
  const std::uint32_t* const raw = lists.raw.data() + place.list * kRawListEntries;
  std::uint64_t occurrences = 0;
  for (std::uint32_t i = 0; i < kRawEntries; ++i) {
    const bool has = i < entry.document_frequency;
    ASSERT_EQ(raw[i], has ? wanted.docids[i] + kFirst : kNone);
    ASSERT_EQ(raw[kRawEntries + i], has ? wanted.frequencies[i] - 1 : 0U);
    if (has) occurrences += wanted.frequencies[i];
  }
  EXPECT_EQ(place.occurrences, occurrences);
}

TEST(ShortLists, AreThoseWithTheMostPostings) {
  for (const CodecKind codec : {CodecKind::kBitpack, CodecKind::kPfor, CodecKind::kRice}) {
    const test::Living living(895, codec, false, 2'000);
    const Index index = Index::open(living.index());
    for (const std::size_t room : {0, 1, 2, 40, 200, 1'000'000}) {
      const ShortLists lists = make_short_lists(index, kFirst, room * kBytes);
      EXPECT_LE(lists.raw.size() / kRawListEntries, room);
      std::uint32_t fewest = kBlockSize;  // postings of a list that is there
      std::uint32_t most = 0;             // postings of a short list that is not
      index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
        if (!entry.is_short()) return;
        const bool is_there =
            !lists.places.empty() && lists.places[entry.term_number].list != kNone;
        if (is_there) expect_list(index, entry, lists);
        if (is_there) fewest = std::min(fewest, entry.document_frequency);
        if (!is_there) most = std::max(most, entry.document_frequency);
      });
      EXPECT_LT(most, fewest);
      EXPECT_LE(lists.fewest, fewest);
      EXPECT_GT(lists.fewest, most);
      if (room == 1'000'000) {
        EXPECT_EQ(fewest, 8U);
      }
    }
  }
}

}  // namespace
}  // namespace warpdex::gpu
