// Vectors of a schema as users of the program meet them: index, add, search --vector-field, stats,
// tune, split, export.
#include "tests/tools/collection.hpp"
#include "tests/tools/vector/fvecs.hpp"

namespace warpdex::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class VectorFieldCommands : public testing::Test {
 protected:
  void SetUp() override {
    write_file(file("schema.json"),
               R"({"fields": {"near": {"type": "vector", "dimension": 2, "metric": "l2"},
                              "like": {"type": "vector", "dimension": 3}}})");
    std::string lines;
    for (int i = 0; i < 20; ++i) lines += line(i);
    const Outcome outcome = run_warpdex({"index", "--input", "-", "--format", "jsonl", "--schema",
                                         file("schema.json"), "--output", index_, "--quiet"},
                                        {lines, {}, {}});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    write_file(file("near.fvecs"), fvecs({{7, 7}}));
    write_file(file("like.fvecs"), fvecs({{1, 0, 0}}));
  }
  static std::string line(int i) {
    const std::string n = std::to_string(i);
    return R"({"id": "d)" + n + R"(", "contents": "pear", "near": [)" + n + ", " + n +
           R"(], "like": [)" + n + ", 0, 1]}\n";
  }
  std::string file(const std::string& name) const { return folder_ / name; }
  Outcome search(const std::string& field, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"search", index_, "-k", "2", "--vector-queries"};
    arguments.push_back(file(field == "like" ? "like.fvecs" : "near.fvecs"));
    if (!field.empty()) arguments.insert(arguments.end(), {"--vector-field", field});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }

  const TemporaryFolder folder_{place_in_memory()};
  const std::string index_ = folder_ / "index";
};

TEST_F(VectorFieldCommands, SearchNamesOne) {
  EXPECT_THAT(search("near").out, HasSubstr("1 Q0 d7 1 "));
  EXPECT_THAT(search("near").out, Not(HasSubstr("d19")));
  EXPECT_THAT(search("like").out, HasSubstr("1 Q0 d19 1 19"));
  expect_complaint(search(""), 2, {"'near', 'like'; name one of these"});
  expect_complaint(search("other"), 2, {"none called 'other'"});
  write_file(file("near.fvecs"), fvecs({{1, 2, 3}}));
  expect_complaint(search("near"), 1, {"have 3 components, and those of the index have 2"});
  expect_complaint(run_warpdex({"search", index_, "--vector-field", "near", "pear"}), 2,
                   {"--vector-field is for --vector-queries"});
}

TEST_F(VectorFieldCommands, AdditionsHaveThem) {
  const auto add = [&](const std::string& lines) {
    return run_warpdex({"add", index_, "--input", "-", "--format", "jsonl", "--quiet"},
                       {lines, {}, {}});
  };
  EXPECT_EQ(add(line(50)).status, 0);
  EXPECT_THAT(search("like").out, HasSubstr("1 Q0 d50 1 50"));
  expect_complaint(add(R"({"id": "x", "contents": "a", "near": [1, 2]})"), 1,
                   {"<stdin>:1", "the member 'like' is missing"});
  expect_complaint(add(R"({"id": "x", "contents": "a", "near": [1, 2], "like": [1]})"), 1,
                   {"<stdin>:1", "its vector 'like' has 1 components, and the index takes 3"});
  EXPECT_EQ(run_warpdex({"merge", index_, "--all", "--quiet"}).status, 0);
  EXPECT_EQ(run_warpdex({"verify", index_}).status, 0);
  EXPECT_THAT(search("like").out, HasSubstr("1 Q0 d50 1 50"));
}

TEST_F(VectorFieldCommands, TheyAreTold) {
  const Outcome stats = run_warpdex({"stats", index_, "--json", "-"});
  const rapidjson::Document json = parse_json(stats.out);
  EXPECT_STREQ(json["vector_fields"]["near"]["metric"].GetString(), "l2");
  EXPECT_EQ(json["vector_fields"]["like"]["dimension"].GetUint(), 3U);
  EXPECT_FALSE(json.HasMember("vectors"));
  EXPECT_THAT(run_warpdex({"stats", index_}).out, HasSubstr("vectors 'near'"));
  const Outcome exported =
      run_warpdex({"export", index_, "--format", "ciff", "--output", file("out.ciff")});
  EXPECT_THAT(exported.err, HasSubstr("the index has vectors, which are left out"));
}

TEST_F(VectorFieldCommands, PartsKeepThem) {
  const Outcome split =
      run_warpdex({"split", index_, "--into", "2", "--output", file("parts"), "--quiet"});
  ASSERT_EQ(split.status, 0) << split.err;
  const Outcome found = run_warpdex({"search", file("parts/part-1"), "-k", "1", "--vector-queries",
                                     file("like.fvecs"), "--vector-field", "like"});
  EXPECT_THAT(found.out, HasSubstr("1 Q0 d19 1 19"));
}

TEST_F(VectorFieldCommands, FormatsWithoutArraysAreRefused) {
  expect_complaint(run_warpdex({"index", "--input", "-", "--format", "tsv", "--schema",
                                file("schema.json"), "--output", file("other")},
                               {"d1\tx\n", {}, {}}),
                   2, {"documents of this format have no vectors, as 'near' of the schema"});
}

}  // namespace
}  // namespace warpdex::test
