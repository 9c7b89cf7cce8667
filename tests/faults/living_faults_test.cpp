// A living index that goes on being used while one call after the other fails under it: the object
// then answers as before the call or refuses, and the index on the disk is always one commit's.
#include <gmock/gmock.h>

#include <iostream>
#include <map>

#include "tests/faults/faults.hpp"
#include "tests/indexer/living/living_fixture.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex {
namespace {

using test::Fault;
using test::FaultInjection;
using test::FaultPause;
using test::LivingIndexTest;
using test::one_thread;
using test::reader_of;
using test::Texts;
namespace fs = std::filesystem;

/// Live documents: ids, and how many words the text of each has. No two texts that an id had are of
/// one length.
using Model = std::map<std::string, std::uint32_t>;

class LivingFaults : public LivingIndexTest {
 protected:
  /// The index of a few segments that each round begins with.
  void start() {
    committed_.clear();
    next_id_ = 0;
    Texts first = more(4);
    build(first, [](BuildOptions& options) {
      options.stored_fields = {"text"};
      options.vectors = vector::RowSettings{vector::Metric::kL2, vector::Store::kFloat, 2};
    });
    for (const auto& [id, text] : first) committed_[id] = words_in(text);
    living_ = std::make_unique<LivingIndex>(index_);
    pending_ = committed_;
    for (int i = 0; i < 2; ++i) do_add(more(2), false);
    do_commit();
  }

  static std::uint32_t words_in(const std::string& text) {
    return static_cast<std::uint32_t>(std::count(text.begin(), text.end(), ' ') + 1);
  }

  std::string new_text() {
    std::string text = "w";
    for (std::uint32_t i = 1; i < 1 + next_length_ % 50; ++i) text += " w" + std::to_string(i % 7);
    ++next_length_;
    return text;
  }

  Texts more(std::size_t count) {
    Texts texts;
    for (; count > 0; --count) texts.emplace_back("d" + std::to_string(next_id_++), new_text());
    return texts;
  }

  // Each of these calls the object, and changes the model where the call came to its end.
  void do_add(const Texts& texts, bool update) {
    living_->add(*reader_of(texts), one_thread(update));
    const FaultPause pause;
    for (const auto& [id, text] : texts) pending_[id] = words_in(text);
  }
  void do_remove(const std::string& id) {
    const bool was_there = living_->remove(id);
    const FaultPause pause;
    EXPECT_TRUE(was_there) << id;
    pending_.erase(id);
  }
  /// The changes are lost where it fails.
  void do_commit() {
    try {
      const CommitReport report = living_->commit();
      const FaultPause pause;
      committed_ = pending_;
      number_ = report.number;
    } catch (...) {
      const FaultPause pause;
      pending_ = committed_;
      throw;
    }
  }

  struct Step {
    std::string name;
    std::function<void()> call;
  };
  /// What a writer does, step by step. The ids that it takes are those of the moment.
  std::vector<Step> steps() {
    const auto first = [this] { return pending_.begin()->first; };
    const auto last = [this] { return pending_.rbegin()->first; };
    const auto merge = [this](bool all) {
      living_->merge({.all = all, .memory = kMinBuildMemory, .threads = 1});
    };
    return {
        {"add", [this] { do_add(more(3), false); }},
        {"update",
         [=, this] {
           const Texts fresh = more(1);
           do_add({{first(), new_text()}, {last(), new_text()}, fresh[0]}, true);
         }},
        {"delete", [=, this] { do_remove(first()); }},
        {"delete what is new", [=, this] { do_remove(last()); }},
        {"commit", [this] { do_commit(); }},
        {"merge", [=] { merge(false); }},
        {"delete again", [=, this] { do_remove(first()); }},
        {"merge all", [=] { merge(true); }},
        {"commit merged", [this] { do_commit(); }},
        {"merge in the background",
         [this] {
           for (int i = 0; i < 8; ++i) do_add(more(1), false);
           living_->merge_in_background({kMinBuildMemory, 1});
           living_->finish_merges();
         }},
        {"commit the background", [this] { do_commit(); }},
    };
  }

