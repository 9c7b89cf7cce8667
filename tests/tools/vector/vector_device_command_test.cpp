// --device of vector search, bench and kmeans: the GPU gives the CPU's answers, and what happens
// without it.
#include <random>

#include "tests/tools/collection.hpp"
#include "tests/tools/no_gpus.hpp"
#include "tests/tools/vector/fvecs.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// In each reason why there is no GPU: none in the build, no driver, none found.
constexpr const char* kNoGpu = "GPU";

/// Vectors enough for products on the GPU, and queries.
class VectorDeviceCommand : public testing::Test {
 protected:
  VectorDeviceCommand() {
    auto random = generator(1);
    write_file(folder_ / "base.fvecs", fvecs(draw_rows(random, 5000)));
    write_file(folder_ / "queries.fvecs", fvecs(draw_rows(random, 300)));
  }
  static std::vector<std::vector<float>> draw_rows(std::mt19937_64& random, std::size_t count) {
    std::normal_distribution<float> normal;
    std::vector<std::vector<float>> rows(count, std::vector<float>(7));
    for (std::vector<float>& row : rows) {
      for (float& value : row) value = normal(random);
    }
    return rows;
  }
  void build(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "vector",   "build",           "--input", folder_ / "base.fvecs",
        "--output", folder_ / "index", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome built = run_warpdex(arguments);
    ASSERT_EQ(built.status, 0) << built.err;
  }
  Outcome run(const std::string& command, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"vector", command, folder_ / "index", "--queries",
                                       folder_ / "queries.fvecs"};
    if (command == "bench") {
      for (const char* one : {"--batch-sizes", "1,300", "-k", "10", "--repetitions", "1"}) {
        arguments.emplace_back(one);
      }
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  /// With the centroids in FOLDER/centroids.fvecs.
  Outcome find_clusters(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{
        "vector",     "kmeans", "--input",  folder_ / "base.fvecs",
        "--clusters", "20",     "--output", folder_ / "centroids.fvecs"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  TemporaryFolder folder_;
};

/// That it went well, with one line that says why the CPU answered.
void expect_told(const Outcome& outcome, const std::string& why) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("warpdex: working on the CPU: ")) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(why));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST_F(VectorDeviceCommand, AutoTakesTheCpuWhereThereIsNoGpuAndSaysSo) {
  const NoGpus hidden;
  build();
  const Outcome right = run("search", {});
  EXPECT_EQ(right.err, "");
  ASSERT_NE(right.out, "");
  const Outcome found = run("search", {"--device", "auto"});
  expect_told(found, kNoGpu);
  EXPECT_EQ(found.out, right.out);
  expect_complaint(run("search", {"--device", "gpu"}), 1, {kNoGpu});
  const Outcome timed = run("bench", {"--device", "auto", "--json", "-"});
  expect_told(timed, kNoGpu);
  const rapidjson::Document json = parse_json(timed.out);
  EXPECT_STREQ(json["device"].GetString(), "cpu");
  EXPECT_FALSE(json["searches"][0].HasMember("resident"));
  EXPECT_STREQ(json["searches"][0]["processor"].GetString(), "cpu");
  EXPECT_FALSE(json["searches"][0].HasMember("certified"));
  EXPECT_THAT(run("bench", {}).out, Not(HasSubstr("certified")));
  expect_complaint(run("bench", {"--device", "gpu"}), 1, {kNoGpu});
}

TEST_F(VectorDeviceCommand, ClustersAreFoundOnTheCpuWhereThereIsNoGpu) {
  const NoGpus hidden;
  ASSERT_EQ(find_clusters({}).status, 0);
  const std::string right = read_file(folder_ / "centroids.fvecs");
  const Outcome found = find_clusters({"--device", "auto", "--json", "-"});
  expect_told(found, kNoGpu);
  EXPECT_EQ(read_file(folder_ / "centroids.fvecs"), right);
  EXPECT_STREQ(parse_json(found.out)["device"].GetString(), "cpu");
  const Outcome shared = find_clusters({"--device", "auto", "--devices", "0,1"});
  expect_told(shared, kNoGpu);
  EXPECT_THAT(shared.out, HasSubstr(" on the CPU\n"));
  EXPECT_EQ(read_file(folder_ / "centroids.fvecs"), right);
  expect_complaint(find_clusters({"--devices", "0,1"}), 1, {kNoGpu});
  expect_complaint(find_clusters({"--device", "gpu"}), 1, {kNoGpu});
  expect_complaint(find_clusters({"--device", "tpu"}), 2, {"cpu, gpu or auto", "'tpu'"});
  expect_complaint(find_clusters({"--gpu-memory", "1G"}), 2, {"--gpu-memory ", "--device gpu"});
  expect_complaint(find_clusters({"--device", "cpu", "--devices", "0"}), 2,
                   {"--devices ", "--device gpu"});
  for (const std::string list : {"0,x", "1,1", "-1", "0 1", "99999999999"}) {
    for (const std::string device : {"gpu", "auto"}) {
      expect_complaint(find_clusters({"--device", device, "--devices=" + list}), 2,
                       {"--devices", "'" + list + "'"});
    }
  }
  expect_complaint(find_clusters({"--devices", ","}), 2, {"--devices"});
  EXPECT_EQ(read_file(folder_ / "centroids.fvecs"), right);
}

TEST_F(VectorDeviceCommand, ClustersOfTheGpuAreAboutTheCpus) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const auto objective = [&](const std::vector<std::string>& device, const std::string& name) {
    std::vector<std::string> arguments = device;
    arguments.insert(arguments.end(), {"--json", "-"});
    const Outcome found = find_clusters(arguments);
    EXPECT_EQ(found.status, 0) << found.err;
    const rapidjson::Document json = parse_json(found.out);
    EXPECT_EQ(json["device"].GetString(), name);
    return json["objective"].GetDouble();
  };
  const double right = objective({"--device", "cpu"}, "cpu");
  const std::string name = device_info(0).name;
  EXPECT_NEAR(objective({"--device", "gpu"}, name), right, right * 1e-3);
  EXPECT_NEAR(objective({"--devices", "0"}, name), right, right * 1e-3);
  EXPECT_THAT(find_clusters({"--devices", "0"}).out, HasSubstr(" on " + name + "\n"));
  const int count = device_count();
  if (count > 1) {
    const std::string names = name + ", " + device_info(1).name;
    EXPECT_NEAR(objective({"--devices", "0,1"}, names), right, right * 1e-3);
  }
  expect_complaint(find_clusters({"--devices", "0," + std::to_string(count)}), 2,
                   {"no GPU " + std::to_string(count)});
  expect_complaint(find_clusters({"--device", "gpu", "--gpu-memory", "1K"}), 1, {"GPU memory"});
  const Outcome without = find_clusters({"--device", "auto", "--gpu-memory", "1K", "--quiet"});
  expect_told(without, "GPU memory");
}

