// warpdex search --explain: for people, in JSON, and where it has no place.
#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

TEST(ExplainOption, TellsPeopleWhatEachWordAdds) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  const Outcome outcome = run_warpdex({"search", folder / "index", "apple pear", "--explain"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("tokens; words, by the CPU's engine\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  apple: "));
  EXPECT_THAT(outcome.out, HasSubstr(" of 5 documents; "));
}

TEST(ExplainOption, TellsPeopleWhatEachClauseAdds) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  const Outcome outcome = run_warpdex({"search", folder / "index", "app* OR (+pear +apple)",
                                       "--query-syntax", "lucene", "--explain"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("searched on the CPU: no engine answers a prefix\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  1  should app*: has appl"));
}

TEST(ExplainOption, AddsUpInJson) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  write_file(folder / "q.tsv", "1\tapple green\n2\tpear unheard\n");
  const Outcome outcome = run_warpdex({"search", folder / "index", "--queries", folder / "q.tsv",
                                       "--explain", "--output-format", "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const rapidjson::Document json = parse_json(outcome.out);
  std::size_t hits = 0;
  for (const auto& query : json["queries"].GetArray()) {
    for (const auto& hit : query["hits"].GetArray()) {
      const auto& why = hit["explanation"];
      float sum = 0;
      for (const auto& term : why["terms"].GetArray()) sum += term["score"].GetFloat();
      EXPECT_EQ(sum, hit["score"].GetFloat());
      EXPECT_EQ(why["id"], hit["document"]);
      ++hits;
    }
  }
  EXPECT_GT(hits, 2U);
}

TEST(ExplainOption, HasNoPlaceInRunsAndBesideVectors) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  write_file(folder / "q.tsv", "1\tapple\n");
  const Outcome run =
      run_warpdex({"search", folder / "index", "--queries", folder / "q.tsv", "--explain"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--output-format json"));
  const Outcome vectors = run_warpdex(
      {"search", folder / "index", "apple", "--vector-queries", folder / "v.fvecs", "--explain"});
  EXPECT_EQ(vectors.status, 2);
  EXPECT_THAT(vectors.err, HasSubstr("words alone"));
}

}  // namespace
}  // namespace warpdex::test
