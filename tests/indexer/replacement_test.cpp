// An index appears whole in the place of the one before, and never in the place of anything else.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "tests/indexer/build_support.hpp"
#include "tests/indexer/replacement_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/indexer/living/living_index.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using test::documents_of;
using test::entries;
using test::message_of;
using test::write_small_index;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string refusal(const fs::path& target) {
  return message_of<UsageError>([&] { const IndexWriter writer(target, {}); });
}

TEST(ReplacementOfAnIndex, LeavesTheOldOneUntilCommit) {
  const test::TemporaryFolder folder;
  write_small_index(folder / "index", 33);
  {
    IndexWriter abandoned(folder / "index", {});
    abandoned.add_document("a", 1);
  }
  EXPECT_EQ(documents_of(folder / "index"), 33U);
  const Index old = Index::open(folder / "index");
  write_small_index(folder / "index", 128);
  EXPECT_EQ(documents_of(folder / "index"), 128U);
  EXPECT_EQ(old.document_name(32), "name-32") << "an open index outlives its replacement";
  EXPECT_EQ(entries(folder.path()), 1U) << "nothing is left beside the index";
  EXPECT_EQ(entries(folder / "index"), 2U) << "the manifest and one segment";
}

TEST(ReplacementOfAnIndex, RefusesWhatIsNotAnIndex) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "photos");
  test::write_file(folder / "photos" / "cat.jpg", "meow");
  EXPECT_THAT(refusal(folder / "photos"), HasSubstr("not an index"));
  test::write_file(folder / "file", "text");
  EXPECT_THAT(refusal(folder / "file"), HasSubstr("not a folder"));
  fs::create_symlink(folder / "nowhere", folder / "link");
  EXPECT_THAT(refusal(folder / "link"), HasSubstr("not a folder"));
  EXPECT_EQ(test::read_file(folder / "photos" / "cat.jpg"), "meow");
  EXPECT_THROW(IndexWriter("", {}), UsageError);
  EXPECT_THROW(IndexWriter("/", {}), UsageError);
  EXPECT_THROW(IndexWriter(fs::path("/proc/warpdex"), {}), IoError);
  EXPECT_THROW(Index::open(folder / "photos"), IoError);
  EXPECT_EQ(entries(folder.path()), 3U);
}

TEST(ReplacementOfAnIndex, RefusesSomebodyElsesManifest) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "app");
  test::write_file(folder / "app" / "manifest.json", "{\"name\": \"A web app\"}");
  EXPECT_THAT(refusal(folder / "app"), HasSubstr("not an index"));
  EXPECT_TRUE(fs::exists(folder / "app" / "manifest.json"));
}

TEST(ReplacementOfAnIndex, RefusesFilesThatAreNotTheIndexs) {
  const test::TemporaryFolder folder;
  const fs::path index = folder / "index";
  write_small_index(index, 33);
  test::write_file(index / "segment-0/notes", "mine");
  EXPECT_THAT(refusal(index), AllOf(HasSubstr("'segment-0/notes'"), Not(HasSubstr("more;"))));
  test::write_file(index / "docs.jsonl", "mine");
  fs::create_directory(index / "a folder");
  fs::create_symlink("/etc", index / "link");
  test::write_file(index / ".hidden", "mine");
  EXPECT_THAT(refusal(index), AllOf(HasSubstr("'.hidden', 'a folder', 'docs.jsonl' and 2 more"),
                                    HasSubstr(index.string()), HasSubstr("another output")));
  EXPECT_EQ(test::read_file(index / "segment-0/notes"), "mine");
  EXPECT_EQ(test::read_file(index / "docs.jsonl"), "mine");
  EXPECT_EQ(documents_of(index), 33U);
}

// A section that lies elsewhere would stay there.
TEST(ReplacementOfAnIndex, RefusesLinksInTheIndex) {
  const test::TemporaryFolder folder;
  write_small_index(folder / "index", 33);
  fs::rename(folder / "index/segment-0", folder / "elsewhere");
  fs::create_directory_symlink(folder / "elsewhere", folder / "index/segment-0");
  EXPECT_EQ(documents_of(folder / "index"), 33U);
  EXPECT_THAT(refusal(folder / "index"), HasSubstr("'segment-0'"));
  fs::remove(folder / "index/segment-0");
  fs::rename(folder / "elsewhere", folder / "index/segment-0");
  fs::rename(folder / "index/segment-0/docids", folder / "docids");
  fs::create_symlink(folder / "docids", folder / "index/segment-0/docids");
  EXPECT_THAT(refusal(folder / "index"), HasSubstr("'segment-0/docids'"));
}

