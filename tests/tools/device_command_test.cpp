// --device of search and bench: the GPU gives the CPU's answers, and what happens without one.
#include <cstdlib>
#include <optional>

#include "tests/tools/collection.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

/// Hides all GPUs from the programs that are started while it lives.
class NoGpus {
 public:
  NoGpus() {
    if (const char* value = std::getenv(kName)) before_ = value;
    ::setenv(kName, "-1", 1);
  }
  ~NoGpus() {
    if (before_) {
      ::setenv(kName, before_->c_str(), 1);
    } else {
      ::unsetenv(kName);
    }
  }
  NoGpus(const NoGpus&) = delete;
  NoGpus& operator=(const NoGpus&) = delete;

 private:
  static constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
  std::optional<std::string> before_;
};

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
    EXPECT_TRUE(outcome.err.starts_with("warpdex: answering on the CPU: ")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    if (command == "search") {
      EXPECT_EQ(outcome.out, right);
    }
    expect_complaint(run(command, {"--device", "gpu"}), 1, {});
  }
  EXPECT_EQ(run("search", {"--device", "cpu"}).err, "");
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
  expect_complaint(run("bench", {"--or-by", "guessing"}), 2, {"'guessing'", "global-memory"});
  expect_complaint(run("bench", {"--in-flight", "0"}), 2, {"--in-flight"});
  expect_complaint(run("bench", {"--in-flight", "2", "--stages"}), 2, {"--stages", "--in-flight"});
  if (device_count() == 0) GTEST_SKIP() << "the rest needs a GPU: " << why_no_device();
  const std::string file = folder_ / "bench.json";
  for (const std::string method : {"cost", "adding-up", "looking-up", "global-memory"}) {
    const Outcome outcome =
        run("bench", {"--device", "gpu", "--mode", "or", "--or-by", method, "--json", file});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const rapidjson::Document json = parse_json(read_file(file));
    EXPECT_EQ(json["or_by"].GetString(), method);
    EXPECT_EQ(json["queries_by_processor"]["cpu"].GetUint(), 0U) << method;
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

TEST_F(DeviceCommand, BenchTellsWhichProcessorAnswered) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  std::string many = "long\t";
  for (int i = 0; i < 100; ++i) many += "green ";
  write_file(log(), "q1\tgreen tree\nq2\tpear\nq3\tzebra\n" + many + "\n");
  const std::string file = folder_ / "bench.json";
  for (const std::string batch : {"0", "1", "3"}) {
    const std::string in_flight = batch == "1" ? "3" : "1";  // then one has a batch and one none
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
