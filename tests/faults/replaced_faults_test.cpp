// What is made in one step, under faults: the index that was there stays, or the new one is there;
// a call that throws has changed nothing, and one that returns has changed all.
#include <gmock/gmock.h>

#include <iostream>

#include "tests/faults/faults.hpp"
#include "tests/indexer/living/living_fixture.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/vector/format/vector_index_change.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/format/verify.hpp"

namespace warpdex {
namespace {

using test::Fault;
using test::FaultInjection;
namespace fs = std::filesystem;

class ReplacedFaults : public test::LivingIndexTest {
 protected:
  struct Change {
    std::function<void()> prepare;              ///< makes what is there before
    std::function<void()> make;                 ///< the change
    std::function<std::uint64_t()> what_there;  ///< tells the two states apart
    std::uint64_t before = 0;
    std::uint64_t after = 0;
  };

  void fail_everywhere(const Change& change, Fault kind, std::uint64_t wanted) {
    change.prepare();
    std::uint64_t calls = 0;
    {
      FaultInjection count(kind, ~std::uint64_t{0});
      change.make();
      calls = count.calls();
    }
    ASSERT_EQ(change.what_there(), change.after);
    const std::uint64_t step = std::max<std::uint64_t>(1, calls / wanted);
    int thrown = 0;
    int runs = 0;
    std::mt19937_64 random = test::generator(175);
    for (std::uint64_t at = 0; at < calls; at += step, ++runs) {
      fs::remove_all(index_);
      change.prepare();
      const std::uint64_t nth = 1 + at + random() % step;
      bool has_thrown = false;
      std::string call;
      std::string error;
      {
        FaultInjection fault(kind, nth);
        try {
          change.make();
        } catch (const std::exception& caught) {
          has_thrown = true;
          error = caught.what();
        }
        call = fault.failed_call();
      }
      SCOPED_TRACE(call + " " + std::to_string(nth) + ": " + error);
      thrown += has_thrown ? 1 : 0;
      ASSERT_EQ(change.what_there(), has_thrown ? change.before : change.after);
      repair_target(index_);
      ASSERT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
    }
    std::cout << runs << " runs, " << thrown << " threw\n";
    EXPECT_GT(thrown, runs / 4);
  }

  void fail_everywhere(const Change& change) {
    fail_everywhere(change, Fault::kSystemCall, 150);
    fs::remove_all(index_);
    fail_everywhere(change, Fault::kAllocation, 60);
  }

  std::uint64_t documents_there() const {
    const VerifyReport report = verify_index(index_);
    EXPECT_TRUE(report.ok()) << report.problems[0];
    return Snapshot::open(index_).documents();
  }

  std::uint64_t vectors_there() const {
    const vector::VectorVerifyReport report = vector::verify_vectors(index_);
    EXPECT_TRUE(report.ok()) << report.problems[0];
    return vector::VectorIndex::open(index_).live_rows();
  }

  void build_vectors() {
    vector::VectorIndexSettings settings;
    settings.dimension = 2;
    vector::VectorIndexWriter writer(index_, settings);
    writer.add(std::vector<float>{1, 2, 3, 4, 5, 6});
    writer.commit(vector::VectorIds(std::vector<std::string>{"a", "b", "c"}));
  }

  void change_vectors() {
    vector::VectorIndexChange change(index_);
    change.set_ids(vector::VectorIds(std::vector<std::string>{"b", "d", "e"}),
                   vector::KnownIds::kReplace);
    change.add(std::vector<float>{7, 8, 9, 10, 11, 12});
    change.commit();
  }
};

TEST_F(ReplacedFaults, ABuildOverAnIndex) {
  fail_everywhere({[this] {
                     build({{"a", "x"}, {"b", "y z"}});
                   },
                   [this] {
                     build({{"c", "x y"}, {"d", "z"}, {"e", "v w"}});
                   },
                   [this] { return documents_there(); }, 2, 3});
}

TEST_F(ReplacedFaults, AChangeOfVectors) {
  fail_everywhere({[this] { build_vectors(); }, [this] { change_vectors(); },
                   [this] { return vectors_there(); }, 3, 5});
}

TEST_F(ReplacedFaults, AMergeOfVectors) {
  fail_everywhere({[this] {
                     build_vectors();
                     change_vectors();
                   },
                   [this] { vector::merge_vector_index(index_); },
                   [this] {
                     vectors_there();
                     return vector::VectorIndex::open(index_).segments().size();
                   },
                   2, 1});
}

TEST_F(ReplacedFaults, AChangeOfVectorsIsMadeOnce) {
  build_vectors();
  vector::VectorIndexChange change(index_);
  change.remove(vector::VectorIds(std::vector<std::string>{"a"}));
  EXPECT_EQ(change.commit().number, 1U);
  EXPECT_THROW(change.commit(), UsageError);
  EXPECT_THROW(change.add(std::vector<float>{1, 2}), UsageError);
  EXPECT_EQ(vectors_there(), 2U);
}

}  // namespace
}  // namespace warpdex
