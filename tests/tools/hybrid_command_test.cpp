// Words and vectors together as users of the program meet them: index and add --vectors, search
// --vector-queries, tune.
#include <random>
#include <sstream>

#include "tests/tools/collection.hpp"
#include "tests/tools/no_gpus.hpp"
#include "tests/tools/vector/fvecs.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::test {
namespace {

using testing::HasSubstr;

class HybridCommands : public testing::Test {
 protected:
  void SetUp() override {
    write_file(file("docs.fvecs"), fvecs({{1, 0}, {0.8F, 0.6F}, {0.6F, 0.8F}, {0, 1}, {-1, 0}}));
    write_file(file("q.fvecs"), fvecs({{1, 0}, {0, 1}}));
    write_file(file("q.tsv"), "a\tpear\nb\tapple\n");
    build_small_index(index_, {"--vectors", file("docs.fvecs")});
  }
  std::string file(const std::string& name) const { return folder_ / name; }
  Outcome search(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"search", index_, "--vector-queries", file("q.fvecs")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  /// Documents of the first query's answer, best first.
  static std::vector<std::string> documents(const Outcome& outcome, const std::string& query) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::vector<std::string> documents;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream parts(line);
      std::string id, q0, document;
      parts >> id >> q0 >> document;
      if (id == query) documents.push_back(document);
    }
    return documents;
  }
  Outcome index_again(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"index", "--input",  "-",    "--format",
                                       "tsv",   "--output", index_, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments, {kTsvDocuments, {}, {}});
  }

  const TemporaryFolder folder_{place_in_memory()};
  const std::string index_ = folder_ / "index";
};

TEST_F(HybridCommands, SearchByVectorsAlone) {
  const Outcome outcome = search({"-k", "2"});
  EXPECT_EQ(documents(outcome, "1"), (std::vector<std::string>{"d1", "d2"}));
  EXPECT_EQ(documents(outcome, "2"), (std::vector<std::string>{"d4", "d3"}));
}

TEST_F(HybridCommands, VectorsAloneTakeNoFusion) {
  expect_complaint(search({"--fusion", "convex"}), 2, {"--fusion joins words and vectors"});
  expect_complaint(search({"--fusion-depth", "10"}), 2, {"--fusion-depth joins words and vectors"});
}

TEST_F(HybridCommands, FuseBothHalves) {
  const std::vector<std::string> queries{"--queries", file("q.tsv")};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), queries.begin(), queries.end());
    return documents(search(more), "a");
  };
  // By words: d5, d2. By vectors: d1 to d5.
  EXPECT_EQ(with({}), (std::vector<std::string>{"d2", "d5", "d1", "d3", "d4"}));
  EXPECT_EQ(with({"--fusion", "convex", "--fusion-weight", "0"}),
            (std::vector<std::string>{"d1", "d2", "d3", "d4", "d5"}));
  EXPECT_EQ(with({"--fusion", "convex", "--fusion-weight", "1", "-k", "2"}),
            (std::vector<std::string>{"d5", "d2"}));
  EXPECT_EQ(with({"--fusion", "rerank"}), (std::vector<std::string>{"d2", "d5"}));
  EXPECT_EQ(with({"--fusion", "rerank", "--fusion-depth", "1"}), (std::vector<std::string>{"d5"}));
  EXPECT_EQ(with({"--fusion", "filter", "-k", "1"}), (std::vector<std::string>{"d2"}));
  EXPECT_EQ(with({"--fusion", "neighbors", "--fusion-depth", "3"}),
            (std::vector<std::string>{"d2"}));
  write_file(file("one.fvecs"), fvecs({{0, 1}}));
  const Outcome outcome =
      run_warpdex({"search", index_, "pear", "--vector-queries", file("one.fvecs")});
  EXPECT_THAT(outcome.out, HasSubstr("d5"));
  EXPECT_THAT(outcome.out, HasSubstr("0.03"));
}

