// Hybrid search of an index whose vectors are found by lists or codes: against plain comparisons of
// the vectors in the lists that a query probes, and, where all lists are probed and all answers
// refined, against the same documents without lists.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"
#include "warpdex/query/hybrid/vector_half.hpp"
#include "warpdex/query/input/query_parser.hpp"
#include "warpdex/vector/format/row_index.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::size_t kListedDimension = 8;
constexpr std::size_t kEverything = vector::kMaxRows;  ///< probes, or candidates
constexpr std::array kEveryFusion{Fusion::kReciprocalRank, Fusion::kConvex, Fusion::kRerank,
                                  Fusion::kFilter, Fusion::kNeighbors};

/// The number of lists of a test's index: more than its segments may have where they are small.
constexpr std::size_t kListCount = 40;

class ListedHybrid : public testing::TestWithParam<const char*> {
 protected:
  Document new_document() {
    Document document{"d" + std::to_string(next_++), ""};
    for (const unsigned part : {1U, 2U, 10U, 100U}) {
      if (random_() % part == 0) document.text += "p" + std::to_string(part) + " ";
    }
    document.embedding = random_vector();
    return document;
  }
  std::vector<Document> new_documents(std::size_t count) {
    std::vector<Document> documents;
    for (std::size_t i = 0; i < count; ++i) documents.push_back(new_document());
    return documents;
  }
  /// Near one of a few corners.
  std::vector<float> random_vector() {
    std::normal_distribution<float> around(0, 0.3F);
    const std::uint64_t corner = random_();
    std::vector<float> vector(kListedDimension);
    for (std::size_t i = 0; i < kListedDimension; ++i) {
      vector[i] = static_cast<float>(corner >> i % 4 & 1) + 0.5F + around(random_);
    }
    return vector;
  }

  BuildOptions options(const fs::path& output, const std::string& kind,
                       vector::Metric metric = vector::Metric::kL2) const {
    BuildOptions options;
    options.output = output;
    options.analyzer = "whitespace";
    options.threads = 2;
    options.vectors = vector::RowSettings{metric, vector::Store::kFloat, kListedDimension};
    options.vectors->index.kind = kind;
    options.vectors->index.lists = kListCount;
    options.vectors->index.pq_bytes = 4;
    return options;
  }
  void build(const std::vector<Document>& documents, vector::Metric metric) {
    build_index(*documents_from_memory(documents), options(listed_, GetParam(), metric));
    build_index(*documents_from_memory(documents), options(flat_, "flat", metric));
  }
  static void add(const fs::path& path, const std::vector<Document>& documents) {
    LivingIndex index(path);
    index.add(*documents_from_memory(documents));
    index.commit();
  }
  static void remove(const fs::path& path, const std::vector<std::string>& ids) {
    LivingIndex index(path);
    for (const std::string& id : ids) EXPECT_TRUE(index.remove(id));
    index.commit();
  }
  static void merge(const fs::path& path) {
    LivingIndex index(path);
    MergeOptions all;
    all.all = true;
    index.merge(all);
    index.commit();
  }
  static std::size_t indexed_segments(const fs::path& path) {
    std::size_t count = 0;
    const Snapshot snapshot = Snapshot::open(path);
    for (const Snapshot::Segment& segment : snapshot.segments()) {
      count += segment.index->vector_index() != nullptr ? 1 : 0;
    }
    return count;
  }

