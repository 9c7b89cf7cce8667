// Commands that change an index: once the change is made their status is 0, whatever fails then;
// and who may not write in an index cannot change it.
#include <set>

#include "tests/tools/collection.hpp"
#include "tests/tools/traced_calls.hpp"
#include "tests/tools/vector/fvecs.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ChangeCommands : public testing::Test {
 protected:
  void SetUp() override {
    build_small_index(index_);
    write_file(input_ / "new.tsv", "n1\tnew words\nn2\tmore\n");
    write_file(input_ / "old.txt", "d1\nd3\n");
  }

  void build_vectors() {
    write_file(input_ / "base.fvecs", fvecs({{1, 2}, {3, 4}, {5, 6}}));
    write_file(input_ / "gone.txt", "1\n");
    EXPECT_EQ(run_warpdex({"vector", "build", "--input", input_ / "base.fvecs", "--output",
                           vectors_, "--quiet"})
                  .status,
              0);
  }

  std::vector<std::string> add(const std::string& index) const {
    return {"add", index, "--input", input_ / "new.tsv", "--format", "tsv", "--threads", "1"};
  }
  std::vector<std::string> remove(const std::string& index) const {
    return {"delete", index, "--ids", input_ / "old.txt"};
  }
  std::uint64_t documents() const { return Snapshot::open(index_).documents(); }
  std::uint64_t vectors_there() const { return vector::VectorIndex::open(vectors_).live_rows(); }

  /// Lets each call fail that comes after the folders changed places: the command succeeds all the
  /// same. `prepare` makes what is there before; `is_made` says whether the change is.
  void fail_after_the_exchange(const std::vector<std::string>& arguments,
                               const std::function<void()>& prepare,
                               const std::function<bool()>& is_made) {
    // What the C library does at the end, with memory and with threads, is not the program's.
    static const std::set<std::string> kNotOurs{
        "exit_group", "exit",     "futex", "munmap",       "madvise",  "rt_sigprocmask",
        "brk",        "mprotect", "mmap",  "rt_sigaction", "renameat2"};
    prepare();
    const fs::path log = input_ / "calls";
    ASSERT_EQ(run_warpdex(arguments, {.under = tracer(log, {})}).status, 0);
    const std::vector<Call> calls = read_calls(log, "RENAME_EXCHANGE");
    int failed = 0;
    for (const Call& call : calls) {
      if (kNotOurs.contains(call.name)) continue;
      SCOPED_TRACE(call.name + " " + std::to_string(call.occurrence));
      prepare();
      const Outcome outcome =
          run_warpdex(arguments, {.under = tracer(log, injected(call, "error=EIO"))});
      EXPECT_EQ(outcome.status, is_made() ? 0 : 1) << outcome.err;
      failed += is_made() ? 1 : 0;
      if (HasFailure()) return;
    }
    EXPECT_GT(failed, 5);
  }

  const TemporaryFolder place_{place_in_memory()};
  const TemporaryFolder input_{place_in_memory()};
  const std::string index_ = place_ / "index";
  const std::string vectors_ = place_ / "vectors";
};

TEST_F(ChangeCommands, NothingFailsAfterAnAddition) {
  WARPDEX_NEEDS_STRACE();
  fail_after_the_exchange(
      add(index_),
      [&] {
        fs::remove_all(index_);
        build_small_index(index_);
      },
      [&] { return documents() == 7; });
}

TEST_F(ChangeCommands, NothingFailsAfterADeletion) {
  WARPDEX_NEEDS_STRACE();
  fail_after_the_exchange(
      remove(index_),
      [&] {
        fs::remove_all(index_);
        build_small_index(index_);
      },
      [&] { return documents() == 3; });
}

TEST_F(ChangeCommands, NothingFailsAfterAMerge) {
  WARPDEX_NEEDS_STRACE();
  const auto prepare = [&] {
    fs::remove_all(index_);
    build_small_index(index_);
    EXPECT_EQ(run_warpdex(add(index_)).status, 0);
  };
  fail_after_the_exchange({"merge", index_, "--all", "--threads", "1"}, prepare,
                          [&] { return Snapshot::open(index_).segments().size() == 1; });
}

TEST_F(ChangeCommands, NothingFailsAfterAChangeOfVectors) {
  WARPDEX_NEEDS_STRACE();
  const auto prepare = [&] {
    fs::remove_all(vectors_);
    build_vectors();
  };
  build_vectors();
  fail_after_the_exchange({"vector", "remove", vectors_, "--ids", input_ / "gone.txt"}, prepare,
                          [&] { return vectors_there() == 2; });
}

