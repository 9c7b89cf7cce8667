// vector search --radius over codes: what is checked, and what is said of estimates.
#include <algorithm>
#include <cmath>

#include "tests/tools/collection.hpp"
#include "tests/tools/vector/fvecs.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

/// 400 points on a curve in four dimensions, coded coarsely.
class RadiusCommand : public testing::Test {
 protected:
  RadiusCommand() {
    std::vector<std::vector<float>> rows;
    for (int i = 0; i < 400; ++i) {
      const auto x = static_cast<float>(i);
      rows.push_back({std::sin(x), std::cos(x * 0.7F), std::sin(x * 1.3F), std::cos(x * 2.1F)});
    }
    write_file(folder_ / "base.fvecs", fvecs(rows));
    rows.resize(20);
    write_file(folder_ / "queries.fvecs", fvecs(rows));
    build("flat", {});
    exact_ = search("flat", {}).out;
    EXPECT_GT(std::count(exact_.begin(), exact_.end(), '\n'), 400);
  }
  void build(const std::string& name, const std::vector<std::string>& kind) {
    std::vector<std::string> arguments{
        "vector",   "build",        "--input", folder_ / "base.fvecs",
        "--output", folder_ / name, "--quiet"};
    arguments.insert(arguments.end(), kind.begin(), kind.end());
    const Outcome built = run_warpdex(arguments);
    EXPECT_EQ(built.status, 0) << built.err;
  }
  Outcome search(const std::string& name, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{
        "vector",   "search", folder_ / name, "--queries", folder_ / "queries.fvecs",
        "--radius", "0.9"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments);
  }
  TemporaryFolder folder_;
  std::string exact_;
};

TEST_F(RadiusCommand, IsExactWhereVectorsAreKept) {
  const std::vector<std::vector<std::string>> kinds{
      {"--index", "ivf-pq", "--lists", "4", "--bytes", "1"},
      {"--index", "xfbq", "--bits", "1"},
      {"--index", "xfbq", "--bits", "2", "--rotate", "--correct"},
      {"--index", "ivf-xfbq", "--lists", "4", "--bits", "1"}};
  for (const std::vector<std::string>& kind : kinds) {
    build("codes", kind);
    std::vector<std::string> more{"--refine", "400"};
    if (kind[1] != "xfbq") more.insert(more.end(), {"--probes", "4"});
    const Outcome refined = search("codes", more);
    EXPECT_EQ(refined.out, exact_) << kind[1];
    EXPECT_EQ(refined.err, "");
    more.erase(more.begin(), more.begin() + 2);
    more.insert(more.end(), {"--json", "-"});
    EXPECT_THAT(search("codes", more).out, HasSubstr("\"distance_is\":\"exact\""));
  }
  build("codes", kinds[2]);
  EXPECT_EQ(search("codes", {}).out, exact_);
  expect_complaint(search("codes", {"--refine", "5", "--extra", "5"}), 2, {"--extra", "--radius"});
}

TEST_F(RadiusCommand, IsSaidToBeAnEstimateWhereNoneAreKept) {
  build("codes", {"--index", "ivf-pq", "--lists", "4", "--bytes", "1", "--no-vectors"});
  const Outcome found = search("codes", {"--probes", "4", "--json", "-"});
  EXPECT_EQ(found.status, 0);
  EXPECT_THAT(found.out, HasSubstr("\"distance_is\":\"estimate\""));
  EXPECT_THAT(found.err, HasSubstr("keeps no vectors, so distances are estimates"));
  expect_complaint(search("codes", {"--refine", "5"}), 2, {"--refine", "--no-vectors"});
}

}  // namespace
}  // namespace warpdex::test