TEST_F(HybridCommands, DistancesAreRankedByEvaluationToolsAsTheyAreHere) {
  const Outcome built = index_again({"--vectors", file("docs.fvecs"), "--vector-metric", "l2"});
  ASSERT_EQ(built.status, 0) << built.err;
  write_file(file("qrels.txt"), "1 0 d1 1\n2 0 d4 1\na 0 d2 1\nb 0 d3 1\n");
  const std::vector<std::string> queries{"--queries", file("q.tsv")};
  const auto with = [&](std::vector<std::string> more, bool have_words) {
    if (have_words) more.insert(more.end(), queries.begin(), queries.end());
    return search(more);
  };
  const auto reciprocal_rank = [&](const Outcome& run) {
    write_file(file("run"), run.out);
    const Outcome judged = run_warpdex({"evaluate", "--qrels", file("qrels.txt"), "--run",
                                        file("run"), "--measures", "recip_rank"});
    EXPECT_EQ(judged.status, 0) << judged.err;
    return judged.out.substr(judged.out.find_last_of(" \t") + 1);
  };
  struct Case {
    std::vector<std::string> options;
    bool have_words;
    std::string first;  ///< line of the first query
    bool is_distance;
  };
  // Squared distances: d2 is 0.4 from (1, 0), d5 is 4. By words, query b finds d3 and d1 alone.
  for (const Case& one : std::vector<Case>{{{}, false, "1 Q0 d1 1 0 warpdex\n1 Q0 d2 2 -0.4", true},
                                           {{"--fusion", "rerank"}, true, "a Q0 d2 1 -0.4", true},
                                           {{"--fusion", "filter"}, true, "a Q0 d2 1 -0.4", true},
                                           {{"--fusion", "neighbors"}, true, "a Q0 d5 1 0.", false},
                                           {{"--fusion", "convex"}, true, "a Q0 d2 1 0.", false}}) {
    const Outcome run = with(one.options, one.have_words);
    EXPECT_THAT(run.out, testing::StartsWith(one.first));
    if (one.is_distance) {
      EXPECT_EQ(reciprocal_rank(run), "1.0000\n") << run.out;
    }
    std::vector<std::string> as_json = one.options;
    as_json.insert(as_json.end(), {"--output-format", "json"});
    const rapidjson::Document json = parse_json(with(as_json, one.have_words).out);
    const rapidjson::Value& answer = json["queries"][0];
    EXPECT_STREQ(answer["score_is"].GetString(), one.is_distance ? "distance" : "score");
    if (one.is_distance) {
      const auto& hits = answer["hits"];
      EXPECT_GT(hits[1]["score"].GetDouble(), hits[0]["score"].GetDouble());
    }
  }
  write_file(file("one.fvecs"), fvecs({{1, 0}}));
  const std::vector<std::string> words{"search", index_, "pear", "--vector-queries",
                                       file("one.fvecs")};
  EXPECT_THAT(run_warpdex(words).out, HasSubstr("score"));
  std::vector<std::string> reranked = words;
  reranked.insert(reranked.end(), {"--fusion", "rerank"});
  EXPECT_THAT(run_warpdex(reranked).out, HasSubstr("distance"));
  EXPECT_THAT(run_warpdex(reranked).out, HasSubstr("0.4"));
  // Larger products are nearer: they stay what they are.
  ASSERT_EQ(index_again({"--vectors", file("docs.fvecs"), "--vector-metric", "ip"}).status, 0);
  EXPECT_THAT(search({}).out, testing::StartsWith("1 Q0 d1 1 1 warpdex\n"));
}

TEST_F(HybridCommands, VectorsGoWithTheirDocuments) {
  write_file(file("new.fvecs"), fvecs({{0.9F, 0.1F}, {-0.9F, 0}}));
  Outcome outcome = run_warpdex({"add", index_, "--input", "-", "--format", "tsv", "--vectors",
                                 file("new.fvecs"), "--update"},
                                {"d6\tplum\nd1\told\n", {}, {}});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(documents(search({"-k", "6"}), "1"),
            (std::vector<std::string>{"d6", "d2", "d3", "d4", "d1", "d5"}));
  outcome = run_warpdex({"delete", index_, "--ids", "-"}, {"d2\n", {}, {}});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> left{"d6", "d3", "d4", "d1", "d5"};
  EXPECT_EQ(documents(search({"-k", "6"}), "1"), left);
  ASSERT_EQ(run_warpdex({"merge", index_, "--all", "--quiet"}).status, 0);
  EXPECT_EQ(documents(search({"-k", "6"}), "1"), left);
  EXPECT_EQ(run_warpdex({"verify", index_}).status, 0);
  ASSERT_EQ(run_warpdex({"reorder", index_, "--output", file("copy"), "--quiet"}).status, 0);
  EXPECT_EQ(
      documents(run_warpdex({"search", file("copy"), "--vector-queries", file("q.fvecs")}), "1"),
      left);
  const rapidjson::Document json = parse_json(run_warpdex({"stats", index_, "--json", "-"}).out);
  EXPECT_EQ(json["vectors"]["dimension"].GetUint64(), 2U);
  EXPECT_STREQ(json["vectors"]["metric"].GetString(), "ip");
}

