// An index appears whole in the place of the one before, and never in the place of anything else.
#include <sys/stat.h>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

void write_index(const fs::path& target, int documents) {
  IndexWriter writer(target, {});
  for (int i = 0; i < documents; ++i) writer.add_document("name-" + std::to_string(i), 0);
  writer.commit();
}

std::uint64_t documents_of(const fs::path& index) { return Index::open(index).counts().documents; }

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ReplacementOfAnIndex, LeavesTheOldOneUntilCommit) {
  const test::TemporaryFolder folder;
  write_index(folder / "index", 33);
  {
    IndexWriter abandoned(folder / "index", {});
    abandoned.add_document("a", 1);
  }
  EXPECT_EQ(documents_of(folder / "index"), 33U);
  const Index old = Index::open(folder / "index");
  write_index(folder / "index", 128);
  EXPECT_EQ(documents_of(folder / "index"), 128U);
  EXPECT_EQ(old.document_name(32), "name-32") << "an open index outlives its replacement";
  EXPECT_EQ(entries(folder.path()), 1U) << "nothing is left beside the index";
  EXPECT_EQ(entries(folder / "index"), 2U) << "the manifest and one segment, no lock";
}

TEST(ReplacementOfAnIndex, RefusesWhatIsNotAnIndex) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "photos");
  test::write_file(folder / "photos" / "cat.jpg", "meow");
  EXPECT_THROW(IndexWriter(folder / "photos", {}), UsageError);
  test::write_file(folder / "file", "text");
  EXPECT_THROW(IndexWriter(folder / "file", {}), UsageError);
  fs::create_symlink(folder / "nowhere", folder / "link");
  EXPECT_THROW(IndexWriter(folder / "link", {}), UsageError);
  EXPECT_EQ(test::read_file(folder / "photos" / "cat.jpg"), "meow");
  EXPECT_THROW(IndexWriter(fs::path("/proc/warpdex"), {}), IoError);
  EXPECT_THROW(Index::open(folder / "photos"), IoError);
}

TEST(ReplacementOfAnIndex, RefusesSomebodyElsesManifest) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "app");
  test::write_file(folder / "app" / "manifest.json", "{\"name\": \"A web app\"}");
  EXPECT_THROW(IndexWriter(folder / "app", {}), UsageError);
  EXPECT_TRUE(fs::exists(folder / "app" / "manifest.json"));
}

TEST(ReplacementOfAnIndex, RefusesWhatAppearedDuringTheBuild) {
  const test::TemporaryFolder folder;
  IndexWriter writer(folder / "index", {});
  fs::create_directory(folder / "index");
  test::write_file(folder / "index" / "thesis.tex", "years of work");
  EXPECT_THROW(writer.commit(), UsageError);
  EXPECT_EQ(test::read_file(folder / "index" / "thesis.tex"), "years of work");
}

TEST(ReplacementOfAnIndex, RemovesWhatDeadBuildsLeft) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / ".index.building-dead01");
  test::write_file(folder / ".index.building-dead01" / "lock", "");
  IndexWriter living(folder / "index", {});
  write_index(folder / "index", 1);
  EXPECT_FALSE(fs::exists(folder / ".index.building-dead01"));
  living.add_document("the living one was left alone", 1);
  living.commit();
  EXPECT_EQ(Index::open(folder / "index").document_name(0), "the living one was left alone");
}

TEST(ReplacementOfAnIndex, IsAsOpenAsTheUmaskSays) {
  const test::TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_index(folder / "index", 1);
  ::umask(before);
  EXPECT_EQ(static_cast<unsigned>(fs::status(folder / "index").permissions()), 0750U);
}

}  // namespace
}  // namespace warpdex
