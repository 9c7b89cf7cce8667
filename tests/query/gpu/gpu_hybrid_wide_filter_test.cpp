// Filtered searches of many queries at a time on the GPU, among many documents: there the nearest
// of all are found first, then filtered.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/query/gpu/filtered_hybrid.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"

namespace warpdex {
namespace {

using test::draw_filter;
using test::FilteredBoth;
using test::HybridQueries;

/// Vectors of 128 components, whose first says whether a document is far from all queries.
class WideHybrid {
 public:
  explicit WideHybrid(std::uint64_t stream) : random_(test::generator(stream)) {
    BuildOptions options;
    options.output = index();
    options.analyzer = "whitespace";
    options.threads = 2;
    options.vectors =
        vector::RowSettings{vector::Metric::kInnerProduct, vector::Store::kFloat, kWidth};
    build_index(*documents_from_memory(new_documents(30'000)), options);
    LivingIndex living(index());
    living.add(*documents_from_memory(new_documents(12'000)));
    for (int i = 0; i < 2000; ++i) living.remove("d" + std::to_string(random_() % 42'000));
    living.commit();
  }

  std::filesystem::path index() const { return folder_ / "index"; }
  std::mt19937_64& random() { return random_; }

  HybridQueries queries(std::size_t count) {
    HybridQueries asked;
    for (std::size_t i = 0; i < count; ++i) {
      asked.queries.push_back({"", {QueryTerm{std::array{"all", "half", "few"}[i % 3]}}});
      std::vector<float> vector = new_vector();
      vector[0] = 40;  // what is far is last
      asked.vectors.insert(asked.vectors.end(), vector.begin(), vector.end());
    }
    return asked;
  }

  /// Live documents that are far.
  DocumentFilter far(const Snapshot& snapshot) {
    vector::RowFilter documents(snapshot.docid_end());
    const vector::RowFilter live = draw_filter(random_, snapshot, 1).documents;
    for (std::uint32_t i = 0; i < snapshot.docid_end(); ++i) {
      if (live.contains(i) && far_[std::stoul(std::string(snapshot.document_name(i)).substr(1))]) {
        documents.add(i);
      }
    }
    return filter_of(snapshot, documents);
  }

 private:
  static constexpr std::size_t kWidth = 128;

  std::vector<float> new_vector() {
    std::normal_distribution<float> normal;
    std::vector<float> vector(kWidth);
    for (float& component : vector) component = normal(random_);
    return vector;
  }
  std::vector<Document> new_documents(std::size_t count) {
    std::vector<Document> documents(count);
    for (Document& document : documents) {
      document.id = "d" + std::to_string(far_.size());
      document.embedding = new_vector();
      far_.push_back(document.embedding[0] < 0);
      document.text = "all";
      if (random_() % 2 == 0) document.text += " half";
      if (random_() % 100 == 0) document.text += " few";
    }
    return documents;
  }

  std::mt19937_64 random_;
  const test::TemporaryFolder folder_{test::place_in_memory()};
  std::vector<bool> far_;  ///< by number of the id
};

// Where those that pass are far, too few of them are left.
TEST(GpuHybridFilters, ManyQueriesOfManyDocuments) {
  WARPDEX_NEEDS_GPU();
  WideHybrid wide(960);
  Resources resources;
  FilteredBoth both{GpuVectors{GpuSnapshot(Snapshot::open(wide.index()), resources)}};
  std::vector<DocumentFilter> filters;
  filters.push_back(wide.far(both.snapshot()));
  for (const std::size_t one_in : {1, 2, 5, 50}) {
    filters.push_back(draw_filter(wide.random(), both.snapshot(), one_in));
  }
  const HybridQueries asked = wide.queries(150);
  for (const DocumentFilter& filter : filters) {
    for (const std::uint32_t k : {1U, 10U, 1000U}) {
      SearchSettings settings;
      settings.k = k;
      settings.documents = &filter;
      both.expect_nearest(asked, k, filter);
      both.expect_within(asked, settings, 1000);
      ASSERT_FALSE(HasFailure()) << "k " << k;
    }
  }
}

}  // namespace
}  // namespace warpdex