/// What of an index depends on where it was built.
std::string built_bytes(const std::filesystem::path& index) {
  std::string bytes;
  for (const char* section : {"row_numbers", "centroids", "codes", "codebooks", "terms"}) {
    bytes += read_file(index / "segment-0" / section);
  }
  return bytes;
}

TEST_F(VectorDeviceCommand, InvertedFilesAreBuiltOnTheCpuWhereThereIsNoGpu) {
  const NoGpus hidden;
  const auto build_on = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"vector",   "build",
                                       "--input",  folder_ / "base.fvecs",
                                       "--output", folder_ / "index",
                                       "--index",  "ivf-pq",
                                       "--lists",  "9"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  };
  ASSERT_EQ(build_on({}).status, 0);
  const std::string right = built_bytes(folder_ / "index");
  const Outcome built = build_on({"--device", "auto", "--json", "-"});
  expect_told(built, kNoGpu);
  EXPECT_EQ(built_bytes(folder_ / "index"), right);
  const rapidjson::Document json = parse_json(built.out);
  ASSERT_EQ(json["steps"].Size(), 6U);
  for (const rapidjson::Value& step : json["steps"].GetArray()) {
    EXPECT_STREQ(step["device"].GetString(), "cpu") << step["step"].GetString();
  }
  expect_complaint(build_on({"--device", "gpu"}), 1, {kNoGpu});
  expect_complaint(build_on({"--device", "tpu"}), 2, {"cpu, gpu or auto", "'tpu'"});
  expect_complaint(build_on({"--gpu-memory", "1G"}), 2, {"--gpu-memory ", "--device gpu"});
  expect_complaint(run_warpdex({"vector", "build", "--input", folder_ / "base.fvecs", "--output",
                                folder_ / "flat", "--device", "gpu"}),
                   2, {"--device", "inverted file"});
  EXPECT_EQ(built_bytes(folder_ / "index"), right);
}

