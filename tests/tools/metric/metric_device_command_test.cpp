// --device of metric build, search and bench: the GPU gives the CPU's index and answers, and what
// happens without it.
#include "tests/tools/collection.hpp"
#include "tests/tools/no_gpus.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

class MetricDeviceCommand : public testing::Test {
 protected:
  MetricDeviceCommand() {
    auto random = generator(1);
    const auto draw = [&](std::size_t lines) {
      std::string text;
      for (std::size_t i = 0; i < lines; ++i) {
        for (std::size_t c = random() % 9; c > 0; --c)
          text += static_cast<char>('a' + random() % 4);
        text += '\n';
      }
      return text;
    };
    write_file(folder_ / "words.txt", draw(2000));
    write_file(folder_ / "queries.txt", draw(1100));
    const Outcome built = build("index", {});
    EXPECT_EQ(built.status, 0) << built.err;
  }
  Outcome build(const std::string& output, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{
        "metric",       "build", "--input",  folder_ / "words.txt", "--distance", "levenshtein",
        "--permutants", "40",    "--output", folder_ / output};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  std::string ranks_of(const std::string& index) const {
    return read_file(folder_ / index / "segment-0" / "permutations");
  }
  Outcome run(const std::string& command, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"metric", command, folder_ / "index", "--queries",
                                       folder_ / "queries.txt"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  TemporaryFolder folder_;
};

TEST_F(MetricDeviceCommand, AutoTakesTheCpuWhereThereIsNoGpuAndSaysSo) {
  const NoGpus hidden;
  const Outcome right = run("search", {"-k", "3"});
  ASSERT_NE(right.out, "");
  const Outcome found = run("search", {"-k", "3", "--device", "auto"});
  EXPECT_EQ(found.out, right.out);
  EXPECT_TRUE(found.err.starts_with("warpdex: working on the CPU: ")) << found.err;
  expect_complaint(run("search", {"--device", "gpu"}), 1, {"GPU"});
  expect_complaint(run("search", {"--device", "tpu"}), 2, {"cpu, gpu or auto", "'tpu'"});
  expect_complaint(run("search", {"--gpu-memory", "1G"}), 2, {"--gpu-memory ", "--device gpu"});
  expect_complaint(run("bench", {"-k", "1", "--device", "gpu"}), 1, {"GPU"});
  const Outcome built = build("other", {"--device", "auto"});
  EXPECT_EQ(built.status, 0);
  EXPECT_TRUE(built.err.starts_with("warpdex: working on the CPU: ")) << built.err;
  EXPECT_EQ(ranks_of("other"), ranks_of("index"));
  expect_complaint(build("none", {"--device", "gpu"}), 1, {"GPU"});
  expect_complaint(build("none", {"--device", "tpu"}), 2, {"cpu, gpu or auto", "'tpu'"});
  expect_complaint(build("none", {"--gpu-memory", "1G"}), 2, {"--gpu-memory ", "--device gpu"});
}

TEST_F(MetricDeviceCommand, TheGpuBuildsTheCpusIndex) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  for (const std::string memory : {"300K", "1G"}) {
    const Outcome built = build("gpu-" + memory, {"--device", "gpu", "--gpu-memory", memory});
    EXPECT_EQ(built.status, 0) << built.err;
    EXPECT_EQ(built.err, "");
    EXPECT_EQ(ranks_of("gpu-" + memory), ranks_of("index"));
  }
  expect_complaint(build("none", {"--device", "gpu", "--gpu-memory", "1K"}), 1,
                   {"MiB of GPU memory", "CPU"});
  const Outcome little = build("little", {"--device", "auto", "--gpu-memory", "1K"});
  EXPECT_EQ(little.status, 0);
  EXPECT_THAT(little.err, HasSubstr("working on the CPU"));
  EXPECT_EQ(ranks_of("little"), ranks_of("index"));
}

TEST_F(MetricDeviceCommand, TheGpuAnswersAsTheCpu) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  for (const std::vector<std::string>& kind :
       std::vector<std::vector<std::string>>{{"-k", "3"},
                                             {"-k", "2000", "--share", "0.02"},
                                             {"-k", "5", "--exact"},
                                             {"--radius", "2"},
                                             {"--radius", "1.5", "--exact"},
                                             {"-k", "2", "--compare", "tau", "--share", "0.01"}}) {
    std::vector<std::string> on_gpu = kind;
    on_gpu.insert(on_gpu.end(), {"--device", "gpu"});
    const Outcome found = run("search", on_gpu);
    EXPECT_EQ(found.err, "");
    EXPECT_EQ(found.out, run("search", kind).out) << kind[0] << " " << kind[1];
  }
  const Outcome bench =
      run("bench", {"-k", "2", "--repetitions", "1", "--device", "gpu", "--json", "-"});
  EXPECT_EQ(bench.status, 0) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr(device_info(0).name));
  write_file(folder_ / "queries.txt", "a\n");
  const Outcome little = run("search", {"-k", "1", "--device", "auto", "--gpu-memory", "10K"});
  EXPECT_EQ(little.out, run("search", {"-k", "1"}).out);
  EXPECT_THAT(little.err, HasSubstr("working on the CPU"));
}

TEST_F(MetricDeviceCommand, DamageIsFoundBeforeItIsUploaded) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const std::string texts = folder_ / "index" / "segment-0" / "texts";
  std::string bytes = read_file(texts);
  bytes[bytes.size() / 2] ^= 1;
  write_file(texts, bytes);
  expect_complaint(run("search", {"--device", "gpu"}), 1, {"damaged", "texts"});
}

}  // namespace
}  // namespace warpdex::test
