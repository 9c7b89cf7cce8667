// warpdex vector evaluate.
#include "tests/tools/collection.hpp"
#include "tests/tools/vector/fvecs.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

Outcome evaluate(const std::string& truth, const std::string& result,
                 const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"vector", "evaluate", "--truth", truth, "--result", result};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_warpdex(arguments);
}

class VectorEvaluate : public ::testing::Test {
 protected:
  VectorEvaluate() {
    write_file(truth_, vecs<std::int32_t>({{1, 2, 3}, {4, 5, 6}}));
    write_file(result_, vecs<std::int32_t>({{3, 1, 9, 2}, {4, 4, -1, 8}}));
  }

  TemporaryFolder folder_;
  std::string truth_ = folder_ / "truth.ivecs";
  std::string result_ = folder_ / "result.ivecs";
};

TEST_F(VectorEvaluate, ComputesAsByHand) {
  const Outcome outcome = evaluate(truth_, result_);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // k = 1: only 4. k = 3: two of three, and one of three.
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("\n1 +0.5000 +0.5000\n3 +0.5000 +1.0000\n"));
  EXPECT_THAT(outcome.out, HasSubstr("1 of 2 rows have a place without a neighbour (-1) among"));
  EXPECT_THAT(outcome.out, HasSubstr("1 of 2 rows have a neighbour twice among the first 3 found"));

  const Outcome json = evaluate(truth_, result_, {"-k", "2", "--json", "-"});
  ASSERT_EQ(json.status, 0) << json.err;
  const rapidjson::Document parsed = parse_json(json.out);
  EXPECT_EQ(parsed["queries"].GetUint64(), 2U);
  EXPECT_EQ(parsed["k"].GetUint64(), 2U);
  ASSERT_EQ(parsed["figures"].Size(), 2U);
  EXPECT_EQ(parsed["figures"][1]["k"].GetUint64(), 2U);
  EXPECT_DOUBLE_EQ(parsed["figures"][1]["k@k"].GetDouble(), 0.5);
  EXPECT_DOUBLE_EQ(parsed["figures"][1]["1@k"].GetDouble(), 1);
  EXPECT_FALSE(parsed["figures"][1].HasMember("ties@k"));
  EXPECT_DOUBLE_EQ(parsed["share_with_missing"].GetDouble(), 0);
  EXPECT_DOUBLE_EQ(parsed["share_with_repeats"].GetDouble(), 0.5);
}

TEST_F(VectorEvaluate, TiesByDistance) {
  const std::string truth_distances = folder_ / "truth.fvecs";
  const std::string result_distances = folder_ / "result.fvecs";
  write_file(truth_distances, vecs<float>({{1, 2, 2}, {1, 2, 3}}));
  // Row 0: all but 9 as near as the third. Row 1: 4 once, 8 too far.
  write_file(result_distances, vecs<float>({{2, 1, 2.001F, 2}, {1, 1, HUGE_VALF, 3.1F}}));
  const std::vector<std::string> distances{
      "--truth-distances", truth_distances, "--result-distances", result_distances, "--json", "-"};
  const auto ties_at_three = [&](std::vector<std::string> more) {
    more.insert(more.end(), distances.begin(), distances.end());
    const Outcome outcome = evaluate(truth_, result_, more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return parse_json(outcome.out)["figures"][1]["ties@k"].GetDouble();
  };
  EXPECT_DOUBLE_EQ(ties_at_three({}), (1 + 1.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(ties_at_three({"--epsilon", "0"}), (2.0 / 3 + 1.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(ties_at_three({"--metric", "ip"}), (2.0 / 3 + 0) / 2);
  expect_complaint(evaluate(truth_, result_, {"--truth-distances", truth_distances}), 2,
                   {"--result-distances", "go together"});
  expect_complaint(
      evaluate(truth_, result_,
               {"--truth-distances", result_distances, "--result-distances", result_distances}),
      1, {"truth.ivecs", "3 columns", "4 columns"});
}

TEST_F(VectorEvaluate, TruthFromHdf5AndIbin) {
  const std::string expected = evaluate(truth_, result_).out;
  for (const std::string name : {"all.hdf5", "truth.ibin", "truth.npy"}) {
    ASSERT_EQ(run_warpdex({"vector", "convert", "--role", "neighbors", "--input", truth_,
                           "--output", folder_ / name})
                  .status,
              0);
    EXPECT_EQ(evaluate(folder_ / name, result_).out, expected) << name;
  }
}

TEST_F(VectorEvaluate, RefusesWhatItCannotTake) {
  expect_complaint(evaluate(truth_, result_, {"-k", "4"}), 2, {"truth.ivecs", "only 3 columns"});
  expect_complaint(evaluate(truth_, result_, {"-k", "0"}), 2, {"-k"});
  expect_complaint(evaluate(truth_, result_, {"--metric", "l1"}), 2, {"l2, ip or cosine"});
  expect_complaint(evaluate(truth_, result_, {"--epsilon", "-1"}), 2, {"--epsilon"});
  write_file(result_, vecs<std::int32_t>({{1, 2, 3}}));
  expect_complaint(evaluate(truth_, result_), 1,
                   {"truth.ivecs' has 2 rows", "result.ivecs' has 1 row;"});
  write_file(folder_ / "nothing.ivecs", vecs<std::int32_t>({{-1, -1, -1}}));
  expect_complaint(evaluate(folder_ / "nothing.ivecs", result_), 1,
                   {"nothing.ivecs", "nothing to judge"});
  write_file(folder_ / "a.fvecs", vecs<float>({{1}, {2}}));
  expect_complaint(evaluate(truth_, folder_ / "a.fvecs"), 1, {"whole numbers"});
  expect_complaint(evaluate(truth_, folder_ / "none.ivecs"), 1, {"none.ivecs"});
}

TEST(VectorEvaluateReal, TheTruthIsItsOwnBestResult) {
  WARPDEX_NEEDS_DATA("vectors/wallpaper_sift_100k_groundtruth.ivecs");
  const std::string truth = data_folder() / "vectors/wallpaper_sift_100k_groundtruth.ivecs";
  const Outcome outcome = evaluate(truth, truth);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* const k : {"1", "10", "100"}) {
    EXPECT_THAT(outcome.out,
                ::testing::ContainsRegex("\n *" + std::string(k) + " +1.0000 +1.0000\n"));
  }
}

}  // namespace
}  // namespace warpdex::test
