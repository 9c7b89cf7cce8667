// warpdex vector add, remove and merge: what users see of them, and that they lose nothing when
// they are killed or refused.
#include <csignal>
#include <set>

#include "tests/tools/collection.hpp"
#include "tests/tools/traced_calls.hpp"
#include "tests/tools/vector/fvecs.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/vector/format/vector_index_change.hpp"
#include "warpdex/vector/format/verify.hpp"

namespace warpdex::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Points on a line: vector i is (i, 0).
class VectorChangeCommand : public testing::Test {
 protected:
  std::string points(const std::string& name, const std::vector<int>& where) const {
    std::vector<std::vector<float>> rows;
    for (const int x : where) rows.push_back({static_cast<float>(x), 0});
    write_file(folder_ / (name + ".fvecs"), fvecs(rows));
    return folder_ / (name + ".fvecs");
  }
  std::string lines(const std::string& name, const std::vector<std::string>& ids) const {
    std::string text;
    for (const std::string& id : ids) text += id + "\n";
    write_file(folder_ / (name + ".txt"), text);
    return folder_ / (name + ".txt");
  }
  void build(const std::vector<int>& where, const std::vector<std::string>& ids,
             const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"build",    "--input", points("base", where),
                                       "--output", index_,    "--quiet"};
    if (!ids.empty()) arguments.insert(arguments.end(), {"--ids", lines("base", ids)});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  Outcome run(std::vector<std::string> arguments, const RunSettings& settings = {}) const {
    arguments.insert(arguments.begin(), "vector");
    return run_warpdex(arguments, settings);
  }
  void expect_done(const Outcome& outcome, const std::string& told) const {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(told));
  }
  /// The ids that a search from (0, 0) finds, nearest first, with spaces between them.
  std::string found(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"search", index_, "--queries", points("query", {0})};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::string ids;
    std::istringstream rows(outcome.out);
    for (std::string query, id, distance; rows >> query >> id >> distance;) ids += id + " ";
    return ids;
  }
  void expect_whole() const {
    const Outcome outcome = run_warpdex({"verify", index_});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }

  const TemporaryFolder folder_{place_in_memory()};
  const std::string index_ = folder_ / "index";
};

TEST_F(VectorChangeCommand, VectorsComeAndGoByTheirIds) {
  for (const std::vector<std::string>& kind :
       std::vector<std::vector<std::string>>{{}, {"--index", "ivf-flat", "--lists", "2"}}) {
    build({5, 1, 9}, {"five", "one", "nine"}, kind);
    expect_done(run({"add", index_, "--input", points("more", {2, 7}), "--ids",
                     lines("more", {"two", "seven"})}),
                "added 2 vectors");
    EXPECT_EQ(found(), "one two five seven nine ");
    expect_done(run({"add", index_, "--input", points("more", {8, 3}), "--ids",
                     lines("more", {"one", "three"}), "--update"}),
                "added 2 vectors, of which 1 replaced others");
    EXPECT_EQ(found(), "two three five seven one nine ");
    expect_done(run({"remove", index_, "--ids", lines("gone", {"two", "nine"})}),
                "removed 2 vectors");
    EXPECT_EQ(found(), "three five seven one ");
    EXPECT_EQ(found({"-k", "2"}), "three five ");
    EXPECT_EQ(found({"--filter", lines("some", {"seven", "five"})}), "five seven ");
    EXPECT_EQ(found({"-k", "5"}), "three five seven one ");
    expect_whole();
    const rapidjson::Document stats = parse_json(run_warpdex({"stats", index_, "--json", "-"}).out);
    EXPECT_EQ(stats["vectors"].GetUint64(), 4U);
    EXPECT_EQ(stats["segments"].GetUint64(), 3U);
    EXPECT_EQ(stats["removed"].GetUint64(), 3U);
    EXPECT_EQ(run({"bench", index_, "--queries", points("query", {0}), "--batch-sizes", "1", "-k",
                   "3", "--repetitions", "1"})
                  .status,
              0);
    expect_done(run({"merge", index_}), "merged " + index_ + ", which has 4 vectors");
    EXPECT_EQ(found(), "three five seven one ");
    expect_done(run({"merge", index_}), "nothing to merge");
    expect_whole();
  }
}

