// What is left of an index when its writer dies in the middle.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <map>
#include <thread>

#include "tests/indexer/living/living_fixture.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex {
namespace {

using test::LivingIndexTest;
using test::one_thread;
using test::reader_of;
using test::Texts;
namespace fs = std::filesystem;

/// Three documents.
Texts batch(int number, const std::string& text) {
  Texts texts;
  for (const char* part : {"-0", "-1", "-2"}) {
    texts.emplace_back("b" + std::to_string(number) + part, text);
  }
  return texts;
}

/// Changes the index until it is killed.
void change(const fs::path& folder, bool in_background) {
  LivingIndex index(folder);
  if (in_background) index.merge_in_background({kMinBuildMemory, 1});
  for (int i = 1;; ++i) {
    index.add(*reader_of(batch(i % 20, "x z" + std::to_string(i))), one_thread(true));
    index.commit();
    for (const auto& [id, text] : batch((i * 7) % 20, "")) index.remove(id);
    if (!in_background && i % 5 == 0) {
      index.merge({.all = true, .memory = kMinBuildMemory, .threads = 1});
    }
    index.commit();
  }
}

// A child changes the index in batches of three documents; it is killed at some moment. A batch is
// there whole or not at all. In every other child segments are merged in the background.
TEST_F(LivingIndexTest, SurvivesTwoHundredKills) {
  build(batch(0, "x y"), [](BuildOptions& options) {
    options.stored_fields = {"text"};
    options.vectors = vector::RowSettings{vector::Metric::kL2, vector::Store::kFloat, 2};
  });
  std::mt19937_64 random = test::generator(91);
  std::uint64_t commits = 0;
  // On a slow machine, until enough commits came to their end.
  for (int kill = 0; kill < 200 || (commits <= 20 && kill < 5'000); ++kill) {
    const std::uint64_t before = Snapshot::open(index_).commit();
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        change(index_, kill % 2 == 1);
      } catch (...) {
        ::_exit(1);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed";
    const VerifyReport report = verify_index(index_);
    ASSERT_TRUE(report.ok()) << report.problems[0];
    std::map<std::string, int> batches;
    for (const std::string& name : names()) ++batches[name.substr(0, name.find('-'))];
    for (const auto& [name, count] : batches) ASSERT_EQ(count, 3) << name;
    commits += Snapshot::open(index_).commit() - before;
  }
  EXPECT_GT(commits, 20U) << "few commits came to their end";
  repair_target(index_);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace warpdex
