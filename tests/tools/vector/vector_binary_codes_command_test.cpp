// warpdex vector build --index binary and what follows it, run as a person would.
#include "tests/tools/collection.hpp"
#include "tests/tools/vector/fvecs.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Four points on a line, and two queries.
class VectorBinaryCodesCommand : public testing::Test {
 protected:
  VectorBinaryCodesCommand() {
    write_file(folder_ / "base.fvecs", fvecs({{0, 0}, {1, 0}, {2, 0}, {10, 0}}));
    write_file(folder_ / "queries.fvecs", fvecs({{1.75F, 0}, {9, 0}}));
  }
  Outcome build(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "vector",   "build",           "--input", folder_ / "base.fvecs",
        "--output", folder_ / "index", "--index", "xfbq"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  Outcome search(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"vector", "search", folder_ / "index", "--queries",
                                       folder_ / "queries.fvecs"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  TemporaryFolder folder_;
};

TEST_F(VectorBinaryCodesCommand, AnswersByCodesAndRefined) {
  for (const std::vector<std::string>& how : {std::vector<std::string>{},
                                              {"--bits", "8"},
                                              {"--bits", "3", "--rotate", "--seed", "5"},
                                              {"--clip", "0.02"},
                                              {"--correct", "--rotate"}}) {
    const Outcome built = build(how);
    ASSERT_EQ(built.status, 0) << built.err;
    const std::string exact = "0\t2\t0.0625\n0\t1\t0.5625\n1\t3\t1\n1\t2\t49\n";
    EXPECT_EQ(search({"-k", "2", "--refine", "4"}).out, exact);
    EXPECT_EQ(search({"-k", "2", "--refine", "4", "--query-bits", "2"}).out, exact);
    EXPECT_EQ(search({"-k", "2", "--refine", "2", "--extra", "100000"}).out, exact);
    EXPECT_THAT(search({"-k", "1"}).out, HasSubstr("1\t3\t"));
    EXPECT_THAT(search({"--radius", "40"}).out, HasSubstr("1\t3\t"));
    write_file(folder_ / "filter.txt", "0\n3\n");
    EXPECT_EQ(search({"-k", "1", "--refine", "2", "--filter", folder_ / "filter.txt"}).out,
              "0\t0\t3.0625\n1\t3\t1\n");
  }
  EXPECT_THAT(run_warpdex({"verify", folder_ / "index"}).out, HasSubstr("4 vectors"));
  EXPECT_THAT(run_warpdex({"stats", folder_ / "index"}).out,
              HasSubstr("4 bits a component, rotated, corrected"));
  const rapidjson::Document stats =
      parse_json(run_warpdex({"stats", folder_ / "index", "--json", "-"}).out);
  EXPECT_STREQ(stats["index"].GetString(), "xfbq");
  EXPECT_EQ(stats["bits"].GetInt(), 4);
  EXPECT_TRUE(stats["is_rotated"].GetBool());
  EXPECT_TRUE(stats["is_corrected"].GetBool());
  EXPECT_TRUE(stats["keeps_vectors"].GetBool());
  const rapidjson::Document bench = parse_json(
      run_warpdex({"vector", "bench", folder_ / "index", "--queries", folder_ / "queries.fvecs",
                   "-k", "1,2", "--repetitions", "1", "--refine", "3", "--json", "-"})
          .out);
  EXPECT_EQ(bench["searches"][0]["refine"].GetInt(), 3);
  const Outcome graph = run_warpdex(
      {"vector", "graph", folder_ / "index", "-k", "1", "--output", folder_ / "graph.tsv"});
  EXPECT_EQ(graph.status, 0) << graph.err;
}

TEST_F(VectorBinaryCodesCommand, ChangesAreSearched) {
  ASSERT_EQ(build({"--bits", "5"}).status, 0);
  write_file(folder_ / "more.fvecs", fvecs({{8.5F, 0}}));
  ASSERT_EQ(
      run_warpdex({"vector", "add", folder_ / "index", "--input", folder_ / "more.fvecs"}).status,
      0);
  write_file(folder_ / "old.txt", "2\n");
  ASSERT_EQ(
      run_warpdex({"vector", "remove", folder_ / "index", "--ids", folder_ / "old.txt"}).status, 0);
  const std::string expected = "0\t1\t0.5625\n1\t4\t0.25\n";
  EXPECT_EQ(search({"-k", "1", "--refine", "4"}).out, expected);
  ASSERT_EQ(run_warpdex({"vector", "merge", folder_ / "index"}).status, 0);
  EXPECT_EQ(search({"-k", "1", "--refine", "4"}).out, expected);
  EXPECT_THAT(run_warpdex({"verify", folder_ / "index"}).out, HasSubstr("is whole"));
}

TEST_F(VectorBinaryCodesCommand, CodesInListsAreBuiltSearchedAndChanged) {
  const std::string exact = "0\t2\t0.0625\n0\t1\t0.5625\n1\t3\t1\n1\t2\t49\n";
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--bits", "8"}, {"--correct", "--rotate", "--seed", "3"}}) {
    std::vector<std::string> more{"--index", "ivf-xfbq", "--lists", "2"};
    more.insert(more.end(), how.begin(), how.end());
    std::vector<std::string> arguments{
        "vector", "build", "--input", folder_ / "base.fvecs", "--output", folder_ / "lists"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ASSERT_EQ(run_warpdex(arguments).status, 0);
    const auto search_lists = [&](std::vector<std::string> depth) {
      depth.insert(depth.begin(), {"vector", "search", folder_ / "lists", "--queries",
                                   folder_ / "queries.fvecs", "--probes", "2"});
      return run_warpdex(depth);
    };
    EXPECT_EQ(search_lists({"-k", "2", "--refine", "4"}).out, exact);
    EXPECT_EQ(search_lists({"-k", "2", "--refine", "4", "--query-bits", "8"}).out, exact);
    expect_complaint(search_lists({"-k", "1", "--refine", "4", "--extra", "5"}), 2,
                     {"--extra", "xfbq"});
    EXPECT_THAT(run_warpdex({"stats", folder_ / "lists"}).out, HasSubstr("a component"));
    ASSERT_EQ(
        run_warpdex({"vector", "add", folder_ / "lists", "--input", folder_ / "queries.fvecs"})
            .status,
        0);
    const std::string changed = "0\t4\t0\n1\t5\t0\n";
    EXPECT_EQ(search_lists({"-k", "1", "--refine", "4"}).out, changed);
    ASSERT_EQ(run_warpdex({"vector", "merge", folder_ / "lists"}).status, 0);
    EXPECT_EQ(search_lists({"-k", "1", "--refine", "4"}).out, changed);
    EXPECT_THAT(run_warpdex({"verify", folder_ / "lists"}).out, HasSubstr("is whole"));
    ASSERT_EQ(run_warpdex({"vector", "reconstruct", folder_ / "lists", "--by-codes", "--output",
                           folder_ / "codes.fvecs"})
                  .status,
              0);
  }
}

TEST_F(VectorBinaryCodesCommand, WithoutVectorsThereAreOnlyCodes) {
  ASSERT_EQ(build({"--no-vectors", "--quiet"}).status, 0);
  EXPECT_THAT(search({"-k", "1"}).out, HasSubstr("1\t3\t"));
  EXPECT_THAT(run_warpdex({"verify", folder_ / "index"}).out, HasSubstr("is whole"));
  const std::string stats = run_warpdex({"stats", folder_ / "index"}).out;
  EXPECT_THAT(stats, HasSubstr("no vectors"));
  EXPECT_THAT(stats, Not(HasSubstr("\nnorms ")));
  expect_complaint(search({"-k", "1", "--refine", "2"}), 2, {"--refine", "--no-vectors"});
}

TEST_F(VectorBinaryCodesCommand, BadCallsGetASentence) {
  expect_complaint(build({"--bits", "9"}), 2, {"--bits"});
  expect_complaint(build({"--bits", "0"}), 2, {"--bits"});
  expect_complaint(build({"--clip", "1"}), 2, {"share", "below 1"});
  expect_complaint(build({"--clip", "-0.1"}), 2, {"--clip"});
  expect_complaint(build({"--lists", "2"}), 2, {"--lists", "inverted file"});
  expect_complaint(build({"--opq"}), 2, {"--opq", "ivf-pq"});
  expect_complaint(run_warpdex({"vector", "build", "--input", folder_ / "base.fvecs", "--output",
                                folder_ / "flat", "--rotate"}),
                   2, {"--rotate", "xfbq"});
  ASSERT_EQ(build().status, 0);
  expect_complaint(search({"--probes", "2"}), 2, {"--probes", "xfbq"});
  expect_complaint(search({"--query-bits", "9"}), 2, {"--query-bits"});
  expect_complaint(search({"--extra", "5"}), 2, {"--extra", "--refine"});
  ASSERT_EQ(run_warpdex({"vector", "build", "--input", folder_ / "base.fvecs", "--output",
                         folder_ / "flat"})
                .status,
            0);
  expect_complaint(run_warpdex({"vector", "search", folder_ / "flat", "--queries",
                                folder_ / "queries.fvecs", "--query-bits", "5"}),
                   2, {"--query-bits", "xfbq"});
}

}  // namespace
}  // namespace warpdex::test