TEST_F(HybridCommands, VectorsMayStandInTheDocuments) {
  const auto run = [&](std::vector<std::string> arguments, const std::string& documents) {
    arguments.insert(arguments.end(), {"--input", "-", "--format", "jsonl", "--quiet"});
    return run_warpdex(arguments, {documents, {}, {}});
  };
  const auto index = [&](const std::string& documents) {
    return run({"index", "--output", index_, "--vectors", "field:v"}, documents);
  };
  const std::string first = R"({"id": "a", "contents": "x", "v": [1, 0.5e-1], "w": [7]})"
                            "\n";
  ASSERT_EQ(index(first + R"({"v": [0, -1.0], "id": "b", "contents": "y"})").err, "");
  EXPECT_EQ(documents(search({}), "1"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(
      run({"add", index_, "--vectors", "field:v"}, R"({"id": "c", "contents": "z", "v": [2, 0]})")
          .err,
      "");
  const std::vector<std::string> all{"c", "a", "b"};
  EXPECT_EQ(documents(search({}), "1"), all);
  expect_complaint(
      run({"add", index_, "--vectors", "field:v"}, R"({"id": "d", "contents": "z", "v": [2]})"), 1,
      {"<stdin>:1", "has 1 components", "takes 2"});
  for (const char* bad :
       {R"({"id": "d", "contents": "z"})", R"({"id": "d", "contents": "z", "v": null})",
        R"({"id": "d", "contents": "z", "v": {"x": 1}})",
        R"({"id": "d", "contents": "z", "v": []})",
        R"({"id": "d", "contents": "z", "v": [1, "2"]})",
        R"({"id": "d", "contents": "z", "v": [1, [2]]})",
        R"({"id": "d", "contents": "z", "v": [1, 2], "v": [3]})"}) {
    expect_complaint(index(bad), 1, {"<stdin>:1", "'v'", "array of numbers"});
    expect_complaint(index(first + bad), 1, {"<stdin>:2", "'v'", "array of numbers"});
  }
  expect_complaint(index(first + R"({"id": "d", "contents": "z", "v": [1, 1e60]})"), 1,
                   {"<stdin>:2", "no number"});
  expect_complaint(index(""), 1, {"there is no document"});
  expect_complaint(index_again({"--vectors", "field:v"}), 2, {"--format jsonl"});
  expect_complaint(run({"add", index_, "--vectors", "field:"}, first), 2, {"field:embedding"});
  EXPECT_EQ(documents(search({}), "1"), all);
}

TEST_F(HybridCommands, RefuseVectorsThatDoNotFit) {
  write_file(file("few.fvecs"), fvecs({{1, 0}, {0, 1}}));
  write_file(file("many.fvecs"), fvecs({{1, 0}, {0, 1}, {1, 0}, {0, 1}, {1, 0}, {0, 1}}));
  write_file(file("wide.fvecs"), fvecs({{1, 0, 0}}));
  const std::vector<std::string> before = documents(search({}), "1");
  expect_complaint(index_again({"--vectors", file("few.fvecs")}), 1,
                   {"<stdin>:3", "has no vector", "only 2"});
  expect_complaint(index_again({"--vectors", file("many.fvecs")}), 1, {"after 5 of the 6 vectors"});
  expect_complaint(index_again({"--vectors", file("none.fvecs")}), 1, {"none.fvecs"});
  expect_complaint(index_again({"--vectors", file("few.fvecs"), "--vector-metric", "near"}), 2,
                   {"near"});
  expect_complaint(index_again({"--vector-metric", "l2"}), 2, {"--vectors"});
  const auto add = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"add", index_, "--input", "-", "--format", "tsv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments, {"d6\tplum\n", {}, {}});
  };
  expect_complaint(add({}), 2, {"holds a vector for each document", "--vectors"});
  expect_complaint(add({"--vectors", file("wide.fvecs")}), 1, {"3 components", "have 2"});
  expect_complaint(add({"--vectors", file("few.fvecs")}), 1, {"after 1 of the 2 vectors"});
  EXPECT_EQ(documents(search({}), "1"), before);
  expect_complaint(run_warpdex({"search", index_, "--vector-queries", file("wide.fvecs")}), 1,
                   {"3 components", "have 2"});
  write_file(file("three.tsv"), "1\tx\n2\ty\n3\tz\n");
  expect_complaint(search({"--queries", file("three.tsv")}), 1, {"3 queries", "2 vectors"});
  expect_complaint(search({"pear"}), 1, {"1 query", "2 vectors"});
  expect_complaint(search({"--fusion", "sum"}), 2, {"'sum'", "rrf"});
  expect_complaint(search({"--fusion-weight", "1.5"}), 2, {"from 0 to 1"});
  expect_complaint(search({"--fusion-depth", "0"}), 2, {"--fusion-depth"});
  expect_complaint(search({"--count"}), 2, {"--count"});
  for (const std::string fusion : {"rerank", "filter", "neighbors"}) {
    expect_complaint(
        search({"--queries", file("q.tsv"), "--fusion", fusion, "--fusion-weight", ".3"}), 2,
        {"--fusion-weight is for rrf and convex; leave it out"});
  }
  expect_complaint(
      search({"--queries", file("q.tsv"), "--fusion", "filter", "--fusion-depth", "9"}), 2,
      {"leave --fusion-depth out"});
  expect_complaint(run_warpdex({"search", index_, "pear", "--fusion", "rrf"}), 2,
                   {"--vector-queries"});
  build_small_index(index_);
  expect_complaint(search({}), 2, {"holds no vectors"});
  expect_complaint(search({"--device", "gpu"}), 2,
                   {"holds no vectors"});  // before it looks for one
  expect_complaint(add({"--vectors", file("few.fvecs")}), 2, {"holds no vectors"});
}

TEST_F(HybridCommands, AnAddedVectorTooLargeForHalvesIsABadDocument) {
  ASSERT_EQ(run_warpdex({"vector", "convert", "--input", file("docs.fvecs"), "--output",
                         file("halves.npy"), "--type", "half", "--quiet"})
                .status,
            0);
  for (const std::string metric : {"ip", "l2", "cosine"}) {
    SCOPED_TRACE(metric);
    ASSERT_EQ(index_again({"--vectors", file("halves.npy"), "--vector-metric", metric}).status, 0);
    write_file(file("more.fvecs"), fvecs({{0, 65504}, {-65520, 0}}));
    const auto add = [&](const std::vector<std::string>& more) {
      std::vector<std::string> arguments{"add",      index_, "--input",   "-",
                                         "--format", "tsv",  "--vectors", file("more.fvecs")};
      arguments.insert(arguments.end(), more.begin(), more.end());
      return run_warpdex(arguments, {"d6\tplum\nd7\tplum\n", {}, {}});
    };
    if (metric == "cosine") {
      EXPECT_EQ(add({}).status, 0);
      continue;
    }
    expect_complaint(add({}), 1, {"<stdin>:2", "above 65504", "build the index from floats"});
    const Outcome skipped = add({"--on-bad-document", "skip"});
    EXPECT_EQ(skipped.status, 0) << skipped.err;
    EXPECT_EQ(run_warpdex({"search", index_, "plum"}).out.find("d7"), std::string::npos);
    EXPECT_EQ(run_warpdex({"verify", index_}).status, 0);
  }
}

TEST_F(HybridCommands, TheGpuGivesTheSameAnswers) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  for (const std::string fusion : {"rrf", "convex", "rerank", "filter", "neighbors"}) {
    const std::vector<std::string> common{"--queries", file("q.tsv"), "--fusion", fusion};
    const Outcome right = search(common);
    ASSERT_EQ(right.status, 0) << right.err;
    for (const std::string device : {"gpu", "auto"}) {
      std::vector<std::string> arguments = common;
      arguments.insert(arguments.end(), {"--device", device});
      EXPECT_EQ(search(arguments).out, right.out) << fusion << " " << device;
    }
  }
  EXPECT_EQ(search({"--device", "gpu"}).out, search({}).out);
  write_file(file("qrels"), "a 0 d1 1\nb 0 d4 1\n");
  for (const std::string fusion : {"rrf", "convex"}) {
    const auto tune = [&](const std::string& device) {
      return run_warpdex({"tune", index_, "--queries", file("q.tsv"), "--vector-queries",
                          file("q.fvecs"), "--qrels", file("qrels"), "--fusion", fusion, "--device",
                          device});
    };
    const Outcome right = tune("cpu");
    EXPECT_EQ(right.status, 0) << right.err;
    EXPECT_EQ(tune("gpu").out, right.out);
    EXPECT_EQ(tune("auto").out, right.out);
  }
  // With so little memory the vectors stay with the CPU.
  const Outcome outcome = search({"--device", "gpu", "--gpu-memory", "32M"});
  EXPECT_EQ(outcome.out, search({}).out);
  EXPECT_THAT(outcome.err, HasSubstr("does not hold the vectors"));
}