  /// The index on the disk is what was committed last.
  void expect_committed() {
    const VerifyReport report = verify_index(index_);
    ASSERT_TRUE(report.ok()) << report.problems[0];
    const Snapshot snapshot = Snapshot::open(index_);
    Model there;
    for (std::uint32_t i = 0; i < snapshot.docid_end(); ++i) {
      const std::string name(snapshot.document_name(i));
      const Snapshot::Segment& segment = snapshot.segments()[snapshot.segment_of(i)];
      const std::uint32_t own = i - segment.first_document;
      if (segment.index->removed().contains(own)) continue;
      ASSERT_TRUE(there.emplace(name, segment.index->lengths()[own]).second) << name << " twice";
    }
    ASSERT_EQ(there, committed_);
    ASSERT_EQ(snapshot.documents(), committed_.size());
    ASSERT_EQ(snapshot.commit(), number_);
  }

  /// Makes all steps, one of which has the fault. Returns whether the fault came.
  bool round(std::size_t faulty, Fault kind, std::uint64_t nth) {
    const std::vector<Step> all = steps();
    bool came = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE(all[i].name);
      std::string error;
      const Model before = pending_;
      try {
        std::optional<FaultInjection> fault;
        if (i == faulty) fault.emplace(kind, nth, lasts_);
        const auto note = [&] {
          if (!fault) return;
          came = fault->has_failed();
          failed_call_ = fault->failed_call();
          calls_ = fault->calls();
          fault.reset();
        };
        try {
          all[i].call();
          note();
        } catch (...) {
          note();
          throw;
        }
      } catch (const std::exception& thrown) {
        error = thrown.what();
      }
      SCOPED_TRACE(failed_call_ + " " + std::to_string(nth) + ": " + error);
      if (!error.empty()) {
        EXPECT_TRUE(came) << "a call failed without a fault";
        // A step of several calls may have got half way; only the last of them has failed.
        if (all[i].name.find("background") == std::string::npos &&
            all[i].name.find("commit") == std::string::npos) {
          EXPECT_EQ(pending_, before);
        }
        ++errors_;
      }
      expect_committed();
      if (testing::Test::HasFailure()) return came;
      if (!error.empty() && !expect_usable()) return came;
    }
    return came;
  }

  /// After an error the object goes on as its promise says, or refuses everything: then another is
  /// opened.
  bool expect_usable() {
    try {
      living_->remove("none");
    } catch (const IoError& refusal) {
      EXPECT_THAT(refusal.what(), testing::HasSubstr("open the index again"));
      ++refusals_;
      living_.reset();
      living_ = std::make_unique<LivingIndex>(index_);
      pending_ = committed_;
    }
    return !testing::Test::HasFailure();
  }

  std::unique_ptr<LivingIndex> living_;
  Model committed_;
  Model pending_;
  std::uint64_t number_ = 0;
  std::size_t next_id_ = 0;
  std::uint32_t next_length_ = 1;
  std::string failed_call_;
  std::uint64_t calls_ = 0;
  bool lasts_ = false;  ///< all calls of the step fail from that one on
  int errors_ = 0;
  int refusals_ = 0;
};

/// Calls that fail, of so many: all, or some drawn at random.
std::vector<std::uint64_t> drawn(std::uint64_t calls, std::uint64_t wanted,
                                 std::mt19937_64& random) {
  std::vector<std::uint64_t> some;
  const double step = std::max(1.0, static_cast<double>(calls) / static_cast<double>(wanted));
  for (double at = 0; at < static_cast<double>(calls); at += step) {
    const auto within = static_cast<std::uint64_t>(step);
    some.push_back(1 + static_cast<std::uint64_t>(at) + (within > 1 ? random() % within : 0));
  }
  return some;
}

