// warpdex metric build, search and bench, run as a person would.
#include "tests/tools/collection.hpp"
#include "tests/tools/vector/fvecs.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

class MetricCommand : public testing::Test {
 protected:
  MetricCommand() {
    write_file(folder_ / "words.txt", "cat\ncart\n\ndog\ncat\r\n");
    write_file(folder_ / "queries.txt", "cut\ndo\n");
  }
  Outcome build(const std::string& input, const std::string& distance,
                const std::vector<std::string>& more = {"--permutants", "2"}) {
    std::vector<std::string> arguments{"metric",     "build",  "--input",  folder_ / input,
                                       "--distance", distance, "--output", folder_ / "index"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  Outcome search(const std::vector<std::string>& more, const std::string& queries = "queries.txt") {
    std::vector<std::string> arguments{"metric", "search", folder_ / "index", "--queries",
                                       folder_ / queries};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  TemporaryFolder folder_;
};

TEST_F(MetricCommand, AnswersAsLinesAndAsJson) {
  const Outcome built = build("words.txt", "levenshtein");
  ASSERT_EQ(built.status, 0) << built.err;
  EXPECT_THAT(built.out, HasSubstr("indexed 5 objects (levenshtein) by 2 permutants"));
  EXPECT_EQ(search({"-k", "3", "--exact"}).out,
            "0\t0\t1\n0\t4\t1\n0\t1\t2\n1\t3\t1\n1\t2\t2\n1\t0\t3\n");
  EXPECT_EQ(search({"--radius", "1", "--share", "1", "--texts"}).out,
            "cut\tcat\t1\ncut\tcat\t1\ndo\tdog\t1\n");
  EXPECT_EQ(search({"-k", "1", "--exact", "--json", "-"}).out,
            "{\"query\":0,\"text\":\"cut\",\"matches\":[{\"object\":0,\"text\":\"cat\","
            "\"distance\":1}]}\n"
            "{\"query\":1,\"text\":\"do\",\"matches\":[{\"object\":3,\"text\":\"dog\","
            "\"distance\":1}]}\n");
  EXPECT_EQ(search({"-k", "1", "--exact", "--output", folder_ / "found.tsv"}).out, "");
  EXPECT_EQ(read_file(folder_ / "found.tsv"), "0\t0\t1\n1\t3\t1\n");
  EXPECT_THAT(run_warpdex({"verify", folder_ / "index"}).out,
              HasSubstr("is whole: 4 sections, 5 objects"));
  const Outcome bench = run_warpdex({"metric", "bench", folder_ / "index", "--queries",
                                     folder_ / "queries.txt", "-k", "1,2", "--radius", "1"});
  EXPECT_EQ(bench.status, 0) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("radius 1"));
}

TEST_F(MetricCommand, ReadsLinesAsOtherCommandsDo) {
  const std::string mark = "\xEF\xBB\xBF";
  write_file(folder_ / "joined.txt", mark + "cat\n" + mark + "cart\n" + mark);
  EXPECT_THAT(build("joined.txt", "levenshtein").out, HasSubstr("indexed 2 objects"));
  EXPECT_EQ(search({"-k", "1", "--exact"}).out, "0\t0\t1\n1\t0\t3\n");
  write_file(folder_ / "nul.txt", std::string("cat\nd\0g\n", 8));
  expect_complaint(build("nul.txt", "levenshtein"), 1,
                   {"line 2 of '" + (folder_ / "nul.txt").string() + "' has a NUL", "'d\\0g'"});
  expect_complaint(search({"-k", "1"}, "nul.txt"), 1, {"line 2 of", "has a NUL"});
  write_file(folder_ / "utf16.txt", std::string("c\0a\0t\0\n\0", 8));
  expect_complaint(build("utf16.txt", "levenshtein"), 1, {"utf16.txt is UTF-16; convert it"});
}

TEST_F(MetricCommand, FewObjectsAreAllPermutants) {
  EXPECT_THAT(build("words.txt", "levenshtein", {}).out, HasSubstr("by 5 permutants"));
  write_file(folder_ / "one.txt", "cat\n");
  EXPECT_THAT(build("one.txt", "levenshtein", {}).out,
              HasSubstr("indexed 1 object (levenshtein) by 1 permutant"));
  for (const std::string compare : {"footrule", "rho", "tau", "bits"}) {
    EXPECT_EQ(search({"-k", "1", "--compare", compare}).out, "0\t0\t1\n1\t0\t3\n") << compare;
  }
}

TEST_F(MetricCommand, OtherDistances) {
  write_file(folder_ / "sets.txt", "a b\n\nb c d\n");
  write_file(folder_ / "set.txt", "b a a\n");
  ASSERT_EQ(build("sets.txt", "jaccard").status, 0);
  EXPECT_EQ(search({"-k", "3", "--exact"}, "set.txt").out, "0\t0\t0\n0\t2\t0.75\n0\t1\t1\n");
  write_file(folder_ / "bits.txt", "0011\n0111\n");
  write_file(folder_ / "bit.txt", "0110\n");
  ASSERT_EQ(build("bits.txt", "hamming").status, 0);
  EXPECT_EQ(search({"-k", "2"}, "bit.txt").out, "0\t1\t1\n0\t0\t2\n");
  // Rows (0, 0), (3, 4) and (0, 4) as bytes.
  const std::string rows("\2\0\0\0\0\0\2\0\0\0\3\4\2\0\0\0\0\4", 18);
  write_file(folder_ / "a.bvecs", rows);
  ASSERT_EQ(build("a.bvecs", "l2").status, 0);
  EXPECT_EQ(search({"--radius", "5", "--exact"}, "a.bvecs").out,
            "0\t0\t0\n0\t2\t4\n0\t1\t5\n1\t1\t0\n1\t2\t3\n1\t0\t5\n2\t2\t0\n2\t1\t3\n2\t0\t4\n");
  expect_complaint(search({"--texts"}, "a.bvecs"), 2, {"--texts", "vectors"});
  expect_complaint(build("a.bvecs", "angular"), 1, {"row 0", "a.bvecs", "length 0"});
}

TEST_F(MetricCommand, DistancesPastTheRangeOfAFloatAreNull) {
  write_file(folder_ / "far.fvecs", fvecs({{3e38F, 3e38F}, {-3e38F, -3e38F}}));
  ASSERT_EQ(build("far.fvecs", "l2").status, 0);
  EXPECT_EQ(search({"-k", "2", "--exact", "--json", "-"}, "far.fvecs").out,
            "{\"query\":0,\"matches\":[{\"object\":0,\"distance\":0},"
            "{\"object\":1,\"distance\":null}]}\n"
            "{\"query\":1,\"matches\":[{\"object\":1,\"distance\":0},"
            "{\"object\":0,\"distance\":null}]}\n");
}

TEST_F(MetricCommand, AsManyAnswersAsThereAreByDefault) {
  ASSERT_EQ(build("words.txt", "levenshtein").status, 0);
  EXPECT_EQ(search({"--exact"}).out, search({"--exact", "-k", "5"}).out);
}

TEST_F(MetricCommand, OutputsAppearAllOrNoneAndOutsideTheIndex) {
  ASSERT_EQ(build("words.txt", "levenshtein").status, 0);
  const std::string lines = folder_ / "found.tsv";
  expect_complaint(search({"-k", "1", "--output", lines, "--json", "/dev/full"}), 1, {"/dev/full"});
  EXPECT_FALSE(std::filesystem::exists(lines));
  const std::string inside = folder_ / "index" / "found.tsv";
  expect_complaint(search({"-k", "1", "--output", inside}), 2, {"lies in the index"});
  expect_complaint(search({"-k", "1", "--json", inside}), 2, {"lies in the index"});
  EXPECT_FALSE(std::filesystem::exists(inside));
  const std::string queries = folder_ / "queries.txt";
  for (const char* option : {"--output", "--json"}) {
    expect_complaint(search({"-k", "1", option, queries}), 2, {"queries.txt"});
  }
  expect_complaint(
      run_warpdex({"metric", "bench", folder_ / "index", "--queries", queries, "--json", queries}),
      2, {"queries.txt"});
  EXPECT_EQ(read_file(queries), "cut\ndo\n");
  std::filesystem::copy(folder_ / "words.txt", folder_ / "index" / "words.txt");
  expect_complaint(build("index/words.txt", "levenshtein"), 2, {"lies in the output"});
}

TEST_F(MetricCommand, RefusesWhatItCannotTake) {
  expect_complaint(build("words.txt", "hamming"), 1, {"line 2", "4 bytes"});
  expect_complaint(build("words.txt", "edit"), 2, {"'edit'", "levenshtein"});
  expect_complaint(build("words.txt", "levenshtein", {"--permutants", "6"}), 2, {"5", "6"});
  expect_complaint(build("words.txt", "jaccard", {"--code-points"}), 2, {"--code-points"});
  expect_complaint(build("words.txt", "levenshtein", {"--choose", "best"}), 2, {"'best'"});
  expect_complaint(build("words.txt", "levenshtein", {"--seed", "-1"}), 2, {"--seed", "from 0 on"});
  write_file(folder_ / "a.npy", "text");
  expect_complaint(build("a.npy", "levenshtein"), 2, {"a.npy", "vectors", "levenshtein"});
  expect_complaint(run_warpdex({"metric", "search", folder_ / "none", "--queries", "q"}), 1,
                   {"no index", "metric build"});
  write_file(folder_ / "bad.txt", "\xFF\n");
  expect_complaint(build("bad.txt", "levenshtein", {"--permutants", "1", "--code-points"}), 1,
                   {"line 1", "UTF-8"});
  write_file(folder_ / "empty.txt", "");
  expect_complaint(build("empty.txt", "levenshtein"), 1, {"empty.txt", "no objects"});
  expect_complaint(build("none.txt", "levenshtein"), 1, {"none.txt"});
  ASSERT_EQ(build("words.txt", "levenshtein", {"--permutants", "2", "--code-points"}).status, 0);
  EXPECT_EQ(search({"-k", "1"}, "empty.txt").out, "");
  expect_complaint(search({"-k", "1"}, "a.npy"), 2, {"a.npy", "vectors"});
  expect_complaint(search({"-k", "1"}, "bad.txt"), 1, {"line 1", "bad.txt", "UTF-8"});
  expect_complaint(search({"-k", "0"}), 2, {"-k"});
  for (const std::string share : {"0", "-1", "1.5", "nan"}) {
    expect_complaint(search({"-k", "1", "--share=" + share}), 2, {"--share"});
  }
  expect_complaint(search({"--radius=-1"}), 2, {"--radius"});
  expect_complaint(search({"-k", "1", "--radius", "1"}), 2, {"-k", "--radius"});
  expect_complaint(search({"--share", "1", "--exact"}), 2, {"--exact"});
  expect_complaint(run_warpdex({"search", folder_ / "index", "a"}), 1, {"warpdex metric --help"});
  expect_complaint(
      run_warpdex({"vector", "search", folder_ / "index", "--queries", folder_ / "a.bvecs"}), 1,
      {"warpdex metric --help"});
}

}  // namespace
}  // namespace warpdex::test