  /// That both give the same answers to as many random queries, by all fusions and by vectors
  /// alone, without a filter or with it.
  void expect_same(HybridSearcher& one, HybridSearcher& other, std::size_t count,
                   const FusionSettings& depth, const DocumentFilter* filter = nullptr) {
    constexpr std::array kWords{"p10 p100", "p100", "p2 -p10", "none", ""};
    std::vector<Query> queries;
    std::vector<float> vectors;
    for (std::size_t i = 0; i < count; ++i) {
      queries.push_back(
          parse_query("1", kWords[i % kWords.size()], QuerySyntax::kSigned, *analyzer_));
      const std::vector<float> vector = random_vector();
      vectors.insert(vectors.end(), vector.begin(), vector.end());
    }
    SearchSettings settings;
    settings.k = 25;
    settings.documents = filter;
    for (const Fusion way : kEveryFusion) {
      FusionSettings fusion = depth;
      fusion.fusion = way;
      fusion.depth = 200;
      const auto found = one.search(queries, vectors, settings, fusion);
      const auto wanted = other.search(queries, vectors, settings, fusion);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(found[i].hits, wanted[i].hits)
            << "query " << i << " of " << count << ", fusion " << static_cast<int>(way) << ", "
            << depth.probes << " probes, " << depth.refine << " refined, "
            << (filter == nullptr ? "no filter" : std::to_string(filter->count) + " pass");
      }
    }
    const auto found = one.nearest(vectors, 300, depth, filter);
    const auto wanted = other.nearest(vectors, 300, depth, filter);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(found[i].hits, wanted[i].hits);
  }
  /// Of the index with lists, and of that without.
  void expect_as_flat(const FusionSettings& depth) {
    const Snapshot listed = Snapshot::open(listed_);
    const Snapshot flat = Snapshot::open(flat_);
    HybridSearcher by_lists(listed, 2);
    HybridSearcher by_all(flat, 2);
    for (const std::size_t count : {1U, 40U}) expect_same(by_lists, by_all, count, depth);
  }

  std::mt19937_64 random_ = test::generator(731);
  const test::TemporaryFolder folder_{test::place_in_memory()};
  const fs::path listed_ = folder_ / "listed";
  const fs::path flat_ = folder_ / "flat";
  const std::unique_ptr<Analyzer> analyzer_ = make_analyzer("whitespace");
  int next_ = 0;
};

/// By double precision: smaller is nearer.
double exact_distance(vector::Metric metric, std::span<const float> a, std::span<const float> b) {
  double product = 0, squared = 0, of_a = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x{a[i]}, y{b[i]};
    product += x * y;
    squared += (x - y) * (x - y);
    of_a += x * x;
    of_b += y * y;
  }
  if (metric == vector::Metric::kL2) return squared;
  return metric == vector::Metric::kInnerProduct ? -product : -product / std::sqrt(of_a * of_b);
}

std::vector<float> components_of(const vector::VectorView& view, std::size_t row) {
  std::vector<float> components(view.dimension);
  vector::copy_row(view, row, components.data());
  return components;
}

/// The rows of the `probes` lists that are nearest to the query: by product for inner products,
/// else by squared distance, for cosine from the query of length 1.
std::set<std::uint32_t> probed_rows(const vector::SearchedVectors& lists, vector::Metric metric,
                                    std::vector<float> query, std::size_t probes) {
  if (metric == vector::Metric::kCosine) {
    double squared = 0;
    for (const float x : query) squared += double{x} * x;
    for (float& x : query) x = static_cast<float>(x / std::sqrt(squared));
    metric = vector::Metric::kL2;
  }
  const vector::VectorView& centroids = vector::centroids_of(lists).vectors;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < centroids.rows; ++i) {
    order.emplace_back(exact_distance(metric, query, components_of(centroids, i)), i);
  }
  std::sort(order.begin(), order.end());
  const auto begins = vector::list_begins_of(lists);
  const auto rows = vector::row_numbers_of(lists);
  std::set<std::uint32_t> found;
  for (std::size_t i = 0; i < std::min(probes, order.size()); ++i) {
    const std::size_t list = order[i].second;
    found.insert(rows.begin() + static_cast<std::ptrdiff_t>(begins[list]),
                 rows.begin() + static_cast<std::ptrdiff_t>(begins[list + 1]));
  }
  return found;
}

class HybridInLists : public ListedHybrid {};

