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

TEST(SearcherCommits, FrequenciesThatComeInThePlaceOfImpactsHaveNoBlocks) {
  const test::TemporaryFolder folder;
  std::mt19937_64 random = test::generator(7);
  const std::vector<Document> documents = test::word_documents(random, 0, 900, 60, 40);
  BuildOptions build = test::plain_build(folder / "index");
  build.impacts.emplace();
  build_index(*documents_from_memory(documents), build);
  Searcher searcher(folder / "index", {.document_blocks = true});
  const std::string text = "w1 w2 w3 w4 w5 w6 w7";
  const Answer by_blocks = searcher.search(text);
  const Answer by_lists = Searcher(folder / "index").search(text);
  ASSERT_EQ(by_blocks.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(by_blocks[i].id(), by_lists[i].id());
    EXPECT_EQ(by_blocks[i].score(), by_lists[i].score());
  }
  build.impacts.reset();
  build_index(*documents_from_memory(documents), build);
  EXPECT_TRUE(searcher.refresh());
  const Answer after = searcher.search(text);
  ASSERT_EQ(after.size(), 10U);
  EXPECT_EQ(after[0].score(), Searcher(folder / "index").search(text)[0].score());
  EXPECT_THROW(Searcher(folder / "index", {.document_blocks = true}), UsageError);
}

}  // namespace
}  // namespace warpdex
