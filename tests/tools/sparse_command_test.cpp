// Sparse vectors and BEIR's files through the program: index, search, stats, bench, evaluate; and
// queries that are answered as they come.
#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kReal =
    "{\"id\":\"a\",\"vector\":{\"sea\":2,\"##ing\":0.5,\"old\":0}}\n"
    "{\"id\":\"b\",\"vector\":{\"sea\":1}}\n";
constexpr const char* kWhole =
    "{\"id\":\"a\",\"vector\":{\"sea\":200,\"##ing\":50}}\n"
    "{\"id\":\"b\",\"vector\":{\"sea\":100,\"old\":1}}\n";

class SparseCommand : public ::testing::Test {
 protected:
  std::string index() const { return folder_ / "index"; }
  std::string file(const std::string& name, const std::string& bytes) const {
    write_file(folder_ / name, bytes);
    return folder_ / name;
  }
  Outcome build(const std::string& lines, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"index",    "--input", "-",        "--format", "sparse",
                                       "--output", index(),   "--memory", "64M"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments, {.input = lines});
  }
  Outcome search(const std::vector<std::string>& more, const std::string& input = "") const {
    std::vector<std::string> arguments{"search", index()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments, {.input = input});
  }

  TemporaryFolder folder_;
};

TEST_F(SparseCommand, SaysWhatBecameOfTheWeights) {
  const Outcome real = build(kReal);
  ASSERT_EQ(real.status, 0) << real.err;
  EXPECT_THAT(real.out, HasSubstr("weights in 255 equal steps; 255 stands for 2, the largest"));
  EXPECT_THAT(real.out, HasSubstr("weights of 0, left out"));
  EXPECT_THAT(run_warpdex({"stats", index()}).out, HasSubstr("255 stands for 2, the largest"));
  const auto quantised = parse_json(run_warpdex({"stats", index(), "--json", "-"}).out);
  EXPECT_STREQ(quantised["impacts"]["weights"].GetString(), "quantised");
  EXPECT_EQ(quantised["impacts"]["largest"].GetDouble(), 2);
  EXPECT_FALSE(quantised["impacts"].HasMember("k1"));
  EXPECT_EQ(run_warpdex({"verify", index()}).status, 0);

  const Outcome whole = build(kWhole);
  EXPECT_THAT(whole.out, HasSubstr("weights as they were given, whole numbers from 1 to 255"));
  EXPECT_THAT(whole.out, Not(HasSubstr("left out")));
  const auto given = parse_json(run_warpdex({"stats", index(), "--json", "-"}).out);
  EXPECT_STREQ(given["impacts"]["weights"].GetString(), "whole");
}

TEST_F(SparseCommand, AnswersWeightedQueries) {
  ASSERT_EQ(build(kWhole).status, 0);
  const std::string queries =
      file("q.jsonl",
           "{\"id\":\"q1\",\"vector\":{\"sea\":0.5,\"##ing\":1.25}}\n"
           "{\"id\":\"q2\",\"vector\":{\"old\":3,\"unknown\":9}}\n{\"id\":\"q3\",\"vector\":{}}\n");
  EXPECT_EQ(search({"--queries", queries, "--query-format", "sparse"}).out,
            "q1 Q0 a 1 162.5 warpdex\nq1 Q0 b 2 50 warpdex\nq2 Q0 b 1 3 warpdex\n");
  const std::string words = search({"sea^0.5", "##ing^1.25"}).out;
  EXPECT_THAT(words, HasSubstr("162.5000  a"));
  EXPECT_THAT(search({"sea^2 ##ing"}).out, HasSubstr("450  a")) << "whole numbers";
  const Outcome bench = run_warpdex(
      {"bench", index(), "--queries", queries, "--query-format", "sparse", "--repetitions", "1"});
  EXPECT_EQ(bench.status, 0) << bench.err;
  expect_complaint(search({"--queries", queries, "--query-format", "jsonl"}), 1,
                   {"q.jsonl:1", "the format sparse"});
}

