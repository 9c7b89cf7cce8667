// warpdex load: what it prints, writes and draws, and what it refuses.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "load/load_mix.hpp"
#include "load/load_search.hpp"
#include "tests/tools/collection.hpp"
#include "tests/tools/no_gpus.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class LoadCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    build_small_index(folder_ / "index");
    write_file(folder_ / "log.tsv", "0\tgreen apple\n0.5\tpear\n2\tblue sky tree\n");
  }
  std::string file(const std::string& name) const { return folder_ / name; }

  /// With the log, and some milliseconds of queries where `more` says nothing else.
  Outcome load(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"load",          file("index"), "--queries",
                                       file("log.tsv"), "--threads",   "2"};
    for (const auto& [option, value] : {std::pair("--rate", "1000"), {"--seconds", "0.1"}}) {
      if (std::find(more.begin(), more.end(), option) != more.end()) continue;
      arguments.insert(arguments.end(), {option, value});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }

  /// The figures of --json.
  rapidjson::Document figures(std::vector<std::string> more) const {
    more.insert(more.end(), {"--json", "-"});
    const Outcome outcome = load(more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return parse_json(outcome.out);
  }

  NoGpus no_gpus_;
  TemporaryFolder folder_;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_F(LoadCommand, PrintsALineForEachRateAndEachKindOfQueries) {
  const Outcome outcome = load({"--rate", "500,1000", "--mix", "or:10,and:3"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 1U + 2 * 3 + 2);
  EXPECT_THAT(lines[0], MatchesRegex("on +rate +queries +answers/s +mean ms +p50 +p95 .*"));
  for (const std::size_t first : {1, 4}) {
    const std::string rate = first == 1 ? "500" : "1,000";
    EXPECT_THAT(lines[first], MatchesRegex("cpu +" + rate + " +all .*"));
    EXPECT_THAT(lines[first + 1], MatchesRegex("cpu +" + rate + " +or, k 10 .*"));
    EXPECT_THAT(lines[first + 2], MatchesRegex("cpu +" + rate + " +and, k 3 .*"));
  }
  EXPECT_THAT(lines[7], MatchesRegex("cpu: up to [0-9,]+ answers/s with less than 1 % missed"));
  EXPECT_THAT(lines[8], HasSubstr("counts from the time at which a query was to arrive"));
}

// The lists of a query are in the caches after it, for the same query of another kind.
TEST_F(LoadCommand, KindsTakeTurnsAndOneQuerysKindsAreFarApart) {
  const Snapshot snapshot = Snapshot::open(file("index"));
  std::vector<Query> queries;
  for (const char* term : {"red", "apple", "green", "pear", "tree", "in", "the", "blue", "sky"}) {
    queries.push_back({"", {{term}}});
  }
  tools::LoadPlan plan;
  plan.classes.resize(4);
  for (std::uint32_t kind = 0; kind < 4; ++kind) plan.classes[kind].settings.k = kind + 1;
  tools::add_mixed_queries(snapshot, queries, plan);
  ASSERT_EQ(plan.queries.size(), 4 * queries.size());
  std::map<std::uint32_t, std::vector<std::size_t>> places;  // by term
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t i = 0; i < plan.queries.size(); ++i) {
    EXPECT_EQ(plan.class_of[i], i % 4);
    EXPECT_EQ(plan.queries[i].settings.k, i % 4 + 1);
    const std::uint32_t term = plan.queries[i].plan.terms.at(0).entry.term_number;
    places[term].push_back(i);
    pairs.emplace(term, plan.queries[i].settings.k);
  }
  EXPECT_EQ(pairs.size(), plan.queries.size());
  for (auto& [term, of_term] : places) {
    of_term.push_back(of_term[0] + plan.queries.size());  // the load begins again
    for (std::size_t i = 1; i < of_term.size(); ++i) {
      EXPECT_GE(of_term[i] - of_term[i - 1], 5U) << term;
    }
  }
}

TEST_F(LoadCommand, WritesItsFiguresAsJson) {
  const rapidjson::Document json =
      figures({"--rate", "500,2000", "--deadline", "60000", "--mix", "or:10,and:3", "--simulate"});
  EXPECT_STREQ(json["delay_counts_from"].GetString(), "the intended arrival");
  EXPECT_EQ(json["deadline_us"].GetUint64(), 60'000'000U);
  const auto& loads = json["loads"];
  ASSERT_EQ(loads.Size(), 2U);
  for (rapidjson::SizeType i = 0; i < 2; ++i) {
    const auto& one = loads[i];
    EXPECT_STREQ(one["on"].GetString(), "cpu");
    EXPECT_EQ(one["rate"].GetDouble(), i == 0 ? 500 : 2'000);
    const std::uint64_t arrivals = one["all"]["arrivals"].GetUint64();
    EXPECT_GT(arrivals, i == 0 ? 20U : 120U);
    EXPECT_LT(arrivals, i == 0 ? 90U : 290U);
    EXPECT_EQ(one["all"]["missed_share"].GetDouble(), 0);
    EXPECT_LE(one["all"]["p50_us"].GetDouble(), one["all"]["p99_us"].GetDouble());
    EXPECT_LE(one["all"]["p99_us"].GetDouble(), one["all"]["max_us"].GetDouble());
    EXPECT_GT(one["all"]["p50_us"].GetDouble(), 0);
    EXPECT_EQ(one["classes"]["or, k 10"]["arrivals"].GetUint64() +
                  one["classes"]["and, k 3"]["arrivals"].GetUint64(),
              arrivals);
    EXPECT_EQ(one["simulated"]["arrivals"].GetUint64(), arrivals);
    EXPECT_EQ(one["simulated"]["missed_share"].GetDouble(), 0);
    EXPECT_EQ(one["scheduler"]["complete_on_cpu"].GetUint64(), arrivals);
    EXPECT_EQ(one["scheduler"]["complete_on_gpu"].GetUint64(), 0U);
    EXPECT_EQ(one["scheduler"]["batches"].GetUint64(), 0U);
    const auto& processors = one["processors"];
    EXPECT_EQ(processors["cpu_threads"]["threads"].GetUint64(), one["cpu_threads"].GetUint64());
    EXPECT_GT(processors["cpu_threads"]["busy_seconds"].GetDouble(), 0);
    EXPECT_GT(processors["cpu_runs_seconds"].GetDouble(), 0);
    EXPECT_EQ(processors["gpu_thread"]["threads"].GetUint64(), 0U);
    EXPECT_EQ(processors["callers"]["threads"].GetUint64(), 1U);
    EXPECT_GT(processors["submitting_seconds"].GetDouble(), 0);
  }
  const auto& with = json["simulated_with"];
  EXPECT_GT(with["mean_cpu_us"].GetDouble(), 0);
  EXPECT_EQ(with["overlapped_batch_us"].GetDouble(), 0);  // no GPU
  EXPECT_EQ(with["gpu_occupancy"].GetDouble(), 1);
}

TEST_F(LoadCommand, TheSimulationHasLinesOfItsOwn) {
  const Outcome outcome = load({"--simulate"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_THAT(lines[2], MatchesRegex("cpu +1,000 +simulated .*"));
  EXPECT_THAT(lines[3], MatchesRegex("cpu: up to .*; simulated [0-9,]+ \\(-?[0-9.]+ %\\)"));
}

// Of these few documents, a CPU answers any rate that the test could ask for, or the generator's.
TEST_F(LoadCommand, FindsTheHighestRate) {
  const rapidjson::Document json = figures(
      {"--rate", "200", "--find-rate", "--deadline", "50", "--simulate", "--capacity", "50"});
  const auto& highest = json["highest_rates"];
  ASSERT_EQ(highest.Size(), 1U);
  EXPECT_STREQ(highest[0]["on"].GetString(), "cpu");
  const double rate = highest[0]["queries_per_second"].GetDouble();
  EXPECT_GT(rate, 1'000);
  EXPECT_GT(highest[0]["simulated_queries_per_second"].GetDouble(), 1'000);
  const auto& loads = json["loads"];
  ASSERT_GT(loads.Size(), 2U);
  bool is_there = false;
  bool is_bounded = false;
  for (rapidjson::SizeType i = 1; i < loads.Size(); ++i) {
    const double tried = loads[i]["rate"].GetDouble();
    const bool holds = loads[i]["all"]["missed_share"].GetDouble() < 0.01;
    is_there |= tried == rate && holds;
    is_bounded |= tried > rate && tried < rate * 1.021 && !holds;
  }
  EXPECT_TRUE(is_there);
  EXPECT_TRUE(is_bounded);
}

TEST(FindHighestRate, IsTheHighestThatHolds) {
  for (const double highest : {0.9, 70.0, 1'000.0, 1e6}) {
    int calls = 0;
    const double found = tools::find_highest_rate(500, [&](double rate) {
      ++calls;
      return rate <= highest;
    });
    EXPECT_LE(found, highest);
    EXPECT_GE(found, highest / 1.02);
    EXPECT_LT(calls, 50);
  }
  EXPECT_EQ(tools::find_highest_rate(500, [](double) { return false; }), 0);
}

TEST_F(LoadCommand, MeasuresTheEnginesByHandAndCallersThatWait) {
  const rapidjson::Document json =
      figures({"--by-hand", "--callers", "3", "--mix", "or:10,and:3", "--rate", "300"});
  ASSERT_EQ(json["by_hand"].Size(), 1U);
  const auto& hand = json["by_hand"][0];
  EXPECT_STREQ(hand["on"].GetString(), "cpu");
  EXPECT_GT(hand["whole_batches_per_second"].GetDouble(), 0);
  EXPECT_GT(hand["callers_batches_per_second"].GetDouble(), 0);
  for (const char* name : {"or, k 10", "and, k 3"}) {
    EXPECT_GT(hand["classes"][name]["p50_us"].GetDouble(), 0);
    EXPECT_LE(hand["classes"][name]["p99_us"].GetDouble(), hand["all"]["max_us"].GetDouble());
  }
  EXPECT_EQ(json["full_batches"].Size(), 0U);  // no GPU
  ASSERT_EQ(json["callers"].Size(), 1U);
  EXPECT_EQ(json["callers"][0]["callers"].GetUint64(), 3U);
  EXPECT_GT(json["callers"][0]["answers_per_second"].GetDouble(), 0);
  const Outcome outcome = load({"--by-hand", "--callers", "3", "--rate", "300"});
  EXPECT_THAT(outcome.out, HasSubstr("cpu by hand: "));
  EXPECT_THAT(outcome.out, HasSubstr(" in batches of 3\n"));
  EXPECT_THAT(outcome.out, HasSubstr(" answers/s to 3 callers; p50 "));
}

TEST_F(LoadCommand, MeasuresOnlyTheWantedPartsByHand) {
  const rapidjson::Document single = figures({"--by-hand=single", "--rate", "300,600"});
  EXPECT_GT(single["by_hand"][0]["all"]["p50_us"].GetDouble(), 0);
  EXPECT_EQ(single["by_hand"][0]["whole_batches_per_second"].GetDouble(), 0);
  const auto& at_rates = single["by_hand"][0]["at_rates"];
  ASSERT_EQ(at_rates.Size(), 2U);
  for (rapidjson::SizeType i = 0; i < 2; ++i) {
    EXPECT_EQ(at_rates[i]["rate"].GetDouble(), i == 0 ? 300 : 600);
    EXPECT_GT(at_rates[i]["all"]["p50_us"].GetDouble(), 0);
    // A query starts some nanoseconds after it is due.
    EXPECT_GT(at_rates[i]["delays"]["all"]["mean_us"].GetDouble(),
              at_rates[i]["all"]["mean_us"].GetDouble());
    for (const char* figure : {"p50_us", "p99_us", "max_us"}) {
      EXPECT_GE(at_rates[i]["delays"]["all"][figure].GetDouble(),
                at_rates[i]["all"][figure].GetDouble());
    }
    EXPECT_EQ(single["loads"][i]["rate"].GetDouble(), i == 0 ? 300 : 600);
  }
  const rapidjson::Document batches = figures({"--by-hand=batches", "--rate", "300"});
  EXPECT_EQ(batches["by_hand"][0]["all"]["p50_us"].GetDouble(), 0);
  EXPECT_GT(batches["by_hand"][0]["whole_batches_per_second"].GetDouble(), 0);
  EXPECT_EQ(figures({"--by-hand=full", "--rate", "300"})["by_hand"].Size(), 0U);
  expect_complaint(load({"--by-hand=some"}), 2, {"single, batches and full", "'some'"});
}

TEST_F(LoadCommand, HugeQueriesComeAtEvenDistances) {
  const rapidjson::Document json = figures({"--huge-every", "7", "--rate", "700"});
  const auto& one = json["loads"][0];
  const std::uint64_t arrivals = one["all"]["arrivals"].GetUint64();
  EXPECT_EQ(one["classes"]["huge"]["arrivals"].GetUint64(), arrivals / 7);
  EXPECT_EQ(one["classes"]["or, k 10"]["arrivals"].GetUint64(), arrivals - arrivals / 7);
  EXPECT_GT(one["late_memory_bytes"].GetUint64(), 1'000'000U);
}

TEST_F(LoadCommand, TheSameSeedGivesTheSameArrivals) {
  const auto arrivals = [&](const std::string& seed, const std::string& kind) {
    const rapidjson::Document json = figures({"--seed", seed, "--arrivals", kind, "--rate", "300"});
    return json["loads"][0]["all"]["seconds"].GetDouble();  // from the first to the last
  };
  for (const std::string kind : {"poisson", "bursts"}) {
    EXPECT_EQ(arrivals("5", kind), arrivals("5", kind));
    EXPECT_NE(arrivals("5", kind), arrivals("6", kind));
  }
}

TEST_F(LoadCommand, AReplaySendsQueriesAtTheTimesThatTheirIdsAre) {
  const rapidjson::Document json = figures({"--arrivals", "replay", "--rate", "30"});
  const auto& all = json["loads"][0]["all"];
  EXPECT_EQ(all["arrivals"].GetUint64(), 3U);
  EXPECT_NEAR(all["seconds"].GetDouble(), 0.1, 1e-9);
  for (const std::string id : {"first", "1s", "nan", "inf"}) {
    write_file(file("log.tsv"), "0\tpear\n" + id + "\tsky\n");
    expect_complaint(load({"--arrivals", "replay"}), 2, {"times in seconds", "'" + id + "'"});
  }
  write_file(file("log.tsv"), "7\tpear\n7.0\tsky\n");
  expect_complaint(load({"--arrivals", "replay"}), 2, {"different times"});
  write_file(file("log.tsv"), "0\tpear\n1\tsky\n");
  expect_complaint(load({"--arrivals", "replay", "--mix", "or:10,and:10"}), 2,
                   {"each query of the log once", "--mix one kind"});
  EXPECT_EQ(load({"--arrivals", "replay", "--mix", "and:10"}).status, 0);
}

// A microsecond is too short for every query; what becomes of it is the caller's choice.
TEST_F(LoadCommand, WhatIsMissedIsSaid) {
  for (const auto& [choice, member] :
       {std::pair("refuse", "refused"), {"partial", "partial"}, {"wait", ""}}) {
    const rapidjson::Document json =
        figures({"--deadline", "0.001", "--on-overload", choice, "--plot", file("plot.svg")});
    const auto& all = json["loads"][0]["all"];
    EXPECT_EQ(all["missed_share"].GetDouble(), 1) << choice;
    if (*member != '\0') {
      EXPECT_EQ(all[member].GetUint64(), all["arrivals"].GetUint64()) << choice;
    }
    EXPECT_THAT(read_file(file("plot.svg")), Not(HasSubstr("<circle"))) << choice;
  }
  const Outcome outcome = load({"--deadline", "0.001"});
  EXPECT_THAT(outcome.out, HasSubstr("cpu: 1 % missed or more at every rate"));
}

TEST_F(LoadCommand, DrawsALineForEachProcessor) {
  const Outcome outcome = load({"--rate", "400,800", "--plot", file("plot.svg")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string drawn = read_file(file("plot.svg"));
  EXPECT_THAT(drawn, HasSubstr("<svg"));
  for (const std::string part : {"Mean delay", "99th percentile", ">400<", ">800<", ">cpu<"}) {
    EXPECT_THAT(drawn, HasSubstr(part));
  }
  const Outcome to_output = load({"--plot", "-"});
  EXPECT_THAT(to_output.out, ::testing::StartsWith("<svg"));  // and no table
}

TEST_F(LoadCommand, RefusesWhatItCannotTake) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--rate", ","}, "load needs --rate"},
      {{"--find-rate"}, "--find-rate needs --deadline"},
      {{"--find-rate", "--deadline", "100"}, "raise --seconds"},
      {{"--callers", "20000"}, "--capacity of 20000"},
      {{"--max-missed", "100"}, "--max-missed"},
      {{"--callers", "-1"}, "--callers"},
      {{"--huge-every", "-1"}, "--huge-every"},
      {{"--rate", "0"}, "--rate takes numbers above 0"},
      {{"--rate", "10,fast"}, "not 'fast'"},
      {{"--seconds", "0"}, "--seconds"},
      {{"--deadline", "0"}, "--deadline"},
      {{"--arrivals", "daily"}, "not 'daily'"},
      {{"--on-overload", "drop"}, "not 'drop'"},
      {{"--capacity", "0"}, "--capacity takes a whole number from 1 to"},
      {{"--capacity", "-1"}, "--capacity takes a whole number from 1 to"},
      {{"--seconds", "1e10"}, "--seconds takes a number above 0, 1,000,000,000 at most"},
      {{"--rate", "1e9", "--seconds", "0.5"},
       "a load of 1e+09 queries a second for 0.5 s would take 26.0 GB of memory, and --memory "
       "allows 2.1 GB; lower its rate"},
      {{"--rate", "1e6", "--seconds", "1", "--memory", "40M"}, "or allow more by --memory"},
      {{"--huge-every", "1000000000"}, "a plan of 1,000,000,000 queries would take "},
      {{"--mix", ""}, "--mix is empty; give it a value, or leave it out"},
      {{"--mix", ","}, "--mix names nothing; give one or more"},
      {{"--on", ""}, "--on is empty"},
      {{"--on", " , "}, "--on names nothing"},
      {{"--by-hand=,"}, "--by-hand names nothing"},
      {{"--seed", "-1"}, "--seed"},
      {{"--mix", "or:10", "--mode", "or"}, "--mode has no effect"},
      {{"--mix", "or:10", "-k", "10"}, "-k has no effect"},
      {{"--mix", "or"}, "not 'or'"},
      {{"--mix", "or:1.5"}, "not '1.5'"},
      {{"--mix", "or:0"}, "not '0'"},
      {{"--mix", "or:10001"}, "k is 10001"},
      {{"--mix", "maybe:10"}, "'maybe'"},
      {{"--on", "tpu"}, "not 'tpu'"},
      {{"--on", "cpu,both"}, "--on both needs a GPU"},
      {{"--gpu-memory", "1G"}, "--gpu-memory is for the GPU"},
      {{"--json", "-", "--plot", "-"}, "standard output"},
      {{"--json", file("index") + "/x"}, "lies in the index"},
      {{"--plot", file("index") + "/x"}, "lies in the index"},
  };
  for (const auto& [arguments, part] : cases) expect_complaint(load(arguments), 2, {part});
  write_file(file("log.tsv"), "");
  expect_complaint(load({}), 2, {"no queries"});
  expect_complaint(run_warpdex({"load", file("index"), "--rate", "5"}), 2, {"--queries"});
}

TEST_F(LoadCommand, WithoutAGpuTheCpuAnswers) {
  expect_complaint(load({"--device", "gpu"}), 1, {"GPU"});
  const Outcome outcome = load({"--device", "auto"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("GPU"));
  EXPECT_THAT(outcome.out, HasSubstr("cpu: up to"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("both")));
}

TEST_F(LoadCommand, DamagedCostsAreNamed) {
  write_file(file("index.costs.json"), "{}");
  expect_complaint(load({}), 1,
                   {"index.costs.json' is damaged, or holds no costs of queries; run "
                    "'warpdex calibrate' again, or remove the file"});
  write_file(file("index.costs.json"), R"({"format": "warpdex-costs", "version": 9})");
  expect_complaint(load({}), 1,
                   {"index.costs.json' is of version 9 of its format, and this program reads "
                    "version 4; use a newer Warpdex, or run 'warpdex calibrate' again"});
}

TEST_F(LoadCommand, TakesAnIndexOfSeveralPieces) {
  ASSERT_EQ(run_warpdex({"add", file("index"), "--input", "-", "--format", "tsv", "--quiet"},
                        {"d6\tpear pie\n", {}, {}})
                .status,
            0);
  ASSERT_EQ(run_warpdex({"delete", file("index"), "--ids", "-"}, {"d1\n", {}, {}}).status, 0);
  const std::uint64_t arrivals =
      figures({"--deadline", "60000"})["loads"][0]["scheduler"]["complete_on_cpu"].GetUint64();
  EXPECT_GT(arrivals, 20U);
}

TEST_F(LoadCommand, TellsHowMuchMemoryItTakes) {
  // Refused in the end, so that the test does not take long.
  const Outcome outcome = load({"--rate", "6000000", "--seconds", "1", "--device", "gpu"});
  EXPECT_THAT(outcome.err,
              HasSubstr("3 queries and the largest load take about 312.0 MB of memory\n"));
}

// Whatever it waits for: the next query of a slow load, one of a replay, or one by hand.
TEST_F(LoadCommand, ASignalEndsItWithinASecond) {
  using Clock = std::chrono::steady_clock;
  const std::vector<std::vector<std::string>> loads{
      {"--rate", "1e-3", "--seconds", "1e6"},
      {"--rate", "1e-3", "--seconds", "1e6", "--arrivals", "bursts"},
      {"--rate", "1e-3", "--arrivals", "replay"},
      {"--rate", "1e-3", "--seconds", "1e6", "--by-hand=single"},
      {"--callers", "10", "--seconds", "1e6"},
      {"--find-rate", "--deadline", "1e8", "--seconds", "1e6"},
  };
  for (const std::vector<std::string>& more : loads) {
    std::vector<std::string> arguments{"load",          file("index"), "--queries",
                                       file("log.tsv"), "--threads",   "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    RunningWarpdex process(arguments);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const Clock::time_point start = Clock::now();
    process.send_signal(SIGTERM);
    expect_complaint(process.wait(), 128 + SIGTERM, {"interrupted"});
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(1)) << more.back();
  }
}

TEST_F(LoadCommand, ASignalEndsIt) {
  for (const std::string on : {"--rate", "--simulate"}) {
    std::vector<std::string> arguments{"load",   file("index"), "--queries", "-",
                                       "--rate", "100",         "--seconds", "600"};
    if (on == "--simulate") arguments.emplace_back(on);
    // More than a pipe holds, so they are being read when all are sent.
    std::string queries;
    for (int i = 0; i < 20'000; ++i) queries += std::to_string(i) + "\tpear\n";
    RunningWarpdex process(arguments);
    process.send_input(queries);
    process.end_input();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const auto start = std::chrono::steady_clock::now();
    process.send_signal(SIGINT);
    expect_complaint(process.wait(), 128 + SIGINT, {"interrupted"});
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  }
}

}  // namespace
}  // namespace warpdex::test