TEST_F(VectorChangeCommand, AnIndexBegunEmptyHasTheIdsOfItsFile) {
  // A file in the form of numpy without rows, since a .fvecs file has no dimension then.
  const auto empty = [&](const std::string& name, const std::string& type,
                         const std::string& shape) {
    std::string header =
        "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + "}";
    header.resize(117, ' ');
    write_file(folder_ / name, std::string("\x93NUMPY\1\0\x76\0", 10) + header + "\n");
    return folder_ / name;
  };
  const std::string base = empty("base.npy", "<f4", "(0, 2)");
  const std::vector<std::string> build_it{"build", "--input", base, "--output", index_};
  const auto build_with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = build_it;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const std::vector<std::string> add_named{
      "add", index_, "--input", points("more", {2, 7}), "--ids", lines("more", {"two", "seven"})};
  expect_done(build_with({"--ids", lines("none", {})}), "indexed 0 vectors");
  expect_whole();
  expect_done(run(add_named), "added 2 vectors");
  EXPECT_EQ(found(), "two seven ");
  expect_whole();
  expect_done(build_with({"--ids", empty("none.npy", "<i8", "(0,)")}), "indexed 0 vectors");
  expect_whole();
  expect_complaint(run(add_named), 1, {"are numbers", ".npy"});
  expect_done(build_with({}), "indexed 0 vectors");
  expect_complaint(run(add_named), 2, {"has no ids"});
  for (const std::string kind : {"xfbq", "ivf-xfbq", "sq8", "ivf-sq8", "ivf-flat", "ivf-pq"}) {
    expect_complaint(build_with({"--index", kind}), 2, {"one", "build a flat index"});
  }
}

TEST_F(VectorChangeCommand, TooLongVectorsAreNoneForListsAndCodes) {
  write_file(folder_ / "long.fvecs", fvecs({{1, 2}, {3, 4}, {0.9e17F, 0.9e17F}, {5, 6}}));
  write_file(folder_ / "longest.fvecs", fvecs({{1, 2}, {3, 4}, {0.7e17F, 0.7e17F}, {-1e17F, 0}}));
  for (const std::string metric : {"l2", "ip"}) {
    for (const std::string kind : {"xfbq", "ivf-xfbq", "sq8", "ivf-sq8", "ivf-flat", "ivf-pq"}) {
      const auto build_from = [&](const std::string& input) {
        return run(
            {"build", "--input", input, "--output", index_, "--index", kind, "--metric", metric});
      };
      expect_complaint(build_from(folder_ / "long.fvecs"), 1, {"row 2", "longer than 1e17"});
      expect_done(build_from(folder_ / "longest.fvecs"), "indexed 4 vectors");
      expect_whole();
      expect_complaint(run({"add", index_, "--input", folder_ / "long.fvecs"}), 1,
                       {"row 2", "longer than 1e17"});
      expect_whole();
    }
  }
  expect_done(run({"build", "--input", folder_ / "long.fvecs", "--output", index_, "--index",
                   "xfbq", "--metric", "cosine"}),
              "indexed 4 vectors");
}

TEST_F(VectorChangeCommand, RowsWithoutIdsKeepTheirNumbers) {
  build({5, 1, 9}, {});
  expect_done(run({"add", index_, "--input", points("more", {2, 7})}), "added 2 vectors");
  expect_done(run({"remove", index_, "--ids", lines("gone", {"1", "3"})}), "removed 2 vectors");
  EXPECT_EQ(found(), "0 4 2 ");
  run({"merge", index_});
  EXPECT_EQ(found(), "0 4 2 ");
  expect_done(run({"add", index_, "--input", points("more", {3}), "--json", "-"}),
              "\"vectors\":4,");
  EXPECT_EQ(found(), "5 0 4 2 ");
  expect_complaint(run({"remove", index_, "--ids", lines("gone", {"1"})}), 1, {"'1'"});
  expect_whole();
}

TEST_F(VectorChangeCommand, GraphsAndPathsPassOverWhatWasRemoved) {
  build({0, 1, 2, 3, 4, 5}, {});
  run({"add", index_, "--input", points("more", {6, 7})});
  run({"remove", index_, "--ids", lines("gone", {"1", "6"})});
  const std::string graph = folder_ / "graph.ivecs";
  const Outcome outcome = run({"graph", index_, "-k", "2", "--output", graph});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string bytes = read_file(graph);
  const auto* const numbers = reinterpret_cast<const std::int32_t*>(bytes.data());
  const std::vector<std::int32_t> expected{2, 2, 3, 2, -1, -1, 2, 3,  0,  2, 2, 4,
                                           2, 3, 5, 2, 4,  3,  2, -1, -1, 2, 5, 4};
  EXPECT_EQ(std::vector<std::int32_t>(numbers, numbers + bytes.size() / 4), expected);
  const auto path = [&](const char* from, const char* to) {
    return run({"path", "--vectors", index_, "--graph", graph, "--from", from, "--to", to});
  };
  EXPECT_EQ(path("7", "2").out, "7\t7\t\n5\t5\t4\n3\t3\t4\n2\t2\t1\n");
  expect_complaint(path("6", "2"), 2, {"row 6 was removed"});
  run({"remove", index_, "--ids", lines("gone", {"4"})});
  expect_complaint(path("7", "2"), 1, {"4, which was removed", "again"});
}