TEST_F(VectorDeviceCommand, GpuBuildsInvertedFiles) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const auto build_on = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"vector",   "build",
                                       "--input",  folder_ / "base.fvecs",
                                       "--output", folder_ / "made",
                                       "--index",  "ivf-pq",
                                       "--lists",  "20",
                                       "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  };
  const Outcome built = build_on({"--device", "gpu", "--json", "-"});
  ASSERT_EQ(built.status, 0) << built.err;
  const rapidjson::Document json = parse_json(built.out);
  std::string on_gpu;
  for (const rapidjson::Value& step : json["steps"].GetArray()) {
    if (step["device"] == "gpu") on_gpu += std::string(step["step"].GetString()) + "; ";
  }
  EXPECT_EQ(on_gpu, "training lists; assigning; training codes; encoding; ");
  EXPECT_EQ(run_warpdex({"verify", folder_ / "made"}).status, 0);
  expect_complaint(build_on({"--device", "gpu", "--gpu-memory", "1K"}), 1, {"GPU memory"});
  const Outcome without = build_on({"--device", "auto", "--gpu-memory", "1K"});
  EXPECT_EQ(without.status, 0);
  EXPECT_THAT(without.err, HasSubstr("working on the CPU: k-means of "));
}

TEST_F(VectorDeviceCommand, RefusesWhatIsNoDeviceOrSize) {
  build();
  for (const std::string command : {"search", "bench"}) {
    expect_complaint(run(command, {"--device", "tpu"}), 2, {"cpu, gpu or auto", "'tpu'"});
    expect_complaint(run(command, {"--gpu-memory", "1G"}), 2, {"--gpu-memory ", "--device gpu"});
    for (const std::string device : {"gpu", "auto"}) {
      expect_complaint(run(command, {"--device", device, "--gpu-memory", "much"}), 2,
                       {"--gpu-memory", "'much'"});
    }
  }
}

TEST_F(VectorDeviceCommand, ShardsAndReplicasAreCountedBeforeAnythingStarts) {
  build();
  const std::string right = run("search", {}).out;
  for (const std::string command : {"search", "bench"}) {
    for (const char* device : {"gpu", "auto"}) {
      const auto with = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--device", device});
        return run(command, more);
      };
      expect_complaint(with({"--devices", "0,x"}), 2, {"--devices", "'0,x'"});
      expect_complaint(with({"--devices", "0,0", "--shards", "3"}), 2, {"--shards", "1 to 2"});
      expect_complaint(with({"--devices", "0,0,0", "--shards", "2"}), 2, {"GPUs", "3"});
      expect_complaint(with({"--devices", "0,0,0", "--replicas", "2"}), 2, {"GPUs", "3"});
      expect_complaint(with({"--devices", "0,0", "--shards", "2", "--replicas", "2"}), 2, {"2"});
      expect_complaint(with({"--replicas", "0"}), 2, {"--replicas"});
    }
    expect_complaint(run(command, {"--shards", "2"}), 2, {"--shards", "--device gpu"});
    expect_complaint(run(command, {"--replicas", "2"}), 2, {"--replicas", "--device gpu"});
  }
  const NoGpus hidden;
  const Outcome found = run("search", {"--device", "auto", "--devices", "0,0", "--shards", "2"});
  expect_told(found, kNoGpu);
  EXPECT_EQ(found.out, right);
}

