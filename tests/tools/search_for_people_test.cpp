// What warpdex search says to people: scores, remarks, notes, progress, and what is wrong with
// queries.
#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;

class SearchForPeople : public ::testing::Test {
 protected:
  void SetUp() override { build_small_index(file("index")); }
  std::string file(const std::string& name) const { return folder_ / name; }

  Outcome search(const std::vector<std::string>& more, const RunSettings& settings = {}) const {
    std::vector<std::string> arguments{"search", file("index")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments, settings);
  }

  TemporaryFolder folder_;
};

TEST_F(SearchForPeople, ShowsProgressOnATerminalAlone) {
  std::string log;
  for (int i = 0; i < 300'000; ++i) log += std::to_string(i) + "\tgreen apple tree pear\n";
  write_file(file("log.tsv"), log);
  const std::vector<std::string> arguments{"--queries", file("log.tsv"), "--output", "/dev/null"};
  RunSettings terminal;
  terminal.error_is_terminal = true;
  const Outcome seen = search(arguments, terminal);
  EXPECT_EQ(seen.status, 0) << seen.err;
  EXPECT_TRUE(seen.err.starts_with("\rsearching: ")) << seen.err;
  EXPECT_THAT(seen.err, HasSubstr(" of 300,000 queries, "));
  EXPECT_THAT(seen.err, HasSubstr("/s, "));
  EXPECT_TRUE(seen.err.ends_with("\r\x1b[K")) << seen.err;  // nothing of it is left
  EXPECT_EQ(search(arguments).err, "");
}

}  // namespace
}  // namespace warpdex::test
