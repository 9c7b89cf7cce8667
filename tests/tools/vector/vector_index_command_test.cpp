// warpdex vector build, search and kmeans, run as a person would.
#include <cmath>
#include <cstring>

#include "tests/tools/collection.hpp"
#include "tests/tools/vector/fvecs.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

std::vector<std::int32_t> numbers_of(const std::string& bytes) {
  std::vector<std::int32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

/// Four points on a line, and two queries.
class VectorIndexCommand : public testing::Test {
 protected:
  VectorIndexCommand() {
    write_file(folder_ / "base.fvecs", fvecs({{0, 0}, {1, 0}, {2, 0}, {10, 0}}));
    write_file(folder_ / "queries.fvecs", fvecs({{1.75F, 0}, {9, 0}}));
  }
  Outcome build(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "vector", "build", "--input", folder_ / "base.fvecs", "--output", folder_ / "index"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  Outcome search(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"vector", "search", folder_ / "index", "--queries",
                                       folder_ / "queries.fvecs"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  TemporaryFolder folder_;
};

TEST_F(VectorIndexCommand, AnswersAsLinesAsFilesAndAsJson) {
  const Outcome built = build();
  ASSERT_EQ(built.status, 0) << built.err;
  EXPECT_THAT(built.out, HasSubstr("4 vectors of 2 components (l2, float)"));
  EXPECT_EQ(search({"-k", "2"}).out, "0\t2\t0.0625\n0\t1\t0.5625\n1\t3\t1\n1\t2\t49\n");
  const Outcome files = search(
      {"-k", "2", "--output", folder_ / "rows.ivecs", "--distances", folder_ / "distances.fvecs"});
  EXPECT_EQ(files.status, 0) << files.err;
  EXPECT_EQ(files.out, "");
  EXPECT_THAT(numbers_of(read_file(folder_ / "rows.ivecs")),
              ::testing::ElementsAre(2, 2, 1, 2, 3, 2));
  EXPECT_EQ(read_file(folder_ / "distances.fvecs"), fvecs({{0.0625F, 0.5625F}, {1, 49}}));
  const Outcome json = search({"-k", "1", "--json", "-"});
  EXPECT_EQ(
      json.out,
      "{\"query\":0,\"distance_is\":\"exact\",\"neighbors\":[{\"row\":2,\"distance\":0.0625}]}\n"
      "{\"query\":1,\"distance_is\":\"exact\",\"neighbors\":[{\"row\":3,\"distance\":1}]}\n");
  EXPECT_THAT(run_warpdex({"verify", folder_ / "index"}).out,
              HasSubstr("is whole: 3 sections, 4 vectors"));
}

TEST_F(VectorIndexCommand, OtherMetricsRangesFiltersAndIds) {
  write_file(folder_ / "ids.txt", "zero\none\ntwo\nten\n");
  write_file(folder_ / "allowed.txt", "ten\nzero\n");
  ASSERT_EQ(build({"--ids", folder_ / "ids.txt"}).status, 0);
  EXPECT_EQ(search({"--radius", "1"}).out, "0\ttwo\t0.0625\n0\tone\t0.5625\n1\tten\t1\n");
  EXPECT_EQ(search({"-k", "1", "--filter", folder_ / "allowed.txt"}).out,
            "0\tzero\t3.0625\n1\tten\t1\n");
  const Outcome few =
      search({"-k", "3", "--filter", folder_ / "allowed.txt", "--output", folder_ / "few.ivecs"});
  EXPECT_EQ(few.status, 0) << few.err;
  EXPECT_THAT(numbers_of(read_file(folder_ / "few.ivecs")),
              ::testing::ElementsAre(3, 0, 3, -1, 3, 3, 0, -1));
  ASSERT_EQ(build({"--metric", "ip", "--store", "half", "--quiet"}).status, 0);
  EXPECT_EQ(search({"-k", "1"}).out, "0\t3\t17.5\n1\t3\t90\n");
  EXPECT_EQ(search({"--radius", "18"}).out, "1\t3\t90\n1\t2\t18\n");
  ASSERT_EQ(build({"--metric", "cosine"}).status, 0);
  EXPECT_EQ(search({"-k", "2"}).out, "0\t1\t1\n0\t2\t1\n1\t1\t1\n1\t2\t1\n");
}

TEST_F(VectorIndexCommand, InvertedFilesProbeAsManyListsAsAsked) {
  const Outcome built = build({"--index", "ivf-flat", "--lists", "2"});
  ASSERT_EQ(built.status, 0) << built.err;
  EXPECT_EQ(search({"-k", "2", "--probes", "2"}).out,
            "0\t2\t0.0625\n0\t1\t0.5625\n1\t3\t1\n1\t2\t49\n");
  // The second query's list has one vector.
  EXPECT_EQ(search({"-k", "2", "--probes", "1"}).out, "0\t2\t0.0625\n0\t1\t0.5625\n1\t3\t1\n");
  EXPECT_EQ(search({"--radius", "50", "--probes", "1"}).out.find("1\t2\t49"), std::string::npos);
  EXPECT_THAT(run_warpdex({"verify", folder_ / "index"}).out, HasSubstr("is whole"));
  EXPECT_EQ(
      run_warpdex({"vector", "bench", folder_ / "index", "--queries", folder_ / "queries.fvecs",
                   "-k", "1", "--repetitions", "1", "--probes", "1"})
          .status,
      0);
  EXPECT_THAT(run_warpdex({"stats", folder_ / "index"}).out, HasSubstr("2, of 1 to 3 vectors"));
  const rapidjson::Document stats =
      parse_json(run_warpdex({"stats", folder_ / "index", "--json", "-"}).out);
  EXPECT_EQ(stats["vectors"].GetInt(), 4);
  EXPECT_EQ(stats["largest_list"].GetInt(), 3);
  expect_complaint(search({"--probes", "0"}), 2, {"--probes"});
  expect_complaint(build({"--index", "ivf-flat", "--lists", "5"}), 2, {"4 vectors", "not 5"});
  expect_complaint(build({"--index", "ivf-flat", "--lists", "3", "--train", "2"}), 2,
                   {"3 lists", "not on 2"});
  EXPECT_EQ(build({"--index", "ivf-flat", "--lists", "3", "--train", "3"}).status, 0);
  for (const std::vector<std::string>& seed :
       {std::vector<std::string>{"--seed", "-1"}, {"--seed=-1"}}) {
    std::vector<std::string> arguments{"--index", "ivf-flat"};
    arguments.insert(arguments.end(), seed.begin(), seed.end());
    expect_complaint(build(arguments), 2, {"--seed takes a whole number from 0 on, not -1"});
  }
  expect_complaint(build({"--index", "xfbq", "--seed", "2"}), 2, {"--seed", "--rotate"});
  expect_complaint(build({"--lists", "2"}), 2, {"ivf-flat"});
  ASSERT_EQ(build().status, 0);
  expect_complaint(search({"--probes", "1"}), 2, {"no lists to probe"});
}

TEST_F(VectorIndexCommand, OutputsHaveFilesOfTheirOwn) {
  ASSERT_EQ(build().status, 0);
  const std::string queries = folder_ / "queries.fvecs";
  const std::string before = read_file(queries);
  expect_complaint(search({"-k", "1", "--distances", queries}), 2, {"is an input"});
  expect_complaint(search({"-k", "1", "--output", "-", "--json", "-"}), 2,
                   {"--output", "--json", "'-'"});
  expect_complaint(search({"-k", "1", "--output", folder_ / "x.tsv", "--json", folder_ / "x.tsv"}),
                   2, {"x.tsv"});
  const std::string base = folder_ / "base.fvecs";
  const std::string bytes = read_file(base);
  expect_complaint(
      run_warpdex({"vector", "kmeans", "--input", base, "--clusters", "1", "--output", base}), 2,
      {"base.fvecs"});
  EXPECT_EQ(read_file(queries), before);
  EXPECT_EQ(read_file(base), bytes);
}

TEST_F(VectorIndexCommand, OutputsAppearAllOrNone) {
  ASSERT_EQ(build().status, 0);
  const std::vector<std::string> files{folder_ / "x.ivecs", folder_ / "x.fvecs"};
  expect_complaint(
      search({"-k", "1", "--output", files[0], "--distances", files[1], "--json", "/dev/full"}), 1,
      {"/dev/full"});
  for (const std::string& file : files) EXPECT_FALSE(std::filesystem::exists(file)) << file;
  const Outcome bench = run_warpdex({"vector", "bench", folder_ / "index", "--queries",
                                     folder_ / "queries.fvecs", "-k", "1", "--repetitions", "1",
                                     "--json", folder_ / "x.json", "--plot", "/dev/full"});
  EXPECT_EQ(bench.status, 1);
  EXPECT_THAT(bench.err, HasSubstr("/dev/full"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.json"));
  const Outcome kmeans =
      run_warpdex({"vector", "kmeans", "--input", folder_ / "base.fvecs", "--clusters", "1",
                   "--output", files[1], "--json", "/dev/full"});
  EXPECT_EQ(kmeans.status, 1);
  EXPECT_THAT(kmeans.err, HasSubstr("/dev/full"));
  EXPECT_FALSE(std::filesystem::exists(files[1]));
  const Outcome whole = search({"-k", "1", "--output", files[0], "--distances", files[1]});
  EXPECT_EQ(whole.status, 0) << whole.err;
  for (const std::string& file : files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
}

TEST_F(VectorIndexCommand, NoOutputMayLieInTheIndex) {
  ASSERT_EQ(build().status, 0);
  const std::string index = folder_ / "index";
  const std::vector<std::string> before = names_in(index);
  std::filesystem::create_directory_symlink(index, folder_ / "link");
  for (const std::string& place :
       {index + "/x", index + "/segment-0/x", index + "/none/x", (folder_ / "link/x").string(),
        (folder_ / "index/../index/x").string()}) {
    expect_complaint(search({"-k", "1", "--output", place + ".ivecs"}), 2, {"lies in the index"});
    expect_complaint(search({"-k", "1", "--output", place + ".hdf5:/a/b"}), 2,
                     {"lies in the index"});
    expect_complaint(search({"-k", "1", "--distances", place + ".fvecs"}), 2,
                     {"lies in the index"});
    expect_complaint(search({"-k", "1", "--json", place}), 2, {"lies in the index"});
    expect_complaint(run_warpdex({"stats", index, "--json", place}), 2, {"lies in the index"});
  }
  EXPECT_EQ(names_in(index), before);
}

TEST_F(VectorIndexCommand, SmallAndOverflowingIndexes) {
  // The default k is 10, and there are 4.
  ASSERT_EQ(build().status, 0);
  EXPECT_THAT(search({}).out, HasSubstr("0\t3\t68.0625"));
  write_file(folder_ / "filter.txt", "2\n0\n2\n");
  EXPECT_EQ(search({"-k", "1", "--filter", folder_ / "filter.txt"}).out,
            "0\t2\t0.0625\n1\t2\t49\n");
  write_file(folder_ / "base.fvecs", fvecs({{3e38F, 3e38F}, {1, 1}}));
  write_file(folder_ / "queries.fvecs", fvecs({{3e38F, 3e38F}}));
  ASSERT_EQ(build({"--metric", "ip"}).status, 0);
  const Outcome json = search({"-k", "1", "--json", "-"});
  EXPECT_EQ(
      json.out,
      "{\"query\":0,\"distance_is\":\"exact\",\"neighbors\":[{\"row\":0,\"distance\":null}]}\n");
}

TEST_F(VectorIndexCommand, BadCallsGetASentenceAndLoseNothing) {
  ASSERT_EQ(build().status, 0);
  const std::string before = read_file(folder_ / "index" / "manifest.json");
  expect_complaint(build({"--index", "tree"}), 2, {"'tree'", "flat"});
  expect_complaint(build({"--metric", "l1"}), 2, {"'l1'", "l2, ip or cosine"});
  expect_complaint(build({"--store", "byte"}), 2, {"'byte'", "float or half"});
  write_file(folder_ / "ids.txt", "a\nb\n");
  expect_complaint(build({"--ids", folder_ / "ids.txt"}), 1, {"2 ids", "4 vectors"});
  write_file(folder_ / "base.fvecs", fvecs({{0, 0}, {1, std::nanf("")}}));
  expect_complaint(build(), 1, {"row 1", "column 1"});
  write_file(folder_ / "base.fvecs", fvecs({{0, 0}, {1, 1}}).substr(0, 20));
  expect_complaint(build(), 1, {"base.fvecs"});
  EXPECT_EQ(read_file(folder_ / "index" / "manifest.json"), before);
  expect_complaint(search({"-k", "0"}), 2, {"-k"});
  expect_complaint(search({"-k", "1", "--radius", "2"}), 2, {"one of them"});
  expect_complaint(search({"--radius", "2", "--output", folder_ / "x.ivecs"}), 2, {".tsv"});
  expect_complaint(search({"--radius", "nan"}), 2, {"radius"});
  write_file(folder_ / "queries.fvecs", fvecs({{1, 2, 3}}));
  expect_complaint(search({}), 1, {"3 components", "have 2"});
  expect_complaint(run_warpdex({"search", folder_ / "index", "word"}), 1, {"index of vectors"});
  expect_complaint(run_warpdex({"vector", "search", folder_ / "none", "--queries", "x.fvecs"}), 1,
                   {"there is no index"});
  expect_complaint(run_warpdex({"vector", "build", "--input", folder_ / "index" / "base.fvecs",
                                "--output", folder_ / "index"}),
                   1, {"base.fvecs"});
}

TEST_F(VectorIndexCommand, KmeansFindsWhereVectorsLie) {
  const Outcome done =
      run_warpdex({"vector", "kmeans", "--input", folder_ / "base.fvecs", "--clusters", "2",
                   "--output", folder_ / "centroids.fvecs", "--json", folder_ / "report.json"});
  ASSERT_EQ(done.status, 0) << done.err;
  const std::string near = fvecs({{1, 0}}) + fvecs({{10, 0}});
  const std::string far = fvecs({{10, 0}}) + fvecs({{1, 0}});
  EXPECT_THAT(read_file(folder_ / "centroids.fvecs"), ::testing::AnyOf(near, far));
  EXPECT_EQ(parse_json(read_file(folder_ / "report.json"))["objective"].GetDouble(), 2);
  const std::vector<std::string> call{"vector",    "kmeans",
                                      "--input",   folder_ / "base.fvecs",
                                      "--output",  folder_ / "centroids.fvecs",
                                      "--clusters"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = call;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  };
  const std::string before = read_file(folder_ / "centroids.fvecs");
  expect_complaint(with({"5"}), 2, {"4 vectors", "not 5"});
  expect_complaint(with({"0"}), 2, {"--clusters"});
  expect_complaint(with({"3", "--sample", "2"}), 2, {"2 vectors"});
  expect_complaint(with({"1", "--iterations", "0"}), 2, {"--iterations"});
  EXPECT_EQ(read_file(folder_ / "centroids.fvecs"), before);
  EXPECT_EQ(with({"2", "--sample", "3", "--spherical", "--balanced", "--quiet"}).status, 0);
}

TEST(VectorIndexCommandReal, FindsTheNeighboursOfRealDescriptors) {
  WARPDEX_NEEDS_DATA("vectors/wallpaper_sift_10k_base.bvecs");
  const std::filesystem::path data = data_folder() / "vectors";
  const TemporaryFolder folder;
  for (const char* store : {"float", "half"}) {
    ASSERT_EQ(run_warpdex({"vector", "build", "--input", data / "wallpaper_sift_10k_base.bvecs",
                           "--output", folder / "index", "--store", store})
                  .status,
              0);
    ASSERT_EQ(run_warpdex({"vector", "search", folder / "index", "--queries",
                           data / "wallpaper_sift_10k_query.bvecs", "-k", "100", "--output",
                           folder / "found.ivecs"})
                  .status,
              0);
    EXPECT_EQ(read_file(folder / "found.ivecs"),
              read_file(data / "wallpaper_sift_10k_groundtruth.ivecs"))
        << store;
  }
}

}  // namespace
}  // namespace warpdex::test
