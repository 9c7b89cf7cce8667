// --device of search and bench: the GPU gives the CPU's answers, and what happens without one.
#include "tests/tools/collection.hpp"
#include "tests/tools/no_gpus.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

class DeviceCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    build_small_index(index());
    write_file(log(), "q1\tgreen tree\nq2\tpear\nq3\tzebra\nq4\tapple apple sky\n");
  }
  std::string index() const { return folder_ / "index"; }
  std::string log() const { return folder_ / "log.tsv"; }

  Outcome run(const std::string& command, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{command, index(), "--queries", log()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(DeviceCommand, AutoTakesTheCpuWhereThereIsNoGpuAndSaysSo) {
  const NoGpus hidden;
  const std::string right = run("search", {}).out;
  ASSERT_NE(right, "");
  for (const std::string command : {"search", "bench"}) {
    const Outcome outcome = run(command, {"--device", "auto"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("warpdex: working on the CPU: ")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    if (command == "search") {
      EXPECT_EQ(outcome.out, right);
    }
    expect_complaint(run(command, {"--device", "gpu"}), 1, {});
  }
  EXPECT_EQ(run("search", {"--device", "cpu"}).err, "");
}

TEST_F(DeviceCommand, DevicesAreListed) {
  const Outcome human = run_warpdex({"devices"});
  const Outcome listed = run_warpdex({"devices", "--json", "-"});
  EXPECT_EQ(human.status, 0) << human.err;
  EXPECT_EQ(listed.status, 0) << listed.err;
  if (device_count() == 0) {
    EXPECT_EQ(human.out, why_no_device() + "\n");
    EXPECT_EQ(listed.out, R"({"devices":[],"why":")" + why_no_device() + "\"}\n");
    return;
  }
  const DeviceInfo first = device_info(0);
  for (const std::string& out : {human.out, listed.out}) EXPECT_THAT(out, HasSubstr(first.name));
  EXPECT_THAT(listed.out,
              HasSubstr("\"multiprocessors\":" + std::to_string(first.multiprocessors)));
  EXPECT_THAT(listed.out, HasSubstr(R"("searches":true,"why":"")"));
}

/// Also for all tests of the GPU, which may be run so.
TEST_F(DeviceCommand, SmallerGpusAreImitated) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const auto with = [](const std::string& gpu) {
    return run_warpdex({"devices", "--json", "-"},
                       {.under = {"/usr/bin/env", "WARPDEX_GPU=" + gpu}});
  };
  EXPECT_THAT(with("l4").out, HasSubstr(R"("shared_memory_per_block":101376)"));
  EXPECT_THAT(with("t4").out, HasSubstr(R"("capability":"7.5","multiprocessors":40)"));
  expect_complaint(with("k80"), 2, {"WARPDEX_GPU", "t4, l4 or a100"});
}

TEST_F(DeviceCommand, RefusesWhatIsNoDeviceOrSize) {
  for (const std::string command : {"search", "bench"}) {
    expect_complaint(run(command, {"--device", "tpu"}), 2, {"cpu, gpu or auto", "'tpu'"});
  }
  if (device_count() == 0) GTEST_SKIP() << "the rest needs a GPU: " << why_no_device();
  for (const std::string command : {"search", "bench"}) {
    for (const std::string size : {"much", "-1", "1X"}) {
      expect_complaint(run(command, {"--device", "gpu", "--gpu-memory", size}), 2,
                       {"--gpu-memory"});
    }
  }
}

TEST_F(DeviceCommand, BenchTreatsOrAsItIsTold) {
  const auto refuses = [&](std::vector<std::string> given, const std::vector<std::string>& words) {
    given.insert(given.end(), {"--device", "auto"});
    expect_complaint(run("bench", given), 2, words);
  };
  refuses({"--or-by", "guessing"}, {"'guessing'", "searching"});
  refuses({"--in-flight", "0"}, {"--in-flight"});
  refuses({"--batch-size", "-5"}, {"--batch-size"});
  refuses({"--in-flight", "2", "--stages"}, {"--stages", "--in-flight"});
  if (device_count() == 0) GTEST_SKIP() << "the rest needs a GPU: " << why_no_device();
  const std::string file = folder_ / "bench.json";
  for (const std::string method :
       {"cost", "adding-up", "looking-up", "searching", "decoding-once"}) {
    const Outcome outcome =
        run("bench", {"--device", "gpu", "--mode", "or", "--or-by", method, "--json", file});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const rapidjson::Document json = parse_json(read_file(file));
    EXPECT_EQ(json["or_by"].GetString(), method);
    EXPECT_EQ(json["queries_by_processor"]["cpu"].GetUint(), 0U) << method;
  }
}

TEST_F(DeviceCommand, BenchTakesBatchesOnTheCpu) {
  write_file(log(), "q1\tgreen tree\nq2\tpear\nq3\tzebra\nq4\ttree\nq5\tgreen\n");
  const std::string file = folder_ / "bench.json";
  for (const std::string batch : {"0", "1", "2", "5", "9"}) {
    const Outcome outcome = run("bench", {"--device", "cpu", "--batch-size", batch, "--threads",
                                          "3", "--repetitions", "4", "--json", file});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const bool by_batch = batch > "1";
    EXPECT_EQ(outcome.out.find("in batches of") != std::string::npos, by_batch) << batch;
    EXPECT_THAT(outcome.out, HasSubstr(by_batch ? "microseconds per batch" : "per query"));
    const rapidjson::Document json = parse_json(read_file(file));
    EXPECT_EQ(json["batch_size"].GetUint(), by_batch ? std::stoul(batch) : 1U);
    EXPECT_EQ(json["queries_by_processor"]["cpu"].GetUint(), 20U) << batch;
    EXPECT_EQ(json["queries_without_answer"].GetUint(), 1U) << batch;
    EXPECT_GT(json["microseconds"]["mean"].GetDouble(), 0) << batch;
    EXPECT_EQ(std::string(json["timed_region"].GetString()).starts_with("from the end of a batch"),
              by_batch);
  }
}

TEST_F(DeviceCommand, BenchTakesPhrases) {
  const std::string phrases = folder_ / "phrases";
  build_small_index(phrases, {"--positions"});
  write_file(log(), "q1\t\"green apple\"\nq2\t\"zebra sky\"\nq3\t\"apple green\"\n");
  const auto bench = [&](const std::string& device) {
    return run_warpdex({"bench", phrases, "--queries", log(), "--query-syntax", "lucene",
                        "--device", device, "--repetitions", "2", "--json", "-"});
  };
  for (const std::string device : {"cpu", "gpu"}) {
    if (device == "gpu" && device_count() == 0) continue;
    const Outcome outcome = bench(device);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const rapidjson::Document json = parse_json(outcome.out);
    EXPECT_EQ(json["queries_by_processor"][device.c_str()].GetUint(), 6U);
    EXPECT_EQ(json["queries_without_answer"].GetUint(), 1U);
  }
  write_file(log(), "q1\t\"green apple\"\nq2\tzebra\n");
  expect_complaint(bench("cpu"), 2, {"query q2 has no phrase"});
}

TEST_F(DeviceCommand, TheCpuTakesNoOptionOfTheGpus) {
  const std::vector<std::vector<std::string>> options{{"--exhaustive"},     {"--or-by", "cost"},
                                                      {"--no-seeds"},       {"--stages"},
                                                      {"--in-flight", "1"}, {"--gpu-memory", "1G"}};
  for (const std::vector<std::string>& given : options) {
    expect_complaint(run("bench", given), 2, {given[0] + " ", "--device gpu"});
  }
  expect_complaint(run("search", {"--gpu-memory", "1G"}), 2, {"--gpu-memory ", "--device gpu"});
}

TEST_F(DeviceCommand, WhereAutoTakesTheCpuNothingIsSaidOfTheGpusEngine) {
  const NoGpus hidden;
  const Outcome outcome =
      run("bench", {"--device", "auto", "--exhaustive", "--no-seeds", "--stages", "--json", "-"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const rapidjson::Document json = parse_json(outcome.out);
  EXPECT_STREQ(json["device"].GetString(), "cpu");
  EXPECT_EQ(json["batch_size"].GetUint(), 1U);
  for (const char* member :
       {"exhaustive", "seeds", "or_by", "in_flight", "stage_microseconds", "or_choices"}) {
    EXPECT_FALSE(json.HasMember(member)) << member;
  }
}

TEST_F(DeviceCommand, AutoTakesTheCpuWhereTheGpusMemoryIsTooSmall) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const std::string right = run("search", {}).out;
  const Outcome outcome = run("search", {"--device", "auto", "--gpu-memory", "1K"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, right);
  EXPECT_THAT(outcome.err, HasSubstr("working on the CPU: this index needs "));
  expect_complaint(run("search", {"--device", "gpu", "--gpu-memory", "1K"}), 2, {"--gpu-memory"});
}

TEST_F(DeviceCommand, BenchTellsOfStagesAndLists) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const Outcome outcome =
      run("bench", {"--device", "gpu", "--exhaustive", "--no-seeds", "--stages", "--json", "-"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const rapidjson::Document json = parse_json(outcome.out);
  EXPECT_TRUE(json["exhaustive"].GetBool());
  EXPECT_FALSE(json["seeds"].GetBool());
  EXPECT_GT(json["stage_microseconds"]["finish"].GetDouble(), 0);
  const auto& choices = json["or_choices"];
  EXPECT_GT(choices["parts"].GetUint(), 0U);
  EXPECT_EQ(choices["rules"]["rounds-to-add-up"].GetUint(), choices["parts"].GetUint());
  EXPECT_TRUE(json["gpu_lists"]["resident"].GetBool());
  EXPECT_EQ(json["gpu_lists"]["cache_misses"].GetUint(), 0U);
}

TEST_F(DeviceCommand, BenchTellsOfPhases) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  for (const std::string mode : {"or", "and"}) {
    const Outcome outcome = run("bench", {"--device", "gpu", "--mode", mode, "--or-by", "adding-up",
                                          "--stages", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const rapidjson::Document json = parse_json(outcome.out);
    for (const std::string stage : {"match_phases", "tile_phases"}) {
      double sum = 0;
      for (const char* phase : {"decode", "intersect", "score", "select", "wait"}) {
        const double share = json[stage.c_str()][phase].GetDouble();
        EXPECT_LE(share, 1) << stage << ' ' << phase;
        sum += share;
      }
      const bool has_run = (stage == "match_phases") == (mode == "and");
      if (has_run) {
        EXPECT_NEAR(sum, 1, 1e-6) << mode << ' ' << stage;
      }
    }
  }
}

TEST_F(DeviceCommand, GpuAnswersAsTheCpu) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  for (const std::string mode : {"and", "or", "and-or"}) {
    const Outcome right = run("search", {"--mode", mode, "--device", "cpu"});
    for (const std::string device : {"gpu", "auto"}) {
      const Outcome outcome = run("search", {"--mode", mode, "--device", device});
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_EQ(outcome.err, "");
      EXPECT_EQ(outcome.out, right.out) << device;
    }
  }
  const Outcome words = run_warpdex({"search", index(), "--device", "gpu", "green", "tree"});
  EXPECT_EQ(words.out, run_warpdex({"search", index(), "green", "tree"}).out) << words.err;
}

/// The GPU's engine cannot answer queries of more than 1,024 terms; search and bench answer them
/// all the same.
TEST_F(DeviceCommand, TheCpuAnswersWhatTheGpuCannot) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  std::string documents;
  for (int document = 0; document < 20; ++document) {
    std::string words;
    for (int i = 0; i < 1040; i += 1 + document % 7) words += " w" + std::to_string(i);
    documents += R"({"id":"d)" + std::to_string(document) + R"(","contents":")" + words + "\"}\n";
  }
  write_file(folder_ / "wide.jsonl", documents);
  const Outcome built =
      run_warpdex({"index", "--input", folder_ / "wide.jsonl", "--format", "jsonl", "--analyzer",
                   "whitespace", "--output", folder_ / "wide"});
  ASSERT_EQ(built.status, 0) << built.err;
  std::string queries;
  for (const int terms : {3, 1024, 1025, 1040}) {
    queries += "q" + std::to_string(terms) + "\t";
    for (int i = 0; i < terms; ++i) queries += "w" + std::to_string(i) + " ";
    queries += "\n";
  }
  write_file(log(), queries);
  const std::vector<std::string> asked{folder_ / "wide", "--queries", log()};
  const auto run_wide = [&](const std::string& command, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{command};
    arguments.insert(arguments.end(), asked.begin(), asked.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  };
  const Outcome right = run_wide("search", {});
  EXPECT_THAT(right.out, HasSubstr("q1040 Q0 d0 1 "));
  EXPECT_EQ(run_wide("search", {"--device", "gpu"}).out, right.out);
  const Outcome timed = run_wide("bench", {"--device", "gpu", "--repetitions", "3", "--json", "-"});
  ASSERT_EQ(timed.status, 0) << timed.err;
  const rapidjson::Document json = parse_json(timed.out);
  EXPECT_EQ(json["queries_by_processor"]["gpu"].GetUint(), 6U);
  EXPECT_EQ(json["queries_by_processor"]["cpu"].GetUint(), 6U);
  EXPECT_EQ(json["queries_without_answer"].GetUint(), 0U);
}

TEST_F(DeviceCommand, BenchTellsWhichProcessorAnswered) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  std::string many = "long\t";
  for (int i = 0; i < 100; ++i) many += "green ";
  write_file(log(), "q1\tgreen tree\nq2\tpear\nq3\tzebra\n" + many + "\n");
  const std::string file = folder_ / "bench.json";
  for (const std::string batch : {"0", "1", "3"}) {
    // A pass begins while the one before ends; with batches of 3, one thread has a batch of each.
    const std::string in_flight = batch == "0" ? "2" : batch == "1" ? "3" : "1";
    const Outcome outcome =
        run("bench", {"--device", "gpu", "--batch-size", batch, "--in-flight", in_flight,
                      "--threads", "2", "--repetitions", "3", "--json", file});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("by the GPU"));
    const rapidjson::Document json = parse_json(read_file(file));
    EXPECT_STRNE(json["device"].GetString(), "cpu");
    EXPECT_EQ(json["batch_size"].GetUint(), batch == "0" ? 4U : batch == "1" ? 1U : 3U);
    EXPECT_EQ(json["queries_by_processor"]["gpu"].GetUint() +
                  json["queries_by_processor"]["cpu"].GetUint(),
              12U);
    EXPECT_EQ(json["queries_without_answer"].GetUint(), 1U);
    EXPECT_EQ(json["hits"].GetUint(), 3U + 2U + 3U);
  }
}

}  // namespace
}  // namespace warpdex::test
