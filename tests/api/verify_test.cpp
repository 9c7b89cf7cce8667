// Indexes of each content are known, whole, damaged or of another version.
#include "warpdex/verify.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>

#include "tests/api/api_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/metric/metric_index.hpp"
#include "warpdex/vector_index.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

class Verify : public testing::Test {
 protected:
  Verify() {
    build_index(*documents_from_memory({{"1", "red fish"}, {"2", "blue"}}),
                test::plain_build(folder_ / "documents"));
    const std::vector<float> rows{1, 2, 3, 4, 5, 6};
    VectorIndex::build(folder_ / "vectors", {.dimension = 2}, rows);
    const std::vector<std::string> words{"one", "two", "three"};
    metric::write_metric_index(
        folder_ / "objects",
        metric::Objects({.distance = metric::DistanceKind::kLevenshtein}, words, "words"),
        {.permutants = 2});
  }

  const test::TemporaryFolder folder_;
};

TEST_F(Verify, WhatIsWholeIsCounted) {
  double last = 0;
  const IndexCheck documents = verify(folder_ / "documents", [&](double share) { last = share; });
  EXPECT_EQ(documents.content, IndexContent::kDocuments);
  EXPECT_TRUE(documents.problems.empty());
  EXPECT_EQ(documents.terms, 3U);
  EXPECT_EQ(documents.postings, 3U);
  EXPECT_GT(documents.sections, 10U);
  EXPECT_GT(last, 0);
  const IndexCheck vectors = verify(folder_ / "vectors");
  EXPECT_EQ(vectors.content, IndexContent::kVectors);
  EXPECT_TRUE(vectors.problems.empty());
  EXPECT_EQ(vectors.vectors, 3U);
  const IndexCheck objects = verify(folder_ / "objects");
  EXPECT_EQ(objects.content, IndexContent::kObjects);
  EXPECT_TRUE(objects.problems.empty());
  EXPECT_EQ(objects.objects, 3U);
}

TEST_F(Verify, DamageIsNamed) {
  for (const char* name : {"documents", "vectors", "objects"}) {
    fs::path largest;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / name)) {
      if (!entry.is_regular_file() || entry.path().filename() == "manifest.json") continue;
      if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
    }
    std::string bytes = test::read_file(largest);
    bytes[64] = static_cast<char>(bytes[64] ^ 1);  // behind the header
    test::write_file(largest, bytes);
    const IndexCheck check = verify(folder_ / name);
    EXPECT_FALSE(check.problems.empty()) << name;
    EXPECT_FALSE(check.is_of_other_version) << name;
  }
}

TEST_F(Verify, AnotherVersionIsNoDamage) {
  for (const char* name : {"documents", "vectors", "objects"}) {
    const fs::path manifest = folder_ / name / "manifest.json";
    test::write_file(
        manifest, std::regex_replace(test::read_file(manifest), std::regex("\"version\": [0-9]+"),
                                     "\"version\": 99"));
    const IndexCheck check = verify(folder_ / name);
    EXPECT_FALSE(check.problems.empty()) << name;
    EXPECT_TRUE(check.is_of_other_version) << name;
  }
}

TEST_F(Verify, NothingThereIsAnError) {
  EXPECT_EQ(content_of(folder_ / "nothing"), IndexContent::kDocuments);
  EXPECT_THROW(verify(folder_ / "nothing"), IoError);
}

}  // namespace
}  // namespace warpdex
