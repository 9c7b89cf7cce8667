// One holder at a time, whoever dies, and no file is left.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <optional>
#include <thread>

#include "storage/hidden_names.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/target_lock.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

/// What taking the lock complains of.
std::string complaint(const fs::path& target) {
  try {
    const TargetLock lock(target);
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

TEST(TargetLock, TellsWhoHoldsIt) {
  const test::TemporaryFolder folder;
  const fs::path target = folder / "target";
  std::optional<TargetLock> lock(std::in_place, target);
  const std::string told = test::in_child([&] { return complaint(target); });
  EXPECT_NE(told.find("process " + std::to_string(::getpid())), std::string::npos) << told;
  EXPECT_NE(told.find(target.string()), std::string::npos) << told;
  EXPECT_EQ(complaint(folder / "other"), "");
  lock.reset();
  EXPECT_EQ(complaint(target), "");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(TargetLock, TellsOtherUsersToo) {
  const test::TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms(0777));
  const TargetLock lock(folder / "target");
  const std::string told = test::in_child([&] {
    test::become_ordinary_user();
    return complaint(folder / "target");
  });
  EXPECT_NE(told.find("process " + std::to_string(::getpid())), std::string::npos) << told;
}

TEST(TargetLock, IsTakenOverFromTheDead) {
  const test::TemporaryFolder folder;
  const fs::path target = folder / "target";
  const pid_t child = ::fork();
  if (child == 0) {
    const TargetLock lock(target);
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(fs::exists(lock_file_of(target)));
  {
    const TargetLock lock(target);
    const std::string told = complaint(target);
    EXPECT_NE(told.find("process " + std::to_string(::getpid())), std::string::npos) << told;
    EXPECT_EQ(told.find(std::to_string(child)), std::string::npos) << told;
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// Holders remove the file while others have opened it and are about to lock it.
TEST(TargetLock, HasOneHolderAtATime) {
  const test::TemporaryFolder folder(test::place_in_memory());
  const fs::path target = folder / "target";
  std::atomic<int> holders{0};
  std::atomic<int> max{0};
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 3000; ++round) {
        try {
          const TargetLock lock(target);
          const int now = ++holders;
          if (now > max) max = now;
          ++taken;
          if (round % 16 == 0) std::this_thread::yield();
          --holders;
        } catch (const IoError&) {
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(max, 1);
  EXPECT_GT(taken, 100);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace warpdex
