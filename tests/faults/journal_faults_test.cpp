// A writer with a journal goes on being used while calls fail under it: what it took stays, and
// what it says is durable can be read by another one.
#include <gmock/gmock.h>

#include <iostream>
#include <optional>
#include <set>

#include "tests/api/journal_support.hpp"
#include "tests/faults/faults.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/verify.hpp"

namespace warpdex {
namespace {

using test::Fault;
using test::FaultInjection;
using test::FaultPause;
using test::Step;
namespace fs = std::filesystem;

/// The texts that each document may have; "" means that it is not there. Several, where a call for
/// it failed.
using Possible = std::map<std::string, std::set<std::string>>;

class JournalFaults : public testing::Test {
 protected:
  /// Makes a step, and writes down what may be so then.
  void make_step(const Step& step) {
    try {
      test::make(step, *writer_);
    } catch (const std::exception& error) {
      const FaultPause pause;
      ++errors_;
      said_.push_back(error.what());
      if (step.kind == Step::kPut) now_[step.id].insert(step.text);
      if (step.kind == Step::kRemove) now_[step.id].insert("");
      if (step.kind != Step::kRollback) return;
      for (const auto& [id, texts] : committed_) now_[id].insert(texts.begin(), texts.end());
      has_rolled_back_ = true;
      return;
    }
    const FaultPause pause;
    if (step.kind == Step::kPut) now_[step.id] = {step.text};
    if (step.kind == Step::kRemove) now_[step.id] = {""};
    if (step.kind == Step::kCommit) committed_ = now_;
    if (step.kind == Step::kRollback) now_ = committed_;
  }

  /// Some steps, in which one call fails, or all from one on.
  void make_faulty_steps(Fault kind) {
    has_rolled_back_ = false;
    said_.clear();
    const FaultInjection fault(kind, 1 + random_() % 200, random_() % 3 == 0);
    for (int i = 0; i < 5; ++i) {
      std::optional<FaultPause> pause(std::in_place);
      const Step step = next_step();
      pause.reset();
      make_step(step);
    }
  }

  /// Removes only what is there for sure.
  Step next_step() {
    test::ExpectedDocuments known;
    for (const auto& [id, texts] : now_) {
      if (texts.size() == 1 && !texts.contains("")) known.now[id] = *texts.begin();
    }
    return test::random_step(random_, known);
  }

  /// Nothing fails any more: the writer is good, and another one of a copy finds what it should.
  void expect_all() {
    try {
      writer_->sync();
    } catch (const IoError&) {
      ASSERT_TRUE(has_rolled_back_);  // and failed
      writer_->rollback();
      now_ = committed_;
    }
    const test::TemporaryFolder copy(test::place_in_memory());
    fs::copy(index_, copy / "index", fs::copy_options::recursive);
    const IndexCheck check = verify(copy / "index");
    ASSERT_TRUE(check.problems.empty()) << check.problems[0];
    test::Documents found = test::documents_after_opening(copy / "index");
    for (auto& [id, texts] : now_) {
      ASSERT_TRUE(texts.contains(found[id])) << id << " is '" << found[id] << "'";
      texts = {found[id]};
    }
    for (const auto& [id, text] : found) ASSERT_TRUE(now_.contains(id)) << id;
  }

  void run(Fault kind) {
    for (int i = 0; i < 12; ++i) now_["d" + std::to_string(i)] = {""};
    committed_ = now_;
    for (int round = 0; round < 300; ++round) {
      SCOPED_TRACE("round " + std::to_string(round));
      make_faulty_steps(kind);
      SCOPED_TRACE(testing::PrintToString(said_));
      expect_all();
      if (HasFailure()) return;
    }
    std::cout << errors_ << " calls threw\n";
    EXPECT_GT(errors_, 100);
  }

  std::mt19937_64 random_ = test::generator(181);
  const test::TemporaryFolder folder_{test::place_in_memory()};
  const fs::path index_ = folder_ / "index";
  std::unique_ptr<Writer> writer_ =
      std::make_unique<Writer>(index_, test::index_of_titles(),
                               WriterOptions{.threads = 1, .merges = false, .journal = true});
  Possible now_;
  Possible committed_;
  bool has_rolled_back_ = false;  ///< or tried to
  std::vector<std::string> said_;
  int errors_ = 0;
};

TEST_F(JournalFaults, SystemCalls) { run(Fault::kSystemCall); }

TEST_F(JournalFaults, Allocations) { run(Fault::kAllocation); }

}  // namespace
}  // namespace warpdex
