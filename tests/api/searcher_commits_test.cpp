// Searches beside commits, on the CPU.
#include "tests/api/commit_stream.hpp"

namespace warpdex {
namespace {

TEST(SearcherCommits, EveryAnswerIsOneCommits) {
  const test::TemporaryFolder folder(test::place_in_memory());
  EXPECT_EQ(test::search_beside_commits(folder / "index", {.threads = 2}, 200, 8), "");
}

TEST(SearcherCommits, ASearcherFollowsByItself) {
  const test::TemporaryFolder folder(test::place_in_memory());
  EXPECT_EQ(test::search_beside_commits(
                folder / "index", {.threads = 2, .follow = std::chrono::milliseconds(1)}, 60, 3),
            "");
}

TEST(SearcherCommits, AnAnswerOutlivesItsSearcherAndItsCommit) {
  const test::TemporaryFolder folder;
  Writer writer(folder / "index", {.analyzer = "whitespace", .stored = {"commit"}});
  test::write_commit(writer, 1);
  std::optional<Searcher> searcher(std::in_place, folder / "index");
  const Answer answer = searcher->search("common", {.fields = {"commit"}});
  test::write_commit(writer, 2);
  EXPECT_TRUE(searcher->refresh());
  EXPECT_EQ(searcher->search("common", {.fields = {"commit"}}).commit(), 2U);
  searcher.reset();
  EXPECT_EQ(test::fault_of(answer), "");
  EXPECT_EQ(answer[0].id().substr(0, 1), "d");
}

TEST(SearcherCommits, OneAtACommitStaysThere) {
  const test::TemporaryFolder folder;
  Writer writer(folder / "index", {.analyzer = "whitespace", .stored = {"commit"}});
  test::write_commit(writer, 1);
  std::optional<Searcher> searcher(std::in_place, folder / "index");
  const Searcher same = searcher->at_this_commit();
  const std::uint64_t documents = searcher->documents();
  test::write_commit(writer, 2);
  EXPECT_TRUE(searcher->refresh());
  EXPECT_EQ(searcher->commit(), 2U);
  searcher.reset();
  EXPECT_EQ(same.commit(), 1U);
  EXPECT_EQ(same.documents(), documents);
  EXPECT_EQ(same.search("common").commit(), 1U);
}

TEST(SearcherCommits, ASearcherWhoseIndexGoesStaysAsItWas) {
  const test::TemporaryFolder folder;
  {
    Writer writer(folder / "index", {.analyzer = "whitespace"});
    writer.add({.id = "1", .text = "fish"});
    writer.commit();
  }
  Searcher searcher(folder / "index");
  std::filesystem::rename(folder / "index", folder / "away");
  EXPECT_THROW(searcher.refresh(), IoError);
  EXPECT_EQ(searcher.search("fish").size(), 1U);
  std::filesystem::rename(folder / "away", folder / "index");
  EXPECT_FALSE(searcher.refresh());
}

TEST(SearcherCommits, AnIndexBuiltAnewIsTaken) {
  const test::TemporaryFolder folder;
  for (const char* id : {"old", "new"}) {
    std::filesystem::remove_all(folder / id);
    Writer writer(folder / id, {.analyzer = "whitespace"});
    writer.add({.id = id, .text = "fish"});
    writer.commit();
  }
  Searcher searcher(folder / "old");
  std::filesystem::remove_all(folder / "old");
  std::filesystem::rename(folder / "new", folder / "old");
  EXPECT_TRUE(searcher.refresh());  // of the same number
  EXPECT_EQ(searcher.search("fish")[0].id(), "new");
}

}  // namespace
}  // namespace warpdex
