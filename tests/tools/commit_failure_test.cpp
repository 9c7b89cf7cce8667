// warpdex index is killed, interrupted, and refused by the system at each of the system calls by
// which it replaces an index. strace does that; without it, these tests skip.
#include <chrono>
#include <csignal>
#include <optional>
#include <set>
#include <thread>

#include "tests/tools/collection.hpp"
#include "tests/tools/traced_calls.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::test {
namespace {

namespace fs = std::filesystem;

/// One index that is built again and again, each time of another number of documents.
class FailureInCommit : public testing::Test {
 protected:
  void build_whole() {
    ASSERT_EQ(build({}).status, 0);
    documents_ = wished_;
  }

  /// Builds an index of another size than the one that is there, under strace with `options`.
  Outcome build(const std::vector<std::string>& options) {
    wished_ = documents_ % 5 + 1;
    std::string text;
    for (int i = 0; i < wished_; ++i) text += "d" + std::to_string(i) + "\tsome words\n";
    write_file(input_ / "docs.tsv", text);
    return run_warpdex({"index", "--input", input_ / "docs.tsv", "--format", "tsv", "--threads",
                        "1", "--quiet", "--output", index_},
                       {.under = tracer(input_ / "calls", options)});
  }

  /// The system calls of a build from the first that has `mark` in its arguments or name.
  std::vector<Call> calls_of_build(const std::vector<std::string>& options,
                                   const std::string& mark) {
    EXPECT_EQ(build(options).status, 0);
    documents_ = wished_;
    std::vector<Call> calls = read_calls(input_ / "calls", mark);
    EXPECT_GT(calls.size(), 20U);
    return calls;
  }

  /// Whether a build has written all that it will before it looks at the target again.
  bool is_manifest_written() const {
    for (const std::string& name : names_in(place_.path())) {
      if (name != "index" && fs::exists(place_ / (name + "/manifest.json"))) return true;
    }
    return false;
  }

  /// Documents of the index that is there, 0 if there is none, nullopt if it is to be put back.
  std::optional<int> documents_there() const {
    try {
      return static_cast<int>(Index::open(index_).counts().documents);
    } catch (const IoError& error) {
      if (std::string(error.what()).find("verify --repair") != std::string::npos) return {};
      EXPECT_THAT(error.what(), testing::HasSubstr("there is no index"));
      return 0;
    }
  }

  /// The old index or the new one is there, or (where it may be) it can be put back; and the next
  /// build, or a repair, leaves nothing else. Returns whether the index was put back.
  bool expect_old_or_new(bool by_repair) {
    const std::optional<int> there = documents_there();
    EXPECT_TRUE(!there || *there == documents_ || *there == wished_) << *there;
    bool is_put_back = !there;
    if (by_repair) {
      is_put_back = repair_target(index_).put_back;
    } else {
      IndexWriter abandoned(index_, {});
    }
    EXPECT_EQ(is_put_back, !there);
    const std::optional<int> cleared = documents_there();
    EXPECT_EQ(cleared, there ? there : documents_);
    documents_ = cleared.value_or(-1);
    EXPECT_THAT(names_in(place_.path()),
                documents_ == 0 ? std::vector<std::string>{} : std::vector<std::string>{"index"});
    return is_put_back;
  }

  /// Kills a build at each call from `mark` on that changes files. Returns how often the index had
  /// to be put back.
  int kill_everywhere(const std::vector<std::string>& options, const std::string& mark,
                      bool is_new) {
    const auto start_anew = [&] {
      if (!is_new) return;
      fs::remove_all(index_);
      documents_ = 0;
    };
    start_anew();
    std::size_t killed = 0;
    int put_back = 0;
    bool by_repair = false;
    const std::vector<Call> calls = worth_a_kill(calls_of_build(options, mark));
    for (const Call& call : calls) {
      SCOPED_TRACE(call.name + " " + std::to_string(call.occurrence));
      start_anew();
      std::vector<std::string> arguments = injected(call, "signal=KILL");
      if (call.name != "renameat2") {
        arguments.insert(arguments.end(), options.begin(), options.end());
        if (!options.empty()) arguments[1] += ",renameat2";
      }
      killed += build(arguments).status == -SIGKILL ? 1 : 0;
      put_back += expect_old_or_new(by_repair = !by_repair) ? 1 : 0;
      if (HasFailure()) break;
    }
    EXPECT_EQ(killed, calls.size());
    return put_back;
  }

