// Signals during index, import and search: nothing is left behind, and what was there stays.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

/// Waits until the process has made its folder or file beside the target.
bool scratch_appeared(const std::filesystem::path& folder) {
  for (int i = 0; i < 6000; ++i) {
    if (names_in(folder).size() > 1) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

class Interrupt : public ::testing::TestWithParam<int> {};

TEST_P(Interrupt, KeepsTheOldIndexWhileInputIsAwaited) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  for (const std::string threads : {"1", "2"}) {
    RunningWarpdex process({"index", "--input", "-", "--format", "tsv", "--threads", threads,
                            "--output", folder / "index"});
    process.send_input("new\tother words\nunfinished\tline");
    ASSERT_TRUE(scratch_appeared(folder.path()));
    process.send_signal(GetParam());
    const Outcome outcome = process.wait();  // its standard input is still open
    expect_complaint(outcome, 128 + GetParam(), {"interrupted"});
    EXPECT_THAT(names_in(folder.path()), ::testing::ElementsAre("index"));
    const Outcome search = run_warpdex({"search", folder / "index", "sky"});
    EXPECT_THAT(search.out, ::testing::HasSubstr("d4"));
  }
}

TEST_P(Interrupt, KeepsTheOldIndexWhileAnImportAwaitsItsFile) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  RunningWarpdex process(
      {"import", "--format", "ciff", "--input", "-", "--output", folder / "index"});
  process.send_input("the first bytes of a file");
  ASSERT_TRUE(scratch_appeared(folder.path()));
  process.send_signal(GetParam());
  expect_complaint(process.wait(), 128 + GetParam(), {"interrupted"});
  EXPECT_THAT(names_in(folder.path()), ::testing::ElementsAre("index"));
  EXPECT_THAT(run_warpdex({"search", folder / "index", "sky"}).out, ::testing::HasSubstr("d4"));
}

// A named pipe that nobody has opened for writing, and one whose writer says nothing.
TEST_P(Interrupt, EndsABuildThatWaitsForAPipe) {
  const TemporaryFolder pipes;
  const std::string pipe = pipes / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  write_file(pipes / "docs.tsv", kTsvDocuments);
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  for (const bool has_writer : {false, true}) {
    const int writer = has_writer ? ::open(pipe.c_str(), O_RDWR | O_CLOEXEC) : -1;
    for (const bool static_scores : {false, true}) {
      std::vector<std::string> arguments{
          "index",    "--input",       static_scores ? (pipes / "docs.tsv").string() : pipe,
          "--quiet",  "--format",      "tsv",
          "--output", folder / "index"};
      if (static_scores) arguments.insert(arguments.end(), {"--static", pipe});
      RunningWarpdex process(arguments);
      ASSERT_TRUE(scratch_appeared(folder.path()));
      process.send_signal(GetParam());
      expect_complaint(process.wait(), 128 + GetParam(), {"interrupted"});
      EXPECT_THAT(names_in(folder.path()), ::testing::ElementsAre("index"));
    }
    if (has_writer) ::close(writer);
  }
}

TEST_P(Interrupt, EndsABuildThatIsAtWork) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  RunningWarpdex process(
      {"index", "--input", "-", "--format", "tsv", "--quiet", "--output", folder / "index"});
  process.send_input("first\tdocument\n");
  ASSERT_TRUE(scratch_appeared(folder.path()));
  process.send_signal(GetParam());
  // Input goes on for as long as it is read: the end must not depend on its end.
  std::string more;
  for (int i = 0; i < 100; ++i) more += std::to_string(i) + "\tmore words\n";
  process.try_input(more);
  expect_complaint(process.wait(), 128 + GetParam(), {"interrupted"});
  EXPECT_THAT(names_in(folder.path()), ::testing::ElementsAre("index"));
}

TEST_P(Interrupt, LeavesNoHalfRun) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  std::string log;
  for (int i = 0; i < 500'000; ++i) log += std::to_string(i) + "\tgreen apple tree pear\n";
  write_file(folder / "log.tsv", log);
  std::filesystem::create_directories(folder / "runs");
  write_file(folder / "runs/run", "old");
  RunningWarpdex process({"search", folder / "index", "--queries", folder / "log.tsv", "--output",
                          folder / "runs/run"});
  ASSERT_TRUE(scratch_appeared(folder / "runs"));
  process.send_signal(GetParam());
  expect_complaint(process.wait(), 128 + GetParam(), {"interrupted"});
  EXPECT_THAT(names_in(folder / "runs"), ::testing::ElementsAre("run"));
  EXPECT_EQ(read_file(folder / "runs/run"), "old");
}

/// Builds an index of 2,000 documents of 300 words out of 3,000, and writes a log of 1,000
/// queries of all those words, each of which takes some 7 ms to answer, and far more with checks.
void make_slow_log(const std::filesystem::path& index, const std::filesystem::path& log) {
  std::mt19937_64 random = generator(7);
  const auto word = [](std::uint64_t number) { return " word" + std::to_string(number); };
  std::string documents;
  for (int i = 0; i < 2000; ++i) {
    documents += "d" + std::to_string(i) + "\t";
    for (int j = 0; j < 300; ++j) documents += word(random() % 3000);
    documents += "\n";
  }
  const Outcome built = run_warpdex({"index", "--input", "-", "--format", "tsv", "--quiet",
                                     "--analyzer", "standard", "--output", index},
                                    {documents, {}, {}});
  ASSERT_EQ(built.status, 0) << built.err;
  std::string words;
  for (std::uint64_t i = 0; i < 3000; ++i) words += word(i);
  std::string queries;
  for (int i = 0; i < 1000; ++i) queries += std::to_string(i) + "\t" + words + "\n";
  write_file(log, queries);
}

/// Both commands write a run first. The signal comes at once, while queries are analysed, or later.
TEST(InterruptedSearch, EndsWithTheQueryUnderWay) {
  const TemporaryFolder folder;
  make_slow_log(folder / "index", folder / "log.tsv");
  std::filesystem::create_directories(folder / "runs");
  write_file(folder / "runs/run", "old");
  for (const std::string command : {"search", "bench"}) {
    for (const auto& [threads, delay] : {std::pair("1", 0), std::pair("2", 500)}) {
      RunningWarpdex process({command, folder / "index", "--queries", folder / "log.tsv", "-k",
                              "1000", "--threads", threads, "--output", folder / "runs/run"});
      ASSERT_TRUE(scratch_appeared(folder / "runs"));
      std::this_thread::sleep_for(std::chrono::milliseconds(delay));
      const auto start = std::chrono::steady_clock::now();
      process.send_signal(SIGINT);
      expect_complaint(process.wait(), 128 + SIGINT, {"interrupted"});
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      EXPECT_LT(seconds.count(), 3) << command;  // all of the queries take 7 and more
      EXPECT_THAT(names_in(folder / "runs"), ::testing::ElementsAre("run"));
      EXPECT_TRUE(read_file(folder / "runs/run") == "old") << command;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, ::testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const auto& signal) {
                           return signal.param == SIGINT    ? "INT"
                                  : signal.param == SIGTERM ? "TERM"
                                                            : "HUP";
                         });

}  // namespace
}  // namespace warpdex::test
