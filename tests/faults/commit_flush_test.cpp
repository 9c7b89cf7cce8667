// A commit whose last flush fails: it is made and says so, and what was there before stays until
// the disk knows of what took its place.
#include <gmock/gmock.h>

#include <optional>
#include <string_view>

#include "tests/api/journal_support.hpp"
#include "tests/faults/faults.hpp"
#include "tests/support.hpp"
#include "warpdex/verify.hpp"

namespace warpdex {
namespace {

using test::Fault;
using test::FaultInjection;
using test::Step;
namespace fs = std::filesystem;

class CommitFlush : public testing::Test {
 protected:
  void open() {
    writer_.reset();
    fs::remove_all(index_);
    writer_.emplace(index_, test::index_of_titles(),
                    WriterOptions{.threads = 1, .merges = false, .journal = true});
    test::make({Step::kPut, "old", "w0 1"}, *writer_);
    writer_->commit();
    test::make({Step::kPut, "new", "w1 2"}, *writer_);
    writer_->sync();
  }

  /// Commits with the n-th system call failing. The report, if it is the flush of a folder after
  /// which nothing fails any more.
  std::optional<CommitReport> commit_without_flush(std::uint64_t nth, bool& is_reached) {
    const FaultInjection fault(Fault::kSystemCall, nth);
    std::optional<CommitReport> report;
    try {
      report = writer_->commit();
    } catch (const std::exception&) {  // before the commit point
    }
    is_reached = fault.has_failed();
    if (fault.failed_call() != std::string_view("fsync")) report.reset();
    return report;
  }

  fs::path beside() const {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path() != index_ && entry.is_directory()) found = entry.path();
    }
    return found;
  }

  static test::Documents documents_of(const fs::path& folder) {
    const test::TemporaryFolder copy(test::place_in_memory());
    fs::copy(folder, copy / "index", fs::copy_options::recursive);
    EXPECT_THAT(verify(copy / "index").problems, testing::IsEmpty());
    return test::documents_after_opening(copy / "index");
  }

  const test::TemporaryFolder folder_{test::place_in_memory()};
  const fs::path index_ = folder_ / "index";
  std::optional<Writer> writer_;
};

TEST_F(CommitFlush, KeepsWhatWasThereBefore) {
  const test::Documents all{{"old", "w0 1"}, {"new", "w1 2"}};
  int seen = 0;
  bool is_reached = true;
  for (std::uint64_t nth = 1; is_reached; ++nth) {
    open();
    const auto report = commit_without_flush(nth, is_reached);
    if (!report || !is_reached) continue;
    ++seen;
    EXPECT_THAT(report->notes, testing::ElementsAre(testing::HasSubstr("cannot flush")));
    EXPECT_EQ(IndexReader(index_).documents(), 2U);
    // If a power cut brings it back, its journal has what was durable.
    EXPECT_EQ(documents_of(beside()), all);
    test::make({Step::kPut, "more", "w2 3"}, *writer_);
    EXPECT_THAT(writer_->commit().notes, testing::IsEmpty());
    EXPECT_EQ(beside(), fs::path());
    EXPECT_EQ(IndexReader(index_).documents(), 3U);
  }
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace warpdex