TEST(ReplacementOfAnIndex, RefusesWhatAppearedDuringTheBuild) {
  const test::TemporaryFolder folder;
  {
    IndexWriter writer(folder / "new", {});
    fs::create_directory(folder / "new");
    test::write_file(folder / "new" / "thesis.tex", "years of work");
    EXPECT_THROW(writer.commit(), UsageError);
  }
  EXPECT_EQ(test::read_file(folder / "new" / "thesis.tex"), "years of work");
  write_small_index(folder / "old", 33);
  {
    IndexWriter writer(folder / "old", {});
    test::write_file(folder / "old" / "thesis.tex", "years of work");
    EXPECT_THAT(message_of<UsageError>([&] { writer.commit(); }), HasSubstr("'thesis.tex'"));
  }
  EXPECT_EQ(test::read_file(folder / "old" / "thesis.tex"), "years of work");
  EXPECT_EQ(documents_of(folder / "old"), 33U);
  EXPECT_EQ(entries(folder.path()), 2U);
}

// What cannot be opened can still be built again, as long as it can be told what belongs to it.
TEST(ReplacementOfAnIndex, TakesOtherVersionsButNoBrokenList) {
  const test::TemporaryFolder folder;
  const fs::path manifest = folder / "index/manifest.json";
  write_small_index(folder / "index", 33);
  std::string text = test::read_file(manifest);
  text.replace(text.find("\"version\": 4"), 12, "\"version\": 1");
  test::write_file(manifest, text);
  EXPECT_THROW(Index::open(folder / "index"), FormatError);
  write_small_index(folder / "index", 34);
  EXPECT_EQ(documents_of(folder / "index"), 34U);
  fs::resize_file(manifest, fs::file_size(manifest) / 2);
  EXPECT_THAT(refusal(folder / "index"), HasSubstr("damaged"));
  EXPECT_TRUE(fs::exists(folder / "index/segment-0/lexicon"));
}

