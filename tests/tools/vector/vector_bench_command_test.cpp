// warpdex vector bench, run as a person would.
#include <algorithm>
#include <cstring>
#include <random>

#include "tests/tools/collection.hpp"
#include "tests/tools/vector/fvecs.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kQueries = 33;
constexpr std::size_t kTrue = 5;

/// 500 vectors and 33 queries, exactly, in lists and as codes, with the true neighbours.
class VectorBenchCommand : public testing::Test {
 protected:
  VectorBenchCommand() {
    auto random = generator(1);
    write_file(folder_ / "base.fvecs", fvecs(draw_rows(random, 500)));
    write_file(folder_ / "queries.fvecs", fvecs(draw_rows(random, kQueries)));
    build("flat", {});
    build("lists", {"--index", "ivf-flat", "--lists", "20"});
    build("codes", {"--index", "ivf-pq", "--lists", "20", "--bytes", "2"});
    EXPECT_EQ(search("flat", "truth.ivecs", {"-k", std::to_string(kTrue)}).status, 0);
  }
  static std::vector<std::vector<float>> draw_rows(std::mt19937_64& random, std::size_t count) {
    std::normal_distribution<float> normal;
    std::vector<std::vector<float>> rows(count, std::vector<float>(6));
    for (std::vector<float>& row : rows) {
      for (float& value : row) value = normal(random);
    }
    return rows;
  }
  void build(const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "vector",   "build",        "--input", folder_ / "base.fvecs",
        "--output", folder_ / name, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome built = run_warpdex(arguments);
    ASSERT_EQ(built.status, 0) << built.err;
  }
  Outcome search(const std::string& name, const std::string& to,
                 const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "vector",   "search",    folder_ / name, "--queries", folder_ / "queries.fvecs",
        "--output", folder_ / to};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  /// Of one timed search each.
  Outcome bench(const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "vector",        "bench", folder_ / name, "--queries", folder_ / "queries.fvecs",
        "--repetitions", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  /// With the truth, as JSON.
  rapidjson::Document judge(const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"--truth", folder_ / "truth.ivecs", "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = bench(name, arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return parse_json(outcome.out);
  }
  std::vector<std::vector<std::int32_t>> rows_in(const std::string& name) {
    const std::string bytes = read_file(folder_ / name);
    std::vector<std::int32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    std::vector<std::vector<std::int32_t>> rows;
    for (auto at = words.begin(); at != words.end(); at += *at + 1) {
      rows.emplace_back(at + 1, at + 1 + *at);
    }
    return rows;
  }
  /// 1@k and k@k of the first queries, counted from the files of a search.
  std::pair<double, double> shares(const std::string& found_name, std::size_t k,
                                   std::size_t queries) {
    const auto truth = rows_in("truth.ivecs");
    const auto found = rows_in(found_name);
    double nearest = 0;
    double all = 0;
    for (std::size_t q = 0; q < queries; ++q) {
      const auto is_found = [&](std::int32_t row) {
        return std::find(found[q].begin(), found[q].end(), row) != found[q].end();
      };
      nearest += is_found(truth[q][0]) ? 1 : 0;
      for (std::size_t i = 0; i < k; ++i) all += is_found(truth[q][i]) ? 1 : 0;
    }
    const auto count = static_cast<double>(queries);
    return {nearest / count, all / count / static_cast<double>(k)};
  }
  TemporaryFolder folder_;
};

TEST_F(VectorBenchCommand, MeasuresWhatItIsAsked) {
  const Outcome outcome =
      bench("flat", {"--batch-sizes", "1,50", "-k", "1,2", "--gflops", "1", "--json",
                     folder_ / "bench.json", "--plot", folder_ / "bench.svg"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("over floor"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("probes")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("@k")));
  const rapidjson::Document json = parse_json(read_file(folder_ / "bench.json"));
  EXPECT_STREQ(json["indexes"][0]["name"].GetString(), "flat");
  EXPECT_EQ(json["indexes"][0]["vectors"].GetInt(), 500);
  ASSERT_EQ(json["searches"].Size(), 4U);
  EXPECT_EQ(json["searches"][3]["queries"].GetInt(), 50);
  EXPECT_EQ(json["searches"][3]["k"].GetInt(), 2);
  EXPECT_GT(json["searches"][3]["milliseconds"].GetDouble(), 0);
  EXPECT_FALSE(json["searches"][3].HasMember("k@k"));
  EXPECT_THAT(read_file(folder_ / "bench.svg"), HasSubstr("</svg>"));
  EXPECT_THAT(read_file(folder_ / "bench.svg"), Not(HasSubstr("k@k")));
}

TEST_F(VectorBenchCommand, TellsWhatShareOfTheTruthIsFound) {
  const std::vector<std::vector<std::string>> depths{
      {"1", "0"}, {"7", "0"}, {"1", "12"}, {"7", "12"}};
  for (const auto& [batches, judged] : {std::pair("1,50", kQueries), {"2,1", std::size_t{2}}}) {
    const rapidjson::Document json = judge(
        "codes", {"--probes", "1,7", "--refine", "0,12", "-k", "1,4", "--batch-sizes", batches});
    const rapidjson::Value& searches = json["searches"];
    ASSERT_EQ(searches.Size(), 16U);
    for (rapidjson::SizeType i = 0; i < 16; ++i) {
      const std::vector<std::string>& depth = depths[i / 4];
      const std::size_t k = i / 2 % 2 == 0 ? 1 : 4;
      std::vector<std::string> call{"-k", std::to_string(k), "--probes", depth[0]};
      if (depth[1] != "0") call.insert(call.end(), {"--refine", depth[1]});
      ASSERT_EQ(search("codes", "found.ivecs", call).status, 0);
      const auto [nearest, all] = shares("found.ivecs", k, judged);
      const rapidjson::Value& one = searches[i];
      EXPECT_EQ(one["k"].GetUint64(), k);
      EXPECT_EQ(one["probes"].GetInt(), std::stoi(depth[0]));
      EXPECT_EQ(one.HasMember("refine") ? one["refine"].GetInt() : 0, std::stoi(depth[1]));
      EXPECT_EQ(one["judged"].GetUint64(), judged);
      EXPECT_NEAR(one["1@k"].GetDouble(), nearest, 1e-9) << i;
      EXPECT_NEAR(one["k@k"].GetDouble(), all, 1e-9) << i;
    }
  }
}

TEST_F(VectorBenchCommand, RefusesTheTruthOfOtherVectors) {
  std::vector<std::vector<std::int32_t>> truth(kQueries, std::vector<std::int32_t>{499, -1});
  const auto bench_by = [&] {
    write_file(folder_ / "other.ivecs", vecs(truth));
    return bench("flat", {"-k", "1", "--batch-sizes", "1", "--truth", folder_ / "other.ivecs"});
  };
  EXPECT_EQ(bench_by().status, 0);
  truth[7][1] = 500;
  expect_complaint(bench_by(), 1, {"row 7", "other.ivecs", "neighbour 500", "below 500"});
  for (std::vector<std::int32_t>& row : truth) row = {-1, -1};
  expect_complaint(bench_by(), 1, {"other.ivecs", "nothing to judge"});
}

TEST_F(VectorBenchCommand, ComparesIndexes) {
  std::filesystem::create_directory(folder_ / "other");
  std::filesystem::copy(folder_ / "codes", folder_ / "other/codes",
                        std::filesystem::copy_options::recursive);
  const std::vector<std::string> more{"--compare",
                                      folder_ / "lists",
                                      "--compare",
                                      folder_ / "flat",
                                      "--probes",
                                      "1,20",
                                      "--refine",
                                      "0,500",
                                      "-k",
                                      "5",
                                      "--truth",
                                      folder_ / "truth.ivecs",
                                      "--batch-sizes",
                                      "33"};
  std::vector<std::string> with_files = more;
  with_files.insert(with_files.end(), {"--plot", folder_ / "x.svg", "--json", folder_ / "x.json"});
  const Outcome outcome = bench("codes", with_files);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ::testing::StartsWith("index  queries  k  probes  refine"));
  EXPECT_THAT(outcome.out, HasSubstr("\nlists"));
  const rapidjson::Document json = parse_json(read_file(folder_ / "x.json"));
  EXPECT_EQ(json["indexes"].Size(), 3U);
  EXPECT_EQ(json["indexes"][0]["bytes"].GetInt(), 2);
  const rapidjson::Value& searches = json["searches"];
  ASSERT_EQ(searches.Size(), 7U);
  // All lists, refined by all vectors, and all vectors: exact.
  for (const rapidjson::SizeType exact : {3U, 5U, 6U}) {
    EXPECT_EQ(searches[exact]["k@k"].GetDouble(), 1) << exact;
  }
  EXPECT_LT(searches[0]["k@k"].GetDouble(), 1);
  EXPECT_STREQ(searches[6]["index"].GetString(), "flat");
  EXPECT_FALSE(searches[6].HasMember("probes"));
  EXPECT_FALSE(searches[5].HasMember("refine"));
  const std::string svg = read_file(folder_ / "x.svg");
  for (const char* line : {">codes, k 5<", ">codes, refine 500, k 5<", ">lists, k 5<",
                           ">flat, k 5<", ">codes, 1 probe, k 5<", "(k@k)"}) {
    EXPECT_THAT(svg, HasSubstr(line));
  }
  const Outcome named =
      bench("codes", {"--compare", folder_ / "other/codes", "-k", "1", "--batch-sizes", "1"});
  EXPECT_THAT(named.out, HasSubstr("other/codes"));
}

TEST_F(VectorBenchCommand, BadCallsGetASentence) {
  for (const char* list : {"", "0", "1,x", "1.5"}) {
    expect_complaint(bench("lists", {"--batch-sizes", list}), 2, {"--batch-sizes"});
    expect_complaint(bench("lists", {"--probes", list}), 2, {"--probes"});
  }
  for (const std::string option : {"--gflops", "--bandwidth"}) {
    expect_complaint(bench("lists", {option, "-1"}), 2,
                     {"--gflops and --bandwidth take numbers of 0 or more"});
  }
  expect_complaint(bench("codes", {"--refine", "-1"}), 2, {"--refine"});
  expect_complaint(bench("lists", {"--refine", "5"}), 2, {"exact distances already"});
  expect_complaint(bench("flat", {"--probes", "5"}), 2, {"no lists to probe"});
  expect_complaint(bench("flat", {"--truth", folder_ / "truth.ivecs", "-k", "6"}), 2,
                   {"-k", "only 5 columns"});
  write_file(folder_ / "few.fvecs", fvecs({{1, 2, 3, 4, 5, 6}}));
  expect_complaint(run_warpdex({"vector", "bench", folder_ / "flat", "--queries",
                                folder_ / "few.fvecs", "--truth", folder_ / "truth.ivecs"}),
                   1, {"33 rows", "1 row", "same queries"});
  write_file(folder_ / "base.fvecs", fvecs({{1, 2, 3, 4, 5, 6}}));
  build("small", {});
  expect_complaint(bench("flat", {"--compare", folder_ / "small"}), 2, {"same vectors"});
  expect_complaint(
      bench("flat", {"--compare", folder_ / "lists", "--json", folder_ / "lists/x.json"}), 2,
      {"lies in the index"});
}

}  // namespace
}  // namespace warpdex::test
