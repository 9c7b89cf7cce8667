// A folder held open stays itself; what cannot be read is told from what is not there.
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/folder.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::optional<MappedFile>& file) {
  return file ? std::string(file->bytes().begin(), file->bytes().end()) : "none";
}

TEST(Folder, StaysItselfWhereverItIsMoved) {
  const test::TemporaryFolder place;
  fs::create_directories(place / "a/inner");
  test::write_file(place / "a/inner/file", "old");
  const std::optional<Folder> folder = Folder::find(place / "a");
  ASSERT_TRUE(folder);
  EXPECT_TRUE(folder->is_at(place / "a"));
  fs::rename(place / "a", place / "b");
  fs::create_directories(place / "a/inner");
  test::write_file(place / "a/inner/file", "new");
  EXPECT_FALSE(folder->is_at(place / "a"));
  EXPECT_TRUE(folder->is_at(place / "b"));
  EXPECT_EQ(text_of(folder->subfolder("inner")->map("file")), "old");
  EXPECT_FALSE(folder->is_removed());
  fs::remove_all(place / "b");
  EXPECT_TRUE(folder->is_removed());
  EXPECT_FALSE(folder->subfolder("inner"));
  EXPECT_EQ(text_of(folder->map("file")), "none");
}

TEST(Folder, IsNoneOnlyWhereThereIsNothing) {
  const test::TemporaryFolder place;
  test::write_file(place / "file", "text");
  ASSERT_EQ(::mkfifo((place / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(Folder::find(place / "missing"));
  EXPECT_THROW(Folder::find(place / "file"), IoError);
  EXPECT_THROW(Folder::find(place / std::string(300, 'x')), IoError);
  const std::optional<Folder> folder = Folder::find(place.path());
  EXPECT_FALSE(folder->map("missing"));
  EXPECT_FALSE(folder->subfolder("missing"));
  EXPECT_THROW(folder->subfolder("file"), IoError);
  EXPECT_THROW(folder->map("pipe"), IoError) << "and does not wait for a writer";
  EXPECT_THROW(folder->map("."), IoError);
  EXPECT_THROW(folder->map(std::string(300, 'x')), IoError);
}

TEST(Folder, SaysThatPermissionIsMissing) {
  const test::TemporaryFolder place;
  fs::permissions(place.path(), fs::perms(0755));
  fs::create_directory(place / "closed");
  test::write_file(place / "file", "text");
  fs::permissions(place / "closed", fs::perms::none);
  fs::permissions(place / "file", fs::perms::none);
  const auto told = [&](const std::string& path) {
    return test::in_child([&]() -> std::string {
      test::become_ordinary_user();
      const std::optional<Folder> folder = Folder::find((place / path).parent_path());
      return folder ? text_of(folder->map(fs::path(path).filename().string())) : "no folder";
    });
  };
  for (const std::string path : {"file", "closed/file"}) {
    EXPECT_NE(told(path).find("Permission denied"), std::string::npos) << told(path);
    EXPECT_NE(told(path).find(place / path), std::string::npos) << told(path);
  }
  fs::permissions(place / "closed", fs::perms(0755));
}

}  // namespace
}  // namespace warpdex
