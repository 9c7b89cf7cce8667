// Random changes of an index with a journal, against a map of documents; and writers that are
// killed.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/api/journal_support.hpp"
#include "tests/support.hpp"
#include "warpdex/verify.hpp"

namespace warpdex {
namespace {

using test::ExpectedDocuments;
using test::Step;
namespace fs = std::filesystem;

constexpr WriterOptions kJournalled{.threads = 1, .merges = false, .journal = true};

TEST(WriterJournalAtRandom, KeepsWhatAMapKeeps) {
  std::mt19937_64 random = test::generator(21);
  const test::TemporaryFolder folder(test::place_in_memory());
  ExpectedDocuments expected;
  WriterOptions options = kJournalled;
  auto writer = std::make_unique<Writer>(folder / "index", test::index_of_titles(), options);
  for (int i = 0; i < 1500 && !testing::Test::HasFailure(); ++i) {
    Step step = test::random_step(random, expected);
    if (random() % 40 == 0) step.kind = Step::kReopen;
    // Every now and then a writer without a journal, which cannot sync.
    if (step.kind == Step::kSync && !options.journal) continue;
    if (step.kind == Step::kReopen) {
      writer.reset();
      options.journal = random() % 4 != 0;
      options.merges = random() % 4 == 0;
      writer = std::make_unique<Writer>(folder / "index", test::index_of_titles(), options);
    } else {
      test::make(step, *writer);
    }
    if (step.kind == Step::kRollback && !options.journal) step.kind = Step::kReopen;
    expected.make(step);
    if (step.kind == Step::kCommit) {
      EXPECT_EQ(test::documents_in(folder / "index"), expected.committed) << "step " << i;
    }
    if (step.kind == Step::kReopen || step.kind == Step::kCommit) {
      const IndexCheck check = verify(folder / "index");
      EXPECT_TRUE(check.problems.empty()) << check.problems[0];
      EXPECT_EQ(check.journal_changes, writer->recovered() * (step.kind == Step::kReopen));
    }
  }
  writer.reset();
  EXPECT_EQ(test::documents_after_opening(folder / "index"), expected.durable);
}

/// Draws and makes steps until it is killed, and writes how many of them were made when a sync() or
/// commit() returned.
void change(const fs::path& folder, std::uint64_t seed, ExpectedDocuments expected, int to) {
  std::mt19937_64 random(seed);
  WriterOptions options = kJournalled;
  options.merges = seed % 2 == 0;
  Writer writer(folder, {}, options);
  for (std::uint32_t made = 1;; ++made) {
    const Step step = test::random_step(random, expected);
    test::make(step, writer);
    expected.make(step);
    if (step.kind < Step::kSync) continue;
    if (::write(to, &made, sizeof made) != sizeof made) ::_exit(2);
  }
}

/// The last number that came through a pipe, whose writer is dead; 0 if none did.
std::uint32_t last_number(int from) {
  std::uint32_t number = 0;
  while (::read(from, &number, sizeof number) == sizeof number) {
  }
  ::close(from);
  return number;
}

/// Whether the documents are those after `made` steps or some more.
bool are_of_a_moment(const test::Documents& found, std::uint64_t seed, ExpectedDocuments expected,
                     std::uint32_t made) {
  std::mt19937_64 random(seed);
  for (std::uint32_t i = 0; i < made + 3000; ++i) {
    if (i >= made && found == expected.now) return true;
    expected.make(test::random_step(random, expected));
  }
  return false;
}

TEST(WriterJournalAtRandom, SurvivesTwoHundredKills) {
  const test::TemporaryFolder folder(test::place_in_memory());
  std::mt19937_64 random = test::generator(22);
  Writer(folder / "index", test::index_of_titles(), kJournalled);
  ExpectedDocuments expected;
  std::uint64_t steps = 0;
  for (int kill = 0; kill < 200 || (steps < 2000 && kill < 5000); ++kill) {
    const std::uint64_t seed = random();
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        change(folder / "index", seed, expected, ends[1]);
      } catch (...) {
        ::_exit(1);
      }
    }
    ::close(ends[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed";
    const std::uint32_t made = last_number(ends[0]);
    steps += made;
    const test::Documents found = test::documents_after_opening(folder / "index");
    ASSERT_TRUE(are_of_a_moment(found, seed, expected, made)) << "after " << made << " steps";
    const IndexCheck check = verify(folder / "index");
    ASSERT_TRUE(check.problems.empty()) << check.problems[0];
    expected = {found, found, found};
  }
  EXPECT_GE(steps, 2000U) << "few steps came to their end";
}

}  // namespace
}  // namespace warpdex
