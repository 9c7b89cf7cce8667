// Search of segments on a GPU, whole, within sets of rows and among listed rows, against a plain
// search of all rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <list>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/flat/gpu_segment_searcher.hpp"

namespace warpdex::vector {
namespace {

/// A collection cut into segments, each with a centre of its own.
class Segments {
 public:
  Segments(const Collection& collection, const std::vector<std::size_t>& sizes,
           const RowFilter* live = nullptr) {
    const FlatVectors& all = collection.vectors;
    const std::size_t dimension = all.vectors.dimension;
    std::size_t first = 0;
    std::vector<GpuSegment> segments;
    for (const std::size_t size : sizes) {
      Norms& own = norms_.emplace_back();
      const auto row = [&](std::size_t i) {
        return std::span(collection.rows).subspan((first + i) * dimension, dimension);
      };
      if (all.metric == Metric::kL2) own.centre.assign(row(size / 2).begin(), row(size / 2).end());
      for (std::size_t i = 0; i < size; ++i) {
        own.norms.push_back(row_norm(all.metric, row(i), own.centre));
      }
      const FlatVectors part{all.metric, all.vectors.slice(first, size), own.centre, own.norms};
      const RowFilter* filter = nullptr;
      if (live != nullptr) filter = &filters_.emplace_back(live->slice(first, size));
      segments.push_back({std::make_shared<const GpuSegmentVectors>(part, resources()),
                          static_cast<std::uint32_t>(first), filter});
      firsts_.push_back(first);
      first += size;
    }
    searcher_ = std::make_unique<GpuSegmentSearcher>(std::move(segments), resources());
    sizes_ = sizes;
  }

  std::size_t live_rows() const { return searcher_->live_rows(); }

  Neighbors nearest(const std::vector<float>& queries, std::size_t k) const {
    Neighbors found{0, k, {}, {}};
    searcher_->nearest(queries, k, taker(found));
    return found;
  }
  Neighbors nearest_among(const std::vector<float>& queries, std::size_t k,
                          const std::vector<std::uint32_t>& rows,
                          const std::vector<std::uint32_t>& begins) const {
    Neighbors found{0, k, {}, {}};
    searcher_->nearest_among(queries, k, rows, begins, taker(found));
    return found;
  }

  /// `wide_k` of 0: by nearest_within(), else by nearest_passing().
  Neighbors nearest_within(const std::vector<float>& queries, std::size_t k,
                           const std::vector<RowFilter>& filters, std::size_t wide_k = 0) const {
    const std::size_t words = searcher_->set_words();
    std::vector<std::uint32_t> sets(filters.size() * words);
    for (std::size_t q = 0; q < filters.size(); ++q) {
      for (std::size_t s = 0; s < sizes_.size(); ++s) {
        for (std::size_t i = 0; i < sizes_[s]; ++i) {
          if (!filters[q].contains(firsts_[s] + i)) continue;
          sets[q * words + searcher_->first_word(s) + i / 32] |= 1U << i % 32;
        }
      }
    }
    Neighbors found{0, k, {}, {}};
    const auto fill = [&](std::size_t first, std::size_t count, const GpuRowSets& to,
                          const Stream& stream) {
      ASSERT_EQ(to.stride, words);
      copy_to_gpu(to.words, sets.data() + first * words, count * words, stream);
    };
    if (wide_k == 0) searcher_->nearest_within(queries, k, fill, taker(found));
    if (wide_k > 0) searcher_->nearest_passing(queries, k, wide_k, fill, taker(found));
    return found;
  }

 private:
  /// Appends answers.
  static GpuSegmentSearcher::TakeAnswers taker(Neighbors& to) {
    return [&to](std::size_t first, std::size_t count, const std::int32_t* rows,
                 const float* distances) {
      ASSERT_EQ(first, to.queries);
      to.queries += count;
      to.rows.insert(to.rows.end(), rows, rows + count * to.k);
      to.distances.insert(to.distances.end(), distances, distances + count * to.k);
    };
  }

  struct Norms {
    std::vector<float> centre;
    std::vector<float> norms;
  };

