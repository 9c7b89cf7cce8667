// Searches of whole indexes: ranges of codes are checked by the vectors, and any k is taken.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/vector_index_change.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/search/index_searcher.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kCheckedDimension = 24;
constexpr std::size_t kCheckedRows = 3000;
constexpr std::size_t kQueries = 12;

/// What of codes is tried.
struct Kind {
  std::string name;
  VectorIndexSettings settings;
  bool is_corrected = false;
};

std::vector<Kind> kinds(Metric metric) {
  VectorIndexSettings base{.metric = metric, .dimension = kCheckedDimension};
  std::vector<Kind> all;
  const auto add = [&](const std::string& name, VectorKind index, auto set) {
    all.push_back({name, base, false});
    all.back().settings.index = index;
    set(all.back());
  };
  add("ivf-pq", vector_kind("ivf-pq"), [](Kind& kind) {
    kind.settings.ivf.lists = 20;
    kind.settings.pq.bytes = 4;
  });
  add("xfbq", vector_kind("xfbq"), [](Kind& kind) { kind.settings.binary.bits = 2; });
  add("xfbq, corrected", vector_kind("xfbq"), [](Kind& kind) {
    kind.settings.binary.bits = 3;
    kind.settings.binary.is_rotated = true;
    kind.settings.binary.is_corrected = true;
    kind.is_corrected = true;
  });
  add("ivf-xfbq", vector_kind("ivf-xfbq"), [](Kind& kind) {
    kind.settings.ivf.lists = 20;
    kind.settings.binary.bits = 2;
  });
  return all;
}

/// A collection in clusters, so that the numbers within a radius differ much from query to query.
std::vector<float> clustered(std::mt19937_64& random, std::size_t rows) {
  std::vector<float> values = test::draw(random, rows * kCheckedDimension);
  const std::vector<float> centres = test::draw(random, 9 * kCheckedDimension, 0, 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += centres[i / kCheckedDimension % 9 * kCheckedDimension + i % kCheckedDimension];
  }
  return values;
}

/// The rows that lie within, with their distances: worked out apart from the index.
class Truth {
 public:
  Truth(Metric metric, std::vector<float> rows, std::vector<float> queries)
      : metric_(metric), rows_(std::move(rows)), queries_(std::move(queries)) {
    if (metric != Metric::kCosine) return;
    for (std::vector<float>* values : {&rows_, &queries_}) {
      for (std::size_t i = 0; i < values->size(); i += kCheckedDimension) {
        normalize({values->data() + i, kCheckedDimension});
      }
    }
  }

  std::vector<reference::Answer> within(std::size_t query, float radius,
                                        const std::set<std::size_t>& removed) const {
    std::vector<reference::Answer> answers;
    const std::span<const float> of_query(queries_.data() + query * kCheckedDimension,
                                          kCheckedDimension);
    for (std::size_t row = 0; row * kCheckedDimension < rows_.size(); ++row) {
      const std::span<const float> of_row(rows_.data() + row * kCheckedDimension,
                                          kCheckedDimension);
      const float distance = reference::distance(metric_, of_query, of_row);
      const bool is_within = metric_ == Metric::kL2 ? distance <= radius : distance >= radius;
      if (is_within && !removed.contains(row)) answers.push_back({distance, row});
    }
    reference::rank(metric_, answers);
    return answers;
  }

 private:
  Metric metric_;
  std::vector<float> rows_;
  std::vector<float> queries_;
};

std::vector<reference::Answer> answers_of(const RangeNeighbors& found, std::size_t query) {
  std::vector<reference::Answer> answers;
  for (std::size_t i = found.offsets[query]; i < found.offsets[query + 1]; ++i) {
    answers.push_back({found.distances[i], static_cast<std::size_t>(found.rows[i])});
  }
  return answers;
}

/// How many answers there are, and how many of them were missed. Fails for one that lies outside.
struct Tally {
  std::size_t wanted = 0;
  std::size_t missed = 0;

  void add(const std::vector<reference::Answer>& found, const std::vector<reference::Answer>& truth,
           const std::string& what) {
    std::size_t kept = 0;
    for (const reference::Answer& one : truth) {
      kept += static_cast<std::size_t>(std::count(found.begin(), found.end(), one));
    }
    ASSERT_EQ(kept, found.size()) << what << ": an answer is wrong";
    wanted += truth.size();
    missed += truth.size() - kept;
  }
};