// The folder in which the commands run is the index itself, which they replace.
TEST_F(ChangeCommands, InTheIndexItself) {
  const RunSettings here{.current_folder = index_};
  Outcome outcome = run_warpdex(add("."), here);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "added 2 documents to . (commit 1)\n");
  EXPECT_THAT(outcome.err, HasSubstr("'cd .' enters it"));
  EXPECT_EQ(documents(), 7U);
  outcome = run_warpdex(remove("."), here);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(documents(), 5U);
  outcome = run_warpdex({"merge", ".", "--all"}, here);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Snapshot::open(index_).segments().size(), 1U);
  build_vectors();
  const RunSettings there{.current_folder = vectors_};
  outcome = run_warpdex({"vector", "remove", ".", "--ids", input_ / "gone.txt"}, there);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  outcome = run_warpdex({"vector", "add", ".", "--input", input_ / "base.fvecs"}, there);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  outcome = run_warpdex({"vector", "merge", "."}, there);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(vectors_there(), 5U);
}

TEST_F(ChangeCommands, CommitsAreNumbered) {
  std::vector<std::string> arguments = add(index_);
  arguments.insert(arguments.end(), {"--json", "-"});
  const rapidjson::Document added = parse_json(run_warpdex(arguments).out);
  EXPECT_EQ(added["commit"].GetUint64(), 1U);
  EXPECT_EQ(added["added"].GetUint64(), 2U);
  EXPECT_EQ(added["notes"].Size(), 0U);
  arguments = remove(index_);
  arguments.insert(arguments.end(), {"--json", "-"});
  const rapidjson::Document deleted = parse_json(run_warpdex(arguments).out);
  EXPECT_EQ(deleted["commit"].GetUint64(), 2U);
  EXPECT_EQ(deleted["deleted"].GetUint64(), 2U);
  const rapidjson::Document merged =
      parse_json(run_warpdex({"merge", index_, "--all", "--json", "-"}).out);
  EXPECT_EQ(merged["commit"].GetUint64(), 3U);
  EXPECT_EQ(merged["dropped_documents"].GetUint64(), 2U);
  // There is nothing to merge any more, so this is no commit.
  EXPECT_EQ(parse_json(run_warpdex({"merge", index_, "--json", "-"}).out)["commit"].GetUint64(),
            3U);
  const rapidjson::Document stats = parse_json(run_warpdex({"stats", index_, "--json", "-"}).out);
  EXPECT_EQ(stats["commit"].GetUint64(), 3U);
  EXPECT_THAT(run_warpdex({"stats", index_}).out, testing::ContainsRegex("commit +3\n"));
}

TEST_F(ChangeCommands, VectorCommitsAreNumbered) {
  build_vectors();
  const auto commit_of = [](const std::vector<std::string>& arguments) {
    return parse_json(run_warpdex(arguments).out)["commit"].GetUint64();
  };
  EXPECT_EQ(commit_of({"stats", vectors_, "--json", "-"}), 0U);
  EXPECT_EQ(commit_of({"vector", "remove", vectors_, "--ids", input_ / "gone.txt", "--json", "-"}),
            1U);
  EXPECT_EQ(commit_of({"vector", "add", vectors_, "--input", input_ / "base.fvecs", "--json", "-"}),
            2U);
  EXPECT_EQ(commit_of({"vector", "merge", vectors_, "--json", "-"}), 3U);
  EXPECT_EQ(commit_of({"vector", "merge", vectors_, "--json", "-"}), 3U);
  EXPECT_EQ(commit_of({"stats", vectors_, "--json", "-"}), 3U);
}

// A report that nobody can read does not undo what was added.
TEST_F(ChangeCommands, AFullStandardOutputIsANote) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Outcome outcome = run_warpdex(add(index_), {.output_to = "/dev/full"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("the change is made"));
  EXPECT_EQ(documents(), 7U);
}

// A merge beside an addition fails: the documents are there, and the command says so.
TEST_F(ChangeCommands, AnAdditionStaysWhenItsMergeFails) {
  for (int i = 0; i < 7; ++i) {
    write_file(input_ / "one.tsv", "m" + std::to_string(i) + "\tone\n");
    EXPECT_EQ(run_warpdex({"add", index_, "--input", input_ / "one.tsv", "--format", "tsv"}).status,
              0);
  }
  for (const std::string& name : names_in(index_)) {
    if (name.ends_with(".packed")) damage(index_ + "/" + name);
  }
  std::vector<std::string> arguments = add(index_);
  arguments.push_back("--merge");
  const Outcome outcome = run_warpdex(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, testing::ContainsRegex("note: .*the merge in the background ended"));
  EXPECT_THAT(outcome.out, HasSubstr("added 2 documents"));
  EXPECT_EQ(documents(), 14U);
}

