// warpdex calibrate: the costs that it stores, the errors that it tells, and what it refuses.
#include <csignal>

#include "tests/tools/collection.hpp"
#include "tests/tools/no_gpus.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

/// Queries of one to three words of the small collection.
std::string some_queries(std::size_t count) {
  const std::vector<std::string> words{"red", "apple", "green", "pear", "tree", "garden", "sky"};
  std::mt19937_64 random = generator(890);
  std::string queries;
  for (std::size_t i = 0; i < count; ++i) {
    queries += std::to_string(i) + "\t";
    for (std::size_t word = 0; word <= i % 3; ++word) queries += words[random() % 7] + " ";
    queries += "\n";
  }
  return queries;
}

class CalibrateCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    build_small_index(folder_ / "index");
    write_file(folder_ / "log.tsv", some_queries(60));
  }
  std::string file(const std::string& name) const { return folder_ / name; }
  Outcome calibrate(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"calibrate", file("index"), "--queries", file("log.tsv")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }

  NoGpus no_gpus_;
  TemporaryFolder folder_;
};

TEST_F(CalibrateCommand, StoresCostsBesideTheIndexAndTellsTheirErrors) {
  const Outcome outcome = calibrate({"--modes", "or,and", "--ks", "1,10", "--threads", "2"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(names_in(folder_.path()),
              UnorderedElementsAre("index", "index.costs.json", "log.tsv"));
  const rapidjson::Document costs = parse_json(read_file(file("index.costs.json")));
  EXPECT_EQ(costs["documents"].GetUint64(), 5U);
  for (const char* name : {"and", "and+count", "or", "or+count", "and-or", "and-or+count"}) {
    EXPECT_GE(costs["classes"][name]["cpu"].Size(), 1U) << name;
  }
  for (const std::string part : {"mean error %", "or ", "and ", "cpu", "linear", "tree", "120"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  EXPECT_THAT(outcome.out, ::testing::Not(HasSubstr("gpu")));
  // The scheduler takes them.
  EXPECT_EQ(run_warpdex({"load", file("index"), "--queries", file("log.tsv"), "--rate", "500",
                         "--seconds", "0.05"})
                .status,
            0);
}

TEST_F(CalibrateCommand, WritesItsErrorsAsJson) {
  const Outcome outcome = calibrate({"--modes", "and-or", "--ks", "10", "--json", "-"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const rapidjson::Document json = parse_json(outcome.out);
  std::vector<std::string> models;
  for (const auto& error : json["errors"].GetArray()) {
    EXPECT_STREQ(error["queries"].GetString(), "and-or");
    EXPECT_STREQ(error["cost"].GetString(), "cpu");
    EXPECT_EQ(error["samples"].GetUint64(), 60U);
    EXPECT_GT(error["mean_relative_error"].GetDouble(), 0);
    EXPECT_GE(error["p95_relative_error"].GetDouble(), 0);
    models.emplace_back(error["model"].GetString());
  }
  EXPECT_THAT(models, UnorderedElementsAre("tree", "linear"));
}

TEST_F(CalibrateCommand, TakesQueriesUpToALimit) {
  const Outcome outcome =
      calibrate({"--modes", "or", "--ks", "10", "--limit", "25", "--json", file("errors.json")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const rapidjson::Document json = parse_json(read_file(file("errors.json")));
  ASSERT_GE(json["errors"].Size(), 1U);
  EXPECT_EQ(json["errors"][0]["samples"].GetUint64(), 25U);
  EXPECT_THAT(outcome.out, HasSubstr("mean error %"));
}

TEST_F(CalibrateCommand, RefusesWhatItCannotTake) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--modes", "maybe"}, "'maybe'"},
      {{"--ks", "ten"}, "not 'ten'"},
      {{"--ks", "0"}, "not '0'"},
      {{"--ks", "10001"}, "k is 10001"},
      {{"--limit", "0"}, "--limit"},
      {{"--repetitions", "0"}, "--repetitions"},
      {{"--json", file("index") + "/x"}, "lies in the index"},
      {{"--mode", "and"}, "--mode has no effect"},
      {{"-k", "5"}, "-k has no effect"},
      {{"--gpu-memory", "1G"}, "--gpu-memory is for the GPU"},
  };
  for (const auto& [arguments, part] : cases) expect_complaint(calibrate(arguments), 2, {part});
  expect_complaint(calibrate({"--device", "gpu"}), 1, {"GPU"});
  expect_complaint(run_warpdex({"calibrate", file("index")}), 2, {"--queries"});
  write_file(file("log.tsv"), "");
  expect_complaint(calibrate({}), 2, {"no queries"});
  write_file(file("log.tsv"), "1\tno term of the index\n");
  expect_complaint(calibrate({"--ks", "10"}), 2, {"too few queries", "at least 20"});
  EXPECT_THAT(names_in(folder_.path()), UnorderedElementsAre("index", "log.tsv"));
}

TEST_F(CalibrateCommand, ASignalLeavesNoCosts) {
  RunningWarpdex process(
      {"calibrate", file("index"), "--queries", "-", "--repetitions", "1000", "--limit", "20000"});
  process.send_input(some_queries(20'000));  // more than a pipe holds: they are being read
  process.end_input();
  process.send_signal(SIGINT);
  expect_complaint(process.wait(), 128 + SIGINT, {"interrupted"});
  EXPECT_THAT(names_in(folder_.path()), UnorderedElementsAre("index", "log.tsv"));
}

}  // namespace
}  // namespace warpdex::test