TEST_F(VectorDeviceCommand, SeveralGpusAnswerAsTheCpu) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const std::string last = std::to_string(device_count() - 1);
  const std::vector<std::vector<std::string>> layouts{
      {"--devices", "0,0"},
      {"--devices", "0," + last, "--shards", "2"},
      {"--devices", "0,0,0", "--replicas", "3"},
      {"--devices", "0," + last + ",0," + last, "--shards", "2", "--replicas", "2"}};
  for (const std::vector<std::string>& index :
       std::vector<std::vector<std::string>>{{},
                                             {"--index", "ivf-flat", "--lists", "20"},
                                             {"--index", "ivf-pq", "--lists", "20"},
                                             {"--index", "xfbq", "--bits", "3"},
                                             {"--index", "ivf-xfbq", "--lists", "20"}}) {
    build(index);
    std::vector<std::string> depth{"-k", "12"};
    if (index.size() > 1 && index[1] != "ivf-flat") depth.insert(depth.end(), {"--refine", "40"});
    const std::string right = run("search", depth).out;
    for (std::vector<std::string> layout : layouts) {
      layout.insert(layout.end(), depth.begin(), depth.end());
      const Outcome found = run("search", layout);
      EXPECT_EQ(found.status, 0) << found.err;
      EXPECT_EQ(found.out, right) << layout[1];
    }
  }
  const rapidjson::Document json =
      parse_json(run("bench", {"--devices", "0,0", "--shards", "2", "--json", "-"}).out);
  EXPECT_EQ(json["shards"].GetUint64(), 2U);
  EXPECT_EQ(json["replicas"].GetUint64(), 1U);
  expect_complaint(run("search", {"--devices", "0,0", "--shards", "2", "--gpu-memory", "1K"}), 1,
                   {"on GPU 0: ", "GPU memory"});
}

TEST_F(VectorDeviceCommand, GpuSearchesInvertedFiles) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  build({"--index", "ivf-flat", "--lists", "20"});
  for (const std::string probes : {"1", "7", "20"}) {
    const Outcome right = run("search", {"-k", "12", "--probes", probes});
    const Outcome found = run("search", {"-k", "12", "--probes", probes, "--device", "gpu"});
    EXPECT_EQ(found.status, 0) << found.err;
    EXPECT_EQ(found.out, right.out) << probes << " probes";
  }
}

TEST_F(VectorDeviceCommand, GpuBuildsAndSearchesBinaryCodes) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  for (const std::vector<std::string>& form :
       {std::vector<std::string>{"--bits", "4"}, {"--bits", "3", "--rotate", "--correct"}}) {
    std::vector<std::string> how{"--index", "xfbq"};
    how.insert(how.end(), form.begin(), form.end());
    build(how);
    const std::vector<std::vector<std::string>> searches{
        {"-k", "12"},
        {"-k", "12", "--refine", "60", "--extra", "5"},
        {"-k", "4999", "--query-bits", "7"}};
    for (std::vector<std::string> more : searches) {
      const Outcome right = run("search", more);
      more.insert(more.end(), {"--device", "gpu"});
      const Outcome found = run("search", more);
      EXPECT_EQ(found.status, 0) << found.err;
      EXPECT_EQ(found.out, right.out);
    }
  }
}