TEST_F(HybridCommands, AutoTakesTheCpuWhereThereIsNoGpu) {
  const NoGpus hidden;
  const Outcome outcome = search({"--queries", file("q.tsv"), "--device", "auto"});
  EXPECT_EQ(outcome.out, search({"--queries", file("q.tsv")}).out);
  EXPECT_TRUE(outcome.err.starts_with("warpdex: working on the CPU: ")) << outcome.err;
}

TEST_F(HybridCommands, TuneChoosesAWeight) {
  write_file(file("qrels"), "a 0 d1 1\nb 0 d4 1\n");
  const std::vector<std::string> common{
      "tune",          index_,    "--queries",  file("q.tsv"), "--vector-queries",
      file("q.fvecs"), "--qrels", file("qrels")};
  std::vector<std::string> arguments = common;
  arguments.insert(arguments.end(), {"--fusion", "convex", "--json", "-"});
  const Outcome outcome = run_warpdex(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const rapidjson::Document json = parse_json(outcome.out);
  // By vectors alone, the right ones come first; equally good weights near 0.5 are preferred.
  EXPECT_LT(json["weight"].GetDouble(), 0.5);
  EXPECT_EQ(json["training"].GetDouble(), 1);
  EXPECT_EQ(json["trials"].Size(), 11U);
  EXPECT_THAT(run_warpdex(common).out, HasSubstr("best on 1 query: --fusion-weight "));
  arguments = common;
  arguments.insert(arguments.end(), {"-k", "3"});
  expect_complaint(run_warpdex(arguments), 2, {"--fusion-depth", "leave -k out"});
  arguments = common;
  arguments.insert(arguments.end(), {"--fusion", "filter"});
  expect_complaint(run_warpdex(arguments), 2, {"rrf or convex"});
  write_file(file("qrels"), "a 0 D1 1\nb 0 D4 1\n");
  expect_complaint(run_warpdex(common), 1, {"ndcg_cut_10 above 0", "name documents as the index"});
  write_file(file("qrels"), "z 0 d1 1\n");
  expect_complaint(run_warpdex(common), 1, {"fewer than two"});
}

// By vectors alone, each query finds the document of its own id first, and then the right one.
TEST_F(HybridCommands, AQuerysOwnDocumentIsLeftOutOnRequest) {
  write_file(file("q.tsv"), "d1\tpear\nd4\tapple\n");
  write_file(file("qrels"), "d1 0 d2 1\nd4 0 d3 1\n");
  const auto first_trial = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"tune",
                                       index_,
                                       "--queries",
                                       file("q.tsv"),
                                       "--vector-queries",
                                       file("q.fvecs"),
                                       "--qrels",
                                       file("qrels"),
                                       "--measure",
                                       "recip_rank",
                                       "--fusion",
                                       "convex",
                                       "--json",
                                       "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const rapidjson::Document json = parse_json(run_warpdex(arguments).out);
    return std::pair(json["trials"][0]["training"].GetDouble(),
                     json["trials"][0]["test"].GetDouble());
  };
  EXPECT_EQ(first_trial({}), std::pair(0.5, 0.5));
  EXPECT_EQ(first_trial({"--ignore-identical-ids"}), std::pair(1.0, 1.0));
  const Outcome found = search({"--queries", file("q.tsv"), "--fusion", "convex", "--fusion-weight",
                                "0", "-k", "2", "--ignore-identical-ids"});
  EXPECT_EQ(documents(found, "d1"), (std::vector<std::string>{"d2", "d3"}));
  EXPECT_EQ(documents(found, "d4"), (std::vector<std::string>{"d3", "d2"}));
}