class CheckedRanges : public testing::TestWithParam<Metric> {
 protected:
  void build(const Kind& kind, const std::vector<float>& rows) const {
    VectorIndexWriter writer(folder_ / "index", kind.settings);
    writer.add(rows);
    writer.commit();
  }
  /// Radii with about these many vectors of all within.
  std::vector<float> radii(const Truth& truth) const {
    const float all = GetParam() == Metric::kL2 ? 1e30F : -1e30F;
    const std::vector<reference::Answer> ranked = truth.within(0, all, {});
    return {ranked[3].distance, ranked[150].distance, ranked[900].distance};
  }
  test::TemporaryFolder folder_{test::place_in_memory()};
};

TEST_P(CheckedRanges, HaveNoAnswerOutsideAndMissFew) {
  std::mt19937_64 random(51);  // always the same: how many are missed depends on what is drawn
  const std::vector<float> rows = clustered(random, kCheckedRows);
  const std::vector<float> queries = clustered(random, kQueries);
  const Truth truth(GetParam(), rows, queries);
  for (const Kind& kind : kinds(GetParam())) {
    build(kind, rows);
    const VectorIndex index = VectorIndex::open(folder_ / "index");
    const SearchOptions all_lists{.probes = index.settings().index.in_lists ? 20U : 1U};
    SearchOptions all_rows = all_lists;
    all_rows.refine = kCheckedRows;
    const auto checked = search_index_on_cpu(index, 2);
    const auto by_codes = search_on_cpu(index.segments().front().vectors, 2);
    Tally tally;
    std::size_t missed_by_codes = 0;
    std::size_t outside_by_codes = 0;
    for (const float radius : radii(truth)) {
      const RangeNeighbors found = checked->within(queries, radius, all_lists);
      const RangeNeighbors of_all = checked->within(queries, radius, all_rows);
      const RangeNeighbors codes = by_codes->within(queries, radius, all_lists);
      for (std::size_t q = 0; q < kQueries; ++q) {
        const std::vector<reference::Answer> wanted = truth.within(q, radius, {});
        tally.add(answers_of(found, q), wanted, kind.name);
        EXPECT_EQ(answers_of(of_all, q), wanted) << kind.name << ": all were looked at";
        std::set<std::size_t> within;
        for (const reference::Answer& one : wanted) within.insert(one.row);
        std::size_t right = 0;
        for (const reference::Answer& one : answers_of(codes, q)) {
          (within.contains(one.row) ? right : outside_by_codes) += 1;
        }
        missed_by_codes += within.size() - right;
        // Another batch does not change an answer.
        const std::span one = std::span(queries).subspan(q * kCheckedDimension, kCheckedDimension);
        EXPECT_EQ(answers_of(checked->within(one, radius, all_lists), 0), answers_of(found, q));
      }
    }
    if (HasFatalFailure()) return;
    EXPECT_GT(tally.wanted, 1000U) << kind.name;
    // Codes alone are wrong both ways, so there was something to mend.
    EXPECT_GT(missed_by_codes, tally.wanted / 100) << kind.name;
    EXPECT_GT(outside_by_codes, tally.wanted / 100) << kind.name;
    EXPECT_LE(tally.missed, kind.is_corrected ? 0 : tally.wanted / 200)
        << kind.name << ": missed " << tally.missed << " of " << tally.wanted << ", codes alone "
        << missed_by_codes;
  }
}

TEST_P(CheckedRanges, LookAtSegmentsRemovalsAndFilters) {
  auto random = test::generator(52);
  std::vector<float> rows = clustered(random, kCheckedRows);
  const std::vector<float> more = clustered(random, 500);
  const std::vector<float> queries = clustered(random, kQueries);
  std::set<std::size_t> removed;
  std::vector<std::int64_t> ids;
  for (std::size_t row = 0; row < kCheckedRows; row += 5) {
    removed.insert(row);
    ids.push_back(static_cast<std::int64_t>(row));
  }
  std::vector<float> all = rows;
  all.insert(all.end(), more.begin(), more.end());
  const Truth truth(GetParam(), all, queries);
  for (const Kind& kind : kinds(GetParam())) {
    build(kind, rows);
    VectorIndexChange change(folder_ / "index");
    change.remove(VectorIds(ids));
    change.add(more);
    change.commit();
    const VectorIndex index = VectorIndex::open(folder_ / "index");
    ASSERT_EQ(index.segments().size(), 2U);
    SearchOptions settings{.probes = index.settings().index.in_lists ? 20U : 1U};
    if (!kind.is_corrected) settings.refine = all.size();
    const auto checked = search_index_on_cpu(index, 2);
    RowFilter filter(index.rows());
    std::set<std::size_t> refused = removed;
    for (std::size_t row = 0; row < index.rows(); ++row) {
      if (row % 3 == 0) {
        refused.insert(row);
      } else {
        filter.add(row);
      }
    }
    for (const float radius : radii(truth)) {
      const RangeNeighbors found = checked->within(queries, radius, settings);
      const RangeNeighbors filtered = checked->within(queries, radius, settings.among(&filter));
      for (std::size_t q = 0; q < kQueries; ++q) {
        EXPECT_EQ(answers_of(found, q), truth.within(q, radius, removed)) << kind.name;
        EXPECT_EQ(answers_of(filtered, q), truth.within(q, radius, refused)) << kind.name;
      }
    }
  }
}

