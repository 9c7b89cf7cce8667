// Analyzers and formats of documents by the command line, and what an index keeps of an analyzer.
#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

class AnalyzerCommand : public ::testing::Test {
 protected:
  AnalyzerCommand() { write_file(folder_ / "docs.tsv", "1\tDie Häuser am Café\n2\tdas Auto €\n"); }
  TemporaryFolder folder_;
  std::string index_ = folder_ / "index";

  Outcome build(const std::vector<std::string>& options) {
    std::vector<std::string> command{
        "index", "--input", folder_ / "docs.tsv", "--format", "tsv", "--output", index_, "--quiet"};
    command.insert(command.end(), options.begin(), options.end());
    return run_warpdex(command);
  }
  /// The first columns: ids of hits.
  bool finds(const std::string& words, const std::string& id) {
    const Outcome outcome = run_warpdex({"search", index_, words});
    return outcome.out.find("  " + id + "\n") != std::string::npos;
  }
  std::string manifest() { return read_file(std::filesystem::path(index_) / "manifest.json"); }
};

TEST_F(AnalyzerCommand, TakesANameADescriptionOrAFile) {
  ASSERT_EQ(build({"--analyzer", "german"}).status, 0);
  EXPECT_TRUE(finds("haus", "1"));
  EXPECT_FALSE(finds("das", "2"));
  EXPECT_THAT(manifest(), ::testing::HasSubstr(R"("analyzer": "german")"));

  const std::string description =
      R"({"tokenizer":{"type":"standard","symbols":true},"filters":["lowercase","asciifolding"]})";
  write_file(folder_ / "analyzer.json", description);
  for (const std::string& given : {description, std::string(folder_ / "analyzer.json")}) {
    ASSERT_EQ(build({"--analyzer", given}).status, 0);
    EXPECT_TRUE(finds("cafe", "1"));
    EXPECT_TRUE(finds("€", "2"));
    EXPECT_THAT(manifest(), ::testing::HasSubstr("\"analyzer\": " + description));
    EXPECT_THAT(manifest(), ::testing::HasSubstr("\"version\": 5"));
  }
  // Additions go through it, too.
  write_file(folder_ / "more.tsv", "3\tÀ bientôt\n");
  ASSERT_EQ(run_warpdex({"add", index_, "--input", folder_ / "more.tsv", "--format", "tsv"}).status,
            0);
  EXPECT_TRUE(finds("bientot", "3"));
}

TEST_F(AnalyzerCommand, LeavesTheWordsOutThatItIsTold) {
  ASSERT_EQ(build({"--analyzer", "german", "--stop-words", "none"}).status, 0);
  EXPECT_TRUE(finds("das", "2"));
  write_file(folder_ / "words", "# a comment\nAuto am | of German\n");
  ASSERT_EQ(build({"--analyzer", "standard", "--stop-words", folder_ / "words"}).status, 0);
  EXPECT_FALSE(finds("auto", "2"));
  EXPECT_TRUE(finds("das", "2"));
  ASSERT_EQ(build({"--analyzer", "english", "--stop-words", "german"}).status, 0);
  EXPECT_FALSE(finds("das", "2"));
}

TEST_F(AnalyzerCommand, SaysWhatIsUnknown) {
  expect_complaint(build({"--analyzer", "klingon"}), 2, {"klingon", "choose one of english"});
  expect_complaint(build({"--analyzer", R"({"tokenizer": "standard", "filters": ["stm"]})"}), 2,
                   {"filters[0] is the unknown 'stm'; there are"});
  expect_complaint(build({"--analyzer", folder_ / "none.json"}), 1, {"none.json"});
  expect_complaint(build({"--stop-words", folder_ / "none"}), 1, {"none"});
}

TEST_F(AnalyzerCommand, KeepsTheVersionOfOlderOnes) {
  ASSERT_EQ(build({"--analyzer", "standard"}).status, 0);
  EXPECT_THAT(manifest(), ::testing::HasSubstr("\"version\": 4"));
}

TEST_F(AnalyzerCommand, SuggestsTerms) {
  ASSERT_EQ(build({"--analyzer", "standard"}).status, 0);
  const Outcome table = run_warpdex({"suggest", index_, "A"});
  EXPECT_EQ(table.out, "term  documents\nam            1\nauto          1\n");
  const Outcome json = run_warpdex({"suggest", index_, "d", "-k", "1", "--json", "-"});
  EXPECT_EQ(json.out, "{\"terms\":[{\"term\":\"das\",\"documents\":1}]}\n");
}

TEST_F(AnalyzerCommand, ReadsCsvAndHtml) {
  write_file(folder_ / "docs.csv", "id,title,text\n7,\"Sea, ships\",\"a \"\"storm\"\"\"\n");
  ASSERT_EQ(run_warpdex({"index", "--input", folder_ / "docs.csv", "--format", "csv", "--fields",
                         "title,text", "--output", index_, "--quiet"})
                .status,
            0);
  EXPECT_TRUE(finds("+ship +storm", "7"));
  write_file(folder_ / "more.csv", "text,id,title\nwaves,8,\n");
  ASSERT_EQ(run_warpdex({"add", index_, "--input", folder_ / "more.csv", "--format", "csv"}).status,
            0);
  EXPECT_TRUE(finds("waves", "8"));
  write_file(folder_ / "page.html", "<title>Fish &amp; birds</title><script>no</script><p>fly");
  ASSERT_EQ(run_warpdex({"index", "--input", folder_ / "page.html", "--format", "html", "--store",
                         "title", "--output", index_, "--quiet"})
                .status,
            0);
  EXPECT_TRUE(finds("+birds +fly -no", "page.html"));
}

}  // namespace
}  // namespace warpdex::test
