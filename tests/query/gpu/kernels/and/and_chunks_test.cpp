// AND on the GPU decodes the blocks that a search document by document would, which skips by the
// last docIDs of blocks, but for those that two chunks of the leading list share; and all blocks,
// if it is to skip none. CTAs of two warps, which take a range chunk by chunk, find all documents.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "gpu/batch/and_block_ranges.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::Random;
using Docids = std::vector<std::uint32_t>;

/// Blocks that are decoded of the lists behind the first, the shortest, whose documents are taken
/// `together` at a time: those in which one must be that is in all lists before.
std::uint64_t blocks_to_decode(const std::vector<const Docids*>& lists, std::size_t together) {
  std::uint64_t blocks = 0;
  const Docids& leading = *lists[0];
  for (std::size_t begin = 0; begin < leading.size(); begin += together) {
    const std::size_t end = std::min(begin + together, leading.size());
    Docids alive(leading.begin() + static_cast<std::ptrdiff_t>(begin),
                 leading.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t i = 1; i < lists.size(); ++i) {
      std::set<std::ptrdiff_t> decoded;
      Docids left;
      for (const std::uint32_t docid : alive) {
        const auto found = std::lower_bound(lists[i]->begin(), lists[i]->end(), docid);
        if (found == lists[i]->end()) continue;
        decoded.insert((found - lists[i]->begin()) / kBlockSize);
        if (*found == docid) left.push_back(docid);
      }
      blocks += decoded.size();
      alive = std::move(left);
    }
  }
  return blocks;
}

TEST(GpuAndChunks, AreThoseThatSkippingLeaves) {
  WARPDEX_NEEDS_GPU();
  constexpr std::uint32_t kDocuments = 200'000;
  Random random = test::generator(610);
  Collection collection = test::make_documents(random, kDocuments, false);
  std::map<std::string, Docids> lists;
  for (const std::uint32_t size : {200U, 1'500U, 5'000U, 40'000U, 120'000U}) {
    const std::string term = 't' + std::to_string(size);
    lists[term] = test::scatter(random, kDocuments, size);
    test::add_list(collection, term, lists[term], random);
  }
  const test::TemporaryFolder folder;
  test::write_index(collection, {CodecKind::kBitpack, 1}, folder / "index");
  const Index index = Index::open(folder / "index");
  const test::LoneGpuIndex gpu_index(index, ResourceSettings{});
  for (const std::vector<std::string>& terms : {std::vector<std::string>{"t200", "t120000"},
                                                {"t1500", "t40000"},
                                                {"t200", "t1500", "t40000", "t120000"},
                                                {"t5000", "t40000", "t120000"},
                                                {"t40000", "t120000"}}) {
    Query query;
    std::vector<const Docids*> docids;
    for (const std::string& term : terms) {
      query.terms.push_back({term, Occur::kUnsigned});
      docids.push_back(&lists.at(term));
    }
    test::GpuSearcher searcher(gpu_index, {.time_stages = true});
    test::search_by_gpu(searcher, index, std::span(&query, 1),
                        test::settings_of(QueryMode::kAnd, 10));
    const auto driver_blocks = static_cast<std::uint32_t>((docids[0]->size() - 1) / kBlockSize + 1);
    const std::size_t chunk = gpu::and_range_blocks(driver_blocks, true) * kBlockSize;
    const std::uint64_t by_chunks = blocks_to_decode(docids, chunk);
    const std::uint64_t by_skipping = blocks_to_decode(docids, docids[0]->size());
    EXPECT_EQ(searcher.statistics().and_blocks, by_chunks) << terms.front();
    const std::uint64_t borders = (docids[0]->size() - 1) / chunk * (docids.size() - 1);
    EXPECT_LE(by_chunks, by_skipping + borders) << terms.front();
    EXPECT_GE(by_chunks, by_skipping) << terms.front();

    test::GpuSearcher exhaustive(gpu_index, {.exhaustive = true, .time_stages = true});
    test::search_by_gpu(exhaustive, index, std::span(&query, 1),
                        test::settings_of(QueryMode::kAnd, 10));
    std::uint64_t all = 0;
    for (std::size_t i = 1; i < docids.size(); ++i) all += (docids[i]->size() - 1) / kBlockSize + 1;
    EXPECT_GE(exhaustive.statistics().and_blocks, all) << terms.front();
    EXPECT_LE(exhaustive.statistics().and_blocks, all + borders) << terms.front();
  }
}

/// Adds the block ranges of a query of AND, in a batch of few postings: to `count` how many, to
/// `last` how many blocks the last one has.
void add_ranges(const Query& query, const std::map<std::string, Docids>& lists,
                std::uint32_t& count, std::set<std::uint32_t>& last) {
  std::size_t postings = ~std::size_t{0};
  for (const QueryTerm& term : query.terms) {
    if (term.occur == Occur::kMustNot) continue;
    postings = std::min(postings, lists.at(term.term).size());
  }
  const auto blocks = static_cast<std::uint32_t>((postings - 1) / kBlockSize + 1);
  const std::uint32_t step = gpu::and_range_blocks(blocks, true);
  count += (blocks - 1) / step + 1;
  last.insert((blocks - 1) % step + 1);
}

// With so many ranges CTAs have two warps: they take up to four chunks of a range one by one.
TEST(GpuAndChunks, FollowEachOtherInManyLongRanges) {
  WARPDEX_NEEDS_GPU();
  constexpr std::uint32_t kDocuments = 400'000;
  for (const CodecKind codec : {CodecKind::kBitpack, CodecKind::kPfor}) {
    Random random = test::generator(611);
    Collection collection = test::make_documents(random, kDocuments, false);
    std::map<std::string, Docids> lists;
    const auto add = [&](const std::string& term, std::uint32_t size) {
      lists[term] = test::scatter(random, kDocuments, size);
      test::add_list(collection, term, lists[term], random);
    };
    add("a", 2051 * kBlockSize - 100);
    add("b", 2053 * kBlockSize - 1);
    add("c", 2056 * kBlockSize);
    add("d", 1503 * kBlockSize - 7);
    add("e", 350'000);
    const std::vector<Query> queries =
        test::queries_from({"a b", "a c", "a e", "b c", "b e", "c e", "a b c", "b c e", "d e",
                            "a b c d e", "+a +c -d", "+c +e -a"});
    std::uint32_t count = 0;
    std::set<std::uint32_t> last;
    for (const Query& query : queries) add_ranges(query, lists, count, last);
    EXPECT_GE(count, 2048U);
    for (const std::uint32_t blocks : {3U, 5U, 8U}) EXPECT_TRUE(last.contains(blocks)) << blocks;
    const test::TemporaryFolder folder;
    test::write_index(collection, {codec, 1}, folder / "index");
    test::UploadedIndex engine(folder / "index");
    for (const std::uint32_t k : {10U, 1'000U}) {
      ASSERT_EQ(test::judge_batch(collection, engine, queries,
                                  test::settings_of(QueryMode::kAnd, k, k == 10)),
                "");
    }
  }
}

}  // namespace
}  // namespace warpdex
