// Filters let through what a plain loop does; filtered searches find the best of these documents,
// with the scores that they have without a filter, to the bit.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/query/filter/filtered_index.hpp"
#include "tests/reference/compare.hpp"
#include "tests/reference/from_text.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"
#include "warpdex/query/tree/tree_query.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex {
namespace {

using test::FilteredIndex;

std::string describe_all(const FilterNode& filter, const Query& query,
                         const SearchSettings& settings) {
  return filter_text(filter) + "\n" + reference::describe(query) + " " +
         reference::describe(settings);
}

/// Of an answer with all matches, the k best that pass.
std::vector<Hit> restricted(const std::vector<Hit>& all, const DocumentFilter& filter,
                            std::uint32_t k) {
  std::vector<Hit> hits;
  for (const Hit& hit : all) {
    if (filter.documents.contains(hit.document) && hits.size() < k) hits.push_back(hit);
  }
  return hits;
}

void expect_filters(FilteredIndex& index, int filters) {
  const Snapshot snapshot = Snapshot::open(index.index());
  FilterCache cache(1 << 14);
  for (int i = 0; i < filters; ++i) {
    const FilterNode filter = index.filter();
    const auto found = cache.get(snapshot, filter_text(filter));
    std::uint64_t count = 0;
    for (std::uint32_t d = 0; d < snapshot.docid_end(); ++d) {
      const bool passes = index.passes(filter, snapshot.document_name(d));
      count += passes ? 1 : 0;
      ASSERT_EQ(found->documents.contains(d), passes)
          << filter_text(filter) << " " << snapshot.document_name(d);
    }
    ASSERT_EQ(found->count, count);
    ASSERT_EQ(cache.get(snapshot, filter_text(filter)), found);
  }
}

TEST(Filters, LetThroughWhatAPlainLoopDoes) {
  std::uint64_t stream = 100;
  for (const std::size_t documents : {1U, 63U, 64U, 65U, 128U, 700U}) {
    FilteredIndex plain(++stream, CodecKind::kBitpack, documents, false);
    expect_filters(plain, 60);
    if (documents < 8) continue;
    FilteredIndex changed(++stream, CodecKind::kBitpack, documents, true);
    expect_filters(changed, 60);
  }
}

void expect_search(FilteredIndex& index, int queries) {
  const Snapshot snapshot = Snapshot::open(index.index());
  FilterCache cache;
  CpuSearcher searcher(snapshot);
  TreeSearcher trees(snapshot);
  const auto all_documents = static_cast<std::uint32_t>(snapshot.docid_end());
  for (int i = 0; i < queries; ++i) {
    const FilterNode filter = index.filter();
    const auto passing = cache.get(snapshot, filter_text(filter));
    const Query query = index.query();
    SearchSettings settings = index.settings();
    SearchSettings all = settings;
    all.k = all_documents;
    all.count = true;
    if (settings.mode == QueryMode::kAndOr) continue;  // below: which mode answers depends on k
    settings.documents = passing.get();
    const SearchResult found = searcher.search(query, settings);
    const std::vector<Hit> hits = searcher.search(query, all).hits;
    ASSERT_EQ(found.hits, restricted(hits, *passing, settings.k))
        << describe_all(filter, query, settings);
    const auto matches = restricted(hits, *passing, all_documents).size();
    if (settings.count) {
      ASSERT_EQ(found.matches, matches) << describe_all(filter, query, settings);
    }
    ASSERT_LE(found.matches, matches);
    const QueryNode tree = tree_of(query);
    all.mode = QueryMode::kOr;
    if (query.terms.empty()) continue;
    const SearchResult of_tree = trees.search(tree, settings).result;
    const SearchResult all_of_tree = trees.search(tree, all).result;
    ASSERT_EQ(of_tree.hits, restricted(all_of_tree.hits, *passing, settings.k))
        << describe_all(filter, query, settings);
  }
}

TEST(FilteredSearch, FindsTheBestThatPass) {
  std::uint64_t stream = 200;
  for (const CodecKind codec :
       {CodecKind::kBitpack, CodecKind::kPfor, CodecKind::kRice, CodecKind::kPforBlock}) {
    FilteredIndex plain(++stream, codec, 6000, false);
    expect_search(plain, 150);
    FilteredIndex changed(++stream, codec, 6000, true);
    expect_search(changed, 150);
  }
}

/// Wherever in its block a posting is.
TEST(FilteredSearch, FindsEachDocumentAlone) {
  FilteredIndex index(303, CodecKind::kBitpack, 2000, false);
  const Snapshot snapshot = Snapshot::open(index.index());
  CpuSearcher searcher(snapshot);
  for (const auto& [id, document] : index.documents()) {
    const FilterNode filter{FilterNode::Kind::kIn, "id", {id}};
    const DocumentFilter passing = evaluate_filter(snapshot, filter);
    const auto words = reference::split(document.text);
    const auto has = [&](const std::string& word) {
      return std::ranges::find(words, word) != words.end();
    };
    for (const QueryMode mode : {QueryMode::kAnd, QueryMode::kOr}) {
      SearchSettings settings;
      settings.mode = mode;
      settings.documents = &passing;
      const Query query = reference::query_from("w1 w2");
      const bool matches =
          mode == QueryMode::kAnd ? has("w1") && has("w2") : has("w1") || has("w2");
      ASSERT_EQ(searcher.search(query, settings).hits.size(), matches ? 1 : 0) << id;
    }
  }
}

TEST(FilteredSearch, AndOrCountsWhatPasses) {
  FilteredIndex index(300, CodecKind::kBitpack, 3000, true);
  const Snapshot snapshot = Snapshot::open(index.index());
  FilterCache cache;
  CpuSearcher searcher(snapshot);
  for (int i = 0; i < 200; ++i) {
    const auto passing = cache.get(snapshot, filter_text(index.filter()));
    const Query query = index.query();
    SearchSettings settings = index.settings();
    settings.documents = passing.get();
    settings.mode = QueryMode::kAndOr;
    const SearchResult found = searcher.search(query, settings);
    settings.mode = QueryMode::kAnd;
    settings.count = true;
    SearchResult wanted = searcher.search(query, settings);
    ASSERT_EQ(found.fell_back_to_or, wanted.matches < settings.k);
    if (wanted.matches < settings.k) {
      settings.mode = QueryMode::kOr;
      wanted = searcher.search(query, settings);
    }
    ASSERT_EQ(found.hits, wanted.hits);
  }
}

/// The oracle ranks all documents; its answer without those that do not pass is the wanted one.
TEST(FilteredSearch, IsTheOraclesAnswer) {
  FilteredIndex index(301, CodecKind::kBitpack, 2000, false);
  const Snapshot snapshot = Snapshot::open(index.index());
  reference::Collection collection;
  for (std::uint32_t d = 0; d < snapshot.docid_end(); ++d) {
    const auto document = index.documents().find(std::string(snapshot.document_name(d)));
    reference::add_text(collection, document->second.text);
  }
  FilterCache cache;
  CpuEngine engine(snapshot, {.threads = 2});
  for (int i = 0; i < 200; ++i) {
    const FilterNode filter = index.filter();
    const auto passing = cache.get(snapshot, filter_text(filter));
    const Query query = index.query();
    SearchSettings settings = index.settings();
    if (settings.mode == QueryMode::kAndOr) settings.mode = QueryMode::kAnd;
    reference::Ranking ranking = reference::rank(collection, query, settings);
    std::erase_if(ranking.documents, [&](const reference::RankedDocument& ranked) {
      return !index.passes(filter, snapshot.document_name(ranked.document));
    });
    std::ranges::fill(ranking.place, -1);
    for (std::size_t place = 0; place < ranking.documents.size(); ++place) {
      ranking.place[ranking.documents[place].document] = static_cast<std::int64_t>(place);
    }
    settings.documents = passing.get();
    const PlannedQuery plan = plan_query(snapshot, query);
    const SearchResult found = engine.run({&plan, 1}, settings).result(0);
    ASSERT_EQ(reference::difference(ranking, found, settings), "")
        << describe_all(filter, query, settings);
  }
}

TEST(FilteredSearch, VectorsToo) {
  FilteredIndex index(302, CodecKind::kBitpack, 1000, true);
  const Snapshot snapshot = Snapshot::open(index.index());
  FilterCache cache;
  HybridSearcher hybrid(snapshot, 1);
  for (int i = 0; i < 60; ++i) {
    const FilterNode filter = index.filter();
    const auto passing = cache.get(snapshot, filter_text(filter));
    const std::vector<float> row = index.vector();
    const auto all = hybrid.nearest(row, snapshot.docid_end())[0].hits;
    const auto near = hybrid.nearest(row, 10, {}, passing.get())[0].hits;
    ASSERT_EQ(near, restricted(all, *passing, 10)) << filter_text(filter);
    SearchSettings settings;
    settings.documents = passing.get();
    const Query query = index.query();
    for (const Fusion fusion : {Fusion::kReciprocalRank, Fusion::kConvex, Fusion::kRerank,
                                Fusion::kFilter, Fusion::kNeighbors}) {
      const auto found = hybrid.search({&query, 1}, row, settings, {.fusion = fusion});
      for (const Hit& hit : found[0].hits) {
        ASSERT_TRUE(passing->documents.contains(hit.document)) << filter_text(filter);
      }
      if (fusion != Fusion::kFilter) continue;
      SearchSettings unfiltered = settings;
      unfiltered.documents = nullptr;
      unfiltered.k = snapshot.docid_end();
      const auto of_all = hybrid.search({&query, 1}, row, unfiltered, {.fusion = fusion});
      ASSERT_EQ(found[0].hits, restricted(of_all[0].hits, *passing, settings.k));
    }
  }
}

}  // namespace
}  // namespace warpdex