TEST_F(VectorChangeCommand, BadCallsGetASentenceAndChangeNothing) {
  build({5, 1, 9}, {"five", "one", "nine"});
  const std::string manifest = read_file(fs::path(index_) / "manifest.json");
  const auto add = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"add", index_});
    return run(more);
  };
  const std::string more = points("more", {2, 7});
  expect_complaint(add({"--input", more}), 2, {"--ids"});
  expect_complaint(add({"--input", more, "--ids", lines("a", {"x"})}), 1, {"1 id,", "2 vectors"});
  expect_complaint(add({"--input", more, "--ids", lines("a", {"x", "x"})}), 1, {"lines 1 and 2"});
  expect_complaint(add({"--input", more, "--ids", lines("a", {"x", "one"})}), 1,
                   {"'one'", "already"});
  write_file(folder_ / "wide.fvecs", fvecs({{1, 2, 3}}));
  expect_complaint(add({"--input", folder_ / "wide.fvecs", "--ids", lines("a", {"x"})}), 1,
                   {"3 components", "have 2"});
  write_file(folder_ / "nan.fvecs", fvecs({{1, std::nanf("")}}));
  expect_complaint(add({"--input", folder_ / "nan.fvecs", "--ids", lines("a", {"x"})}), 1,
                   {"row 0", "nan.fvecs"});
  expect_complaint(add({"--input", folder_ / "none.fvecs", "--ids", lines("a", {"x"})}), 1,
                   {"none.fvecs"});
  expect_complaint(run({"remove", index_, "--ids", lines("a", {"one", "ten"})}), 1,
                   {"'ten'", "nothing was removed"});
  expect_complaint(run({"remove", index_, "--ids", lines("a", {"one", "one"})}), 1,
                   {"lines 1 and 2"});
  expect_complaint(run({"remove", folder_ / "none", "--ids", lines("a", {"one"})}), 1,
                   {"no index"});
  expect_complaint(run({"merge", folder_ / "none"}), 1, {"no index"});
  EXPECT_EQ(read_file(fs::path(index_) / "manifest.json"), manifest);
  {
    const vector::VectorIndexChange other(index_);
    const std::string process = std::to_string(::getpid());
    expect_complaint(run({"remove", index_, "--ids", lines("a", {"one"})}), 1, {process});
    expect_complaint(add({"--input", more, "--ids", lines("a", {"x", "y"})}), 1, {process});
  }
  build({5, 1, 9}, {});
  expect_complaint(add({"--input", more, "--ids", lines("a", {"x", "y"})}), 2, {"row numbers"});
  expect_complaint(add({"--input", more, "--update"}), 2, {"--update", "--ids"});
}

TEST_F(VectorChangeCommand, DamageIsNotPassedOn) {
  build({5, 1, 9}, {"five", "one", "nine"});
  run({"remove", index_, "--ids", lines("gone", {"one"})});
  damage(fs::path(index_) / "segment-0" / "vectors");
  const std::string told = "is damaged (section 'vectors'); restore it or build it again";
  expect_complaint(run({"merge", index_}), 1, {told});
  const std::string copy = folder_ / "copy.fvecs";
  expect_complaint(run({"reconstruct", index_, "--output", copy}), 1, {told});
  EXPECT_FALSE(fs::exists(copy));
  EXPECT_EQ(run_warpdex({"verify", index_}).status, 1);
}

