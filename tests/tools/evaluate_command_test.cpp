// warpdex evaluate, and the way from documents to effectiveness.
#include <sstream>

#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

TEST(EvaluateCommand, PrintsWhatTrecEvalPrints) {
  WARPDEX_NEEDS_DATA("peers/trec_eval/qrels.test");
  const std::filesystem::path peer = data_folder() / "peers/trec_eval";
  const std::vector<std::string> files{"evaluate", "--qrels", peer / "qrels.test", "--run",
                                       peer / "results.test"};
  const Outcome outcome = run_warpdex(files);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, read_file(peer / "out.test"));
}

TEST(EvaluateCommand, ComputesAsByHand) {
  const TemporaryFolder folder;
  // Query 1: relevant a and c at ranks 1 and 3, of three that are relevant. Query 2: nothing.
  write_file(folder / "qrels", "1 0 a 1\n1 0 b 0\n1 0 c 1\n1 0 d 1\n2 0 a 1\n3 0 a 1\n");
  write_file(folder / "run", "1 Q0 a 1 9 t\n1 Q0 b 2 8 t\n1 Q0 c 3 7 t\n2 Q0 b 1 5 t\n");
  const Outcome outcome =
      run_warpdex({"evaluate", "--qrels", folder / "qrels", "--run", folder / "run", "--measures",
                   "MAP,P@2,RR@10", "--per-query", "--json", folder / "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const double precision = (1.0 + 2.0 / 3.0) / 3;
  const rapidjson::Document json = parse_json(read_file(folder / "json"));
  EXPECT_NEAR(json["all"]["map"].GetDouble(), precision / 2, 1e-12);
  EXPECT_NEAR(json["queries"]["1"]["map"].GetDouble(), precision, 1e-12);
  EXPECT_NEAR(json["queries"]["1"]["P_2"].GetDouble(), 0.5, 1e-12);
  EXPECT_NEAR(json["queries"]["2"]["map"].GetDouble(), 0, 1e-12);
  EXPECT_EQ(json["queries"].MemberCount(), 2U);
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("map +\t1\t0.5556\n"));

  const Outcome all = run_warpdex({"evaluate", "--qrels", folder / "qrels", "--run", folder / "run",
                                   "--measures", "MAP", "--all-judged-queries", "--json", "-"});
  EXPECT_NEAR(parse_json(all.out)["all"]["map"].GetDouble(), precision / 3, 1e-12);
}

TEST(EvaluateCommand, SaysHowManyJudgedQueriesTheRunLacks) {
  const TemporaryFolder folder;
  write_file(folder / "qrels", "1 0 a 1\n2 0 a 1\n3 0 a 1\n");
  write_file(folder / "run", "1 Q0 a 1 9 t\n9 Q0 a 1 9 t\n");
  const std::vector<std::string> files{
      "evaluate", "--qrels", folder / "qrels", "--run", folder / "run", "--measures", "MAP"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = files;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  };
  EXPECT_EQ(with({}).err,
            "warpdex: note: the run lacks 2 of the 3 judged queries, left out of means "
            "(--all-judged-queries counts them as 0)\n");
  EXPECT_EQ(with({"--all-judged-queries"}).err,
            "warpdex: note: the run lacks 2 of the 3 judged queries, counted as 0\n");
  const rapidjson::Document json = parse_json(with({"--json", "-"}).out);
  EXPECT_EQ(json["judged_queries"].GetUint64(), 3U);
  EXPECT_EQ(json["queries_without_answer"].GetUint64(), 2U);
  write_file(folder / "run", "1 Q0 a 1 9 t\n2 Q0 a 1 9 t\n3 Q0 b 1 9 t\n");
  EXPECT_EQ(with({}).err, "");
}

// Queries are documents: each finds itself first, which says nothing.
TEST(EvaluateCommand, LeavesAQuerysOwnDocumentOut) {
  const TemporaryFolder folder;
  const std::string index = folder / "index";
  build_small_index(index);
  write_file(folder / "queries", "d2\tpear tree\nd5\tpear\nx\tpear\n");
  write_file(folder / "qrels", "query-id\tcorpus-id\tscore\nd2\td5\t1\nd5\td2\t1\n");
  const auto search = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"search", index, "--queries", folder / "queries"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  };
  const auto documents = [](const std::string& run) {
    std::vector<std::string> pairs;
    std::istringstream lines(run);
    for (std::string id, q0, name, rest; lines >> id >> q0 >> name && std::getline(lines, rest);) {
      pairs.push_back(id + " " + name);
    }
    return pairs;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(documents(search({"-k", "1"}).out), ElementsAre("d2 d2", "d5 d5", "x d5"));
  EXPECT_THAT(documents(search({"-k", "1", "--ignore-identical-ids"}).out),
              ElementsAre("d2 d5", "d5 d2", "x d5"));
  EXPECT_THAT(documents(search({"-k", "1", "--ignore-identical-ids", "--mode", "and-or"}).out),
              ElementsAre("d2 d5", "d5 d2", "x d5"));
  write_file(folder / "run", search({"-k", "10"}).out);
  const auto reciprocal_rank = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"evaluate", "--qrels",      folder / "qrels",
                                       "--run",    folder / "run", "--measures",
                                       "RR",       "--json",       "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return parse_json(run_warpdex(arguments).out)["all"]["recip_rank"].GetDouble();
  };
  EXPECT_EQ(reciprocal_rank({}), 0.5);
  EXPECT_EQ(reciprocal_rank({"--ignore-identical-ids"}), 1);
  expect_complaint(run_warpdex({"search", index, "pear", "--ignore-identical-ids"}), 2,
                   {"--ignore-identical-ids is for --queries FILE"});
}

