// Tests of slices of indexes: the searchers of all slices together answer as one of all rows, to
// the bit.
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/binary/made_binary_codes.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/flat/plain_search.hpp"
#include "tests/vector/lists/made_codes.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/search/make_searcher.hpp"
#include "warpdex/vector/search/refining_searcher.hpp"
#include "warpdex/vector/search/row_slice.hpp"
#include "warpdex/vector/search/sharded_searcher.hpp"

namespace warpdex::vector {
namespace {

using reference::expect_same;

/// Slices that end at random rows, each with a searcher; some are of no row.
std::unique_ptr<VectorSearcher> search_slices(std::mt19937_64& random, const SearchedVectors& all,
                                              std::size_t shards) {
  const std::size_t rows = rows_of(all);
  std::vector<std::size_t> cuts{0, rows};
  while (cuts.size() < shards + 1) cuts.push_back(random() % (rows + 1));
  std::sort(cuts.begin(), cuts.end());
  std::vector<Shard> parts;
  for (std::size_t i = 0; i < shards; ++i) {
    const auto slice = std::make_shared<RowSlice>(all, cuts[i], cuts[i + 1] - cuts[i]);
    EXPECT_EQ(rows_of(slice->vectors()), cuts[i + 1] - cuts[i]);
    parts.push_back({slice, search_on_cpu(slice->vectors(), 1 + random() % 2), "slice"});
  }
  return std::make_unique<ShardedSearcher>(std::move(parts), 1);
}

void expect_as_one(const VectorSearcher& whole, const VectorSearcher& one,
                   const SearchOptions& options, std::mt19937_64& random,
                   const std::vector<float>& queries, const std::string& what) {
  RowFilter filter(one.rows());
  for (std::size_t row = 0; row < one.rows(); row += 1 + random() % 4) filter.add(row);
  const SearchOptions filtered = options.among(&filter);
  for (const std::size_t k : {std::size_t{1}, std::size_t{10}, one.rows()}) {
    if (k > one.rows()) continue;
    expect_same(whole.nearest(queries, k, options), one.nearest(queries, k, options), what);
    expect_same(whole.nearest(queries, k, filtered), one.nearest(queries, k, filtered),
                what + ", filtered");
  }
  const Neighbors some = one.nearest(queries, std::min<std::size_t>(7, one.rows()), options);
  const float radius = some.distances[some.k - 1];
  expect_same(whole.within(queries, radius, options), one.within(queries, radius, options),
              what + ", range");
}

TEST(SearchOnParts, FlatSlicesAnswerAsTheWhole) {
  auto random = test::generator(1);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const Store store : {Store::kFloat, Store::kHalf}) {
      for (const std::size_t rows : {1, 33, 900}) {
        std::vector<float> values = test::draw(random, rows * 9);
        // Half of them twice: ties.
        for (std::size_t i = rows / 2 * 9; i < values.size(); ++i) values[i] = values[i % 90];
        const Collection all(metric, store, 9, values);
        const auto one = search_on_cpu(all.vectors, 1);
        for (const std::size_t shards : {1, 2, 5}) {
          const auto whole = search_slices(random, all.vectors, shards);
          for (const std::size_t queries : {1, 40}) {
            expect_as_one(*whole, *one, {}, random, test::draw(random, queries * 9),
                          describe(metric, store, 9, rows));
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(SearchOnParts, SlicesOfListsAnswerAsTheWhole) {
  auto random = test::generator(2);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    const Store store = metric == Metric::kL2 ? Store::kHalf : Store::kFloat;
    for (const std::size_t rows : {20, 1500}) {
      VectorIndexWriter writer(folder / "index", {.metric = metric,
                                                  .store = store,
                                                  .dimension = 7,
                                                  .index = vector_kind("ivf-flat"),
                                                  .ivf = {.lists = 17}});
      std::vector<float> values = test::draw(random, rows * 7);
      for (std::size_t i = rows / 2 * 7; i < values.size(); ++i) values[i] = values[i % 70];
      writer.add(values);
      writer.commit();
      const VectorIndex index = VectorIndex::open(folder / "index");
      for (const std::size_t probes : {1, 5, 17}) {
        const auto one = search_on_cpu(std::get<Lists<RowCoding>>(index.searched()), 2);
        for (const std::size_t shards : {1, 2, 5}) {
          const auto whole =
              search_slices(random, std::get<Lists<RowCoding>>(index.searched()), shards);
          for (const std::size_t queries : {1, 40}) {
            expect_as_one(*whole, *one, {.probes = probes}, random, test::draw(random, queries * 7),
                          std::to_string(probes) + " probes, " + std::to_string(shards) +
                              " shards, " + describe(metric, store, 7, rows));
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(SearchOnParts, SlicesOfCodesAnswerAsTheWholeRefinedToo) {
  auto random = test::generator(3);
  const std::vector<std::size_t> sizes{0, 1, 31, 32, 33, 64, 0, 100, 5};
  for (const test::CodesShape& shape : {test::CodesShape{Metric::kL2, 20, 3, 8, true},
                                        {Metric::kInnerProduct, 40, 20, 4},
                                        {Metric::kCosine, 33, 33, 8},
                                        {Metric::kL2, 5, 1, 4}}) {
    const test::MadeCodes made(random, shape, sizes);
    const SearchedVectors all = made.view();
    for (const std::size_t refine : {0, 1, 25, 1000}) {
      const SearchOptions settings{.probes = 4, .refine = refine};
      const auto one = search_on_cpu(all, 2);
      for (const std::size_t shards : {2, 6}) {
        std::unique_ptr<VectorSearcher> whole = search_slices(random, all, shards);
        if (refine > 0) {
          whole = std::make_unique<RefiningSearcher>(std::move(whole), made.view().vectors, all);
        }
        for (const std::size_t queries : {1, 20}) {
          expect_as_one(*whole, *one, settings, random,
                        test::draw(random, queries * shape.dimension, 3),
                        std::to_string(refine) + " refined, " + std::to_string(shards) + " shards");
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(SearchOnParts, SlicesOfListsOfBinaryCodesAnswerAsTheWhole) {
  auto random = test::generator(7);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Metric metric : {Metric::kL2, Metric::kCosine}) {
    VectorIndexWriter writer(folder / "index",
                             {.metric = metric,
                              .dimension = 40,
                              .index = vector_kind("ivf-xfbq"),
                              .ivf = {.lists = 17},
                              .binary = {.bits = 3, .is_corrected = metric == Metric::kL2}});
    writer.add(test::draw(random, 1500 * 40));
    writer.commit();
    const VectorIndex index = VectorIndex::open(folder / "index");
    for (const std::size_t refine : {0, 30}) {
      const SearchOptions settings{.probes = 5, .refine = refine, .query_bits = 6};
      const auto one = search_on_cpu(std::get<Lists<BinaryCoding>>(index.searched()), 2);
      for (const std::size_t shards : {2, 5}) {
        std::unique_ptr<VectorSearcher> whole =
            search_slices(random, std::get<Lists<BinaryCoding>>(index.searched()), shards);
        if (refine > 0) {
          whole = std::make_unique<RefiningSearcher>(
              std::move(whole), index.flat(), std::get<Lists<BinaryCoding>>(index.searched()));
        }
        expect_as_one(*whole, *one, settings, random, test::draw(random, 20 * 40),
                      std::to_string(refine) + " refined");
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(SearchOnParts, SlicesOfBinaryCodesAnswerAsTheWholeRefinedToo) {
  auto random = test::generator(5);
  for (const test::BinaryCodesShape& shape : {test::BinaryCodesShape{Metric::kL2, 20, 3, true},
                                              {Metric::kInnerProduct, 40, 4},
                                              {Metric::kCosine, 33, 8, true, Store::kHalf},
                                              {Metric::kL2, 40, 4, true, Store::kFloat, true}}) {
    const test::MadeBinaryCodes made(random, shape, 333);
    const SearchedVectors all = made.view();
    for (const auto& [refine, extra] :
         {std::pair<std::size_t, std::size_t>{0, 0}, {1, 0}, {25, 40}, {1000, 3}}) {
      const SearchOptions settings{.refine = refine, .query_bits = 5, .extra = extra};
      const auto one = search_on_cpu(all, 2);
      for (const std::size_t shards : {2, 6}) {
        std::unique_ptr<VectorSearcher> whole = search_slices(random, all, shards);
        if (refine > 0) {
          whole = std::make_unique<RefiningSearcher>(std::move(whole), made.view().vectors, all);
        }
        for (const std::size_t queries : {1, 20}) {
          expect_as_one(*whole, *one, settings, random,
                        test::draw(random, queries * shape.dimension, 3),
                        std::to_string(refine) + " refined, " + std::to_string(extra) + " extra, " +
                            std::to_string(shards) + " shards");
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(SearchOnParts, RefusesWhatIsNotThere) {
  auto random = test::generator(4);
  const Collection all(Metric::kL2, Store::kFloat, 3, test::draw(random, 30));
  EXPECT_THROW(RowSlice(all.vectors, 11, 0), UsageError);
  EXPECT_THROW(RowSlice(all.vectors, 5, 6), UsageError);
  EXPECT_THROW(search_on_gpus(all.vectors, {}, 1), UsageError);
}

}  // namespace
}  // namespace warpdex::vector
