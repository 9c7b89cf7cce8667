// Writer makes the index that a build of the same documents makes, and refuses bad documents one by
// one.
#include "warpdex/writer.hpp"

#include <signal.h>
#include <sys/resource.h>

#include <csignal>
#include <functional>
#include <limits>
#include <map>

#include "tests/api/api_support.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/searcher.hpp"

namespace warpdex {
namespace {

std::map<std::string, float> scores_of(const Searcher& searcher, const std::string& text) {
  std::map<std::string, float> scores;
  for (const AnswerHit hit : searcher.search(text, {.k = 10'000})) {
    scores.emplace(hit.id(), hit.score());
  }
  return scores;
}

TEST(Writer, AnEmptyIndexRecordsItsFields) {
  const test::TemporaryFolder folder;
  { const Writer writer(folder / "index", {.fields = {"title", "body"}}); }
  EXPECT_EQ(Writer(folder / "index").settings().fields, "title,body");
}

TEST(Writer, ACommitThatIsStoppedChangesNothing) {
  const test::TemporaryFolder folder;
  Writer writer(folder / "index", {.analyzer = "whitespace"});
  writer.add({.id = "1", .text = "fish"});
  writer.commit();
  writer.add({.id = "2", .text = "fish"});
  EXPECT_THROW(writer.commit([] { throw UsageError("stopped"); }), UsageError);
  EXPECT_EQ(Searcher(folder / "index").documents(), 1U);
  writer.rollback();
  writer.add({.id = "3", .text = "fish"});
  writer.commit();
  EXPECT_EQ(Searcher(folder / "index").documents(), 2U);
}

TEST(Writer, AnUpdatedDocumentIsTheLastOne) {
  const test::TemporaryFolder folder;
  Writer writer(folder / "index");
  for (const char* id : {"1", "2", "1", "3", "2"}) writer.update({.id = id, .text = "fish"});
  writer.commit();
  const Answer answer = Searcher(folder / "index").search("fish");
  ASSERT_EQ(answer.size(), 3U);
  EXPECT_EQ(answer[0].id(), "1");
  EXPECT_EQ(answer[1].id(), "3");
  EXPECT_EQ(answer[2].id(), "2");
}

TEST(Writer, AnswersAreThoseOfOneBuildOfWhatIsLive) {
  std::mt19937_64 random = test::generator(7);
  const test::TemporaryFolder folder;
  std::map<std::string, std::string> live;
  Writer writer(folder / "index", {.analyzer = "whitespace"});
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 40; ++i) {
      const std::string id = "d" + std::to_string(random() % 200);
      const std::string text = "w" + std::to_string(random() % 9) + " w" +
                               std::to_string(random() % 20) + " r" + std::to_string(round);
      switch (random() % 3) {
        case 0: EXPECT_EQ(writer.remove(id), live.erase(id) == 1) << id; break;
        case 1:
          writer.update({.id = id, .text = text});
          live[id] = text;
          break;
        default:
          if (live.contains(id)) {
            EXPECT_THROW(writer.add({.id = id, .text = text}), BadDocument);
          } else {
            writer.add({.id = id, .text = text});
            live[id] = text;
          }
      }
    }
    const CommitReport report = writer.commit();
    EXPECT_EQ(report.number, static_cast<std::uint64_t>(round + 1));
    std::vector<Document> documents;
    for (const auto& [id, text] : live) documents.push_back({id, text});
    build_index(*documents_from_memory(documents), test::plain_build(folder / "built"));
    const Searcher changed(folder / "index");
    const Searcher built(folder / "built");
    EXPECT_EQ(changed.documents(), live.size());
    for (const char* text : {"w0", "w1 w3", "w2 r3 w15", "r1 r2"}) {
      EXPECT_EQ(scores_of(changed, text), scores_of(built, text)) << text << " round " << round;
    }
  }
}

TEST(Writer, ManyDocumentsGoToTheIndexBeforeTheCommit) {
  const test::TemporaryFolder folder;
  Writer writer(folder / "index", {.analyzer = "whitespace"},
                {.memory = std::uint64_t{128} << 20, .threads = 1});
  const std::string large(300'000, 'x');
  for (int i = 0; i < 120; ++i) {
    writer.add({.id = std::to_string(i), .text = "common " + large});
  }
  EXPECT_THROW(writer.add({.id = "3", .text = "again"}), BadDocument);
  writer.commit();
  EXPECT_EQ(Searcher(folder / "index").search("common", {.k = 1000}).size(), 120U);
}

TEST(Writer, RefusesABadDocumentAndKeepsTheOthers) {
  const test::TemporaryFolder folder;
  Writer writer(folder / "index", {.stored = {"title"}});
  writer.add({.id = "good", .text = "fish"});
  EXPECT_THROW(writer.add({.id = "", .text = "fish"}), BadDocument);
  EXPECT_THROW(writer.add({.id = "a b", .text = "fish"}), BadDocument);
  EXPECT_THROW(writer.add({.id = "x", .text = "\xff"}), BadDocument);
  EXPECT_THROW(writer.add({.id = "x", .text = std::string("a\0b", 3)}), BadDocument);
  EXPECT_THROW(writer.add({.id = "x", .text = "fish", .fields = {{"body", "fish"}}}), UsageError);
  EXPECT_THROW(writer.add({.id = "x", .text = "fish", .vector = {1}}), BadDocument);
  EXPECT_THROW(writer.add({.id = "x", .text = "fish", .weights = {{"fish", 1}}}), BadDocument);
  writer.add({.id = "x", .text = "fish", .fields = {{"title", "Fish"}}});
  writer.commit();
  EXPECT_EQ(Searcher(folder / "index").search("fish").size(), 2U);
}

TEST(Writer, RollbackDropsWhatWasNotCommitted) {
  const test::TemporaryFolder folder;
  Writer writer(folder / "index");
  writer.add({.id = "1", .text = "fish"});
  writer.commit();
  writer.add({.id = "2", .text = "fish"});
  EXPECT_TRUE(writer.remove("1"));
  writer.rollback();
  EXPECT_FALSE(writer.remove("2"));
  writer.add({.id = "3", .text = "fish"});
  writer.commit();
  const auto scores = scores_of(Searcher(folder / "index"), "fish");
  EXPECT_EQ(scores.size(), 2U);
  EXPECT_TRUE(scores.contains("1") && scores.contains("3"));
}

TEST(Writer, DocumentsThatCouldNotBeWrittenAreNotForgotten) {
  const std::string outcome = test::in_child([]() -> std::string {
    const test::TemporaryFolder folder;
    Writer writer(folder / "index", {.analyzer = "whitespace"});
    writer.add({.id = "first", .text = "fish"});
    writer.commit();
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{64, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    writer.add({.id = "second", .text = "fish"});
    const auto fails = [](const std::function<void()>& call) {
      try {
        call();
      } catch (const IoError&) {
        return true;
      }
      return false;
    };
    if (!fails([&] { writer.commit(); })) return "a commit to a full disk did not fail";
    setrlimit(RLIMIT_FSIZE, &before);
    if (!fails([&] { writer.commit(); })) return "the next commit went without the document";
    if (!fails([&] { writer.add({.id = "third", .text = "fish"}); })) return "it went on";
    writer.rollback();
    writer.add({.id = "second", .text = "fish"});
    writer.commit();
    return std::to_string(Searcher(folder / "index").search("fish").size());
  });
  EXPECT_EQ(outcome, "2");
}

TEST(Writer, OpensAnIndexAgainWithItsOwnSettings) {
  const test::TemporaryFolder folder;
  {
    Writer writer(folder / "index", {.analyzer = "whitespace"});
    writer.add({.id = "1", .text = "Fish"});
    writer.commit();
    EXPECT_THROW(Writer(folder / "index"), IoError);  // one at a time
  }
  Writer writer(folder / "index", {.analyzer = "english"});
  writer.add({.id = "2", .text = "Fish"});
  writer.commit();
  EXPECT_EQ(Searcher(folder / "index").search("Fish").size(), 2U);
  EXPECT_EQ(Searcher(folder / "index").search("fish").size(), 0U);
}

TEST(Writer, TakesFilesAndMerges) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "a.tsv", "1\tred fish\n2\tblue fish\nbad line\n");
  test::write_file(folder / "b.tsv", "2\tgreen fish\n3\tred bird\n");
  Writer writer(folder / "index", {.analyzer = "whitespace"});
  ReaderOptions files{.format = DocumentFormat::kTsv, .inputs = {(folder / "a.tsv").string()}};
  EXPECT_THROW(writer.add_files(files), BadDocument);
  std::vector<std::string> bad;
  const BuildReport first = writer.add_files(
      files, {.on_bad_document = [&](const std::string& message) { bad.push_back(message); }});
  EXPECT_EQ(first.documents, 2U);
  EXPECT_EQ(first.skipped_documents, 1U);
  EXPECT_EQ(bad.size(), 1U);
  files.inputs = {(folder / "b.tsv").string()};
  const BuildReport second = writer.add_files(files, {.update = true});
  EXPECT_EQ(second.documents, 2U);
  EXPECT_EQ(second.updated, 1U);
  writer.merge();
  writer.commit();
  const Searcher searcher(folder / "index");
  EXPECT_EQ(searcher.documents(), 3U);
  EXPECT_EQ(searcher.snapshot().removed_documents(), 0U);
  EXPECT_EQ(searcher.search("fish").size(), 2U);
  EXPECT_EQ(searcher.search("blue").size(), 0U);
}

TEST(Writer, MakesNoIndexWhereItIsToldNotTo) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(Writer(folder / "index", {}, {.creates = false}), IoError);
  EXPECT_FALSE(std::filesystem::exists(folder / "index"));
}

TEST(Writer, MemoryIsSharedWithMergesOnlyWhereItMerges) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(Writer(folder / "index", {}, {.memory = kMinBuildMemory}), UsageError);
  Writer writer(folder / "index", {}, {.memory = kMinBuildMemory, .merges = false});
  writer.add({.id = "1", .text = "fish"});
  EXPECT_EQ(writer.commit().number, 1U);
}

