// warpdex vector build --index ivf-pq and what follows it, run as a person would.
#include "tests/tools/collection.hpp"
#include "tests/tools/vector/fvecs.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Four points on a line, which have codewords of their own, and two queries.
class VectorCodesCommand : public testing::Test {
 protected:
  VectorCodesCommand() {
    write_file(folder_ / "base.fvecs", fvecs({{0, 0}, {1, 0}, {2, 0}, {10, 0}}));
    write_file(folder_ / "queries.fvecs", fvecs({{1.75F, 0}, {9, 0}}));
  }
  Outcome build(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "vector",   "build",           "--input", folder_ / "base.fvecs",
        "--output", folder_ / "index", "--index", "ivf-pq"};
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

TEST_F(VectorCodesCommand, AnswersByCodesAndRefined) {
  for (const char* bits : {"8", "4"}) {
    const Outcome built = build({"--lists", "1", "--bytes", "1", "--bits", bits});
    ASSERT_EQ(built.status, 0) << built.err;
    EXPECT_THAT(search({"-k", "2"}).out, HasSubstr("0\t2\t0.0625"));
    const std::string exact = "0\t2\t0.0625\n0\t1\t0.5625\n1\t3\t1\n1\t2\t49\n";
    EXPECT_EQ(search({"-k", "2", "--refine", "4"}).out, exact);
    EXPECT_THAT(search({"--radius", "1.5"}).out, HasSubstr("1\t3\t1\n"));
    write_file(folder_ / "filter.txt", "0\n3\n");
    EXPECT_EQ(search({"-k", "1", "--refine", "2", "--filter", folder_ / "filter.txt"}).out,
              "0\t0\t3.0625\n1\t3\t1\n");
  }
  EXPECT_THAT(run_warpdex({"verify", folder_ / "index"}).out, HasSubstr("4 vectors"));
  EXPECT_THAT(run_warpdex({"stats", folder_ / "index"}).out,
              HasSubstr("1 byte, codewords of 4 bits"));
  const rapidjson::Document stats =
      parse_json(run_warpdex({"stats", folder_ / "index", "--json", "-"}).out);
  EXPECT_STREQ(stats["index"].GetString(), "ivf-pq");
  EXPECT_EQ(stats["bytes"].GetInt(), 1);
  EXPECT_TRUE(stats["keeps_vectors"].GetBool());
  const rapidjson::Document bench = parse_json(
      run_warpdex({"vector", "bench", folder_ / "index", "--queries", folder_ / "queries.fvecs",
                   "-k", "1,2", "--repetitions", "1", "--refine", "3", "--json", "-"})
          .out);
  EXPECT_EQ(bench["searches"][0]["refine"].GetInt(), 3);
  EXPECT_EQ(bench["searches"][0]["probes"].GetInt(), 1);
}

TEST_F(VectorCodesCommand, WithoutVectorsThereAreOnlyCodes) {
  ASSERT_EQ(build({"--lists", "2", "--opq", "--no-vectors", "--quiet"}).status, 0);
  EXPECT_THAT(search({"-k", "1", "--probes", "2"}).out, HasSubstr("0\t2\t"));
  EXPECT_THAT(run_warpdex({"verify", folder_ / "index"}).out, HasSubstr("is whole"));
  const std::string stats = run_warpdex({"stats", folder_ / "index"}).out;
  EXPECT_THAT(stats, HasSubstr("rotated, no vectors"));
  EXPECT_THAT(stats, Not(HasSubstr("\nnorms ")));
  expect_complaint(search({"-k", "1", "--refine", "2"}), 2, {"--refine", "--no-vectors"});
}

TEST_F(VectorCodesCommand, CodesOfFewerComponents) {
  ASSERT_EQ(build({"--lists", "2", "--opq-dimension", "1", "--quiet"}).status, 0);
  EXPECT_THAT(run_warpdex({"verify", folder_ / "index"}).out, HasSubstr("is whole"));
  EXPECT_THAT(run_warpdex({"stats", folder_ / "index"}).out,
              HasSubstr("1 byte, codewords of 8 bits, rotated to 1 component"));
  const rapidjson::Document stats =
      parse_json(run_warpdex({"stats", folder_ / "index", "--json", "-"}).out);
  EXPECT_EQ(stats["rotated_dimension"].GetInt(), 1);
  EXPECT_TRUE(stats["is_rotated"].GetBool());
  expect_complaint(build({"--opq-dimension", "3"}), 2, {"at most as many, not to 3"});
  expect_complaint(build({"--bytes", "2", "--opq-dimension", "1"}), 2, {"1 to 1 bytes", "not 2"});
}

TEST_F(VectorCodesCommand, VectorsComeBackFromAnIndex) {
  const std::string base = test::read_file(folder_ / "base.fvecs");
  const auto reconstruct = [&](const std::string& index, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"vector",   "reconstruct",          folder_ / index,
                                       "--output", folder_ / "back.fvecs", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  };
  // Each of the four points has a codeword of its own.
  for (const char* no_vectors : {"--quiet", "--no-vectors"}) {
    ASSERT_EQ(build({"--lists", "1", "--bytes", "1", no_vectors}).status, 0);
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{}, std::vector<std::string>{"--by-codes"}}) {
      ASSERT_EQ(reconstruct("index", more).status, 0);
      EXPECT_EQ(test::read_file(folder_ / "back.fvecs"), base) << no_vectors;
    }
  }
  write_file(folder_ / "ids.txt", "3\n1\n");
  ASSERT_EQ(reconstruct("index", {"--ids", folder_ / "ids.txt"}).status, 0);
  EXPECT_EQ(test::read_file(folder_ / "back.fvecs"), fvecs({{10, 0}, {1, 0}}));
  write_file(folder_ / "removed.txt", "2\n");
  ASSERT_EQ(
      run_warpdex({"vector", "remove", folder_ / "index", "--ids", folder_ / "removed.txt"}).status,
      0);
  ASSERT_EQ(reconstruct("index", {}).status, 0);
  EXPECT_EQ(test::read_file(folder_ / "back.fvecs"), fvecs({{0, 0}, {1, 0}, {10, 0}}));
  expect_complaint(reconstruct("index", {"--ids", folder_ / "removed.txt"}), 1,
                   {"'2'", "no vector"});
  expect_complaint(run_warpdex({"vector", "reconstruct", folder_ / "index", "--output",
                                folder_ / "ids.txt", "--ids", folder_ / "ids.txt"}),
                   2, {"is an input"});
  ASSERT_EQ(run_warpdex({"vector", "build", "--input", folder_ / "base.fvecs", "--output",
                         folder_ / "flat", "--quiet"})
                .status,
            0);
  ASSERT_EQ(reconstruct("flat", {}).status, 0);
  EXPECT_EQ(test::read_file(folder_ / "back.fvecs"), base);
  expect_complaint(reconstruct("flat", {"--by-codes"}), 2, {"no codes"});
}