// Not even into one that the command itself makes.
TEST_F(ChangeCommands, NoOutputGoesIntoAnIndex) {
  build_vectors();
  const std::string made = place_ / "made";
  const std::string base = input_ / "base.fvecs";
  for (const std::string name : {"manifest.json", "more.json"}) {
    const Outcome outcome = run_warpdex(
        {"vector", "build", "--input", base, "--output", made, "--json", made + "/" + name});
    EXPECT_THAT(outcome.err, HasSubstr("lies in the index"));
    EXPECT_EQ(run_warpdex({"verify", made}).status, 0);
    EXPECT_FALSE(fs::exists(made + "/more.json"));
    expect_complaint(run_warpdex({"search", index_, "apple", "--output", vectors_ + "/" + name}), 2,
                     {"lies in the index"});
    EXPECT_EQ(run_warpdex({"verify", vectors_}).status, 0);
  }
}

TEST_F(ChangeCommands, ACommandThatChangesNothingSaysNothingOfTheFolder) {
  const Outcome outcome = run_warpdex({"merge", "."}, {.current_folder = index_});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(ChangeCommands, WhoMayNotWriteCannotChange) {
  fs::permissions(place_.path(), fs::perms::all);
  fs::permissions(input_.path(), fs::perms::all);
  fs::permissions(index_, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                              fs::perms::others_read | fs::perms::others_exec);
  const auto as_other = [&](const std::vector<std::string>& arguments) {
    return in_child([&] {
      become_ordinary_user();
      const Outcome outcome = run_warpdex(arguments);
      return std::to_string(outcome.status) + " " + outcome.err;
    });
  };
  if (::geteuid() != 0) fs::permissions(index_, fs::perms::owner_read | fs::perms::owner_exec);
  for (const auto& arguments :
       {add(index_), remove(index_), std::vector<std::string>{"merge", index_, "--all"},
        std::vector<std::string>{"index", "--input", input_ / "new.tsv", "--format", "tsv",
                                 "--output", index_}}) {
    EXPECT_THAT(as_other(arguments), testing::AllOf(testing::StartsWith("1 "),
                                                    HasSubstr("you may not write in this index")));
  }
  fs::permissions(index_, fs::perms::owner_all);
  EXPECT_EQ(documents(), 5U);
  EXPECT_THAT(names_in(place_.path()), testing::ElementsAre("index"));
}

// A folder that a killed build left, and that its owner made read-only, is cleared all the same;
// one that is another user's is told of.
TEST_F(ChangeCommands, WhatCannotBeClearedAwayIsTold) {
  const auto leave_folder = [&](const std::string& name, fs::perms permissions) {
    fs::create_directories(place_ / (name + "/segment-7"));
    write_file(place_ / (name + "/segment-7/lexicon"), "left");
    fs::permissions(place_ / (name + "/segment-7"), permissions);
  };
  fs::permissions(place_.path(), fs::perms::all);
  fs::permissions(input_.path(), fs::perms::all);
  leave_folder(".index.building-ABCDEF", fs::perms(0555));
  EXPECT_EQ(run_warpdex({"verify", index_, "--repair"}).status, 0);
  EXPECT_THAT(names_in(place_.path()), testing::ElementsAre("index"));
  if (::geteuid() != 0) GTEST_SKIP() << "the rest needs another user's folder, so root";
  leave_folder(".own.building-ABCDEF", fs::perms(0755));
  const std::string own = place_ / "own";
  const std::string told = in_child([&] {
    become_ordinary_user();
    build_small_index(own);
    const Outcome outcome = run_warpdex(add(own));
    const Outcome repair = run_warpdex({"verify", own, "--repair"});
    return std::to_string(outcome.status) + outcome.err + std::to_string(repair.status) +
           repair.err;
  });
  EXPECT_THAT(told, testing::AllOf(testing::StartsWith("0"), HasSubstr("note: cannot remove"),
                                   HasSubstr(".own.building-ABCDEF"), HasSubstr("owner")));
  EXPECT_EQ(Snapshot::open(own).documents(), 7U);
  EXPECT_EQ(run_warpdex({"verify", own, "--repair"}).status, 0);
  EXPECT_THAT(names_in(place_.path()), testing::ElementsAre("index", "own"));
}

}  // namespace
}  // namespace warpdex::test