TEST(EvaluateCommand, RefusesWhatItCannotTake) {
  const TemporaryFolder folder;
  write_file(folder / "qrels", "1 0 a 1\n");
  write_file(folder / "run", "1 Q0 a 1 9 t\n1 Q0 b 2\n");
  const std::string qrels = folder / "qrels";
  const std::string run = folder / "run";
  expect_complaint(run_warpdex({"evaluate", "--qrels", qrels, "--run", run}), 1, {run + ":2"});
  expect_complaint(run_warpdex({"evaluate", "--qrels", qrels, "--run", folder / "none"}), 1,
                   {"none"});
  expect_complaint(run_warpdex({"evaluate", "--qrels", qrels}), 2, {"--run"});
  expect_complaint(
      run_warpdex({"evaluate", "--qrels", qrels, "--run", run, "--measures", "beauty"}), 2,
      {"beauty"});
  expect_complaint(
      run_warpdex({"evaluate", "--qrels", qrels, "--run", run, "--measures", "ndcg_rel"}), 2,
      {"there is no measure 'ndcg_rel'"});
  expect_complaint(run_warpdex({"evaluate", "--qrels", qrels, "--run", run, "--measures", "P_0"}),
                   2, {"'P_0' cannot be cut there"});
  expect_complaint(
      run_warpdex({"evaluate", "--qrels", qrels, "--run", run, "--relevance-level", "0"}), 2,
      {"--relevance-level"});
}

TEST(EvaluateCommand, IndexSearchEvaluateOnARealCollection) {
  WARPDEX_NEEDS_DATA("ir/cacm/docs.jsonl.xz");
  const std::filesystem::path cacm = data_folder() / "ir/cacm";
  const TemporaryFolder folder;
  const Outcome index =
      run_warpdex({"index", "--input", cacm / "docs.jsonl.xz", "--format", "jsonl", "--fields",
                   "contents", "--codec", "rice", "--output", folder / "index"});
  ASSERT_EQ(index.status, 0) << index.err;
  EXPECT_THAT(index.out, ::testing::ContainsRegex("documents +3,204\n"));
  ASSERT_EQ(run_warpdex({"search", folder / "index", "--queries", cacm / "queries.tsv", "-k",
                         "1000", "--output", folder / "run"})
                .status,
            0);
  const Outcome evaluate = run_warpdex({"evaluate", "--qrels", cacm / "qrels.txt", "--run",
                                        folder / "run", "--measures", "MAP", "--json", "-"});
  ASSERT_EQ(evaluate.status, 0) << evaluate.err;
  // The reference implementation has 0.3133.
  EXPECT_NEAR(parse_json(evaluate.out)["all"]["map"].GetDouble(), 0.3133, 0.01);
  const Outcome verify = run_warpdex({"verify", folder / "index"});
  EXPECT_EQ(verify.status, 0) << verify.err;
  EXPECT_THAT(verify.out, HasSubstr("is whole"));
}

}  // namespace
}  // namespace warpdex::test
