// Indexes of earlier versions open and answer as they did. tests/data/analyzer-1 has an index of
// format 3, built before analyzers had versions (warpdex index --analyzer english --store
// contents), and what that program answered (search --queries queries.tsv --show contents
// --output-format json -k 20), then and after 'add --input more.jsonl --update'.
#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Of each query: documents with their scores and snippets.
std::vector<std::string> answers_in(const std::string& json) {
  const rapidjson::Document document = parse_json(json);
  std::vector<std::string> answers;
  for (const auto& query : document["queries"].GetArray()) {
    std::string answer = query["id"].GetString();
    for (const auto& hit : query["hits"].GetArray()) {
      answer += std::string(" | ") + hit["document"].GetString() + " " +
                std::to_string(hit["score"].GetDouble()) + " " +
                hit["snippets"]["contents"].GetString();
    }
    answers.push_back(answer);
  }
  return answers;
}

class OldIndex : public testing::Test {
 protected:
  void SetUp() override { fs::copy(data_ / "english.index", index_, fs::copy_options::recursive); }

  std::string data(const std::string& name) const { return data_ / name; }
  std::vector<std::string> answers() const {
    const Outcome outcome =
        run_warpdex({"search", index_, "--queries", data("queries.tsv"), "--show", "contents",
                     "--output-format", "json", "-k", "20"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return answers_in(outcome.out);
  }
  std::vector<std::string> expected(const std::string& name) const {
    return answers_in(read_file(data(name)));
  }
  void add() const {
    const Outcome outcome = run_warpdex(
        {"add", index_, "--input", data("more.jsonl"), "--format", "jsonl", "--update", "--quiet"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }

  const fs::path data_ =
      fs::path(std::getenv("WARPDEX_SOURCE_DIR") != nullptr ? std::getenv("WARPDEX_SOURCE_DIR")
                                                            : ".") /
      "tests/data/analyzer-1";
  const TemporaryFolder folder_{place_in_memory()};
  const std::string index_ = folder_ / "index";
};

TEST_F(OldIndex, OpensAndAnswersAsBefore) {
  EXPECT_EQ(run_warpdex({"verify", index_}).status, 0);
  EXPECT_THAT(run_warpdex({"stats", index_}).out, HasSubstr("english, version 1"));
  EXPECT_EQ(answers().size(), 20U);
  EXPECT_EQ(answers(), expected("answers.json"));
}

TEST_F(OldIndex, TakesAdditionsAsBefore) {
  add();
  EXPECT_EQ(
      parse_json(run_warpdex({"stats", index_, "--json", "-"}).out)["analyzer_version"].GetInt(),
      1);
  EXPECT_EQ(answers(), expected("answers-after-add.json"));
  ASSERT_EQ(run_warpdex({"merge", index_, "--all", "--quiet"}).status, 0);
  EXPECT_EQ(run_warpdex({"verify", index_}).status, 0);
  EXPECT_EQ(
      parse_json(run_warpdex({"stats", index_, "--json", "-"}).out)["analyzer_version"].GetInt(),
      1);
  EXPECT_EQ(answers(), expected("answers-after-add.json"));
}

TEST_F(OldIndex, KeepsItsAnalyzerWhenItIsWrittenAnew) {
  const std::string other = folder_ / "other";
  ASSERT_EQ(
      run_warpdex({"convert", index_, "--codec", "rice", "--output", other, "--quiet"}).status, 0);
  EXPECT_EQ(
      parse_json(run_warpdex({"stats", other, "--json", "-"}).out)["analyzer_version"].GetInt(), 1);
}

// The same documents, indexed today: every form of a word finds every form.
TEST_F(OldIndex, IsUnlikeANewOne) {
  const std::string documents =
      "{\"id\":\"1\",\"contents\":\"caf\u00E9\"}\n{\"id\":\"2\",\"contents\":\"cafe\u0301\"}\n";
  const std::string fresh = folder_ / "fresh";
  ASSERT_EQ(
      run_warpdex({"index", "--input", "-", "--format", "jsonl", "--output", fresh, "--quiet"},
                  {documents, {}, {}})
          .status,
      0);
  EXPECT_EQ(
      parse_json(run_warpdex({"stats", fresh, "--json", "-"}).out)["analyzer_version"].GetInt(), 2);
  const Outcome outcome =
      run_warpdex({"search", fresh, "ＣＡＦＥ\u0301", "--output-format", "trec"});
  EXPECT_THAT(outcome.out, HasSubstr("1 Q0 1 1 "));
  EXPECT_THAT(outcome.out, HasSubstr("1 Q0 2 2 "));
  EXPECT_THAT(run_warpdex({"search", fresh, "ＣＡＦÈ"}).out, HasSubstr("did you mean café?"));
}

}  // namespace
}  // namespace warpdex::test
