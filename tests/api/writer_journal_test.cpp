// What a Writer with a journal promises, call by call.
#include <signal.h>
#include <sys/resource.h>

#include <csignal>

#include "tests/api/api_support.hpp"
#include "tests/api/journal_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/verify.hpp"

namespace warpdex {
namespace {

using test::Documents;
using test::Step;
namespace fs = std::filesystem;

constexpr WriterOptions kJournal{.threads = 1, .merges = false, .journal = true};
constexpr WriterOptions kNone{.threads = 1, .merges = false};

class WriterJournal : public testing::Test {
 protected:
  Writer open(const WriterOptions& options) {
    return Writer(index_, test::index_of_titles(), options);
  }
  static void put(Writer& writer, const std::string& id, const std::string& text) {
    writer.update(test::document_of({Step::kPut, id, text}));
  }
  /// The index of one committed document, and a journal that puts and removes.
  void make_journal() {
    Writer writer = open(kJournal);
    put(writer, "1", "a b");
    writer.commit();
    put(writer, "2", "a c");
    EXPECT_TRUE(writer.remove("1"));
    writer.sync();
  }
  const Documents before_{{"1", "a b"}};
  const Documents after_{{"2", "a c"}};
  const test::TemporaryFolder folder_{test::place_in_memory()};
  const fs::path index_ = folder_ / "index";
};

TEST_F(WriterJournal, SyncedChangesOutliveTheWriter) {
  make_journal();
  EXPECT_EQ(test::documents_in(index_), before_);
  EXPECT_EQ(verify(index_).journal_changes, 2U);
  {
    Writer writer = open(kJournal);
    EXPECT_EQ(writer.recovered(), 2U);
    put(writer, "3", "a d");  // is not synced
  }
  Writer writer = open(kNone);
  EXPECT_EQ(writer.recovered(), 2U);
  EXPECT_EQ(writer.commit().number, 2U);
  EXPECT_EQ(test::documents_in(index_), after_);
  EXPECT_EQ(verify(index_).journal_changes, 0U);
  EXPECT_FALSE(fs::exists(index_ / "journal"));
}

TEST_F(WriterJournal, GoesOnAfterACommit) {
  make_journal();
  for (int i = 0; i < 3; ++i) {
    Writer writer = open(kJournal);
    writer.commit();
    put(writer, "2", "x y" + std::to_string(i));
    writer.sync();
  }
  EXPECT_EQ(test::documents_after_opening(index_), (Documents{{"2", "x y2"}}));
}

TEST_F(WriterJournal, RollbackDropsTheJournalOfAWriterThatHasOne) {
  make_journal();
  {
    Writer writer = open(kJournal);
    put(writer, "3", "a d");
    writer.rollback();
    EXPECT_EQ(writer.recovered(), 0U);
    writer.commit();
  }
  EXPECT_EQ(test::documents_after_opening(index_), before_);
}

TEST_F(WriterJournal, RollbackKeepsTheJournalThatAWriterWithoutOneFound) {
  make_journal();
  {
    Writer writer = open(kNone);
    put(writer, "3", "a d");
    writer.rollback();
    EXPECT_EQ(writer.recovered(), 2U);
  }
  EXPECT_EQ(test::documents_after_opening(index_), after_);
}

TEST_F(WriterJournal, AnEndedCommitLosesNothing) {
  make_journal();
  const auto end = [] { throw CancelledError("stop"); };
  {
    Writer writer = open(kJournal);
    put(writer, "3", "a d");
    EXPECT_THROW(writer.commit(end), CancelledError);
    put(writer, "4", "a e");
    EXPECT_TRUE(writer.remove("3"));
    EXPECT_THROW(writer.commit(end), CancelledError);
    writer.commit();
    EXPECT_EQ(test::documents_in(index_), (Documents{{"2", "a c"}, {"4", "a e"}}));
    put(writer, "5", "a f");
    writer.sync();
  }
  Writer writer = open(kNone);
  EXPECT_THROW(writer.commit(end), CancelledError);
  writer.commit();
  EXPECT_EQ(test::documents_in(index_).count("5"), 1U);
}

TEST_F(WriterJournal, AFullDiskLosesNothing) {
  const std::string outcome = test::in_child([this]() -> std::string {
    make_journal();
    Writer writer = open(kJournal);
    put(writer, "3", "a d");
    writer.sync();
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{fs::file_size(index_ / "journal") + 30, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    put(writer, "4", "a e");
    for (int i = 0; i < 2; ++i) {
      try {
        writer.sync();
        return "a full disk took a change";
      } catch (const IoError&) {
      }
      put(writer, "5", "a f");
    }
    try {
      writer.commit();
      return "a full disk took a commit";
    } catch (const IoError&) {
    }
    setrlimit(RLIMIT_FSIZE, &before);
    writer.sync();
    return "";
  });
  EXPECT_EQ(outcome, "");
  EXPECT_EQ(test::documents_after_opening(index_),
            (Documents{{"2", "a c"}, {"3", "a d"}, {"4", "a e"}, {"5", "a f"}}));
}

TEST_F(WriterJournal, DamageIsToldByWhatReadsIt) {
  make_journal();
  {
    Writer writer = open(kJournal);
    put(writer, "3", "a d");
    writer.sync();
  }
  std::string bytes = test::read_file(index_ / "journal");
  bytes[70] ^= 1;
  test::write_file(index_ / "journal", bytes);
  EXPECT_THROW(open(kNone), FormatError);
  EXPECT_THROW(open(kJournal), FormatError);
  const IndexCheck check = verify(index_);
  ASSERT_EQ(check.problems.size(), 1U);
  EXPECT_NE(check.problems[0].find("journal"), std::string::npos) << check.problems[0];
  EXPECT_EQ(test::documents_in(index_), before_);
  repair_target(index_);
  EXPECT_EQ(test::read_file(index_ / "journal"), bytes);
}

TEST_F(WriterJournal, OnlyAWriterCommitsOverIt) {
  make_journal();
  {
    LivingIndex living(index_);
    EXPECT_TRUE(living.remove("1"));
    EXPECT_THROW(living.commit(), UsageError);
  }
  EXPECT_THROW(build_index(*documents_from_memory({{"x", "y"}}), test::plain_build(index_)),
               UsageError);
  EXPECT_EQ(test::documents_after_opening(index_), after_);
  EXPECT_NO_THROW(build_index(*documents_from_memory({{"x", "y"}}), test::plain_build(index_)));
}

TEST_F(WriterJournal, ACopyOfTheFolderHasIt) {
  make_journal();
  fs::copy(index_, folder_ / "copy", fs::copy_options::recursive);
  EXPECT_EQ(test::documents_after_opening(folder_ / "copy"), after_);
}

TEST_F(WriterJournal, TakesWhatFilesHaveFromWritersWithoutOne) {
  Writer writer = open(kJournal);
  const auto documents = documents_from_memory({});
  EXPECT_THROW(writer.add(*documents), UsageError);
  EXPECT_THROW(writer.add_files({}), UsageError);
}

TEST_F(WriterJournal, IsNothingThatAWriterWithoutOneSyncs) {
  Writer writer = open(kNone);
  EXPECT_THROW(writer.sync(), UsageError);
}

TEST_F(WriterJournal, HasNoDocumentThatAnalysisRefuses) {
  {
    Writer writer(index_, {.is_weighted = true}, kJournal);
    EXPECT_THROW(writer.add({.id = "1", .weights = {{"fish", 1}, {"fish", 2}}}), BadDocument);
    EXPECT_THROW(writer.add({.id = "1", .weights = {{"fish", 0}}}), BadDocument);
    EXPECT_THROW(writer.add({.id = "1", .weights = {{"\xff", 1}}}), BadDocument);
    EXPECT_THROW(writer.add({.id = "1", .weights = {{"", 1}}}), BadDocument);
    writer.add({.id = "1", .weights = {{"fish", 3}, {"soup", 0}}});
    writer.sync();
  }
  Writer writer(index_, {}, kNone);
  EXPECT_EQ(writer.recovered(), 1U);
  writer.commit();
  EXPECT_EQ(Searcher(index_).search("fish").size(), 1U);
}

TEST_F(WriterJournal, HasNoWeightAboveThoseOfTheBuild) {
  const std::vector<Document> built{{.id = "1", .vector = {{"fish", 1.5}}}};
  BuildOptions build;
  build.output = index_;
  build_index(*vectors_from_memory(built), build);
  {
    Writer writer(index_, {}, kJournal);
    EXPECT_THROW(writer.update({.id = "1", .weights = {{"fish", 1.6F}}}), BadDocument);
    writer.update({.id = "2", .weights = {{"fish", 1.5F}, {"soup", 0.1F}}});
    writer.sync();
  }
  Writer writer(index_, {}, kNone);
  writer.commit();
  EXPECT_EQ(Searcher(index_).search("fish").size(), 2U);
}

TEST_F(WriterJournal, PassesOverDocumentsThatAnEarlierProgramTook) {
  {
    Writer writer(index_, {.is_weighted = true}, kJournal);
    writer.add({.id = "good", .weights = {{"fish", 3}}});
    writer.sync();
  }
  {
    LivingIndex index(index_);
    const std::unique_ptr<ChangeJournal> journal = index.open_journal();
    journal->put({.id = "bad", .vector = {{"", 1}}});
    journal->remove("none");
    journal->sync();
  }
  Writer writer(index_, {}, kNone);
  writer.rollback();
  const CommitReport report = writer.commit();
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_THAT(report.notes[0], testing::HasSubstr("the document 'bad' has an empty term"));
  EXPECT_EQ(Searcher(index_).search("fish").size(), 1U);
}

TEST_F(WriterJournal, ManyChangesGoToItBeforeTheSync) {
  const std::string large(300'000, 'x');
  {
    Writer writer(
        index_, {},
        {.memory = std::uint64_t{64} << 20, .threads = 1, .merges = false, .journal = true});
    for (int i = 0; i < 100; ++i) writer.add({.id = std::to_string(i), .text = large});
    EXPECT_GT(fs::file_size(index_ / "journal"), 50 * large.size());
    writer.sync();
    EXPECT_GT(fs::file_size(index_ / "journal"), 100 * large.size());
  }
  Writer writer(index_, {}, {.memory = std::uint64_t{64} << 20, .threads = 1, .merges = false});
  EXPECT_EQ(writer.recovered(), 100U);
  writer.commit();
  EXPECT_EQ(IndexReader(index_).documents(), 100U);
}

}  // namespace
}  // namespace warpdex