TEST_P(HybridInLists, FindsTheNearestInTheListsThatItProbes) {
  for (const vector::Metric metric :
       {vector::Metric::kL2, vector::Metric::kInnerProduct, vector::Metric::kCosine}) {
    std::vector<Document> documents = new_documents(5000);
    build(documents, metric);
    std::vector<std::string> gone;
    for (int i = 0; i < 5000; i += 1 + static_cast<int>(random_() % 9)) {
      gone.push_back(documents[static_cast<std::size_t>(i)].id);
    }
    remove(listed_, gone);
    const std::set<std::string> removed(gone.begin(), gone.end());
    const Snapshot snapshot = Snapshot::open(listed_);
    const Index& index = *snapshot.segments().front().index;
    ASSERT_NE(index.vector_index(), nullptr);
    const vector::SearchedVectors& lists = index.vector_index()->vectors();
    ASSERT_EQ(vector::list_begins_of(lists).size(), kListCount + 1);
    for (const std::size_t probes : {1U, 3U, 17U, 40U}) {
      const std::vector<float> query = random_vector();
      const std::set<std::uint32_t> probed = probed_rows(lists, metric, query, probes);
      std::vector<double> wanted;
      for (const std::uint32_t row : probed) {
        const Document& document = documents[row];
        if (removed.contains(document.id)) continue;
        wanted.push_back(exact_distance(metric, query, document.embedding));
      }
      std::sort(wanted.begin(), wanted.end());
      const std::vector<Hit> found =
          VectorHalf(snapshot, 2)
              .nearest(query, 50, {.probes = probes, .refine = kEverything})
              .front();
      ASSERT_EQ(found.size(), std::min<std::size_t>(wanted.size(), 50)) << probes << " probes";
      for (std::size_t i = 0; i < found.size(); ++i) {
        const Document& document = documents[found[i].document];
        EXPECT_TRUE(probed.contains(found[i].document));
        EXPECT_FALSE(removed.contains(document.id));
        EXPECT_NEAR(exact_distance(metric, query, document.embedding), wanted[i], 1e-5);
      }
    }
  }
}

// Segments: two with lists, one too small for them; then one of all.
TEST_P(ListedHybrid, AnswersAsWithoutListsIfAllAreProbedAndRefined) {
  const FusionSettings all{.probes = kEverything, .refine = kEverything};
  const std::vector<Document> documents = new_documents(4500);
  build(documents, vector::Metric::kInnerProduct);
  EXPECT_EQ(indexed_segments(listed_), 1U);
  EXPECT_EQ(indexed_segments(flat_), 0U);
  const std::vector<Document> few = new_documents(300);
  const std::vector<Document> many = new_documents(4200);
  std::vector<std::string> gone;
  for (int i = 0; i < next_; i += 1 + static_cast<int>(random_() % 20)) {
    gone.push_back("d" + std::to_string(i));
  }
  for (const fs::path& path : {listed_, flat_}) {
    add(path, few);
    add(path, many);
    remove(path, gone);
  }
  EXPECT_EQ(indexed_segments(listed_), 2U);
  expect_as_flat(all);
  for (const fs::path& path : {listed_, flat_}) merge(path);
  EXPECT_EQ(Snapshot::open(listed_).segments().size(), 1U);
  EXPECT_EQ(indexed_segments(listed_), 1U);
  expect_as_flat(all);
  EXPECT_TRUE(verify_index(listed_).ok());
  std::vector<std::string> rest;
  for (int i = 0; i < next_; ++i) {
    const std::string id = "d" + std::to_string(i);
    if (std::find(gone.begin(), gone.end(), id) == gone.end()) rest.push_back(id);
  }
  for (const fs::path& path : {listed_, flat_}) remove(path, rest);
  EXPECT_TRUE(VectorHalf(Snapshot::open(listed_)).nearest(random_vector(), 10).front().empty());
  for (const fs::path& path : {listed_, flat_}) merge(path);
  expect_as_flat(all);
}

TEST_P(ListedHybrid, SmallSegmentsHaveNoLists) {
  for (const std::size_t size : {0U, 1U, 30U, 4095U}) {
    build(new_documents(size), vector::Metric::kCosine);
    EXPECT_EQ(indexed_segments(listed_), 0U);
    expect_as_flat({});
    EXPECT_EQ(Snapshot::open(listed_).settings().vectors->index.kind, GetParam());
  }
}

std::map<std::string, std::uint64_t> checksums(const fs::path& path) {
  std::map<std::string, std::uint64_t> all;
  const Snapshot snapshot = Snapshot::open(path);
  for (const SectionInfo& info : snapshot.segments().front().index->section_infos()) {
    all[info.name] = info.checksum;
  }
  return all;
}