TEST_F(VectorCodesCommand, BadCallsGetASentence) {
  expect_complaint(build({"--bytes", "3"}), 2, {"1 to 2 bytes", "not 3"});
  expect_complaint(build({"--bytes", "2", "--bits", "4"}), 2, {"1 to 1 bytes"});
  expect_complaint(build({"--bytes", "-1"}), 2, {"--bytes"});
  expect_complaint(build({"--bits", "5"}), 2, {"8 or 4 bits", "5"});
  expect_complaint(build({"--bits", "16"}), 2, {"--bits"});
  expect_complaint(build({"--lists", "5"}), 2, {"4 vectors", "not 5"});
  const std::vector<std::string> flat{
      "vector",   "build",          "--input", folder_ / "base.fvecs",
      "--output", folder_ / "flat", "--index", "ivf-flat"};
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--bytes", "2"},
                                               {"--bits", "4"},
                                               {"--opq"},
                                               {"--opq-dimension", "1"},
                                               {"--no-vectors"}}) {
    std::vector<std::string> call = flat;
    call.insert(call.end(), more.begin(), more.end());
    expect_complaint(run_warpdex(call), 2, {more[0], "ivf-pq"});
  }
  ASSERT_EQ(build().status, 0);
  expect_complaint(search({"--refine", "0"}), 2, {"--refine"});
  expect_complaint(search({"--probes", "0"}), 2, {"--probes"});
  ASSERT_EQ(run_warpdex(flat).status, 0);
  expect_complaint(run_warpdex({"vector", "search", folder_ / "flat", "--queries",
                                folder_ / "queries.fvecs", "--refine", "5"}),
                   2, {"exact distances already", "--refine"});
}

}  // namespace
}  // namespace warpdex::test