TEST_P(CheckedRanges, AreEstimatesWithoutVectors) {
  auto random = test::generator(53);
  const std::vector<float> rows = clustered(random, kCheckedRows);
  const std::vector<float> queries = clustered(random, kQueries);
  const Truth truth(GetParam(), rows, queries);
  for (Kind kind : kinds(GetParam())) {
    if (kind.is_corrected) continue;
    kind.settings.pq.keeps_vectors = false;
    build(kind, rows);
    const VectorIndex index = VectorIndex::open(folder_ / "index");
    const SearchOptions settings{.probes = index.settings().index.in_lists ? 20U : 1U};
    const auto searcher = search_index_on_cpu(index, 2);
    const auto by_codes = search_on_cpu(index.segments().front().vectors, 2);
    for (const float radius : radii(truth)) {
      const RangeNeighbors found = searcher->within(queries, radius, settings);
      const RangeNeighbors codes = by_codes->within(queries, radius, settings);
      EXPECT_EQ(found.rows, codes.rows) << kind.name;
      EXPECT_EQ(found.distances, codes.distances) << kind.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, CheckedRanges,
                         testing::Values(Metric::kL2, Metric::kInnerProduct, Metric::kCosine),
                         [](const auto& metric) { return std::string(metric_name(metric.param)); });

TEST(CheckedSearcher, LeavesPlacesOfALargeKMissing) {
  auto random = test::generator(54);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const VectorKind kind : {vector_kind("flat"), vector_kind("ivf-flat"), vector_kind("ivf-pq"),
                                vector_kind("xfbq"), vector_kind("ivf-xfbq")}) {
    VectorIndexWriter writer(folder / "index", {.metric = Metric::kInnerProduct,
                                                .dimension = 4,
                                                .index = kind,
                                                .ivf = {.lists = 3},
                                                .pq = {.bytes = 2}});
    writer.add(test::draw(random, 9 * 4));
    writer.commit();
    VectorIndexChange change(folder / "index");
    change.remove(VectorIds(std::vector<std::int64_t>{0, 3, 4}));
    change.commit();
    const VectorIndex index = VectorIndex::open(folder / "index");
    const SearchOptions settings{.probes = kind.in_lists ? 3U : 1U,
                                 .refine = kind.has_codes() ? 50U : 0U};
    const auto searcher = search_index_on_cpu(index);
    const std::vector<float> queries = test::draw(random, 2 * 4);
    const Neighbors found = searcher->nearest(queries, 100, settings);
    ASSERT_EQ(found.rows.size(), 200U);
    ASSERT_EQ(found.distances.size(), 200U);
    for (std::size_t q = 0; q < 2; ++q) {
      std::vector<std::int32_t> rows(found.rows.begin() + static_cast<std::ptrdiff_t>(q * 100),
                                     found.rows.begin() + static_cast<std::ptrdiff_t>(q * 100 + 6));
      std::sort(rows.begin(), rows.end());
      EXPECT_THAT(rows, testing::ElementsAre(1, 2, 5, 6, 7, 8));
      for (std::size_t place = 6; place < 100; ++place) {
        EXPECT_EQ(found.rows[q * 100 + place], -1);
        EXPECT_EQ(found.distances[q * 100 + place], -reference::kInfinity);
      }
    }
    EXPECT_THROW(searcher->nearest(queries, 0), UsageError);
    const RowFilter of_others(8);
    EXPECT_THROW(searcher->nearest(queries, 100, settings.among(&of_others)), UsageError);
  }
}

}  // namespace
}  // namespace warpdex::vector