TEST_P(ListedHybrid, WhatIsWrittenAnewIsWhatABuildWrites) {
  const std::vector<Document> documents = new_documents(6000);
  build(documents, vector::Metric::kL2);
  const auto wanted = checksums(listed_);
  EXPECT_TRUE(wanted.contains("codes") || wanted.contains("list_vectors"));
  const fs::path parts = folder_ / "parts";
  build_index(*documents_from_memory({documents.begin(), documents.begin() + 100}),
              options(parts, GetParam()));
  add(parts, {documents.begin() + 100, documents.end()});
  EXPECT_EQ(indexed_segments(parts), 1U);
  merge(parts);
  EXPECT_EQ(checksums(parts), wanted);
  ConvertOptions converting;
  converting.rewrite.input = listed_;
  converting.rewrite.output = folder_ / "converted";
  converting.codec.kind = CodecKind::kRice;
  convert_index(converting);
  const auto converted = checksums(folder_ / "converted");
  for (const auto& [name, checksum] : wanted) {
    ASSERT_TRUE(converted.contains(name)) << name;
    const bool is_of_vectors = name == "codes" || name == "list_vectors";
    EXPECT_TRUE(!is_of_vectors || converted.at(name) == checksum) << name;
  }
  BuildOptions reordered = options(folder_ / "reordered", GetParam());
  ReorderReport report;
  build_reordered_index(*documents_from_memory(documents), reordered, {}, {}, report);
  EXPECT_EQ(indexed_segments(folder_ / "reordered"), 1U);
  RewriteOptions rewriting;
  rewriting.input = listed_;
  rewriting.output = folder_ / "reordered again";
  reorder_index(rewriting, {});
  EXPECT_EQ(checksums(folder_ / "reordered again"), checksums(folder_ / "reordered"));
  EXPECT_TRUE(verify_index(folder_ / "reordered").ok());
}

TEST_P(ListedHybrid, DamageIsFound) {
  build(new_documents(4200), vector::Metric::kL2);
  const bool has_codes = std::string(GetParam()) != "ivf-flat";
  const std::string name = has_codes ? "codes" : "list_vectors";
  std::fstream file(listed_ / "segment-0" / name, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(64 + 100);
  const auto byte = static_cast<char>(file.get());
  file.seekp(64 + 100);
  file.put(static_cast<char>(~byte));
  file.close();
  const VerifyReport report = verify_index(listed_);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.problems.front(), HasSubstr(name));
}

// Two segments with lists and one too small for them, from which documents were removed.
class ListedOnGpu : public ListedHybrid {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << why_no_device();
  }
  void build_segments(vector::Metric metric) {
    build(new_documents(4500), metric);
    const int first = next_ - 4500;
    add(listed_, new_documents(200));
    add(listed_, new_documents(4100));
    std::vector<std::string> gone;
    for (int i = first; i < next_; i += 1 + static_cast<int>(random_() % 15)) {
      gone.push_back("d" + std::to_string(i));
    }
    remove(listed_, gone);
  }
  /// One in `one_in` of the live documents with docIDs from `first` to `end`.
  DocumentFilter draw_filter(const Snapshot& snapshot, std::uint64_t one_in, std::uint32_t first,
                             std::uint32_t end) {
    vector::RowFilter documents(snapshot.docid_end());
    for (const Snapshot::Segment& segment : snapshot.segments()) {
      for (std::uint32_t i = 0; i < segment.index->counts().documents; ++i) {
        const std::uint32_t docid = segment.first_document + i;
        if (docid < first || docid >= end || segment.index->removed().contains(i)) continue;
        if (random_() % one_in == 0) documents.add(docid);
      }
    }
    return filter_of(snapshot, documents);
  }
};

TEST_P(ListedOnGpu, SmallAnswersAreThoseOfTheCpu) {
  Resources resources;
  for (const vector::Metric metric :
       {vector::Metric::kL2, vector::Metric::kInnerProduct, vector::Metric::kCosine}) {
    build_segments(metric);
    const Snapshot snapshot = Snapshot::open(listed_);
    HybridSearcher on_cpu(snapshot, 2);
    const GpuVectors uploaded(GpuSnapshot(snapshot, resources));
    ASSERT_TRUE(uploaded.is_resident());
    HybridSearcher on_gpu(uploaded, 2);
    for (const std::size_t count : {1U, 40U}) {
      for (const FusionSettings& depth :
           {FusionSettings{}, FusionSettings{.probes = 3, .refine = 0},
            FusionSettings{.probes = 7, .refine = 30},
            FusionSettings{.probes = kEverything, .refine = kEverything}}) {
        expect_same(on_cpu, on_gpu, count, depth);
      }
    }
  }
}