  const TemporaryFolder place_{place_in_memory()};
  const TemporaryFolder input_{place_in_memory()};
  const fs::path index_ = place_ / "index";
  int documents_ = 0;  ///< of the index that is there
  int wished_ = 0;     ///< of the one that is built
};

TEST_F(FailureInCommit, AKillLeavesTheOldIndexOrTheNew) {
  WARPDEX_NEEDS_STRACE();
  build_whole();
  EXPECT_EQ(kill_everywhere({}, "fsync", false), 0);
}

TEST_F(FailureInCommit, AKillWhereFoldersCannotBeExchanged) {
  WARPDEX_NEEDS_STRACE();
  build_whole();
  EXPECT_GT(kill_everywhere({"-e", "inject=renameat2:error=EINVAL"}, "manifest.json", false), 0);
}

TEST_F(FailureInCommit, AKillOfTheFirstBuild) {
  WARPDEX_NEEDS_STRACE();
  EXPECT_EQ(kill_everywhere({}, "manifest.json", true), 0);
}

TEST_F(FailureInCommit, AnErrorLeavesTheOldIndex) {
  WARPDEX_NEEDS_STRACE();
  build_whole();
  for (const Call& call : calls_of_build({}, "fsync")) {
    static const std::set<std::string> kFailing{"openat", "write",  "fsync",    "getdents64",
                                                "mkdir",  "rename", "renameat", "renameat2"};
    if (!kFailing.contains(call.name)) continue;
    const std::string error = call.occurrence % 2 == 0 ? "ENOSPC" : "EIO";
    SCOPED_TRACE(call.name + " " + std::to_string(call.occurrence) + " " + error);
    const int before = documents_;
    const Outcome outcome = build(injected(call, "error=" + error));
    if (outcome.status != 0) expect_complaint(outcome, 1, {"cannot "});
    EXPECT_EQ(documents_there(), outcome.status == 0 ? wished_ : before);
    if (outcome.status != 0) {
      EXPECT_THAT(names_in(place_.path()), testing::ElementsAre("index"));
    }
    expect_old_or_new(true);
    if (HasFailure()) return;
  }
}

// The exchange is held up, so that it comes after the last look at the target.
TEST_F(FailureInCommit, AFileThatComesBetweenIsKept) {
  WARPDEX_NEEDS_STRACE();
  for (const std::string how : {"", ":error=EINVAL"}) {  // the latter: without exchange
    build_whole();
    Outcome outcome;
    std::thread build_thread([&] {
      outcome =
          build({"-e", "trace=renameat2", "-e", "inject=renameat2:delay_enter=1000000" + how});
    });
    while (!is_manifest_written()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    write_file(index_ / "thesis.tex", "years of work");
    build_thread.join();
    expect_complaint(outcome, 2, {"'thesis.tex'", index_.string() + "' holds more"});
    EXPECT_EQ(read_file(index_ / "thesis.tex"), "years of work");
    EXPECT_EQ(documents_there(), documents_);
    EXPECT_THAT(names_in(place_.path()), testing::ElementsAre("index"));
    fs::remove(index_ / "thesis.tex");
  }
}

TEST_F(FailureInCommit, AnInterruptLeavesTheOldIndex) {
  WARPDEX_NEEDS_STRACE();
  build_whole();
  int interrupted = 0;
  for (const Call& call : calls_of_build({}, "fsync")) {
    if (call.name != "fsync" && call.name.find("rename") == std::string::npos) continue;
    SCOPED_TRACE(call.name + " " + std::to_string(call.occurrence));
    const int before = documents_;
    const Outcome outcome = build(injected(call, "signal=INT"));
    if (outcome.status != 0) {
      expect_complaint(outcome, 130, {"interrupted"});
      ++interrupted;
    }
    EXPECT_EQ(documents_there(), outcome.status == 0 ? wished_ : before);
    EXPECT_THAT(names_in(place_.path()), testing::ElementsAre("index"));
    documents_ = documents_there().value_or(-1);
    if (HasFailure()) return;
  }
  EXPECT_GT(interrupted, 20) << "flushing what was written can take long";
}

}  // namespace
}  // namespace warpdex::test