class AnyCallFails : public LivingFaults {
 protected:
  void run(Fault kind, std::uint64_t wanted) {
    std::mt19937_64 random = test::generator(173);
    std::size_t runs = 0;
    for (std::size_t step = 0; step < steps().size(); ++step) {
      start();
      constexpr std::uint64_t kNone = ~std::uint64_t{0};
      round(step, kind, kNone);  // counts
      ASSERT_FALSE(HasFailure());
      const std::uint64_t calls = calls_;
      for (const std::uint64_t nth : drawn(calls, wanted, random)) {
        living_.reset();
        fs::remove_all(index_);
        start();
        round(step, kind, nth);
        ASSERT_FALSE(HasFailure()) << "step " << steps()[step].name << ", call " << nth;
        ++runs;
      }
      living_.reset();
      fs::remove_all(index_);
    }
    std::cout << runs << " runs, " << errors_ << " calls threw, " << refusals_
              << " objects refused\n";
    EXPECT_GT(errors_, 100);
    repair_target(index_);
    EXPECT_TRUE(fs::is_empty(folder_.path()));
  }
};

TEST_F(AnyCallFails, SystemCalls) {
  run(Fault::kSystemCall, std::getenv("WARPDEX_FULL_TESTS") != nullptr ? 1'000'000 : 60);
}

TEST_F(AnyCallFails, Allocations) {
  run(Fault::kAllocation, std::getenv("WARPDEX_FULL_TESTS") != nullptr ? 2'000 : 40);
}

// One object lives through it all: fault after fault, in steps drawn at random.
TEST_F(LivingFaults, OneObjectLivesThroughThemAll) {
  std::mt19937_64 random = test::generator(174);
  start();
  for (int i = 0; i < 150; ++i) {
    const Fault kind = random() % 2 == 0 ? Fault::kAllocation : Fault::kSystemCall;
    round(random() % steps().size(), kind, 1 + random() % 120);
    ASSERT_FALSE(HasFailure()) << "round " << i;
  }
  EXPECT_GT(errors_, 30);
}

// All calls fail from one on, until the step has ended: where there is no memory to go back to the
// last commit, the object refuses all further calls.
TEST_F(LivingFaults, WhatLastsUntilTheEndOfACall) {
  std::mt19937_64 random = test::generator(176);
  lasts_ = true;
  start();
  for (int i = 0; i < 150; ++i) {
    const Fault kind = random() % 3 != 0 ? Fault::kAllocation : Fault::kSystemCall;
    round(random() % steps().size(), kind, 1 + random() % 120);
    ASSERT_FALSE(HasFailure()) << "round " << i;
  }
  EXPECT_GT(errors_, 30);
  EXPECT_GT(refusals_, 0);
}

// The folder is elsewhere for the time of one commit, whose changes are lost.
TEST_F(LivingFaults, AFolderThatIsMovedAway) {
  start();
  do_add(more(2), false);
  const fs::path elsewhere = folder_ / "elsewhere";
  fs::rename(index_, elsewhere);
  EXPECT_THROW(do_commit(), Error);
  EXPECT_THROW(
      {
        do_add(more(1), false);
        do_commit();
      },
      Error);
  fs::rename(elsewhere, index_);
  expect_committed();
  do_add(more(1), false);
  do_commit();
  expect_committed();
}

// A backup came back under the object: its files may have the names of ours.
TEST_F(LivingFaults, AnotherIndexInItsPlace) {
  start();
  fs::copy(index_, folder_ / "backup", fs::copy_options::recursive);
  const Model at_backup = committed_;
  const std::uint64_t number = number_;
  do_add(more(1), false);
  do_commit();
  fs::remove_all(index_);
  fs::rename(folder_ / "backup", index_);
  do_add(more(1), false);
  EXPECT_THROW(do_commit(), IoError);
  committed_ = at_backup;
  number_ = number;
  expect_committed();
}

}  // namespace
}  // namespace warpdex
