// Blocks of documents: they hold all postings, their loops agree in all forms, and a search by
// them finds what one by lists finds, to the bit, also where documents were removed and where it is
// stopped.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "cpu/blocks/block_kernels.hpp"
#include "cpu/blocks/block_list.hpp"
#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/living_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cpu_features.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/query/cpu/blocks/document_blocks.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/filter/document_filter.hpp"

namespace warpdex {
namespace {

using test::below;
using test::Random;

/// Impacts by document, as the records of a list have them. Read by the letter of block_list.hpp.
std::map<std::uint32_t, std::uint32_t> read_records(const BlockList& list,
                                                    std::uint32_t superblocks) {
  std::map<std::uint32_t, std::uint32_t> postings;
  std::uint32_t places = 0;
  for (std::uint32_t superblock = 0; superblock < superblocks; ++superblock) {
    const std::uint32_t place = list.find(superblock);
    if (place == BlockList::kNone) continue;
    EXPECT_EQ(place, places++);
    const std::uint8_t* at = list.records + list.starts[place];
    const std::uint32_t blocks = at[0] | at[1] << 8;
    const auto count = static_cast<std::uint32_t>(std::popcount(blocks));
    std::uint32_t next = 0;  // of the blocks with the term
    std::uint32_t impacts = 0;
    std::uint32_t largest = 0;
    for (std::uint32_t block = 0; block < 16; ++block) {
      if ((blocks >> block & 1) == 0) continue;
      const std::uint8_t* const documents = at + 2 + count + 2 * next;
      EXPECT_EQ(at[2 + 3 * count + next], impacts);
      std::uint32_t largest_of_block = 0;
      for (std::uint32_t i = 0; i < 16; ++i) {
        if ((documents[i / 8] >> i % 8 & 1) == 0) continue;
        const std::uint32_t impact = at[2 + 4 * count + impacts++];
        postings[superblock * 256 + block * 16 + i] = impact;
        largest_of_block = std::max(largest_of_block, impact);
      }
      EXPECT_EQ(at[2 + next++], largest_of_block);
      largest = std::max(largest, largest_of_block);
    }
    EXPECT_EQ(list.largest[place], largest);
  }
  EXPECT_EQ(places, list.count);
  return postings;
}

TEST(DocumentBlocks, HoldAllPostings) {
  Random random = test::generator(960);
  for (const std::uint64_t documents : {1, 15, 16, 17, 255, 256, 257, 4'095, 4'096, 20'000}) {
    test::CollectionMaker maker(random, documents);
    const test::TemporaryFolder folder;
    test::write_index_of(maker.make(), true, {CodecKind::kBitpack, 1}, folder / "index");
    const Index index = Index::open(folder / "index");
    const DocumentBlocks blocks(index, 1 + below(random, 3));
    index.for_each_term([&](std::string_view term, const PostingsEntry& entry) {
      const Postings wanted = read_postings(index, entry);
      const BlockList list = blocks.list(entry.term_number);
      const auto found = read_records(list, blocks.superblocks());
      ASSERT_EQ(found.size(), wanted.docids.size()) << term;
      std::uint32_t largest = 0;
      for (std::size_t i = 0; i < wanted.docids.size(); ++i) {
        ASSERT_EQ(found.at(wanted.docids[i]), wanted.frequencies[i]) << term;
        largest = std::max(largest, wanted.frequencies[i]);
      }
      ASSERT_EQ(list.largest_of_all, largest);
    });
  }
}

TEST(DocumentBlocks, AreForImpacts) {
  Random random = test::generator(961);
  test::CollectionMaker maker(random, 100);
  const test::TemporaryFolder folder;
  test::write_index_of(maker.make(), false, {CodecKind::kBitpack, 1}, folder / "index");
  EXPECT_THROW(DocumentBlocks(Index::open(folder / "index"), 1), UsageError);
}

#if defined(__x86_64__)
/// Bits, so that minus zero is not zero.
std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), 4 * values.size());
  return bits;
}

