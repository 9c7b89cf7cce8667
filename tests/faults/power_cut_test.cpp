// A power cut between any two calls that change files, with what was not flushed lost in several
// ways: what sync() or commit() made durable is in the index exactly once.
#include <gmock/gmock.h>

#include <array>
#include <iostream>
#include <set>

#include "tests/api/journal_support.hpp"
#include "tests/faults/disk_states.hpp"
#include "tests/support.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/verify.hpp"

namespace warpdex {
namespace {

using test::DiskImage;
using test::DiskState;
using test::Documents;
using test::ExpectedDocuments;
using test::RecordedDisk;
using test::Recording;
using test::Step;
using test::Survivors;
namespace fs = std::filesystem;

struct CutOptions {
  bool journal = true;
  bool merges = false;
  bool can_exchange = true;
  int steps = 80;
};

WriterOptions writer_options(const CutOptions& options) {
  return {.threads = 1, .merges = options.merges, .journal = options.journal};
}

class PowerCuts : public testing::Test {
 protected:
  /// Makes an index of some commits, maybe with a journal, that lies on the disk.
  void start(const CutOptions& options) {
    Writer writer(index_, test::index_of_titles(), writer_options(options));
    for (int i = 0; i < 30; ++i) make_step(writer, options);
    expected_.now = expected_.durable;  // what was not synced goes with the writer
    history_ = {expected_.now};
    durable_ = {0};
  }

  /// Goes on with what a power cut left.
  void start_from(const DiskImage& image, const fs::path& around) {
    around_ = around;
    index_ = around / "index";
    test::make_folder(image, around_);
    const test::TemporaryFolder copy(test::place_in_memory());
    test::make_folder(image, copy.path());
    expected_.committed = test::documents_in(copy / "index");
    expected_.now = expected_.durable = test::documents_after_opening(copy / "index");
    history_ = {expected_.now};
    durable_ = {0};
    seen_.clear();
  }

  void make_step(Writer& writer, const CutOptions& options) {
    Step step = test::random_step(random_, expected_);
    if (step.kind == Step::kSync && !options.journal) step = {Step::kCommit};
    test::make(step, writer);
    expected_.make(step);
    history_.push_back(expected_.now);
    const bool is_durable = step.kind >= Step::kSync;
    durable_.push_back(is_durable ? history_.size() - 1 : durable_.empty() ? 0 : durable_.back());
  }

  /// Opens the index and makes steps. Afterwards the recording is known to be complete.
  RecordedDisk record(const CutOptions& options) {
    Recording recording(around_, options.can_exchange);
    {
      Writer writer(index_, {}, writer_options(options));
      for (int i = 0; i < options.steps; ++i) {
        make_step(writer, options);
        recording.mark(history_.size() - 1);
      }
    }
    RecordedDisk disk = recording.finish();
    DiskState state(disk);
    for (const test::DiskCall& call : disk.calls) state.apply(call);
    EXPECT_EQ(state.image(Survivors::kEverything, random_), test::image_of(around_))
        << "a call was not recorded";
    return disk;
  }

  /// Cuts the power before each call, and at the end.
  void cut_everywhere(const RecordedDisk& disk) {
    DiskState state(disk);
    std::size_t made = 0;
    for (std::size_t i = 0; i <= disk.calls.size() && !HasFailure(); ++i) {
      for (std::size_t form = 0; form < test::kSurvivorForms && !HasFailure(); ++form) {
        const auto survivors = static_cast<Survivors>(form);
        check(state.image(survivors, random_), made,
              "call " + std::to_string(i) + " of " + std::to_string(disk.calls.size()) + ", form " +
                  std::to_string(form));
      }
      if (i == disk.calls.size()) break;
      state.apply(disk.calls[i]);
      if (disk.calls[i].kind == test::DiskCall::kMark) made = disk.calls[i].offset;
    }
    std::cout << disk.calls.size() << " calls, " << checks_ << " different disks\n";
  }

  /// The documents are those after one of the steps from the last durable one to the one under way.
  void check(const DiskImage& image, std::size_t made, const std::string& when) {
    if (!seen_.emplace(durable_[made], image).second) return;
    ++checks_;
    SCOPED_TRACE(when + ", " + std::to_string(made) + " steps made");
    const test::TemporaryFolder folder(test::place_in_memory());
    test::make_folder(image, folder.path());
    const fs::path index = folder / "index";
    try {
      if (!fs::exists(index)) repair_target(index);
      expect_whole(index);
      Documents found = test::documents_after_opening(index);
      const auto first = history_.begin() + static_cast<std::ptrdiff_t>(durable_[made]);
      const auto end =
          history_.begin() + static_cast<std::ptrdiff_t>(std::min(made + 2, history_.size()));
      EXPECT_NE(std::find(first, end, found), end) << testing::PrintToString(found);
      expect_whole(index);
      goes_on(index, std::move(found));
      if (!HasFailure()) return;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    for (const auto& [path, bytes] : image) std::cout << path << " " << bytes.size() << "\n";
  }

  static void expect_whole(const fs::path& index) {
    const IndexCheck check = verify(index);
    EXPECT_TRUE(check.problems.empty()) << check.problems[0];
  }

  /// What is synced from now on is durable too.
  static void goes_on(const fs::path& index, Documents documents) {
    const Step more{Step::kPut, "more", "w 1"};
    {
      Writer writer(index, {}, {.threads = 1, .merges = false, .journal = true});
      test::make(more, writer);
      writer.sync();
    }
    documents[more.id] = more.text;
    EXPECT_EQ(test::documents_after_opening(index), documents);
  }

  std::mt19937_64 random_ = test::generator(41);
  const test::TemporaryFolder folder_{test::place_in_memory()};
  fs::path around_ = folder_ / "around";
  fs::path index_ = around_ / "index";
  ExpectedDocuments expected_;
  std::vector<Documents> history_;    ///< after each step
  std::vector<std::size_t> durable_;  ///< the last step that was durable then
  std::set<std::pair<std::size_t, DiskImage>> seen_;
  std::size_t checks_ = 0;
};

TEST_F(PowerCuts, OfAWriterWithAJournal) {
  const CutOptions options;
  start(options);
  cut_everywhere(record(options));
}

TEST_F(PowerCuts, OfAWriterWithoutAJournal) {
  const CutOptions options{.journal = false, .steps = 30};
  start(options);
  cut_everywhere(record(options));
}

TEST_F(PowerCuts, WhereFoldersCannotBeExchanged) {
  const CutOptions options{.can_exchange = false, .steps = 40};
  start(options);
  cut_everywhere(record(options));
}

TEST_F(PowerCuts, WithMergesInTheBackground) {
  const CutOptions options{.merges = true, .steps = 40};
  start(options);
  cut_everywhere(record(options));
}

TEST_F(PowerCuts, AgainWhenAJournalIsTakenIn) {
  CutOptions options;
  start(options);
  const RecordedDisk disk = record(options);
  options.steps = 5;
  for (int round = 0; round < 12 && !HasFailure(); ++round) {
    DiskState state(disk);
    const std::size_t calls = random_() % disk.calls.size();
    for (std::size_t i = 0; i < calls; ++i) state.apply(disk.calls[i]);
    const Survivors survivors = round % 2 == 0 ? Survivors::kTorn : Survivors::kAnything;
    start_from(state.image(survivors, random_), folder_ / ("again-" + std::to_string(round)));
    cut_everywhere(record(options));
  }
}

}  // namespace
}  // namespace warpdex