TEST_F(HybridCommands, VectorsInLists) {
  constexpr int kListedDocuments = 4200;
  std::mt19937_64 random = generator(17);
  std::string texts;
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < kListedDocuments; ++i) {
    texts += "d" + std::to_string(i) + "\tpear apple\n";
    for (rows.emplace_back(); rows.back().size() < 6;) {
      rows.back().push_back(static_cast<float>(random() % 1000));
    }
  }
  write_file(file("many.tsv"), texts);
  write_file(file("many.fvecs"), fvecs(rows));
  write_file(file("three.fvecs"), fvecs({rows[7], rows[70], rows[700]}));
  const auto build = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "index",           "--input", file("many.tsv"), "--format",         "tsv",
        "--output",        index_,    "--vectors",      file("many.fvecs"), "--quiet",
        "--vector-metric", "l2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  };
  const auto nearest = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"search", index_, "--vector-queries", file("three.fvecs"),
                                       "-k",     "100"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  };
  ASSERT_EQ(build({}).status, 0);
  const std::string exact = nearest({}).out;
  expect_complaint(nearest({"--probes", "3"}), 2,
                   {"has no lists to probe: it was built with --vector-index flat"});
  expect_complaint(nearest({"--refine", "3"}), 2, {"has no codes"});
  const Outcome built =
      build({"--vector-index", "ivf-pq", "--lists", "50", "--bytes", "3", "--seed", "7"});
  ASSERT_EQ(built.status, 0) << built.err;
  EXPECT_EQ(nearest({"--probes", "50", "--refine", "4200"}).out, exact);
  const Outcome few = nearest({"--probes", "1"});
  EXPECT_EQ(few.status, 0) << few.err;
  EXPECT_NE(few.out, exact);
  EXPECT_EQ(documents(few, "1").front(), "d7");
  const rapidjson::Document stats = parse_json(run_warpdex({"stats", index_, "--json", "-"}).out);
  EXPECT_STREQ(stats["vectors"]["index"].GetString(), "ivf-pq");
  EXPECT_THAT(run_warpdex({"stats", index_}).out, HasSubstr("l2, found by ivf-pq"));
  EXPECT_EQ(run_warpdex({"verify", index_}).status, 0);
  expect_complaint(nearest({"--queries", file("q.tsv"), "--fusion", "filter", "--probes", "3"}), 2,
                   {"--fusion rerank and filter compare all vectors"});
  expect_complaint(run_warpdex({"search", index_, "pear", "--probes", "3"}), 2,
                   {"--probes is for --vector-queries"});
  expect_complaint(build({"--vector-index", "ivf-flat", "--bytes", "3"}), 2,
                   {"--bytes is for codes; add --vector-index ivf-pq"});
  expect_complaint(build({"--vector-index", "ivf-pq", "--bytes", "7"}), 2, {"from 1 to 6 bytes"});
  expect_complaint(build({"--vector-index", "trees"}), 2, {"there is no type of index 'trees'"});
  expect_complaint(index_again({"--vector-index", "ivf-pq"}), 2,
                   {"--vector-index is for --vectors"});
}

}  // namespace
}  // namespace warpdex::test
