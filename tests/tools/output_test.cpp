// What the program prints with: tables, words for numbers, progress and latencies.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <thread>

#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "output/text.hpp"
#include "search/timing.hpp"
#include "tests/tools/collection.hpp"

namespace warpdex::tools {
namespace {

using ::testing::HasSubstr;

TEST(Text, NumbersAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(123456), "123,456");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(Text, BytesAndDurationsTakeTheUnitThatFits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1000), "1.0 kB");
  EXPECT_EQ(bytes_text(999'949), "999.9 kB");
  EXPECT_EQ(bytes_text(999'951), "1.0 MB");
  EXPECT_EQ(duration_text(0.123), "0.12 s");
  EXPECT_EQ(duration_text(9.94), "9.9 s");
  EXPECT_EQ(duration_text(9.96), "10 s");
  EXPECT_EQ(duration_text(59.7), "1 min 00 s");
  EXPECT_EQ(duration_text(185), "3 min 05 s");
  EXPECT_EQ(duration_text(7825), "2 h 10 min");
}

TEST(Text, NounsTakeTheirPlural) {
  EXPECT_EQ(counted(1, "match"), "1 match");
  EXPECT_EQ(counted(2, "match"), "2 matches");
  EXPECT_EQ(counted(0, "query"), "0 queries");
  EXPECT_EQ(counted(1500, "document"), "1,500 documents");
}

TEST(Table, AlignsColumnsByWhatIsSeen) {
  Table table({{"name", Table::Align::kLeft}, {"n"}});
  table.add({"é", "1"});
  table.add({"longer", "1000"});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(), "name       n\né          1\nlonger  1000\n");
}

TEST(Timing, PercentilesAreTimesThatWereMeasured) {
  std::vector<std::uint64_t> times;
  for (std::uint64_t i = 100; i >= 1; --i) times.push_back(i * 1000);
  const Latency latency = summarise(times);
  EXPECT_DOUBLE_EQ(latency.mean, 50.5);
  EXPECT_DOUBLE_EQ(latency.p50, 50);
  EXPECT_DOUBLE_EQ(latency.p90, 90);
  EXPECT_DOUBLE_EQ(latency.p95, 95);
  EXPECT_DOUBLE_EQ(latency.p99, 99);
  EXPECT_DOUBLE_EQ(latency.max, 100);
  const Latency one = summarise({1500});
  EXPECT_DOUBLE_EQ(one.p50, 1.5);
  EXPECT_DOUBLE_EQ(one.p99, 1.5);
  EXPECT_DOUBLE_EQ(summarise({}).max, 0);
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(median({}), 0);
}

TEST(Progress, WritesLinesToAPipeAndOneLineToATerminal) {
  using std::chrono::milliseconds;
  for (const bool terminal : {false, true}) {
    std::ostringstream out;
    {
      Progress progress(out, terminal, milliseconds(0));
      progress.update("reading", "1 document", 1, 100, Progress::Unit::kBytes);  // starts the clock
      std::this_thread::sleep_for(milliseconds(20));
      progress.update("reading", "2 documents", 50, 100, Progress::Unit::kBytes);
    }
    const std::string text = out.str();
    EXPECT_THAT(text, HasSubstr("reading: 2 documents, "));
    EXPECT_THAT(text, HasSubstr("B/s, 50 %, "));
    EXPECT_THAT(text, HasSubstr(" s left"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), terminal ? 0 : 2);
    EXPECT_EQ(text.ends_with("\r\x1b[K"), terminal);
    // A terminal that is too narrow cuts the line, and wraps other text as before.
    const std::size_t wrap_off = text.rfind("\x1b[?7lreading");
    EXPECT_EQ(wrap_off != text.npos, terminal);
    EXPECT_EQ(text.find("\x1b[?7h", wrap_off) != text.npos, terminal);
  }
}

TEST(Terminal, TakesEscapesIfItSaysWhatItIs) {
  const int control = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(control, 0);
  ASSERT_EQ(grantpt(control), 0);
  ASSERT_EQ(unlockpt(control), 0);
  const int terminal = open(ptsname(control), O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  const int file = open("/dev/null", O_WRONLY);
  const char* const was = std::getenv("TERM");
  const std::string before = was == nullptr ? "" : was;
  const auto takes = [&](const char* term) {
    setenv("TERM", term, 1);
    EXPECT_FALSE(takes_escapes(file)) << term;
    return takes_escapes(terminal);
  };
  EXPECT_TRUE(takes("xterm-256color"));
  EXPECT_TRUE(takes("linux"));
  EXPECT_FALSE(takes("dumb"));
  EXPECT_FALSE(takes(""));
  unsetenv("TERM");
  EXPECT_FALSE(takes_escapes(terminal));
  if (was != nullptr) setenv("TERM", before.c_str(), 1);
  for (const int descriptor : {control, terminal, file}) close(descriptor);
}

TEST(Progress, TellsNoRateOfSteps) {
  std::ostringstream out;
  Progress progress(out, false, std::chrono::milliseconds(0));
  progress.update("verifying", "", 1, 4, Progress::Unit::kSteps);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  progress.update("verifying", "", 2, 4, Progress::Unit::kSteps);
  EXPECT_THAT(out.str(), HasSubstr("verifying, 50 %, "));
  EXPECT_THAT(out.str(), ::testing::Not(HasSubstr("/s")));
}

TEST(Progress, TellsShares) {
  std::ostringstream out;
  Progress progress(out, false, std::chrono::milliseconds(0));
  progress.update("merging", 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  progress.update("merging", 0.37);
  progress.update("merging", 1);
  EXPECT_THAT(out.str(), ::testing::StartsWith("merging\n"));
  EXPECT_THAT(out.str(), HasSubstr("merging, 37 %, "));
  EXPECT_THAT(out.str(), HasSubstr("merging, 100 %, 0"));
}

TEST(Progress, KeepsQuietForItsInterval) {
  std::ostringstream out;
  Progress progress(out, false);
  for (int i = 0; i < 1000; ++i) progress.update("reading", "x", 1, 2, Progress::Unit::kItems);
  EXPECT_EQ(out.str(), "");
}

TEST(OutputFile, ReplacesWhatAProcessOfThisIdLeft) {
  const test::TemporaryFolder folder;
  const std::string target = folder / "run";
  test::write_file(target + ".warpdex-" + std::to_string(getpid()), "left by a kill");
  write_output(target, "new");
  EXPECT_EQ(test::read_file(target), "new");
  EXPECT_THAT(test::names_in(folder.path()), ::testing::ElementsAre("run"));
}

}  // namespace
}  // namespace warpdex::tools
