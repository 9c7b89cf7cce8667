// Facets on the GPU are those that the CPU counts over the same documents.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/query/filter/filtered_index.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/reference/compare.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/query/columns/facets.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/gpu/gpu_facets.hpp"
#include "warpdex/query/gpu/gpu_group.hpp"
#include "warpdex/query/hybrid/matching.hpp"

namespace warpdex {
namespace {

using test::FilteredIndex;

/// Judges an answer; false where the GPU gave none.
bool expect_counts(const Snapshot& snapshot, GpuFacets& gpu, const Query& query,
                   const SearchSettings& settings, const std::vector<FacetRequest>& facets) {
  const PlannedQuery plan = plan_query(snapshot, query);
  const auto found = gpu.count(plan, settings, facets);
  if (!found) return false;
  const vector::RowFilter matches = matching_documents(snapshot, plan, settings);
  EXPECT_EQ(found->matches, matches.count());
  EXPECT_EQ(found->facets.size(), facets.size());
  for (std::size_t i = 0; i < facets.size(); ++i) {
    EXPECT_EQ(found->facets[i], count_facet(snapshot, facets[i], matches))
        << facets[i].column << " " << reference::describe(query) << " "
        << reference::describe(settings);
  }
  return true;
}

/// Of every column that the GPU counts, which are all of words and flags; of some with ranges.
std::vector<FacetRequest> facets_of(FilteredIndex& index, const Snapshot& snapshot,
                                    GpuFacets& gpu) {
  std::vector<FacetRequest> facets;
  const PlannedQuery plan = plan_query(snapshot, index.query());
  for (const Field& field : index.schema().fields) {
    FacetRequest facet{.column = field.name, .values = 5};
    if (field.type == FieldType::kInt && !field.multiple) {
      facet.ranges = {{"-5", "7"}, {"", "0"}, {"3", ""}};
    }
    if (gpu.count(plan, {}, {&facet, 1})) {
      facets.push_back(facet);
    } else {
      EXPECT_NE(field.type, FieldType::kKeyword);
      EXPECT_NE(field.type, FieldType::kBool);
    }
  }
  return facets;
}

void expect_random(FilteredIndex& index, int queries) {
  const Snapshot snapshot = Snapshot::open(index.index());
  Resources resources;
  const GpuSnapshot uploaded(snapshot, resources);
  GpuFacets gpu(uploaded);
  FilterCache cache;
  const std::vector<FacetRequest> facets = facets_of(index, snapshot, gpu);
  int counted = 0;
  for (int i = 0; i < queries; ++i) {
    SearchSettings settings = index.settings();
    std::shared_ptr<const DocumentFilter> filter;
    if (i % 2 == 0) filter = cache.get(snapshot, filter_text(index.filter()));
    settings.documents = filter.get();
    if (expect_counts(snapshot, gpu, index.query(), settings, facets)) ++counted;
    ASSERT_FALSE(testing::Test::HasFailure()) << i;
  }
  EXPECT_EQ(counted, queries);
}

TEST(GpuFacets, Tiny) {
  WARPDEX_NEEDS_GPU();
  std::uint64_t stream = 460;
  for (const std::size_t documents : {1U, 32U, 129U, 700U}) {
    FilteredIndex plain(++stream, CodecKind::kBitpack, documents, false);
    expect_random(plain, 12);
    if (documents < 8) continue;
    FilteredIndex changed(++stream, CodecKind::kRice, documents, true);
    expect_random(changed, 12);
  }
}

TEST(GpuFacets, OfRandomColumns) {
  WARPDEX_NEEDS_GPU();
  std::uint64_t stream = 480;
  for (const CodecKind codec :
       {CodecKind::kBitpack, CodecKind::kPfor, CodecKind::kRice, CodecKind::kPforBlock}) {
    FilteredIndex plain(++stream, codec, 20'000, false);
    expect_random(plain, 40);
    FilteredIndex changed(++stream, codec, 20'000, true);
    expect_random(changed, 40);
  }
}

// Shards, on two accounts of the same GPU. And-or is left to the CPU.
TEST(GpuFacets, TinyShards) {
  WARPDEX_NEEDS_GPU();
  FilteredIndex index(495, CodecKind::kBitpack, 3'000, true);
  const Snapshot snapshot = Snapshot::open(index.index());
  ASSERT_GT(snapshot.segments().size(), 1U);
  Resources one;
  Resources two;
  const std::vector<Resources*> gpus{&one, &two};
  const GpuGroup group(snapshot, gpus, 2);
  GpuFacets gpu(snapshot, group.replica(0));
  const std::vector<FacetRequest> facets = facets_of(index, snapshot, gpu);
  FilterCache cache;
  for (int i = 0; i < 30; ++i) {
    SearchSettings settings = index.settings();
    std::shared_ptr<const DocumentFilter> filter;
    if (i % 2 == 0) filter = cache.get(snapshot, filter_text(index.filter()));
    settings.documents = filter.get();
    const bool is_counted = expect_counts(snapshot, gpu, index.query(), settings, facets);
    EXPECT_EQ(is_counted, settings.mode != QueryMode::kAndOr) << i;
    ASSERT_FALSE(HasFailure()) << i;
  }
}

// Tables in shared memory and beside it; values of every width; several values of a document.
TEST(GpuFacets, OfManyValues) {
  WARPDEX_NEEDS_GPU();
  std::mt19937_64 random = test::generator(490);
  const test::TemporaryFolder folder;
  const std::vector<std::int64_t> sizes{1, 2, 4, 15, 200, 4'095, 4'097, 9'000};
  BuildOptions options;
  options.output = folder / "index";
  options.analyzer = "whitespace";
  options.threads = 1;
  for (const std::int64_t size : sizes) {
    options.schema.fields.push_back({"n" + std::to_string(size), FieldType::kInt});
    options.schema.fields.push_back({"k" + std::to_string(size), FieldType::kKeyword});
    options.schema.fields.back().multiple = true;
  }
  std::vector<Document> documents;
  for (int i = 0; i < 30'000; ++i) {
    Document document{"d" + std::to_string(i), "w" + std::to_string(random() % 3)};
    for (const std::int64_t size : sizes) {
      const auto next = [&] { return static_cast<std::int64_t>(random()) % size; };
      document.values.push_back({FieldValue(next())});
      std::vector<FieldValue> several;
      for (std::uint64_t n = random() % 4; n > 0; --n) {
        several.emplace_back("k" + std::to_string(next()));
      }
      document.values.push_back(several);
    }
    documents.push_back(document);
  }
  build_index(*documents_from_memory(documents), options);
  const Snapshot snapshot = Snapshot::open(folder / "index");
  Resources resources;
  const GpuSnapshot uploaded(snapshot, resources);
  GpuFacets gpu(uploaded);
  std::vector<FacetRequest> facets;
  for (const Field& field : options.schema.fields) facets.push_back({.column = field.name});
  Query query;
  query.terms.push_back({"w1", Occur::kUnsigned, 1});
  EXPECT_TRUE(expect_counts(snapshot, gpu, query, {}, facets));
  // Ranges of several values need the documents themselves.
  facets = {{.column = "k15", .ranges = {{"k1", "k3"}}}};
  EXPECT_FALSE(gpu.count(plan_query(snapshot, query), {}, facets).has_value());
  EXPECT_THROW(
      gpu.count(plan_query(snapshot, query), {}, std::vector<FacetRequest>{{.column = "x"}}),
      UsageError);
}

}  // namespace
}  // namespace warpdex