TEST(BlockKernels, FormsAgree) {
  if (isa() < Isa::kAvx512) GTEST_SKIP() << "this processor has one form";
  Random random = test::generator(962);
  test::CollectionMaker maker(random, 9'000);
  const test::TemporaryFolder folder;
  test::write_index_of(maker.make(), true, {CodecKind::kBitpack, 1}, folder / "index");
  const Index index = Index::open(folder / "index");
  const DocumentBlocks blocks(index, 2);
  std::vector<BlockList> lists;
  for (std::uint32_t i = 0; i < index.counts().terms; ++i) lists.push_back(blocks.list(i));
  const auto in_both = [&](const auto& call) {
    const auto one = call(kBaselineBlockKernels);
    ASSERT_EQ(one, call(kAvx512BlockKernels));
  };
  for (std::uint32_t round = 0; round < 2'000; ++round) {
    const auto superblock = static_cast<std::uint32_t>(below(random, blocks.superblocks()));
    const std::size_t count = 1 + below(random, 70);
    std::vector<const std::uint8_t*> records;
    std::vector<float> weights;
    for (std::size_t i = 0; i < count; ++i) {
      const BlockList& list = lists[below(random, lists.size())];
      const std::uint32_t place = list.find(superblock);
      records.push_back(place == BlockList::kNone ? nullptr : list.records + list.starts[place]);
      weights.push_back(static_cast<float>(1 + below(random, 1'000)) * 0.013F);
      in_both([&](const BlockKernels& kernels) {
        const std::uint32_t wanted[] = {superblock, 0, blocks.superblocks() - 1};
        std::vector<std::uint32_t> places(3);
        kernels.find(list, wanted, 3, places.data());
        EXPECT_EQ(places[0], place);
        return places;
      });
      if (list.words == nullptr) continue;
      in_both([&](const BlockKernels& kernels) {
        std::vector<float> sums((blocks.superblocks() + 63) / 64 * 64, 0.25F);
        kernels.add_superblocks(list, weights.back(), blocks.superblocks(), sums.data());
        return bits_of(sums);
      });
    }
    const BlockRecords terms{records.data(), weights.data(), count};
    const auto need = static_cast<float>(below(random, 4'000));
    const auto wanted = static_cast<std::uint32_t>(random() & 0xFFFF);
    in_both([&](const BlockKernels& kernels) {
      std::vector<float> sums(17, 1.5F);
      sums[16] =
          std::bit_cast<float>(kernels.add_blocks(terms, 2.25F, 1.000002F, need, sums.data()));
      return bits_of(sums);
    });
    in_both([&](const BlockKernels& kernels) {
      std::vector<float> sums(257, -0.0F);
      kernels.add_documents(terms, wanted, sums.data());
      sums[256] = std::bit_cast<float>(kernels.at_least(sums.data() + 16 * (round % 16), need));
      EXPECT_LT(std::bit_cast<std::uint32_t>(sums[256]), 1U << 16);
      return bits_of(sums);
    });
  }
}
#endif

/// Of 1 to 40 of the words of a living index.
Query long_query(Random& random) {
  Query query;
  std::set<std::string> words;
  for (std::uint64_t left = 1 + below(random, 40); left > 0; --left) {
    const double uniform = static_cast<double>(below(random, 1'000'000)) / 1e6;
    words.insert("w" + std::to_string(static_cast<int>(std::pow(2000.0, uniform))));
  }
  const bool are_whole = test::chance(random, 50);
  for (const std::string& word : words) {
    const auto whole = static_cast<float>(1 + below(random, 5));
    query.terms.push_back({word, Occur::kUnsigned, are_whole ? whole : whole * 0.37F});
  }
  return query;
}

TEST(BlockSearch, AnswersAsListsDoAfterChanges) {
  test::Living living(963, CodecKind::kBitpack, true, 700);
  Random random = test::generator(964);
  std::shared_ptr<const SnapshotBlocks> blocks;
  for (int round = 0; round < 12; ++round) {
    living.change(6);
    const Snapshot snapshot = Snapshot::open(living.index());
    blocks = std::make_shared<const SnapshotBlocks>(snapshot, 1, blocks.get());
    CpuSearcher by_lists(snapshot);
    CpuSearcher by_blocks(snapshot, blocks);
    for (int i = 0; i < 60; ++i) {
      const Query query = long_query(random);
      SearchSettings settings;
      settings.k = std::array{1U, 10U, 100U, 1'000U}[below(random, 4)];
      settings.count = test::chance(random, 30);
      const SearchResult wanted = by_lists.search(query, settings);
      const SearchResult found = by_blocks.search(query, settings);
      ASSERT_EQ(found.hits, wanted.hits);
      if (settings.count) {
        ASSERT_EQ(found.matches, wanted.matches);
      }
    }
  }
}

/// Many superblocks in each segment, and all that a search may come with.
TEST(BlockSearch, AnswersAsListsDoInAllModes) {
  test::Living living(968, CodecKind::kBitpack, true, 9'000);
  Random random = test::generator(969);
  living.add_some(3'000);
  living.commit();
  living.remove_share(20);
  living.commit();
  const Snapshot snapshot = Snapshot::open(living.index());
  CpuSearcher by_lists(snapshot);
  CpuSearcher by_blocks(snapshot, std::make_shared<const SnapshotBlocks>(snapshot, 1));
  for (int round = 0; round < 300; ++round) {
    Query query = long_query(random);
    for (QueryTerm& term : query.terms) {
      if (test::chance(random, 2)) term.occur = Occur::kMustNot;
    }
    SearchSettings settings;
    settings.k = std::array{1U, 2U, 10U, 1'000U}[below(random, 4)];
    settings.mode = test::chance(random, 30) ? QueryMode::kAndOr : QueryMode::kOr;
    const PlannedQuery plan = by_lists.plan(query);
    const SearchResult wanted = by_lists.run(plan, settings);
    const bool is_full = wanted.hits.size() == settings.k;
    for (const float known : {0.0F, -0.0F, is_full ? wanted.hits.back().score : 0.0F}) {
      settings.known_threshold = known;
      ASSERT_EQ(by_blocks.run(plan, settings).hits, wanted.hits) << known;
    }
    settings.known_threshold = 0;
    vector::RowFilter some(snapshot.docid_end());
    const std::uint64_t percent = std::array{1U, 20U, 90U}[below(random, 3)];
    for (std::uint32_t i = 0; i < snapshot.docid_end(); ++i) {
      if (test::chance(random, percent)) some.add(i);
    }
    ASSERT_EQ(by_blocks.run_within(plan, settings, some).hits,
              by_lists.run_within(plan, settings, some).hits);
    const DocumentFilter filter = filter_of(snapshot, some);
    settings.documents = &filter;
    ASSERT_EQ(by_blocks.run(plan, settings).hits, by_lists.run(plan, settings).hits);
  }
}

TEST(SnapshotBlocks, AreSharedBetweenCommits) {
  test::Living living(965, CodecKind::kBitpack, true, 700);
  const SnapshotBlocks first(Snapshot::open(living.index()), 1);
  living.remove();
  living.add_some(5);
  living.commit();
  const Snapshot snapshot = Snapshot::open(living.index());
  ASSERT_EQ(snapshot.segments().size(), 2U);
  const SnapshotBlocks second(snapshot, 1, &first);
  EXPECT_EQ(&second.of(0), &first.of(0));
}

/// Stops a search at its n-th look.
class StopBlocksAfter final : public SearchWatch {
 public:
  explicit StopBlocksAfter(std::uint64_t looks) : looks_(looks) {}
  bool goes_on() override { return looks_-- > 0; }

 private:
  std::uint64_t looks_;
};

TEST(BlockSearch, StoppedSearchesBoundWhatIsMissing) {
  Random random = test::generator(966);
  test::Living living(967, CodecKind::kBitpack, true, 9'000);
  const Snapshot snapshot = Snapshot::open(living.index());
  CpuSearcher by_lists(snapshot);
  CpuSearcher searcher(snapshot, std::make_shared<const SnapshotBlocks>(snapshot, 1));
  int stopped = 0;
  for (int i = 0; i < 200; ++i) {
    const Query query = long_query(random);
    SearchSettings settings;
    StopBlocksAfter watch(below(random, 6));
    SearchProgress progress;
    const SearchResult result = searcher.run(searcher.plan(query), settings, watch, progress);
    if (progress.is_complete) continue;
    ++stopped;
    std::map<std::uint32_t, float> found;
    for (const Hit& hit : result.hits) found[hit.document] = hit.score;
    settings.k = kMaxK;
    for (const Hit& hit : by_lists.search(query, settings).hits) {
      const auto place = found.find(hit.document);
      if (place == found.end()) {
        ASSERT_LE(hit.score, progress.max_missing_score);
      } else {
        ASSERT_EQ(hit.score, place->second);
      }
    }
  }
  EXPECT_GT(stopped, 50);
}

}  // namespace
}  // namespace warpdex
