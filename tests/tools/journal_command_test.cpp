// What the commands do with an index whose journal has changes that no commit has.
#include "tests/tools/collection.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/writer.hpp"

namespace warpdex::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class JournalCommands : public testing::Test {
 protected:
  void SetUp() override {
    build_small_index(index_);
    Writer writer(index_, {}, {.threads = 1, .merges = false, .journal = true});
    writer.add({.id = "j1", .text = "green journal"});
    writer.add({.id = "j2", .text = "blue journal"});
    EXPECT_TRUE(writer.remove("d1"));
    writer.sync();
  }

  /// Runs a command that commits, and takes the journal in.
  void expect_taken_in(const std::vector<std::string>& arguments, const std::string& input) const {
    const Outcome outcome = run_warpdex(arguments, {input, {}, {}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err,
                HasSubstr("warpdex: note: the journal had 3 changes that no commit has"));
    EXPECT_FALSE(fs::exists(fs::path(index_) / "journal"));
    const IndexReader reader(index_);
    EXPECT_EQ(reader.commit(), 1U);
    EXPECT_FALSE(reader.find("d1"));
    EXPECT_TRUE(reader.find("j2"));
  }

  const TemporaryFolder folder_{place_in_memory()};
  const std::string index_ = folder_ / "index";
};

TEST_F(JournalCommands, AddTakesItIn) {
  expect_taken_in({"add", index_, "--input", "-", "--format", "tsv"}, "d9\tsky\n");
  EXPECT_TRUE(IndexReader(index_).find("d9"));
}

TEST_F(JournalCommands, DeleteTakesItIn) {
  expect_taken_in({"delete", index_, "--ids", "-"}, "j1\nd2\n");
  EXPECT_FALSE(IndexReader(index_).find("j1"));
}

TEST_F(JournalCommands, MergeTakesItIn) { expect_taken_in({"merge", index_, "--all"}, ""); }

TEST_F(JournalCommands, AnEndedCommandLeavesIt) {
  EXPECT_NE(run_warpdex({"delete", index_, "--ids", "-"}, {"nobody\n", {}, {}}).status, 0);
  expect_taken_in({"merge", index_}, "");
}

TEST_F(JournalCommands, VerifyReadsIt) {
  Outcome outcome = run_warpdex({"verify", index_});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("has 3 changes that no commit has"));
  const fs::path journal = fs::path(index_) / "journal";
  const std::string bytes = read_file(journal);
  write_file(journal, "X" + bytes.substr(1));
  outcome = run_warpdex({"verify", index_});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("journal' has a damaged header"));
  EXPECT_THAT(outcome.err, HasSubstr("all but the journal of " + index_ + " is whole"));
  outcome = run_warpdex({"merge", index_});
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("journal' has a damaged header"));
}

TEST_F(JournalCommands, SearchesDoNotReadIt) {
  const Outcome outcome = run_warpdex({"search", index_, "journal"});
  EXPECT_EQ(outcome.out.find("j1"), std::string::npos) << outcome.out;
}

TEST_F(JournalCommands, ABuildDoesNotReplaceIt) {
  const std::vector<std::string> build{"index", "--input",  "-",   "--format",
                                       "tsv",   "--output", index_};
  const Outcome outcome = run_warpdex(build, {"a\tb\n", {}, {}});
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("has changes in its journal that no commit has"));
  EXPECT_EQ(run_warpdex({"merge", index_}).status, 0);
  EXPECT_EQ(run_warpdex(build, {"a\tb\n", {}, {}}).status, 0);
}

}  // namespace
}  // namespace warpdex::test