// Filters of the segment without lists, of one with lists, and of all.
TEST_P(ListedOnGpu, FilteredAnswersAreThoseOfTheCpu) {
  Resources resources;
  for (const vector::Metric metric : {vector::Metric::kL2, vector::Metric::kCosine}) {
    build_segments(metric);
    const Snapshot snapshot = Snapshot::open(listed_);
    HybridSearcher on_cpu(snapshot, 2);
    const GpuVectors uploaded(GpuSnapshot(snapshot, resources));
    ASSERT_TRUE(uploaded.is_resident());
    HybridSearcher on_gpu(uploaded, 2);
    const std::uint32_t end = snapshot.docid_end();
    std::vector<DocumentFilter> filters;
    filters.push_back(draw_filter(snapshot, 2, 4500, 4700));
    filters.push_back(draw_filter(snapshot, 2, 100, 3000));
    filters.push_back(filter_of(snapshot, vector::RowFilter(end)));
    for (const std::uint64_t one_in : {1000U, 50U, 2U, 1U}) {
      filters.push_back(draw_filter(snapshot, one_in, 0, end));
    }
    const std::size_t before = resources.memory().used();
    on_gpu.nearest(random_vector(), 1, {}, &filters[0]);
    EXPECT_GT(resources.memory().used(), before) << "the CPU searched";
    for (const DocumentFilter& filter : filters) {
      for (const FusionSettings& depth :
           {FusionSettings{.probes = 3, .refine = 0}, FusionSettings{.probes = 7, .refine = 30},
            FusionSettings{.probes = kEverything, .refine = kEverything}}) {
        for (const std::size_t count : {1U, 40U}) {
          expect_same(on_cpu, on_gpu, count, depth, &filter);
        }
      }
      ASSERT_FALSE(HasFailure());
    }
  }
}

constexpr auto kind_name = [](const auto& kind) {
  std::string name = kind.param;
  std::erase(name, '-');
  return name;
};
INSTANTIATE_TEST_SUITE_P(Kinds, ListedHybrid,
                         testing::Values("ivf-flat", "ivf-pq", "ivf-sq8", "ivf-xfbq", "xfbq",
                                         "sq8"),
                         kind_name);
INSTANTIATE_TEST_SUITE_P(Kinds, ListedOnGpu,
                         testing::Values("ivf-flat", "ivf-pq", "ivf-sq8", "ivf-xfbq", "xfbq",
                                         "sq8"),
                         kind_name);
INSTANTIATE_TEST_SUITE_P(Kinds, HybridInLists,
                         testing::Values("ivf-flat", "ivf-pq", "ivf-sq8", "ivf-xfbq"), kind_name);

TEST(ListedHybridSettings, AreCheckedBeforeAnythingIsRead) {
  const test::TemporaryFolder folder{test::place_in_memory()};
  BuildOptions options;
  options.output = folder / "index";
  options.vectors =
      vector::RowSettings{vector::Metric::kL2, vector::Store::kFloat, kListedDimension};
  const auto complaint = [&](const vector::RowIndexSettings& index) -> std::string {
    options.vectors->index = index;
    try {
      build_index(*documents_from_memory({}), options);
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(complaint({.kind = "trees"}), HasSubstr("there is no type of index 'trees'"));
  EXPECT_THAT(complaint({.kind = "ivf-pq", .pq_bytes = 9}), HasSubstr("from 1 to 8 bytes, not 9"));
  EXPECT_THAT(complaint({.kind = "ivf-flat", .lists = 100, .train = 50}),
              HasSubstr("train 100 lists on as many vectors or more, not on 50"));
  EXPECT_NE(complaint({.kind = "xfbq", .binary_bits = 9}), "");
  EXPECT_EQ(complaint({.kind = "ivf-pq"}), "");
  const Snapshot snapshot = Snapshot::open(folder / "index");
  HybridSearcher searcher(snapshot);
  EXPECT_THROW(searcher.nearest(std::vector<float>(kListedDimension), 1, {.probes = 0}),
               UsageError);
}

}  // namespace
}  // namespace warpdex
