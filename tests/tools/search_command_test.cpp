// warpdex search, bench and verify: answers, outputs, and what they refuse.
#include <cmath>
#include <sstream>

#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SearchCommand : public ::testing::Test {
 protected:
  void SetUp() override { build_small_index(index()); }
  std::string index() const { return folder_ / "index"; }
  std::string file(const std::string& name) const { return folder_ / name; }

  Outcome search(const std::vector<std::string>& more, const RunSettings& settings = {}) const {
    std::vector<std::string> arguments{"search", index()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments, settings);
  }

  /// Documents of a TREC run for one query, in order.
  std::vector<std::string> documents(const std::vector<std::string>& more,
                                     const std::string& query) const {
    std::vector<std::string> arguments{"--queries", "-", "--query-format", "lines"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = search(arguments, {query + "\n", {}, {}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::vector<std::string> names;
    std::istringstream lines(outcome.out);
    for (std::string id, q0, name, rest; lines >> id >> q0 >> name && std::getline(lines, rest);) {
      names.push_back(name);
    }
    return names;
  }

  TemporaryFolder folder_;
};

TEST_F(SearchCommand, NoOutputMayLieInTheIndex) {
  write_file(file("log.tsv"), "q1\tpear\n");
  const std::vector<std::string> before = names_in(index());
  for (const std::string& place : {index() + "/run.txt", index() + "/segment-0/run.txt"}) {
    expect_complaint(search({"--queries", file("log.tsv"), "--output", place}), 2,
                     {"lies in the index"});
    expect_complaint(search({"pear", "--output", place}), 2, {"lies in the index"});
    for (const std::string option : {"--json", "--output"}) {
      expect_complaint(run_warpdex({"bench", index(), "--queries", file("log.tsv"), option, place}),
                       2, {"lies in the index"});
    }
  }
  EXPECT_EQ(names_in(index()), before);
}

TEST_F(SearchCommand, SkipsIdsThatARunCannotName) {
  const std::string log = file("log.tsv");
  write_file(log, "1\tpear\n2 a\tpear\n3\tpear\n");
  const Outcome run = search({"--queries", log, "--on-bad-query", "skip"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("skipped: " + log + ":2 has the query id '2 a', which holds"));
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 4) << run.out;
  expect_complaint(search({"--queries", log}), 1, {log + ":2 has the query id '2 a'"});
  const Outcome json = search({"--queries", log, "--output-format", "json"});
  EXPECT_EQ(parse_json(json.out)["queries"].Size(), 3U);
}

TEST_F(SearchCommand, WritesATrecRun) {
  write_file(file("log.tsv"), "q1\tpear\nq2\tnothing here\nq3\tPEAR\n");
  const Outcome outcome = search({"--queries", file("log.tsv"), "--tag", "mine"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // pear is in d2 (length 3) and d5 (length 1) of 5 documents of 3.2 tokens on average.
  const double weight = std::log(1 + (5 - 2 + 0.5) / (2 + 0.5));
  const auto score = [&](double length) {
    return weight / (1 + 0.9 * (1 - 0.4 + 0.4 * length / 3.2));
  };
  std::istringstream fields(outcome.out);
  for (const std::string query : {"q1", "q3"}) {
    for (int rank = 1; rank <= 2; ++rank) {
      std::string id, q0, document, tag;
      int at = 0;
      double value = 0;
      fields >> id >> q0 >> document >> at >> value >> tag;
      EXPECT_EQ(id, query);
      EXPECT_EQ(q0, "Q0");
      EXPECT_EQ(document, rank == 1 ? "d5" : "d2");
      EXPECT_EQ(at, rank);
      EXPECT_NEAR(value, score(rank == 1 ? 1 : 3), 1e-6);
      EXPECT_EQ(tag, "mine");
    }
  }
  EXPECT_TRUE((fields >> std::ws).eof());
}

TEST_F(SearchCommand, ModesMatchAsTheySay) {
  EXPECT_THAT(documents({}, "red tree"), ::testing::UnorderedElementsAre("d1", "d2", "d3"));
  EXPECT_THAT(documents({"--mode", "and"}, "green tree"), ElementsAre("d2", "d3"));
  EXPECT_THAT(documents({"--mode", "and"}, "green unheard"), ElementsAre());
  const std::vector<std::string> few{"--mode", "and-or", "--and-or-min", "2"};
  EXPECT_THAT(documents(few, "green tree"), ElementsAre("d2", "d3"));
  // AND finds one document, which is too few: the answer is OR's whole.
  EXPECT_THAT(documents(few, "pear tree"), ElementsAre("d2", "d5", "d3"));
  EXPECT_THAT(documents({"--mode", "and-or"}, "green tree"),
              ::testing::UnorderedElementsAre("d1", "d2", "d3"));
  EXPECT_THAT(documents({"-k", "1"}, "green tree"), ElementsAre("d2"));
}

TEST_F(SearchCommand, SignsCountWhereTheSyntaxIsSigned) {
  EXPECT_THAT(documents({}, "-apple green"), ::testing::UnorderedElementsAre("d1", "d2", "d3"));
  EXPECT_THAT(documents({"--query-syntax", "signed"}, "-apple green"), ElementsAre("d2"));
  EXPECT_THAT(search({"green -apple"}).out, Not(HasSubstr("d1")));
  EXPECT_THAT(search({"--", "-apple", "green"}).out, Not(HasSubstr("d1")));
  EXPECT_THAT(search({"--query-syntax", "plain", "green -apple"}).out, HasSubstr("d1"));
  EXPECT_THAT(search({"--", "-apple"}).out, HasSubstr("no document matches"));
}

TEST_F(SearchCommand, AnswersWordsReadably) {
  const Outcome outcome = search({"--count", "green", "zebra"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("not in the index: zebra\n"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("rank +score +document\n"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("\n   1  0\\.[0-9]{4}  d2\n"));
  EXPECT_THAT(outcome.out, HasSubstr("3 documents matched\n"));
  for (const std::string query : {"", "zebra", "...", "+"}) {
    const Outcome nothing = search({query});
    EXPECT_EQ(nothing.status, 0) << nothing.err;
    EXPECT_THAT(nothing.out, HasSubstr("no document matches")) << query;
  }
}

TEST_F(SearchCommand, WritesJson) {
  const Outcome outcome =
      search({"--queries", "-", "--output-format", "json", "--count", "-k", "2"},
             {"q1\tgreen\nq2\t\nq3\tpear\n", {}, {}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const rapidjson::Document json = parse_json(outcome.out);
  const auto& queries = json["queries"];
  ASSERT_EQ(queries.Size(), 3U);
  EXPECT_STREQ(queries[0]["id"].GetString(), "q1");
  EXPECT_EQ(queries[0]["matches"].GetUint(), 3U);
  EXPECT_TRUE(queries[0]["matches_exact"].GetBool());
  EXPECT_EQ(queries[0]["hits"].Size(), 2U);
  EXPECT_STREQ(queries[0]["hits"][0]["document"].GetString(), "d2");
  EXPECT_EQ(queries[1]["hits"].Size(), 0U);
  EXPECT_EQ(queries[2]["matches"].GetUint(), 2U);
}

TEST_F(SearchCommand, CountsForARunGoToStandardError) {
  const Outcome outcome =
      search({"--queries", "-", "--count", "-k", "1"}, {"q1\tgreen\nq2\tred\nq3\tzebra\n", {}, {}});
  EXPECT_EQ(outcome.err, "query q1: 3 matches\nquery q2: 1 match\nquery q3: 0 matches\n");
}

TEST_F(SearchCommand, ThreadsAndLongLogsDoNotChangeAnswers) {
  std::string log;
  const std::vector<std::string> words{"green", "apple", "tree", "pear", "sky", "the", "zebra"};
  std::mt19937_64 random = generator(1);
  for (int i = 0; i < 9000; ++i) {  // more than are answered at a time
    log += std::to_string(i) + "\t";
    for (int word = 0; word < 3; ++word) log += words[random() % words.size()] + " ";
    log += "\n";
  }
  log += "9000\tgreen\n";  // is answered, whatever was drawn
  const Outcome one = search({"--queries", "-"}, {log, {}, {}});
  const Outcome two = search({"--queries", "-", "--threads", "2"}, {log, {}, {}});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.out, two.out);
  EXPECT_THAT(one.out, HasSubstr("\n9000 Q0 "));
}

TEST_F(SearchCommand, AnswersAQueryOfAThousandTerms) {
  std::string query = "green";
  for (int i = 1; i < 1000; ++i) query += i % 2 == 0 ? " apple" : " word" + std::to_string(i);
  EXPECT_THAT(documents({}, query), ElementsAre("d1", "d3", "d2"));
}

TEST_F(SearchCommand, OutputIsWholeOrNotThere) {
  write_file(file("run.txt"), "old");
  write_file(file("log.tsv"), "q1\tgreen\n");
  write_file(file("bad.tsv"), "q1\tgreen\nq2 no tab\n");
  expect_complaint(search({"--queries", file("bad.tsv"), "--output", file("run.txt")}), 1,
                   {"bad.tsv:2"});
  EXPECT_EQ(read_file(file("run.txt")), "old");
  const Outcome outcome = search({"--queries", file("log.tsv"), "--output", file("run.txt")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(read_file(file("run.txt")), HasSubstr("q1 Q0 d2 1 "));

  // A file that may not grow: the old run stays, and nothing else.
  std::string log;
  for (int i = 0; i < 100; ++i) log += std::to_string(i) + "\tgreen\n";
  const std::string before = read_file(file("run.txt"));
  const Outcome full = search({"--queries", "-", "--output", file("run.txt")}, {log, {}, 1024});
  expect_complaint(full, 1, {"run.txt", "File too large"});
  EXPECT_EQ(read_file(file("run.txt")), before);
  EXPECT_THAT(names_in(folder_.path()), ElementsAre("bad.tsv", "index", "log.tsv", "run.txt"));
}

TEST_F(SearchCommand, SaysThatATargetIsFullOrCannotBeWritten) {
  const RunSettings log{"q1\tgreen\n", {}, {}};
  expect_complaint(search({"--queries", "-", "--output", "/dev/full"}, log), 1,
                   {"/dev/full", "No space left"});
  expect_complaint(search({"--queries", "-", "--output", "/proc/nowhere/run"}, log), 1,
                   {"/proc/nowhere/run"});
  expect_complaint(search({"--queries", "-", "--output", folder_.path()}, log), 1, {"folder"});
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"search", index(), "green"}, {"stats", index()}, {"verify", index()}, {"--help"}}) {
    const Outcome outcome = run_warpdex(command, {"", "/dev/full", {}});
    expect_complaint(outcome, 1, {"standard output"});
  }
}

TEST_F(SearchCommand, RefusesSettingsOutOfRange) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& part) {
    for (const std::string command : {"search", "bench"}) {
      std::vector<std::string> arguments{command, index(), "--queries", "-"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      expect_complaint(run_warpdex(arguments, {"q\tgreen\n", {}, {}}), 2, {part});
    }
  };
  refused({"-k", "0"}, "-k");
  refused({"-k", "10001"}, "10000");
  refused({"-k", "-1"}, "-k");
  refused({"-k", "ten"}, "ten");
  refused({"--k1", "-0.5"}, "k1");
  refused({"--b", "1.5"}, "b");
  refused({"--mu", "0"}, "mu");
  refused({"--k1", "nan"}, "k1");
  refused({"--mu", "9"}, "--mu is for --scorer qld");
  refused({"--scorer", "qld", "--b", "0.3"}, "--b is for --scorer bm25");
  refused({"--mode", "and", "--and-or-min", "3"}, "--and-or-min is for --mode and-or");
  refused({"--mode", "xor"}, "xor");
  refused({"--scorer", "tfidf"}, "tfidf");
  refused({"--bm25-form", "anserini"}, "anserini");
  refused({"--query-format", "csv"}, "csv");
  refused({"--query-syntax", "sql"}, "sql");
  refused({"--output-format", "xml", "--output", "/dev/null"}, "xml");
  refused({"--and-or-min", "-3"}, "--and-or-min");
  refused({"--threads", "-2"}, "--threads");
  refused({"--frobnicate"}, "--help");
  expect_complaint(search({}), 2, {"words or --queries"});
  expect_complaint(search({"green", "--queries", "x"}), 2, {"not both"});
  for (const auto& [option, value] : {std::pair{"--query-format", "sparse"},
                                      {"--topic-fields", "desc"},
                                      {"--on-bad-query", "skip"}}) {
    expect_complaint(search({"green", option, value}), 2,
                     {std::string(option) + " is for --queries"});
  }
  expect_complaint(run_warpdex({"search"}), 2, {"INDEX"});
}

TEST_F(SearchCommand, AQueryOfTooManyClausesIsABadOne) {
  std::string words;
  for (int i = 0; i < 4096; ++i) words += "w" + std::to_string(i) + " ";
  write_file(file("log"), "1\tgreen\n2\t" + words + "\n3\t(" + words + ")^2 OR a\n4\tgreen\n");
  const Outcome run = search(
      {"--queries", file("log"), "--query-syntax", "lucene", "-k", "1", "--on-bad-query", "skip"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("1 Q0"), HasSubstr("4 Q0")));
  EXPECT_THAT(run.err, AllOf(HasSubstr("3"), HasSubstr("more than 4096 clauses")));
  EXPECT_EQ(search({"--queries", file("log"), "--query-syntax", "lucene"}).status, 1);
}

// As a file, and through a pipe, whose queries are answered one by one.
TEST_F(SearchCommand, AFileOfBadQueriesAloneIsNoRun) {
  const std::string bad = "no tab\n\ta query without an id\n";
  write_file(file("bad.tsv"), bad);
  const std::vector<std::string> skip{"--on-bad-query", "skip", "--output", file("run")};
  for (const std::string& from : {file("bad.tsv"), std::string("-")}) {
    std::vector<std::string> arguments = skip;
    arguments.insert(arguments.end(), {"--queries", from});
    const Outcome outcome = search(arguments, {bad, {}, {}});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("holds no query that can be read"));
    EXPECT_FALSE(std::filesystem::exists(file("run")));
  }
  RunningWarpdex piped({"search", index(), "--queries", "-", "--on-bad-query", "skip"});
  piped.send_input(bad);
  piped.end_input();
  const Outcome outcome = piped.wait();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("standard input holds no query that can be read"));
  // An empty file holds no bad query.
  EXPECT_EQ(search({"--queries", "-", "--on-bad-query", "skip"}).status, 0);
}

TEST_F(SearchCommand, RefusesWhatIsNoIndex) {
  for (const std::string command : {"search", "stats", "verify", "codecs"}) {
    const auto run = [&](const std::string& folder) {
      std::vector<std::string> arguments{command, folder};
      if (command == "search") arguments.emplace_back("word");
      return run_warpdex(arguments);
    };
    expect_complaint(run(file("missing")), 1, {"missing"});
    expect_complaint(run(folder_.path()), 1, {"no index"});
  }
  expect_complaint(search({"--queries", file("missing")}), 1, {"missing"});
}

/// The file of a section, wherever the index keeps it.
std::filesystem::path section_file(const std::string& index, const std::string& name) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(index)) {
    if (entry.path().filename() == name) return entry.path();
  }
  ADD_FAILURE() << "no section " << name;
  return {};
}

TEST_F(SearchCommand, NamesASectionThatIsCutShort) {
  for (const std::string section : {"short_lists", "lexicon", "document_names"}) {
    const std::filesystem::path target = section_file(index(), section);
    const std::string bytes = read_file(target);
    write_file(target, bytes.substr(0, bytes.size() - 1));
    expect_complaint(search({"green"}), 1, {section});
    const Outcome verify = run_warpdex({"verify", index()});
    EXPECT_EQ(verify.status, 1);
    EXPECT_THAT(verify.err, HasSubstr(section));
    write_file(target, bytes);
  }
  EXPECT_EQ(run_warpdex({"verify", index()}).status, 0);
}

TEST_F(SearchCommand, VerifyFindsEveryChangedByte) {
  const std::filesystem::path target = section_file(index(), "short_lists");
  const std::string bytes = read_file(target);
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_file(target, damaged);
    const Outcome verify = run_warpdex({"verify", index()});
    EXPECT_EQ(verify.status, 1) << "byte " << at;
    EXPECT_THAT(verify.err, HasSubstr("short_lists")) << "byte " << at;
    EXPECT_EQ(verify.out, "");
    // What a search makes of it is an answer or a complaint, and never a crash.
    const int status = search({"green", "apple", "pear", "tree"}).status;
    EXPECT_TRUE(status == 0 || status == 1) << "byte " << at << ": status " << status;
  }
}

TEST_F(SearchCommand, BenchReportsAsTextAndJson) {
  write_file(file("log.tsv"), "q1\tgreen tree\nq2\tpear\nq3\tzebra\n");
  const Outcome outcome =
      run_warpdex({"bench", index(), "--queries", file("log.tsv"), "--repetitions", "3", "--json",
                   file("bench.json"), "--threads", "2", "--output", file("run.txt")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("3 queries x 3 timed passes"));
  EXPECT_THAT(outcome.out, HasSubstr("term look-up"));
  const rapidjson::Document json = parse_json(read_file(file("bench.json")));
  EXPECT_EQ(json["queries"]["count"].GetUint(), 3U);
  EXPECT_DOUBLE_EQ(json["queries"]["terms_per_query"].GetDouble(), 1.0);
  EXPECT_NEAR(json["queries"]["postings_per_query"].GetDouble(), 7 / 3.0, 1e-9);
  EXPECT_EQ(json["queries"]["list_bytes_per_query"].GetDouble(), 0);  // all are short
  EXPECT_EQ(json["repetitions"].GetUint(), 3U);
  EXPECT_EQ(json["threads"].GetUint(), 2U);
  EXPECT_EQ(json["hits"].GetUint(), 5U);
  EXPECT_EQ(json["queries_without_answer"].GetUint(), 1U);
  const auto& times = json["microseconds"];
  double last = 0;
  for (const char* name : {"p50", "p90", "p95", "p99", "max"}) {
    EXPECT_GE(times[name].GetDouble(), last) << name;
    last = times[name].GetDouble();
  }
  EXPECT_GT(times["mean"].GetDouble(), 0);
  EXPECT_LE(times["mean"].GetDouble(), last);
  EXPECT_GT(json["queries_per_second"].GetDouble(), 0);
  const Outcome run = search({"--queries", file("log.tsv")});
  EXPECT_EQ(read_file(file("run.txt")), run.out);
}

TEST_F(SearchCommand, BenchRefusesAnEmptyLog) {
  expect_complaint(run_warpdex({"bench", index(), "--queries", "-"}), 1, {"no query"});
  expect_complaint(run_warpdex({"bench", index()}), 2, {"--queries"});
  expect_complaint(
      run_warpdex({"bench", index(), "--queries", "-", "--repetitions", "0"}, {"q\tx\n", {}, {}}),
      2, {"--repetitions"});
}

TEST_F(SearchCommand, AddsUpImpactsAndTakesNoScorer) {
  const std::string impacts = file("impacts");
  build_small_index(impacts, {"--impacts", "--impact-b", "0.75"});
  write_file(file("log.tsv"), "q1\tapple tree\n");
  const Outcome outcome = run_warpdex({"search", impacts, "--queries", file("log.tsv")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  int hits = 0;
  for (std::string query, q0, document, rank, score, tag;
       lines >> query >> q0 >> document >> rank >> score >> tag; ++hits) {
    EXPECT_EQ(score.find_first_not_of("0123456789"), std::string::npos) << score;
  }
  EXPECT_EQ(hits, 3);
  const std::vector<std::vector<std::string>> scorers{{"--k1", "0.9"},
                                                      {"--b", "0.4"},
                                                      {"--scorer", "bm25"},
                                                      {"--mu", "9"},
                                                      {"--bm25-form", "pisa"}};
  for (const std::vector<std::string>& scorer : scorers) {
    for (const std::string command : {"search", "bench"}) {
      std::vector<std::string> arguments{command, impacts, "--queries", file("log.tsv")};
      arguments.insert(arguments.end(), scorer.begin(), scorer.end());
      expect_complaint(run_warpdex(arguments), 2, {scorer[0], "impacts"});
    }
  }
  EXPECT_THAT(run_warpdex({"bench", impacts, "--queries", file("log.tsv")}).out,
              HasSubstr("impacts"));
  EXPECT_THAT(run_warpdex({"stats", impacts}).out, HasSubstr("impacts of BM25, k1 0.900, b 0.750"));
  EXPECT_EQ(run_warpdex({"verify", impacts}).status, 0);
  EXPECT_EQ(run_warpdex({"codecs", impacts}).status, 0);
}

}  // namespace
}  // namespace warpdex::test