  std::list<Norms> norms_;
  std::list<RowFilter> filters_;
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> firsts_;
  std::unique_ptr<GpuSegmentSearcher> searcher_;
};

RowFilter draw_rows(std::mt19937_64& random, std::size_t rows, std::size_t one_in) {
  RowFilter filter(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    if (one_in > 0 && random() % one_in == 0) filter.add(row);
  }
  return filter;
}

RowFilter both(const RowFilter& a, const RowFilter& b) {
  std::vector<std::uint64_t> words(a.words().begin(), a.words().end());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] &= b.words()[i];
  return RowFilter::of_bits(words, a.rows());
}

/// Each query within its own rows.
Neighbors plain_within(const Collection& collection, const std::vector<float>& queries,
                       std::size_t k, const std::vector<RowFilter>& filters) {
  const std::size_t dimension = collection.vectors.vectors.dimension;
  Neighbors all{filters.size(), k, {}, {}};
  for (std::size_t q = 0; q < filters.size(); ++q) {
    const Neighbors one = reference::nearest(
        collection, std::span(queries).subspan(q * dimension, dimension), k, &filters[q]);
    all.rows.insert(all.rows.end(), one.rows.begin(), one.rows.end());
    all.distances.insert(all.distances.end(), one.distances.begin(), one.distances.end());
  }
  return all;
}

class GpuSegmentsForms : public GpuFlat, public testing::WithParamInterface<Form> {};

TEST_P(GpuSegmentsForms, SmallAnswersAreThoseOfOneSearch) {
  auto random = test::generator(171);
  const auto [metric, store] = GetParam();
  for (const std::size_t dimension : {1, 31, 32, 33, 100}) {
    const std::vector<std::size_t> sizes{1, 700, 31, 2500, 32, 129};
    const std::size_t rows = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    const Collection collection(metric, store, dimension, test::draw(random, rows * dimension));
    for (const bool has_live : {false, true}) {
      const RowFilter live = draw_rows(random, rows, 2);
      const Segments segments(collection, sizes, has_live ? &live : nullptr);
      EXPECT_EQ(segments.live_rows(), has_live ? live.count() : rows);
      for (const std::size_t count : {1, 2, 33}) {
        const std::vector<float> queries = test::draw(random, count * dimension);
        for (const std::size_t k : {1, 10, 1000}) {
          const std::string what = describe(metric, store, dimension, rows) + ", " +
                                   std::to_string(count) + " queries, k " + std::to_string(k);
          expect_same(segments.nearest(queries, k),
                      reference::nearest(collection, queries, k, has_live ? &live : nullptr), what);
          std::vector<RowFilter> filters;
          for (std::size_t q = 0; q < count; ++q) {
            RowFilter filter = draw_rows(random, rows, std::array{0, 1, 2, 10, 100, 1000}[q % 6]);
            filters.push_back(has_live ? both(filter, live) : filter);
          }
          const Neighbors within = plain_within(collection, queries, k, filters);
          expect_same(segments.nearest_within(queries, k, filters), within, what + ", within sets");
          expect_same(
              segments.nearest_within(queries, k, filters, std::min<std::size_t>(3 * k, 2048)),
              within, what + ", passing sets");
          std::vector<std::uint32_t> listed;
          std::vector<std::uint32_t> begins{0};
          for (const RowFilter& filter : filters) {
            for (std::size_t row = 0; row < rows; ++row) {
              if (filter.contains(row)) listed.push_back(static_cast<std::uint32_t>(row));
            }
            std::shuffle(listed.begin() + begins.back(), listed.end(), random);
            begins.push_back(static_cast<std::uint32_t>(listed.size()));
          }
          expect_same(segments.nearest_among(queries, k, listed, begins), within,
                      what + ", among listed rows");
          if (HasFailure()) return;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, GpuSegmentsForms, kForms, form_name);

class GpuSegments : public GpuFlat {};

// Products in the largest segments, and more neighbours than one selection holds.
TEST_F(GpuSegments, LargeSegmentsAndLargeK) {
  auto random = test::generator(172);
  const std::size_t dimension = 24;
  const std::vector<std::size_t> sizes{9000, 100, 30'000, 12'000};
  const std::size_t rows = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct}) {
    const Collection collection(metric, Store::kHalf, dimension,
                                test::draw(random, rows * dimension));
    const RowFilter live = draw_rows(random, rows, 2);
    const Segments all(collection, sizes);
    const Segments some(collection, sizes, &live);
    const FlatSearcher cpu(collection.vectors);
    const std::vector<float> queries = test::draw(random, 150 * dimension);
    for (const std::size_t k : {10, 1000, 5000}) {
      const std::string what = std::string(metric_name(metric)) + ", k " + std::to_string(k);
      expect_same(all.nearest(queries, k), cpu.nearest(queries, k), what);
      expect_same(some.nearest(queries, k), cpu.nearest(queries, k, {.filter = &live}), what);
    }
    const std::vector<RowFilter> halves(150, live);
    for (const std::size_t wide_k : {10, 40, 2048}) {
      expect_same(all.nearest_within(queries, 10, halves, wide_k),
                  cpu.nearest(queries, 10, {.filter = &live}),
                  "passing sets, " + std::to_string(wide_k));
    }
    const std::vector<float> few(queries.begin(), queries.begin() + 2 * dimension);
    const std::vector<RowFilter> filters(2, live);
    for (const std::size_t k : {4096, 4097, 10'000}) {
      expect_same(all.nearest_within(few, k, filters), cpu.nearest(few, k, {.filter = &live}),
                  "within sets, k " + std::to_string(k));
    }
  }
}

TEST_F(GpuSegments, SmallEqualDistancesGoByRow) {
  const std::size_t dimension = 4;
  const Collection collection(Metric::kInnerProduct, Store::kFloat, dimension,
                              std::vector<float>(3000 * dimension, 1.0F));
  const Segments segments(collection, {1000, 1500, 500});
  const std::vector<float> query(dimension, 2.0F);
  const Neighbors found = segments.nearest(query, 1200);
  RowFilter all(3000);
  for (std::size_t row = 0; row < 3000; ++row) all.add(row);
  const Neighbors within = segments.nearest_within(query, 1200, {all});
  for (std::size_t i = 0; i < 1200; ++i) {
    ASSERT_EQ(found.rows[i], static_cast<std::int32_t>(i));
    ASSERT_EQ(within.rows[i], static_cast<std::int32_t>(i));
  }
}

TEST_F(GpuSegments, RefusesWhatDoesNotFit) {
  const Collection collection(Metric::kL2, Store::kFloat, 3, std::vector<float>(30, 1.0F));
  const Segments segments(collection, {4, 6});
  EXPECT_THROW(segments.nearest(std::vector<float>(3), 11), UsageError);
  EXPECT_THROW(segments.nearest(std::vector<float>(3), 0), UsageError);
  EXPECT_THROW(segments.nearest(std::vector<float>(4), 1), UsageError);
  EXPECT_THROW(segments.nearest(std::vector<float>(3, NAN), 1), UsageError);
  EXPECT_TRUE(segments.nearest({}, 1).rows.empty());
}

}  // namespace
}  // namespace warpdex::vector