TEST(Writer, TellsProgressAndWhatAMergeDid) {
  const test::TemporaryFolder folder;
  Writer writer(folder / "index", {}, {.merges = false});
  EXPECT_EQ(writer.settings().analyzer.name, "english");
  bool is_told = false;
  const auto on_progress = [&](const BuildProgress&) { is_told = true; };
  const auto reader = documents_from_memory({{"1", "red fish"}, {"2", "blue fish"}});
  EXPECT_EQ(writer.add(*reader, {.on_progress = on_progress}).terms, 3U);
  EXPECT_TRUE(is_told);
  EXPECT_THROW(writer.commit([] { throw IoError("stopped from outside"); }), IoError);
  writer.add({.id = "1", .text = "red"});
  writer.commit();
  writer.update({.id = "1", .text = "green"});
  double share = 0;
  const MergeReport merged = writer.merge(true, [&](double done) { share = done; });
  EXPECT_EQ(merged.segments_before, 2U);
  EXPECT_EQ(merged.segments, 1U);
  EXPECT_EQ(merged.dropped_documents, 1U);
  EXPECT_EQ(merged.removed_documents, 0U);
  EXPECT_GT(share, 0);
}

TEST(Writer, TakesWeightedTermsAndVectors) {
  const test::TemporaryFolder folder;
  {
    Writer writer(folder / "weights", {.is_weighted = true});
    writer.add({.id = "1", .weights = {{"sea", 3}, {"##ing", 1}}});
    EXPECT_THROW(writer.add({.id = "2", .text = "sea"}), BadDocument);
    for (const float weight : {0.5F, -1.F, 256.F, std::numeric_limits<float>::quiet_NaN()}) {
      EXPECT_THROW(writer.add({.id = "2", .weights = {{"sea", weight}}}), BadDocument);
    }
    writer.commit();
    writer.add({.id = "3", .weights = {{"sea", 2}}});
    using Weights = std::vector<TermWeight>;
    for (const Weights& bad : {Weights{{"sea", 2}, {"sea", 3}}, {{"", 1}}, {{"sea", 0}}}) {
      EXPECT_THROW(writer.add({.id = "4", .weights = bad}), BadDocument);
    }
    writer.add({.id = "5", .weights = {{"sea", 1}}});
    writer.commit();
  }
  const Searcher weights(folder / "weights");
  EXPECT_EQ(weights.search("sea")[0].id(), "1");
  EXPECT_EQ(weights.documents(), 3U);
  Writer writer(folder / "vectors",
                {.vectors = vector::RowSettings{.metric = vector::Metric::kL2, .dimension = 2}});
  writer.add({.id = "1", .text = "near", .vector = {0, 1}});
  writer.add({.id = "2", .text = "far", .vector = {9, 9}});
  EXPECT_THROW(writer.add({.id = "3", .text = "none"}), BadDocument);
  EXPECT_THROW(
      writer.add({.id = "3", .text = "x", .vector = {std::numeric_limits<float>::infinity(), 0}}),
      BadDocument);
  writer.commit();
  const Searcher searcher(folder / "vectors");
  const Answer answer = searcher.search(SearchRequest{.vector = {8, 8}});
  EXPECT_EQ(answer[0].id(), "2");
  EXPECT_EQ(answer[0].score(), 2);
}

TEST(Writer, HasTheDocumentsWithAllChangesSoFar) {
  const test::TemporaryFolder folder;
  Writer writer(folder / "index", {.analyzer = "whitespace"});
  EXPECT_FALSE(writer.has("1"));
  writer.add({.id = "1", .text = "a"});
  EXPECT_TRUE(writer.has("1"));  // which waits for analysis
  writer.commit();
  EXPECT_TRUE(writer.has("1"));
  EXPECT_FALSE(writer.has(""));
  writer.remove("1");
  EXPECT_FALSE(writer.has("1"));
  writer.update({.id = "1", .text = "b"});
  EXPECT_TRUE(writer.has("1"));
  writer.rollback();
  EXPECT_TRUE(writer.has("1"));
}

}  // namespace
}  // namespace warpdex
