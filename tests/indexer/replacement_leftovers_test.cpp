// What builds that died left: cleared by the next build and by a repair, put back where need be.
#include "tests/indexer/build_support.hpp"
#include "tests/indexer/replacement_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/leftovers.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using test::documents_of;
using test::entries;
using test::message_of;
using test::write_small_index;
using testing::AllOf;
using testing::HasSubstr;

class LeftoversOfBuilds : public testing::TestWithParam<bool> {
 protected:
  LeftoversOfBuilds() { write_small_index(index_, 33); }

  /// A hidden folder as builds leave them: half written, or an index that was replaced.
  void leave(const std::string& name, bool has_lock, bool is_whole = false) const {
    if (is_whole) {
      fs::copy(index_, folder_ / name, fs::copy_options::recursive);
    } else {
      fs::create_directories(folder_ / (name + "/segment-0"));
      test::write_file(folder_ / (name + "/segment-0/lexicon"), "half");
    }
    if (has_lock) test::write_file(folder_ / (name + "/lock"), "");
  }

  /// The next build, or a repair.
  Leftovers clear() const {
    if (!GetParam()) return repair_target(index_);
    IndexWriter abandoned(index_, {});
    return {};
  }

  const test::TemporaryFolder folder_;
  const fs::path index_ = folder_ / "index";
};

TEST_P(LeftoversOfBuilds, AreRemoved) {
  leave(".index.building-dead01", true);
  leave(".index.building-Dead02", false);
  leave(".index.building-dead03", false, true);
  leave(".index.building-dead04-old", false, true);
  leave(".index.building-dead05-old", true);
  test::write_file(folder_ / ".index.building-lock", "process 1 on a machine");
  const Leftovers cleared = clear();
  EXPECT_FALSE(cleared.put_back);
  EXPECT_EQ(cleared.removed, GetParam() ? 0U : 5U);
  EXPECT_EQ(entries(folder_.path()), 1U);
  EXPECT_EQ(documents_of(index_), 33U);
}

TEST_P(LeftoversOfBuilds, AreToldFromWhatIsNot) {
  leave(".index.building-dead1", false);
  leave(".index.building-dead001", false);
  leave(".index.building-dead01-older", false);
  leave(".index.building-dead.1", false);
  leave(".another.building-dead01", false);
  leave("index.building-dead01", false);
  test::write_file(folder_ / ".index.building-abcdef", "a file");
  fs::create_directory_symlink(index_, folder_ / ".index.building-linked");
  clear();
  EXPECT_EQ(entries(folder_.path()), 9U);
}

// A kill between the two renames of a file system that cannot exchange.
TEST_P(LeftoversOfBuilds, AnIndexOutOfItsPlaceIsPutBack) {
  leave(".index.building-dead01", false, true);
  fs::rename(index_, folder_ / ".index.building-dead01-old");
  EXPECT_THAT(message_of<IoError>([&] { Index::open(index_); }),
              AllOf(HasSubstr("warpdex verify --repair " + index_.string()),
                    HasSubstr("there is no index")));
  EXPECT_EQ(clear().put_back, !GetParam());
  EXPECT_EQ(documents_of(index_), 33U);
  EXPECT_EQ(entries(folder_.path()), 1U);
}

// The removal of an index begins with its manifest, so that what is left of it is none.
TEST_P(LeftoversOfBuilds, HalfAnIndexIsNotPutBack) {
  leave(".index.building-dead01-old", false);
  fs::remove_all(index_);
  EXPECT_THAT(message_of<IoError>([&] { Index::open(index_); }), HasSubstr("build one"));
  EXPECT_FALSE(clear().put_back);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

INSTANTIATE_TEST_SUITE_P(ClearedBy, LeftoversOfBuilds, testing::Bool(),
                         [](const auto& by) { return by.param ? "TheNextBuild" : "Repair"; });

TEST(RepairOfAnIndex, LeavesABuildThatLivesAlone) {
  const test::TemporaryFolder folder;
  IndexWriter living(folder / "index", {});
  EXPECT_THAT(message_of<IoError>([&] { repair_target(folder / "index"); }),
              HasSubstr("being written by process"));
  living.add_document("the living one was left alone", 1);
  living.commit();  // and lets others build
  EXPECT_EQ(Index::open(folder / "index").document_name(0), "the living one was left alone");
  repair_target(folder / "no/such/index");
  EXPECT_EQ(entries(folder.path()), 1U);
}

}  // namespace
}  // namespace warpdex