TEST_F(SparseCommand, BlocksOfDocumentsAnswerAsListsDo) {
  auto random = generator(77);
  const auto vector = [&](int terms) {
    std::string members;
    for (int i = 0; i < terms; ++i) {
      members += (i == 0 ? "\"t" : ",\"t") + std::to_string(10 * i + random() % 10) +
                 "\":" + std::to_string(1 + random() % 255);
    }
    return "\"vector\":{" + members + "}}\n";
  };
  std::string documents;
  std::string queries;
  for (int i = 0; i < 700; ++i) documents += "{\"id\":" + std::to_string(i) + "," + vector(9);
  for (int i = 0; i < 40; ++i) queries += "{\"id\":" + std::to_string(i) + "," + vector(7);
  ASSERT_EQ(build(documents).status, 0);
  const std::string asked = file("q.jsonl", queries);
  const Outcome by_lists = search({"--queries", asked, "--query-format", "sparse"});
  const Outcome by_blocks =
      search({"--queries", asked, "--query-format", "sparse", "--document-blocks"});
  EXPECT_EQ(by_blocks.status, 0) << by_blocks.err;
  EXPECT_EQ(by_blocks.out, by_lists.out);
  ASSERT_EQ(run_warpdex({"index", "--input", file("words.tsv", "a\tsea\n"), "--format", "tsv",
                         "--output", folder_ / "words"})
                .status,
            0);
  expect_complaint(run_warpdex({"search", folder_ / "words", "--document-blocks", "sea"}), 2,
                   {"blocks of documents are for indexes of impacts"});
}

TEST_F(SparseCommand, TellsWeightsThatRiseFromNothing) {
  const std::string vectors = "{\"id\":1,\"vector\":{\"a\":3.5,\"b\":1e-6,\"c\":1e-60,\"d\":2}}\n";
  EXPECT_THAT(build(vectors).out,
              HasSubstr("  weights below half of a step, raised to one: 2 of 4\n"));
  EXPECT_EQ(parse_json(build(vectors, {"--json", "-"}).out)["raised_weights"].GetUint64(), 2U);
  EXPECT_THAT(build(kWhole).out, ::testing::Not(HasSubstr("raised")));
}

TEST_F(SparseCommand, RefusesWhatDoesNotGoTogether) {
  for (const std::string option : {"--impacts", "--analyzer=standard", "--impact-k1=1"}) {
    expect_complaint(build(kWhole, {option}), 2, {"leave it out"});
  }
  expect_complaint(build(kWhole, {"--fields", "vector"}), 2, {"--fields is for --format jsonl"});
  expect_complaint(build("{\"id\":1,\"vector\":{\"a\":-1}}\n"), 1,
                   {"<stdin>:1", "the weight of the term 'a' is negative"});
  const Outcome skipped =
      build(std::string(kWhole) + "{\"id\":\"c\",\"vector\":{}}\n", {"--on-bad-document", "skip"});
  EXPECT_EQ(skipped.status, 0);
  EXPECT_THAT(skipped.err, HasSubstr("skipped: <stdin>:3: document 'c': the vector is empty"));
  expect_complaint(search({"sea^-2"}), 1, {"the weight behind 'sea^'"});
  expect_complaint(search({"--k1", "1", "sea"}), 2, {"it holds impacts"});
}

TEST_F(SparseCommand, AndBeirFromEndToEnd) {
  const std::string corpus =
      file("corpus.jsonl",
           "{\"_id\":\"D1\",\"title\":\"Pears\",\"text\":\"a green pear\",\"metadata\":{}}\n"
           "{\"_id\":\"D2\",\"title\":\"\",\"text\":\"a red apple\"}\n");
  const std::string queries = file("queries.jsonl",
                                   "{\"_id\":\"Q1\",\"text\":\"green\",\"metadata\":{}}\n"
                                   "{\"_id\":\"Q2\",\"text\":\"apple\"}\n");
  const std::string qrels =
      file("test.tsv", "query-id\tcorpus-id\tscore\nQ1\tD1\t1\nQ2\tD2\t1\nQ2\tD1\t0\n");
  ASSERT_EQ(run_warpdex({"index", "--input", corpus, "--format", "jsonl", "--fields", "title,text",
                         "--output", index(), "--quiet"})
                .status,
            0);
  const std::string run = folder_ / "run";
  ASSERT_EQ(search({"--queries", queries, "--query-format", "jsonl", "--output", run}).status, 0);
  const Outcome values =
      run_warpdex({"evaluate", "--qrels", qrels, "--run", run, "--measures", "nDCG@10,num_q"});
  EXPECT_THAT(values.out, ::testing::ContainsRegex("ndcg_cut_10[ \t]+all[ \t]+1.0000"));
  EXPECT_THAT(values.out, ::testing::ContainsRegex("num_q[ \t]+all[ \t]+2"));
}