TEST(ReplacementOfAnIndex, FindsANameThatIsTooLongBeforeTheBuild) {
  const test::TemporaryFolder folder;
  for (const std::size_t length : {235, 255}) {
    EXPECT_THAT(refusal(folder / std::string(length, 'x')), HasSubstr("at most 234 bytes"));
  }
  const std::string told =
      message_of<IoError>([&] { const IndexWriter writer(folder / std::string(256, 'x'), {}); });
  EXPECT_THAT(told, HasSubstr("File name too long"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
  write_small_index(folder / std::string(234, 'x'), 33);
  EXPECT_EQ(documents_of(folder / std::string(234, 'x')), 33U);
  EXPECT_THAT(message_of<IoError>([&] { Index::open(folder / std::string(256, 'x')); }),
              HasSubstr("File name too long"));
}

TEST(ReplacementOfAnIndex, FindsAMountPointBeforeTheBuild) {
  const test::TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms(0777));
  fs::create_directory(folder / "index");
  const std::string told = test::in_child([&]() -> std::string {
    const int user = ::geteuid() == 0 ? 0 : CLONE_NEWUSER;
    if (::unshare(CLONE_NEWNS | user) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", (folder / "index").c_str(), "tmpfs", 0, nullptr) != 0) {
      return "no mount";
    }
    const std::string empty =
        message_of<IoError>([&] { const IndexWriter writer(folder / "index", {}); });
    write_small_index(folder / "other", 33);
    fs::copy(folder / "other", folder / "index", fs::copy_options::recursive);
    return empty + "\n" +
           message_of<IoError>([&] { const IndexWriter writer(folder / "index", {}); });
  });
  if (told == "no mount") GTEST_SKIP() << "mounting is not allowed here";
  EXPECT_THAT(told, testing::ContainsRegex("mount point.*\n.*mount point"));
}

TEST(ReplacementOfAnIndex, FindsWhereItMayNotWriteBeforeTheBuild) {
  const test::TemporaryFolder folder;
  write_small_index(folder / "index", 33);
  fs::permissions(folder.path(), fs::perms(0555));
  const std::string told = test::in_child([&] {
    test::become_ordinary_user();
    return message_of<IoError>([&] { const IndexWriter writer(folder / "index", {}); });
  });
  fs::permissions(folder.path(), fs::perms(0700));
  EXPECT_THAT(told, AllOf(HasSubstr("Permission denied"), HasSubstr("where you may write")));
}

// They name no output.
TEST(ReplacementOfAnIndex, ChangesSayThatTheyAreWrittenBesideTheIndex) {
  const test::TemporaryFolder folder;
  write_small_index(folder / "index", 33);
  const std::vector<std::function<void()>> changes{
      [&] { const ReplacementFolder change(folder / "index"); },
      [&] { const LivingIndex change(folder / "index"); },
      [&] { repair_target(folder / "index"); }};
  fs::permissions(folder.path(), fs::perms(0555));
  for (const auto& change : changes) {
    const std::string told = test::in_child([&] {
      test::become_ordinary_user();
      return message_of<IoError>(change);
    });
    EXPECT_THAT(told, AllOf(HasSubstr("Permission denied; an index is changed beside itself"),
                            HasSubstr("make the folder '" + folder.path().string() + "' writable"),
                            Not(HasSubstr("output"))));
  }
  fs::permissions(folder.path(), fs::perms(0700));
}

// Neither damaged nor missing.
TEST(ReplacementOfAnIndex, SaysWhatMayNotBeRead) {
  const test::TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms(0777));
  for (const std::string closed : {"", "manifest.json", "segment-0", "segment-0/lexicon"}) {
    write_small_index(folder / "index", 33);
    fs::permissions(folder / ("index/" + closed), fs::perms::none);
    const std::string opened = test::in_child([&] {
      test::become_ordinary_user();
      return message_of<IoError>([&] { Index::open(folder / "index"); });
    });
    EXPECT_THAT(opened,
                AllOf(HasSubstr("Permission denied; check its permissions"), HasSubstr(closed)))
        << closed;
    const std::string written = test::in_child([&] {
      test::become_ordinary_user();
      return message_of<IoError>([&] { const IndexWriter writer(folder / "index", {}); });
    });
    // Only names in the segment's folder are read, not the sections.
    if (closed != "segment-0/lexicon") {
      EXPECT_THAT(written, HasSubstr("Permission denied")) << closed;
    }
    fs::permissions(folder / ("index/" + closed), fs::perms(0755));
  }
}

TEST(ReplacementOfAnIndex, EndsWhereverTheCallerWishes) {
  const test::TemporaryFolder folder(test::place_in_memory());
  struct Ended {};
  const auto commit_until = [&](const fs::path& target, int wished) {
    IndexWriter writer(target, {});
    int calls = 0;
    writer.commit([&] {
      if (++calls == wished) throw Ended();
    });
    return calls;
  };
  write_small_index(folder / "index", 33);
  const auto before = test::folder_bytes(folder.path());
  const int calls = commit_until(folder / "counted", 0);
  fs::remove_all(folder / "counted");
  EXPECT_GT(calls, 20);
  for (int wished = 1; wished <= calls; ++wished) {
    EXPECT_THROW(commit_until(folder / "index", wished), Ended);
    EXPECT_EQ(test::folder_bytes(folder.path()), before);
  }
}

TEST(ReplacementOfAnIndex, TakesTheCurrentFolder) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "index");
  const std::string told = test::in_child([&]() -> std::string {
    for (const int documents : {1, 2}) {
      fs::current_path(folder / "index");
      write_small_index(".", documents);
      if (documents_of(folder / "index") != static_cast<std::uint64_t>(documents)) return "other";
    }
    return message_of<IoError>([] { Index::open("."); }) + "\n" +
           message_of<IoError>([] { const IndexWriter writer(".", {}); });
  });
  EXPECT_THAT(told, testing::ContainsRegex("'cd .'.*\n.*'cd .'"));
  EXPECT_EQ(documents_of(folder / "index"), 2U);
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(ReplacementOfAnIndex, IsAsOpenAsTheUmaskSays) {
  const test::TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_small_index(folder / "index", 1);
  ::umask(before);
  EXPECT_EQ(static_cast<unsigned>(fs::status(folder / "index").permissions()), 0750U);
}

}  // namespace
}  // namespace warpdex
