// warpdex add, delete and merge as their users run them: what they do, say, and refuse.
#include <atomic>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class LivingCommands : public testing::Test {
 protected:
  void SetUp() override { build_small_index(index_); }

  Outcome add(const std::string& documents, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"add", index_, "--input", "-", "--format", "tsv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments, {documents, {}, {}});
  }
  Outcome remove(const std::string& ids, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"delete", index_, "--ids", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments, {ids, {}, {}});
  }
  /// A run of some queries, with all digits of the scores.
  std::string answers(const std::string& index) const {
    write_file(folder_ / "queries.tsv", "1\tapple tree\n2\tgreen pear\n3\tsky\n");
    const Outcome outcome =
        run_warpdex({"search", index, "--queries", folder_ / "queries.tsv", "-k", "10"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }
  std::string answers_anew(const std::string& documents) const {
    const Outcome outcome = run_warpdex({"index", "--input", "-", "--format", "tsv", "--analyzer",
                                         "standard", "--quiet", "--output", folder_ / "anew"},
                                        {documents, {}, {}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return answers(folder_ / "anew");
  }

  const TemporaryFolder folder_{place_in_memory()};
  const std::string index_ = folder_ / "index";
};

TEST_F(LivingCommands, AnswerAsAnIndexBuiltAnew) {
  Outcome outcome = add("d6\tgreen apple\nd7\tpear sky\n");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "added 2 documents to " + index_ + " (commit 1)\n");
  EXPECT_EQ(answers(index_), answers_anew(kTsvDocuments + "d6\tgreen apple\nd7\tpear sky\n"));
  outcome = remove("d1\nd2\r\n\nd3\n");
  EXPECT_EQ(outcome.out, "deleted 3 documents from " + index_ + " (commit 2)\n");
  outcome = add("d5\tgreen pear\nd8\ttree\n", {"--update"});
  EXPECT_EQ(outcome.out, "added 2 documents to " + index_ + ", 1 of them updated (commit 3)\n");
  const std::string live =
      "d4\tblue sky\nd6\tgreen apple\nd7\tpear sky\nd5\tgreen pear\nd8\ttree\n";
  EXPECT_EQ(answers(index_), answers_anew(live));
  EXPECT_EQ(run_warpdex({"verify", index_}).status, 0);
  outcome = run_warpdex({"merge", index_, "--all"});
  EXPECT_EQ(outcome.out,
            index_ + " has 1 segment, had 3; 4 deleted documents are gone for good (commit 4)\n");
  EXPECT_EQ(answers(index_), answers_anew(live));
  EXPECT_EQ(run_warpdex({"reorder", index_, "--output", folder_ / "copy", "--quiet"}).status, 0);
}

TEST_F(LivingCommands, MergeSaysWhatStays) {
  EXPECT_EQ(remove("d1\n").status, 0);
  EXPECT_EQ(run_warpdex({"merge", index_}).out,
            index_ +
                " has 1 segment, had 1; 0 deleted documents are gone for good, 1 stays (--all "
                "drops it) (commit 1)\n");
}

TEST_F(LivingCommands, LearnedWeightsTakeChangesThatFit) {
  write_file(folder_ / "weights.jsonl", R"({"id": "a", "vector": {"sea": 1.5, "sky": 3}})"
                                        "\n"
                                        R"({"id": "b", "vector": {"sea": 0.5}})"
                                        "\n");
  const auto add_weights = [&](const std::string& documents, const std::string& on_bad) {
    return run_warpdex(
        {"add", index_, "--input", "-", "--format", "sparse", "--on-bad-document", on_bad},
        {documents, {}, {}});
  };
  ASSERT_EQ(run_warpdex({"index", "--input", folder_ / "weights.jsonl", "--format", "sparse",
                         "--output", index_, "--quiet"})
                .status,
            0);
  const std::string documents = R"({"id": "c", "vector": {"sea": 2.5}})"
                                "\n"
                                R"({"id": "d", "vector": {"sea": 200.5}})"
                                "\n";
  expect_complaint(add_weights(documents, "fail"), 1,
                   {"<stdin>:2: document 'd'", "its weight 200.5 is above 3"});
  EXPECT_EQ(add_weights(documents, "skip").out,
            "added 1 document to " + index_ + ", skipped 1 (commit 1)\n");
  EXPECT_EQ(remove("a\n").status, 0);
  const Outcome found = run_warpdex({"search", index_, "sea", "--output-format", "trec"});
  EXPECT_THAT(found.out, testing::MatchesRegex("1 Q0 c 1 213 .*\n1 Q0 b 2 43 .*\n"));
}

TEST_F(LivingCommands, AddMergesMeanwhile) {
  std::string documents = kTsvDocuments;
  for (int i = 6; i < 20; ++i) {
    const std::string document = "d" + std::to_string(i) + "\tgreen apple sky\n";
    documents += document;
    const Outcome outcome = add(document, {"--merge"});
    EXPECT_THAT(outcome.out, HasSubstr("added 1 document to " + index_ + " (commit "))
        << outcome.err;
  }
  const Outcome outcome = run_warpdex({"stats", index_, "--json", "-"});
  EXPECT_LT(parse_json(outcome.out)["segments"].GetUint64(), 9U);
  EXPECT_EQ(answers(index_), answers_anew(documents));
  EXPECT_EQ(run_warpdex({"verify", index_}).status, 0);
  expect_complaint(add("d30\tnew\n", {"--merge", "--memory", "100M"}), 2, {"128M or more"});
}

TEST_F(LivingCommands, StatsCountSegmentsAndDeletions) {
  EXPECT_THAT(run_warpdex({"stats", index_}).out, HasSubstr("exact, by the forward index"));
  EXPECT_EQ(add("d6\tgreen apple\n").status, 0);
  EXPECT_EQ(remove("d1\n").status, 0);
  const Outcome outcome = run_warpdex({"stats", index_, "--json", "-"});
  const rapidjson::Document json = parse_json(outcome.out);
  EXPECT_EQ(json["segments"].GetUint64(), 2U);
  EXPECT_EQ(json["deleted_documents"].GetUint64(), 1U);
  EXPECT_EQ(json["documents"].GetUint64(), 6U);
  EXPECT_TRUE(json["forward"].GetBool());
}

// As all files of lines, it may begin with a byte order mark.
TEST_F(LivingCommands, DeleteReadsLinesAsOtherCommandsDo) {
  EXPECT_EQ(remove("\xEF\xBB\xBF"
                   "d1\r\nd2")
                .out,
            "deleted 2 documents from " + index_ + " (commit 1)\n");
  EXPECT_EQ(remove("\xEF\xBB\xBF"
                   "d3\n\xEF\xBB\xBF"
                   "d4")
                .out,
            "deleted 2 documents from " + index_ + " (commit 2)\n");
  expect_complaint(remove(std::string("d5\nd\0x\n", 7)), 1, {"<stdin>:2 has a NUL", "'d\\0x'"});
  expect_complaint(remove(std::string("d\0"
                                      "5\0\n\0",
                                      6)),
                   1, {"<stdin> is UTF-16"});
  // Nothing was deleted by these.
  EXPECT_EQ(remove("d5\n").status, 0);
  const std::string id(3'000, 'x');
  const Outcome outcome = remove(id + "\n");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_LT(outcome.err.size(), 400U);
}

TEST_F(LivingCommands, DeleteNamesBothPlacesOfAnId) {
  expect_complaint(remove("d1\nd2\nd1\n"), 1,
                   {"<stdin>:3: the id 'd1' was named on line 1 already; nothing is deleted"});
  expect_complaint(remove("d1\nd9\n"), 1,
                   {"<stdin>:2: the index has no document with the id 'd9'; nothing is deleted"});
}

// More terms change than are kept one by one.
TEST_F(LivingCommands, ManyDeletionsLeaveTheScoresOfAnIndexBuiltAnew) {
  constexpr int kDocuments = 4'000;
  std::mt19937_64 random = generator(880);
  std::string all;
  std::string live;
  std::string gone[2];
  for (int i = 0; i < kDocuments; ++i) {
    std::string line = "m" + std::to_string(i) + "\t";
    for (int word = 0; word < 60; ++word) {
      const std::uint64_t range = 1 + random() % 5'000;
      line += "w" + std::to_string(random() % range) + ' ';
    }
    line += "apple tree green pear sky\n";
    all += line;
    if (i % 10 == 0) {
      live += line;
    } else {
      gone[i % 2] += "m" + std::to_string(i) + "\n";
    }
  }
  ASSERT_EQ(add(all).status, 0);
  for (const std::string& ids : gone) ASSERT_EQ(remove(ids).status, 0);
  EXPECT_EQ(run_warpdex({"verify", index_}).status, 0);
  EXPECT_EQ(answers(index_), answers_anew(kTsvDocuments + live));
}

TEST_F(LivingCommands, SayWhichStaticScoresAreOfNoNewDocument) {
  write_file(folder_ / "scores", "d1\t1\n");
  const std::string index = folder_ / "static";
  ASSERT_EQ(run_warpdex({"index", "--input", "-", "--format", "tsv", "--quiet", "--static",
                         folder_ / "scores", "--output", index},
                        {kTsvDocuments, {}, {}})
                .status,
            0);
  write_file(folder_ / "more", "d6\t2\nd1\t5\n");
  const Outcome outcome =
      run_warpdex({"add", index, "--input", "-", "--format", "tsv", "--static", folder_ / "more"},
                  {"d6\tnew\n", {}, {}});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("1 static score is of an id that no new document has"));
  EXPECT_THAT(outcome.err, HasSubstr("--update"));
}

TEST_F(LivingCommands, RefuseBadInput) {
  const Outcome commands =
      add("d\xC2\x9B"
          "6\tnew\n");
  expect_complaint(commands, 1, {"'d??6'", "control character"});
  const std::string before = answers(index_);
  expect_complaint(add("d6\tnew\nd1\told\n"), 1, {"<stdin>:2", "'d1' already"});
  expect_complaint(add("d6\tnew\nd6\tnew\n"), 1, {"<stdin>:2", "came before, at <stdin>:1;"});
  expect_complaint(remove("d1\nd9\n"), 1, {"<stdin>:2", "'d9'", "nothing is deleted"});
  expect_complaint(remove("d1\nd1\n"), 1, {"<stdin>:2", "'d1'"});
  expect_complaint(run_warpdex({"delete", index_, "--ids", folder_ / "none"}), 1, {"cannot open"});
  expect_complaint(run_warpdex({"delete", folder_ / "none", "--ids", "-"}), 1,
                   {"there is no index"});
  expect_complaint(add("d6\tnew\n", {"--static", "scores"}), 2, {"no static scores"});
  expect_complaint(add("d6\tnew\n", {"--on-bad-document", "keep"}), 2, {"fail or skip"});
  expect_complaint(run_warpdex({"merge", index_, "--memory", "1M"}), 2, {"too little"});
  EXPECT_EQ(answers(index_), before);
  EXPECT_EQ(names_in(folder_.path()), (std::vector<std::string>{"index", "queries.tsv"}));
  const Outcome outcome = remove("d1\nd9\n", {"--ignore-unknown"});
  EXPECT_EQ(outcome.out, "deleted 1 document from " + index_ + ", passed over 1 id (commit 1)\n");
}

TEST_F(LivingCommands, SkipBadDocuments) {
  const Outcome outcome = add("d1\told\nd6\tnew\n", {"--on-bad-document", "skip"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "added 1 document to " + index_ + ", skipped 1 (commit 1)\n");
  EXPECT_THAT(outcome.err, HasSubstr("skipped: <stdin>:1"));
}

TEST_F(LivingCommands, TellWhatNeedsOnePiece) {
  EXPECT_EQ(add("d6\tnew\n").status, 0);
  expect_complaint(run_warpdex({"reorder", index_, "--output", folder_ / "copy"}), 2,
                   {"in one piece", "warpdex merge " + index_ + " --all"});
}

TEST_F(LivingCommands, BenchTakesChangedIndexes) {
  EXPECT_EQ(add("d6\tgreen apple\n").status, 0);
  EXPECT_EQ(remove("d1\n").status, 0);
  write_file(folder_ / "queries.tsv", "1\tapple tree\n2\tgreen pear\n3\tsky\n");
  const Outcome outcome = run_warpdex(
      {"bench", index_, "--queries", folder_ / "queries.tsv", "--repetitions", "1", "--json", "-"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const rapidjson::Document json = parse_json(outcome.out);
  EXPECT_EQ(json["index"]["segments"].GetUint64(), 2U);
  EXPECT_EQ(json["index"]["deleted_documents"].GetUint64(), 1U);
}

// Where there is no GPU, `auto` takes the CPU.
TEST_F(LivingCommands, DevicesAnswerAlike) {
  EXPECT_EQ(add("d6\tgreen apple\nd7\tpear sky\n").status, 0);
  EXPECT_EQ(remove("d1\nd2\n").status, 0);
  answers(index_);  // writes the queries
  for (const char* mode : {"or", "and", "and-or"}) {
    const auto search = [&](const char* device) {
      const Outcome outcome = run_warpdex({"search", index_, "--queries", folder_ / "queries.tsv",
                                           "--mode", mode, "--device", device});
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      return outcome.out;
    };
    EXPECT_EQ(search("auto"), search("cpu")) << mode;
  }
}

TEST_F(LivingCommands, ImpactsOfBm25TakeNoChanges) {
  build_small_index(index_, {"--impacts"});
  expect_complaint(add("d6\tnew\n"), 2, {"impacts of BM25"});
  expect_complaint(remove("d1\n"), 2, {"impacts of BM25"});
}

TEST_F(LivingCommands, ASecondWriterIsToldWhoIsFirst) {
  RunningWarpdex first({"add", index_, "--input", "-", "--format", "tsv", "--quiet"});
  while (names_in(folder_.path()).size() < 2) ::usleep(1000);  // the index and its lock
  expect_complaint(
      run_warpdex({"delete", index_, "--ids", "-", "--ignore-unknown"}, {"none\n", {}, {}}), 1,
      {"is being written by process "});
  first.send_signal(SIGTERM);
  EXPECT_NE(first.wait().status, 0);
}

/// Documents that all have one word, which says how often they were replaced.
std::string generation(int number) {
  std::string documents;
  for (int i = 1; i <= 5; ++i) {
    documents += "d" + std::to_string(i) + "\tgeneration" + std::to_string(number) + "\n";
  }
  return documents;
}

// Each search finds the documents of one commit, all of them, and never an older one than before.
TEST_F(LivingCommands, SearchesInOtherProcessesFindWholeCommits) {
  constexpr int kGenerations = 12;
  std::string queries;
  for (int i = 0; i < kGenerations; ++i) {
    queries += std::to_string(i) + "\tgeneration" + std::to_string(i) + "\n";
  }
  write_file(folder_ / "generations.tsv", queries);
  ASSERT_EQ(add(generation(0), {"--update"}).status, 0);
  std::atomic<bool> ended = false;
  std::atomic<int> searches = 0;
  const auto read = [&] {
    int last = 0;
    while (!ended) {
      const Outcome outcome =
          run_warpdex({"search", index_, "--queries", folder_ / "generations.tsv"});
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      std::istringstream lines(outcome.out);
      std::set<std::string> found;
      int query = 0;
      for (std::string line, q0, document; std::getline(lines, line);) {
        std::istringstream words(line);
        int of = 0;
        words >> of >> q0 >> document;
        ASSERT_TRUE(found.empty() || of == query) << outcome.out;
        query = of;
        ASSERT_TRUE(found.insert(document).second) << outcome.out;
      }
      ASSERT_EQ(found.size(), 5U) << outcome.out;
      ASSERT_GE(query, last);
      last = query;
      ++searches;
    }
  };
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 2; ++i) readers.emplace_back(read);
    for (int i = 1; i < kGenerations; ++i) {
      EXPECT_EQ(add(generation(i), {"--update"}).status, 0);
      if (i % 4 != 0) continue;
      EXPECT_EQ(run_warpdex({"merge", index_, "--all"}).status, 0);
    }
    while (searches < 4 && !HasFailure()) ::usleep(1000);
    ended = true;
  }
  EXPECT_EQ(run_warpdex({"verify", index_}).status, 0);
}

// Without room on the disk, the index stays as it was.
TEST_F(LivingCommands, AFullDiskChangesNothing) {
  const std::string before = answers(index_);
  std::string documents;
  for (int i = 0; i < 20'000; ++i) {
    documents += "n" + std::to_string(i) + "\tword" + std::to_string(i) + " more\n";
  }
  RunSettings settings{documents, {}, {}};
  settings.file_size_limit = 100'000;
  const Outcome outcome =
      run_warpdex({"add", index_, "--input", "-", "--format", "tsv", "--quiet"}, settings);
  expect_complaint(outcome, 1, {"cannot write", "make room there"});
  EXPECT_EQ(answers(index_), before);
  EXPECT_EQ(names_in(folder_.path()), (std::vector<std::string>{"index", "queries.tsv"}));
}

}  // namespace
}  // namespace warpdex::test