TEST_F(SparseCommand, BadQueriesAreSkippedOnRequest) {
  ASSERT_EQ(build(kWhole).status, 0);
  std::string log = "1\tsea\nno tab\n2\told\n3\tcaf\xE9\n";
  for (int i = 0; i < 20; ++i) log += "bad\n";
  const std::string queries = file("log.tsv", log);
  expect_complaint(search({"--queries", queries}), 1, {"log.tsv:2 has no tab"});
  const Outcome outcome = search({"--queries", queries, "--on-bad-query", "skip", "-k", "1"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "1 Q0 a 1 200 warpdex\n2 Q0 b 1 1 warpdex\n");
  EXPECT_THAT(outcome.err, HasSubstr("skipped: " + queries + ":2 has no tab"));
  EXPECT_THAT(outcome.err, HasSubstr("skipped: " + queries + ":4 has a query that is not UTF-8"));
  EXPECT_THAT(outcome.err, HasSubstr("skipped 12 more"));
  // Of queries that only analysis refuses, too.
  const Outcome signed_ones = search({"--queries", file("signed.tsv", "1\tsea^-1\n2\told\n"),
                                      "--on-bad-query", "skip", "--query-syntax", "signed"});
  EXPECT_EQ(signed_ones.out, "2 Q0 b 1 1 warpdex\n");
  EXPECT_THAT(signed_ones.err, HasSubstr("skipped: query 1: the weight behind 'sea^'"));
  // As bench does.
  const Outcome bench =
      run_warpdex({"bench", index(), "--queries", file("signed.tsv", "1\tsea^nan\n2\told\n"),
                   "--on-bad-query", "skip", "--query-syntax", "signed", "--repetitions", "1"});
  EXPECT_EQ(bench.status, 0) << bench.err;
  EXPECT_THAT(bench.err, HasSubstr("skipped: query 1: the weight behind 'sea^'"));
  expect_complaint(search({"--queries", queries, "--on-bad-query", "hide"}), 2, {"fail or skip"});
  expect_complaint(search({"--queries", queries, "--topic-fields", "desc"}), 2,
                   {"--topic-fields is for --query-format trec"});
}

TEST_F(SparseCommand, AnswersEachLineAsItComes) {
  ASSERT_EQ(build(kWhole).status, 0);
  RunningWarpdex running({"search", index(), "--queries", "-", "--query-format", "lines"});
  running.send_input("x\n");  // shorter than what tells packed input; no answer
  running.send_input("sea\n");
  EXPECT_EQ(running.wait_for_lines(2), "2 Q0 a 1 200 warpdex\n2 Q0 b 2 100 warpdex\n");
  running.send_input("ol");
  running.send_input("d\nsea\n##ing\n");
  EXPECT_THAT(running.wait_for_lines(6), ::testing::EndsWith("3 Q0 b 1 1 warpdex\n"
                                                             "4 Q0 a 1 200 warpdex\n"
                                                             "4 Q0 b 2 100 warpdex\n"
                                                             "5 Q0 a 1 50 warpdex\n"));
  // One that cannot be read ends it; those before it are answered.
  running.send_input("old\ncaf\xE9\nsea\n");
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, ::testing::EndsWith("6 Q0 b 1 1 warpdex\n"));
  EXPECT_THAT(outcome.err, HasSubstr("<stdin>:7 has a query that is not UTF-8"));
}

}  // namespace
}  // namespace warpdex::test
