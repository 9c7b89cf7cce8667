// Files that are written beside their targets.
#include "warpdex/core/storage/pending_file.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <thread>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

using test::read_file;
using test::TemporaryFolder;
using test::write_file;
using ::testing::HasSubstr;

std::size_t files_in(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

TEST(PendingFile, TakesItsNameInCommit) {
  const TemporaryFolder folder;
  write_file(folder / "a", "old");
  PendingFile file(folder / "a");
  file.append("abc", 3);
  file.seek(5);
  file.append("fg", 2);
  file.write_at(1, "B", 1);
  EXPECT_EQ(read_file(folder / "a"), "old");
  file.commit();
  EXPECT_EQ(read_file(folder / "a"), std::string("aBc\0\0fg", 7));
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(PendingFile, SaysWhatToDo) {
  EXPECT_EQ(write_advice(ENOSPC), "make room there, or name another target");
  EXPECT_EQ(write_advice(EACCES), "name another target");
  const TemporaryFolder folder;
  try {
    PendingFile(folder / "none/a");
    ADD_FAILURE() << "it was written";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("No such file or directory; make the folder first"));
  }
}

TEST(PendingFile, LeavesAFileAloneInWhichItMayNotWrite) {
  const TemporaryFolder folder;
  write_file(folder / "a", "theirs");
  std::filesystem::permissions(folder / "a", std::filesystem::perms(0444));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0777));
  const std::string told = test::in_child([&]() -> std::string {
    test::become_ordinary_user();
    try {
      PendingFile(folder / "a").commit();
      return "it was replaced";
    } catch (const IoError& error) {
      return error.what();
    }
  });
  EXPECT_THAT(told, HasSubstr("Permission denied; name another target"));
  EXPECT_EQ(read_file(folder / "a"), "theirs");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(PendingFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  { PendingFile(folder / "a").append("abc", 3); }
  EXPECT_EQ(files_in(folder.path()), 0U);
}

TEST(PendingFile, ReplacesWhatAProcessOfThisIdLeftButNoFileThatIsWritten) {
  const TemporaryFolder folder;
  write_file(folder / ("a.warpdex-" + std::to_string(::getpid())), "left by a kill");
  PendingFile first(folder / "a");
  PendingFile second(folder / "a");
  EXPECT_NE(first.temporary(), second.temporary());
  first.append("first", 5);
  second.append("second", 6);
  first.commit();
  EXPECT_EQ(read_file(folder / "a"), "first");
  second.commit();
  EXPECT_EQ(read_file(folder / "a"), "second");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(PendingFile, ManyThreadsEndInOneOfTheirFiles) {
  const TemporaryFolder folder;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&folder, thread] {
      for (int i = 0; i < 20; ++i) {
        PendingFile file(folder / "a");
        const std::string text(1000, static_cast<char>('a' + thread));
        file.append(text.data(), text.size());
        file.commit();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = read_file(folder / "a");
  EXPECT_EQ(text, std::string(1000, text.at(0)));
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(PendingFile, ALinkStaysALinkAndADeviceADevice) {
  const TemporaryFolder folder;
  write_file(folder / "a", "old");
  std::filesystem::create_symlink("a", folder / "link");
  PendingFile file(folder / "link");
  file.append("new", 3);
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "a"), "new");

  PendingFile null("/dev/null");
  EXPECT_TRUE(null.temporary().empty());
  null.append("x", 1);
  null.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  PendingFile full("/dev/full");
  EXPECT_THROW(full.append("x", 1), IoError);
}

TEST(PendingFile, SaysWhyNothingCanBeWritten) {
  const TemporaryFolder folder;
  const auto complaint = [](const std::filesystem::path& target) -> std::string {
    try {
      const PendingFile file(target);
    } catch (const IoError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint(folder.path()), HasSubstr("is a folder"));
  EXPECT_THAT(complaint(folder / "none/a"), HasSubstr("No such file"));
}

}  // namespace
}  // namespace warpdex
