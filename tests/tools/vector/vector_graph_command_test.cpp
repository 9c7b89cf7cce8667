// warpdex vector graph and path, run as a person would.
#include <cstring>
#include <limits>
#include <random>

#include "tests/tools/collection.hpp"
#include "tests/tools/vector/fvecs.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Five points on a line, two of them at one place.
class VectorGraphCommand : public testing::Test {
 protected:
  VectorGraphCommand() {
    write_file(folder_ / "base.fvecs", vecs<float>({{0, 0}, {1, 0}, {3, 0}, {3, 0}, {7, 0}}));
  }
  Outcome build(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "vector", "build", "--input", folder_ / "base.fvecs", "--output", folder_ / "index"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  Outcome graph(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"vector", "graph", folder_ / "index"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  Outcome path(const std::string& file, const std::string& from, const std::string& to,
               const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "vector", "path", "--vectors", folder_ / "index", "--graph", folder_ / file, "--from",
        from,     "--to", to};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  TemporaryFolder folder_;
};

TEST_F(VectorGraphCommand, WritesTheNearestOthersOfEachRow) {
  ASSERT_EQ(build().status, 0);
  const Outcome made = graph(
      {"-k", "2", "--output", folder_ / "graph.ivecs", "--distances", folder_ / "graph.fvecs"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.out, "");
  EXPECT_EQ(read_file(folder_ / "graph.ivecs"),
            vecs<std::int32_t>({{1, 2}, {0, 2}, {3, 1}, {2, 1}, {2, 3}}));
  EXPECT_EQ(read_file(folder_ / "graph.fvecs"),
            vecs<float>({{1, 9}, {1, 4}, {0, 4}, {0, 4}, {16, 16}}));
  EXPECT_EQ(graph({"-k", "1", "--output", folder_ / "lines.tsv"}).status, 0);
  EXPECT_EQ(read_file(folder_ / "lines.tsv"), "0\t1\t1\n1\t0\t1\n2\t3\t0\n3\t2\t0\n4\t2\t16\n");
  EXPECT_EQ(graph({"-k", "4", "--output", folder_ / "all.ivecs", "--threads", "1"}).status, 0);
  EXPECT_EQ(
      read_file(folder_ / "all.ivecs"),
      vecs<std::int32_t>({{1, 2, 3, 4}, {0, 2, 3, 4}, {3, 1, 0, 4}, {2, 1, 0, 4}, {2, 3, 1, 0}}));
}

TEST_F(VectorGraphCommand, SymmetricListsArePaddedToTheLongest) {
  ASSERT_EQ(build().status, 0);
  const Outcome made = graph({"-k", "1", "--symmetric", "--output", folder_ / "graph.ivecs",
                              "--distances", folder_ / "graph.fvecs"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.err, "");
  EXPECT_EQ(read_file(folder_ / "graph.ivecs"),
            vecs<std::int32_t>({{1, -1}, {0, -1}, {3, 4}, {2, -1}, {2, -1}}));
  EXPECT_EQ(
      read_file(folder_ / "graph.fvecs"),
      vecs<float>({{1, kInfinity}, {1, kInfinity}, {0, 16}, {0, kInfinity}, {16, kInfinity}}));
  // A point amidst five is the nearest of all of them.
  write_file(folder_ / "base.fvecs",
             vecs<float>({{0, 0}, {10, 0}, {3, 10}, {-9, 6}, {-9, -7}, {4, -11}}));
  ASSERT_EQ(build().status, 0);
  const Outcome cut = graph({"-k", "1", "--symmetric", "--output", folder_ / "graph.ivecs"});
  EXPECT_EQ(cut.status, 0) << cut.err;
  EXPECT_THAT(cut.err, HasSubstr("1 row had more than 4 neighbours"));
  EXPECT_EQ(read_file(folder_ / "graph.ivecs"), vecs<std::int32_t>({{1, 2, 3, 4},
                                                                    {0, -1, -1, -1},
                                                                    {0, -1, -1, -1},
                                                                    {0, -1, -1, -1},
                                                                    {0, -1, -1, -1},
                                                                    {0, -1, -1, -1}}));
}

TEST_F(VectorGraphCommand, SearchesInvertedFilesAsDeepAsAsked) {
  const std::string exact = vecs<std::int32_t>({{1, 2}, {0, 2}, {3, 1}, {2, 1}, {2, 3}});
  ASSERT_EQ(build({"--index", "ivf-flat", "--lists", "2"}).status, 0);
  ASSERT_EQ(graph({"-k", "2", "--probes", "2", "--output", folder_ / "graph.ivecs"}).status, 0);
  EXPECT_EQ(read_file(folder_ / "graph.ivecs"), exact);
  ASSERT_EQ(graph({"-k", "4", "--probes", "1", "--output", folder_ / "few.tsv"}).status, 0);
  EXPECT_LT(read_file(folder_ / "few.tsv").size(), 20 * std::strlen("0\t1\t16\n"));
  expect_complaint(graph({"-k", "2", "--refine", "3", "--output", folder_ / "x.ivecs"}), 2,
                   {"--refine"});
  ASSERT_EQ(build({"--index", "ivf-pq", "--lists", "1", "--bytes", "1"}).status, 0);
  ASSERT_EQ(graph({"-k", "2", "--refine", "5", "--output", folder_ / "graph.ivecs", "--distances",
                   folder_ / "graph.fvecs"})
                .status,
            0);
  EXPECT_EQ(read_file(folder_ / "graph.ivecs"), exact);
  EXPECT_EQ(read_file(folder_ / "graph.fvecs"),
            vecs<float>({{1, 9}, {1, 4}, {0, 4}, {0, 4}, {16, 16}}));
  ASSERT_EQ(build({"--index", "ivf-pq", "--lists", "1", "--no-vectors"}).status, 0);
  expect_complaint(graph({"-k", "2", "--output", folder_ / "x.ivecs"}), 2, {"keeps no vectors"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.ivecs"));
}

// By every kind of index, searched by every metric.
TEST_F(VectorGraphCommand, TheGpusGraphIsTheCpus) {
  auto random = generator(7);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> rows(6'000, std::vector<float>(16));
  for (std::vector<float>& row : rows) {
    for (float& value : row) value = normal(random);
  }
  write_file(folder_ / "base.fvecs", vecs(rows));
  const auto made = [&](const std::string& device) {
    const Outcome outcome = graph({"-k", "9", "--device", device, "--output", folder_ / "a.ivecs",
                                   "--distances", folder_ / "a.fvecs"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return read_file(folder_ / "a.ivecs") + read_file(folder_ / "a.fvecs");
  };
  for (const char* metric : {"l2", "cosine"}) {
    for (const char* kind : {"flat", "ivf-flat", "ivf-pq"}) {
      SCOPED_TRACE(std::string(kind) + " " + metric);
      std::filesystem::remove_all(folder_ / "index");
      ASSERT_EQ(build({"--index", kind, "--metric", metric, "--quiet"}).status, 0);
      const std::string right = made("cpu");
      EXPECT_EQ(made("auto"), right);
      if (device_count() > 0) {
        EXPECT_EQ(made("gpu"), right);
      }
    }
  }
  if (device_count() > 0) return;
  const Outcome refused = graph({"-k", "9", "--device", "gpu", "--output", folder_ / "a.ivecs"});
  expect_complaint(refused, 1, {"GPU"});
  GTEST_SKIP() << "the rest needs a GPU: " << why_no_device();
}

TEST_F(VectorGraphCommand, PathsGoBySmallSteps) {
  write_file(folder_ / "ids.txt", "zero\none\nthree\nagain\nseven\n");
  ASSERT_EQ(build({"--ids", folder_ / "ids.txt"}).status, 0);
  ASSERT_EQ(graph({"-k", "4", "--output", folder_ / "graph.ivecs"}).status, 0);
  EXPECT_EQ(path("graph.ivecs", "0", "2").out, "0\tzero\t\n1\tone\t1\n2\tthree\t4\n");
  // Where a step of 16 must be, one of 9 may be too.
  EXPECT_EQ(path("graph.ivecs", "0", "4").out, "0\tzero\t\n2\tthree\t9\n4\tseven\t16\n");
  EXPECT_EQ(path("graph.ivecs", "3", "3").out, "3\tagain\t\n");
  const Outcome json = path("graph.ivecs", "4", "3", {"--json", "-"});
  EXPECT_EQ(json.out,
            "{\"steps\":1,\"largest_step\":16,\"path\":[{\"row\":4,\"id\":\"seven\"},"
            "{\"row\":3,\"id\":\"again\",\"distance\":16}]}\n");
  EXPECT_EQ(path("graph.ivecs", "1", "1", {"--json", folder_ / "x.json"}).out, "1\tone\t\n");
  EXPECT_EQ(read_file(folder_ / "x.json"), "{\"steps\":0,\"path\":[{\"row\":1,\"id\":\"one\"}]}\n");
  // For products the largest step is the smallest product.
  ASSERT_EQ(build({"--metric", "ip"}).status, 0);
  EXPECT_EQ(path("graph.ivecs", "1", "2", {"--json", "-"}).out,
            "{\"steps\":2,\"largest_step\":7,\"path\":[{\"row\":1},{\"row\":4,\"distance\":7},"
            "{\"row\":2,\"distance\":21}]}\n");
}

TEST_F(VectorGraphCommand, NoPathIsSaidInASentence) {
  ASSERT_EQ(build().status, 0);
  ASSERT_EQ(graph({"-k", "1", "--output", folder_ / "graph.ivecs"}).status, 0);
  expect_complaint(path("graph.ivecs", "0", "4", {"--json", folder_ / "x.json"}), 1,
                   {"no path leads from row 0 to row 4", "graph.ivecs"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.json"));
  EXPECT_EQ(path("graph.ivecs", "4", "3").out, "4\t4\t\n2\t2\t16\n3\t3\t0\n");
}

TEST_F(VectorGraphCommand, BadCallsGetASentence) {
  ASSERT_EQ(build().status, 0);
  const std::string output = folder_ / "graph.ivecs";
  expect_complaint(graph({"--output", output}), 2, {"-k"});
  expect_complaint(graph({"-k", "2"}), 2, {"--output"});
  expect_complaint(graph({"-k", "0", "--output", output}), 2, {"-k", "1 or more", "0"});
  expect_complaint(graph({"-k", "1", "--probes", "1", "--output", output}), 2, {"no lists"});
  expect_complaint(graph({"-k", "1", "--output", folder_ / "index/x.ivecs"}), 2,
                   {"lies in the index"});
  expect_complaint(graph({"-k", "1", "--output", folder_ / "x.fvecs"}), 2, {"x.fvecs"});
  expect_complaint(graph({"-k", "1", "--output", output, "--distances", output}), 2,
                   {"--output", "--distances"});
  EXPECT_FALSE(std::filesystem::exists(output));
  write_file(output, vecs<std::int32_t>({{1}, {2}, {-1}, {2}, {3}}));
  EXPECT_EQ(path("graph.ivecs", "0", "2").status, 0);
  expect_complaint(path("graph.ivecs", "0", "5"), 2, {"--to", "0 to 4"});
  expect_complaint(path("graph.ivecs", "-1", "2"), 2, {"--from", "0 to 4"});
  expect_complaint(path("graph.ivecs", "0", "2", {"--json", output}), 2, {"is an input"});
  write_file(output, vecs<std::int32_t>({{1}, {2}, {-1}, {5}, {3}}));
  expect_complaint(path("graph.ivecs", "0", "2"), 1, {"row 3, column 0", "5"});
  write_file(output, vecs<std::int32_t>({{1}, {2}, {-1}}));
  expect_complaint(path("graph.ivecs", "0", "2"), 1, {"3 rows", "5"});
  expect_complaint(path("none.ivecs", "0", "2"), 1, {"none.ivecs"});
  write_file(folder_ / "base.fvecs", vecs<float>({{1, 2}}));
  ASSERT_EQ(build().status, 0);
  EXPECT_THAT(graph({"-k", "1", "--output", output}).err, HasSubstr("has 0 others"));
  write_file(folder_ / "base.fvecs", vecs<float>({{1, 2}, {1, 2}}));
  ASSERT_EQ(build().status, 0);
  EXPECT_EQ(graph({"-k", "1", "--output", output}).status, 0);
  EXPECT_EQ(read_file(output), vecs<std::int32_t>({{1}, {0}}));
}

TEST_F(VectorGraphCommand, AFailureLeavesWhatWasThere) {
  write_file(folder_ / "base.fvecs", vecs<float>(std::vector<std::vector<float>>(200, {1, 2})));
  ASSERT_EQ(build().status, 0);
  const std::string output = folder_ / "graph.ivecs";
  write_file(output, "before");
  const std::vector<std::string> before = names_in(folder_.path());
  for (const char* more : {"--threads=1", "--symmetric"}) {
    const Outcome made = run_warpdex({"vector", "graph", folder_ / "index", "-k", "1", "--output",
                                      output, "--distances", folder_ / "x.fvecs", more},
                                     {.file_size_limit = 1000});
    EXPECT_EQ(made.status, 1) << made.err;
    EXPECT_THAT(made.err, HasSubstr("cannot write"));
    EXPECT_EQ(read_file(output), "before");
    EXPECT_EQ(names_in(folder_.path()), before);
  }
}

}  // namespace
}  // namespace warpdex::test