TEST_F(VectorChangeCommand, AFullDiskLeavesTheIndex) {
  std::vector<int> many(5000);
  for (int i = 0; i < 5000; ++i) many[static_cast<std::size_t>(i)] = i + 10;
  build({5, 1, 9}, {});
  const Outcome refused =
      run({"add", index_, "--input", points("many", many)}, {.file_size_limit = 20'000});
  expect_complaint(refused, 1, {"cannot write", "make room"});
  EXPECT_EQ(found(), "1 0 2 ");
  expect_done(run({"add", index_, "--input", folder_ / "many.fvecs"}), "added 5,000 vectors");
  run({"remove", index_, "--ids", lines("gone", {"1"})});
  expect_complaint(run({"merge", index_}, {.file_size_limit = 20'000}), 1,
                   {"cannot write", "make room"});
  EXPECT_EQ(found({"-k", "2"}), "0 2 ");
  expect_whole();
}

/// Runs a change again and again, and each time something befalls it at another system call.
class VectorChangeFailure : public VectorChangeCommand {
 protected:
  /// The index before the change: ids that a search finds.
  void prepare() const {
    fs::remove_all(index_);
    build({5, 1, 9}, {"five", "one", "nine"});
    ASSERT_EQ(run({"add", index_, "--input", points("more", {2, 7}), "--ids",
                   lines("more", {"two", "seven"})})
                  .status,
              0);
    ASSERT_EQ(run({"remove", index_, "--ids", lines("gone", {"two"})}).status, 0);
  }
  std::vector<std::string> update() const {
    return {
        "add",     index_, "--input", points("new", {3, 4}), "--ids", lines("new", {"one", "four"}),
        "--update"};
  }
  Outcome change(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& options) const {
    return run(arguments, {.under = tracer(folder_ / "calls", options)});
  }

  /// At each call named so or, without names, at each that changes files, from the first that makes
  /// something beside the index; `ids` are found after the change.
  void befall(const std::vector<std::string>& arguments, const std::string& what,
              const std::string& ids, const std::set<std::string>& names) {
    prepare();
    const std::string before = found();
    ASSERT_EQ(change(arguments, {}).status, 0);
    ASSERT_EQ(found(), ids);
    std::vector<Call> calls = read_calls(folder_ / "calls", ".building");
    EXPECT_GT(calls.size(), 20U);
    if (names.empty()) calls = worth_a_kill(calls);
    prepare();
    std::size_t ended = 0;
    for (const Call& call : calls) {
      if (!names.empty() && !names.contains(call.name)) continue;
      SCOPED_TRACE(call.name + " " + std::to_string(call.occurrence));
      const Outcome outcome = change(arguments, injected(call, what));
      ended += outcome.status != 0 ? 1 : 0;
      repair_target(index_);
      const std::string after = found();
      EXPECT_EQ(after, outcome.status == 0 || after != before ? ids : before);
      if (names.empty()) {
        EXPECT_TRUE(outcome.status == 0 || outcome.status == -SIGKILL) << outcome.err;
      } else if (outcome.status != 0) {
        expect_complaint(outcome, 1, {"cannot "});
      }
      EXPECT_TRUE(vector::verify_vectors(index_).ok());
      if (after != before || vector::VectorIndex::open(index_).segments().size() == 1) prepare();
      if (HasFailure()) return;
    }
    EXPECT_GT(ended, 5U);
  }
};

const std::set<std::string> kCallsThatFail{"openat", "write",  "fsync",    "link",
                                           "mkdir",  "rename", "renameat", "renameat2"};

TEST_F(VectorChangeFailure, AKillLeavesTheIndexBeforeOrAfter) {
  WARPDEX_NEEDS_STRACE();
  befall(update(), "signal=KILL", "one four five seven nine ", {});
}

TEST_F(VectorChangeFailure, AnErrorLeavesTheIndexBefore) {
  WARPDEX_NEEDS_STRACE();
  befall(update(), "error=ENOSPC", "one four five seven nine ", kCallsThatFail);
}

TEST_F(VectorChangeFailure, AMergeThatEndsEarlyLosesNothing) {
  WARPDEX_NEEDS_STRACE();
  prepare();
  const std::string before = found();
  ASSERT_EQ(change({"merge", index_}, {}).status, 0);
  const std::vector<Call> calls = worth_a_kill(read_calls(folder_ / "calls", "fsync("));
  prepare();
  for (const Call& call : calls) {
    SCOPED_TRACE(call.name + " " + std::to_string(call.occurrence));
    change({"merge", index_}, injected(call, "signal=KILL"));
    repair_target(index_);
    EXPECT_EQ(found(), before);
    EXPECT_TRUE(vector::verify_vectors(index_).ok());
    if (vector::VectorIndex::open(index_).segments().size() == 1) prepare();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpdex::test