TEST_F(VectorDeviceCommand, GpuSearchesCodes) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  build({"--index", "ivf-pq", "--lists", "20", "--bytes", "4", "--bits", "4", "--opq"});
  const std::vector<std::vector<std::string>> searches{
      {"--probes", "1"}, {"--probes", "7", "--refine", "60"}, {"--probes", "20", "-k", "4999"}};
  for (std::vector<std::string> more : searches) {
    const Outcome right = run("search", more);
    more.insert(more.end(), {"--device", "gpu"});
    const Outcome found = run("search", more);
    EXPECT_EQ(found.status, 0) << found.err;
    EXPECT_EQ(found.out, right.out) << more[1] << " probes";
  }
  const Outcome timed = run("bench", {"--device", "gpu", "--refine", "20", "--json", "-"});
  EXPECT_EQ(timed.status, 0) << timed.err;
  const rapidjson::Document json = parse_json(timed.out);
  EXPECT_TRUE(json["searches"][0]["resident"].GetBool());
  EXPECT_STREQ(json["searches"][0]["processor"].GetString(), "gpu");
}

TEST_F(VectorDeviceCommand, GpuWritesTheCpusFiles) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  write_file(folder_ / "filter.txt", "4\n7\n4999\n1\n2500\n");
  const std::vector<std::vector<std::string>> searches{
      {"-k", "1"}, {"-k", "3000"}, {"-k", "2", "--filter", folder_ / "filter.txt"}};
  for (const std::string metric : {"l2", "ip", "cosine"}) {
    for (const std::string store : {"float", "half"}) {
      build({"--metric", metric, "--store", store});
      const auto files = [&](const std::string& device, std::vector<std::string> more) {
        more.insert(more.end(), {"--device", device, "--output", folder_ / "rows.ivecs",
                                 "--distances", folder_ / "distances.fvecs"});
        const Outcome outcome = run("search", more);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return read_file(folder_ / "rows.ivecs") + read_file(folder_ / "distances.fvecs");
      };
      for (const std::vector<std::string>& more : searches) {
        const std::string right = files("cpu", more);
        EXPECT_EQ(files("gpu", more), right) << metric << ' ' << store << ' ' << more[1];
        EXPECT_EQ(files("auto", more), right) << metric << ' ' << store << ' ' << more[1];
      }
      EXPECT_EQ(run("search", {"--radius", "0.5", "--device", "gpu"}).out,
                run("search", {"--radius", "0.5"}).out);
    }
  }
}

TEST_F(VectorDeviceCommand, GpuMemoryThatDoesNotSufficeIsTold) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  build();
  const Outcome found = run("search", {"--device", "auto", "--gpu-memory", "1K"});
  expect_told(found, "GPU memory");
  EXPECT_EQ(found.out, run("search", {}).out);
  expect_complaint(run("search", {"--device", "gpu", "--gpu-memory", "1K"}), 1, {"GPU memory"});
}

TEST_F(VectorDeviceCommand, DamageIsNotUploaded) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  build();
  const std::filesystem::path file = folder_ / "index" / "segment-0" / "norms";
  ASSERT_TRUE(std::filesystem::exists(file));
  std::string bytes = read_file(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(file, bytes);
  for (const std::string device : {"gpu", "auto"}) {
    expect_complaint(run("search", {"--device", device}), 1, {"section 'norms'"});
  }
}

TEST_F(VectorDeviceCommand, BenchTellsWhatProductsSettled) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  build();
  const Outcome timed = run("bench", {"--device", "gpu"});
  EXPECT_EQ(timed.status, 0) << timed.err;
  EXPECT_THAT(timed.out, HasSubstr("certified"));
  EXPECT_THAT(timed.out, HasSubstr("scan"));
  const rapidjson::Document json = parse_json(run("bench", {"--device", "gpu", "--json", "-"}).out);
  EXPECT_EQ(json["device"].GetString(), device_info(0).name);
  EXPECT_TRUE(json["searches"][0]["resident"].GetBool());
  EXPECT_FALSE(json["searches"][0].HasMember("certified"));
  EXPECT_STREQ(json["searches"][0]["processor"].GetString(), "gpu");
  EXPECT_GT(json["searches"][1]["certified"].GetDouble(), 0.9);
}

}  // namespace
}  // namespace warpdex::test
