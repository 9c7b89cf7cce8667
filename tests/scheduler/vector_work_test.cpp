// Vector and hybrid queries as classes of work of their own, beside text queries, by the interface
// as it is: each class has its cost, its CPU searcher, and batches for a GPU.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tests/query/engine/living_support.hpp"
#include "tests/scheduler/stand_in_engine.hpp"
#include "tests/support.hpp"
#include "tests/vector/flat/plain_search.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"
#include "warpdex/query/gpu/gpu_vectors.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"
#include "warpdex/scheduler/scheduler.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex {
namespace {

using vector::FlatSearcher;
using vector::Neighbors;

/// One search of vectors at a time: the thread sanitizer does not see how oneTBB keeps the threads
/// apart that enter it.
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

/// The k nearest vectors of one.
struct VectorJob final : Job {
  VectorJob(WorkClass& work, std::span<const float> query, std::size_t wanted)
      : Job(work), vector(query.begin(), query.end()), k(wanted) {}
  void finish(JobEnd how) noexcept override { end_of.set_value(how); }

  std::vector<float> vector;
  std::size_t k;
  Neighbors found;
  std::promise<JobEnd> end_of;
};

VectorJob& vector_job(Job& job) { return static_cast<VectorJob&>(job); }

/// Finds the nearest of many queries.
using SearchMany = std::function<Neighbors(std::span<const float>, std::size_t k)>;

/// A batch is one search, on a thread of its own.
template <typename Answers>
class SearchBatches : public GpuWorker {
 public:
  std::size_t max_batches() const override { return batches_.size(); }
  void start(std::size_t slot, std::span<Job* const> jobs) override {
    batches_[slot].search = std::async(std::launch::async, [this, jobs] {
      const std::lock_guard lock(one_at_a_time());
      return search(jobs);
    });
  }
  bool poll(std::size_t slot) override {
    return batches_[slot].search.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  void take(std::size_t slot) override { batches_[slot].found = batches_[slot].search.get(); }
  bool deliver(std::size_t slot, std::size_t place, Job& job) override {
    give(batches_[slot].found, place, job);
    return true;
  }
  void release(std::size_t) noexcept override {}
  void give_back(std::size_t, std::span<Job* const>) noexcept override {}

 private:
  virtual Answers search(std::span<Job* const> jobs) = 0;
  virtual void give(const Answers& found, std::size_t place, Job& job) const = 0;

  struct Batch {
    std::future<Answers> search;
    Answers found;
  };
  std::array<Batch, 5> batches_;
};

/// With the largest k of all.
class VectorBatches final : public SearchBatches<Neighbors> {
 public:
  explicit VectorBatches(SearchMany search) : search_(std::move(search)) {}

 private:
  Neighbors search(std::span<Job* const> jobs) override {
    std::vector<float> queries;
    std::size_t k = 0;
    for (Job* job : jobs) {
      const std::vector<float>& query = vector_job(*job).vector;
      queries.insert(queries.end(), query.begin(), query.end());
      k = std::max(k, vector_job(*job).k);
    }
    return search_(queries, k);
  }
  void give(const Neighbors& found, std::size_t place, Job& job) const override {
    VectorJob& query = vector_job(job);
    const auto first = static_cast<std::ptrdiff_t>(place * found.k);
    const auto last = first + static_cast<std::ptrdiff_t>(query.k);
    query.found = {1,
                   query.k,
                   {found.rows.begin() + first, found.rows.begin() + last},
                   {found.distances.begin() + first, found.distances.begin() + last}};
  }

  SearchMany search_;
};

class VectorWork final : public WorkClass {
 public:
  VectorWork(const vector::FlatVectors& vectors, SearchMany search_many)
      : vectors_(vectors), search_many_(std::move(search_many)) {}

  /// Reading all rows, at some GB a second; batches read them once.
  JobCost estimate(const Job&) const override {
    const auto bytes = static_cast<float>(vectors_.vectors.rows * vectors_.vectors.dimension * 4);
    return {.cpu = 5 + bytes / 5'000,
            .gpu_alone = 30 + bytes / 500'000,
            .gpu_share = 0.5F + bytes / 5'000'000,
            .gpu_can = true,
            .gpu_base = 30};
  }
  std::unique_ptr<CpuWorker> make_cpu_worker() override {
    struct Cpu final : CpuWorker {
      explicit Cpu(const vector::FlatVectors& vectors) : searcher(vectors, 1) {}
      bool run(Job& job, SearchWatch&) override {
        VectorJob& query = vector_job(job);
        const std::lock_guard lock(one_at_a_time());
        query.found = searcher.nearest(query.vector, query.k);
        return true;
      }
      FlatSearcher searcher;
    };
    return std::make_unique<Cpu>(vectors_);
  }
  std::unique_ptr<GpuWorker> make_gpu_worker() override {
    return std::make_unique<VectorBatches>(search_many_);
  }
  void answer_nothing(Job& job) const override { vector_job(job).found = {}; }

 private:
  const vector::FlatVectors& vectors_;
  SearchMany search_many_;
};

/// Words and a vector.
struct HybridJob final : Job {
  HybridJob(WorkClass& work, Query words, std::vector<float> near)
      : Job(work), query(std::move(words)), vector(std::move(near)) {}
  void finish(JobEnd how) noexcept override { end_of.set_value(how); }

  Query query;
  std::vector<float> vector;
  SearchResult found;
  std::promise<JobEnd> end_of;
};

HybridJob& hybrid_job(Job& job) { return static_cast<HybridJob&>(job); }

std::vector<SearchResult> search_hybrid(HybridSearcher& searcher, std::span<Job* const> jobs) {
  std::vector<Query> queries;
  std::vector<float> vectors;
  for (Job* job : jobs) {
    queries.push_back(hybrid_job(*job).query);
    const std::vector<float>& vector = hybrid_job(*job).vector;
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  return searcher.search(queries, vectors, {}, {.fusion = Fusion::kRerank, .depth = 50});
}

class HybridBatches final : public SearchBatches<std::vector<SearchResult>> {
 public:
  explicit HybridBatches(HybridSearcher& searcher) : searcher_(searcher) {}

 private:
  std::vector<SearchResult> search(std::span<Job* const> jobs) override {
    return search_hybrid(searcher_, jobs);
  }
  void give(const std::vector<SearchResult>& found, std::size_t place, Job& job) const override {
    hybrid_job(job).found = found[place];
  }

  HybridSearcher& searcher_;
};

class HybridWork final : public WorkClass {
 public:
  HybridWork(const Snapshot& snapshot, HybridSearcher& of_batches)
      : snapshot_(snapshot), of_batches_(of_batches) {}
  JobCost estimate(const Job&) const override {
    return {.cpu = 200, .gpu_alone = 150, .gpu_share = 10, .gpu_can = true, .gpu_base = 140};
  }
  std::unique_ptr<CpuWorker> make_cpu_worker() override {
    struct Cpu final : CpuWorker {
      explicit Cpu(const Snapshot& snapshot) : searcher(snapshot, 1) {}
      bool run(Job& job, SearchWatch&) override {
        Job* const one[] = {&job};
        const std::lock_guard lock(one_at_a_time());
        hybrid_job(job).found = search_hybrid(searcher, one).front();
        return true;
      }
      HybridSearcher searcher;
    };
    return std::make_unique<Cpu>(snapshot_);
  }
  std::unique_ptr<GpuWorker> make_gpu_worker() override {
    return std::make_unique<HybridBatches>(of_batches_);
  }
  void answer_nothing(Job& job) const override { hybrid_job(job).found = {}; }

 private:
  const Snapshot& snapshot_;
  HybridSearcher& of_batches_;
};

class VectorWorkTest : public testing::Test {
 protected:
  static constexpr std::size_t kDimension = 33;
  static constexpr std::size_t kQueries = 200;

  /// Vector, hybrid and text queries in one scheduler, in turn.
  void run_all(const SearchMany& search_many, HybridSearcher& search_hybrids, Placement placement) {
    VectorWork vectors(collection_.vectors, search_many);
    HybridWork hybrids(snapshot_, search_hybrids);
    WorkClass* const others[] = {&vectors, &hybrids};
    test::StandInEngine engine(snapshot_, 5);
    SchedulerSettings settings;
    settings.cpu_threads = 2;
    settings.placement.placement = placement;
    Scheduler scheduler(snapshot_, {.engine = &engine, .batches = 5}, settings, {}, others);
    const test::LivingLog log(living_, snapshot_, kQueries);
    const std::vector<float> queries = test::draw(random_, kQueries * kDimension);
    std::deque<VectorJob> vector_jobs;
    std::deque<HybridJob> hybrid_jobs;
    std::vector<std::future<ScheduledAnswer>> answers;
    for (std::size_t i = 0; i < kQueries; ++i) {
      const std::span<const float> query(queries.data() + i * kDimension, kDimension);
      scheduler.jobs().submit(vector_jobs.emplace_back(vectors, query, 1 + i % 20));
      scheduler.jobs().submit(
          hybrid_jobs.emplace_back(hybrids, log.queries[i], living_.new_vector()));
      answers.push_back(scheduler.submit(log.queries[i], log.settings[i]));
    }
    for (VectorJob& job : vector_jobs) {
      ASSERT_EQ(job.end_of.get_future().get(), JobEnd::kComplete);
      const Neighbors wanted = vector::reference::nearest(collection_, job.vector, job.k, nullptr);
      vector::reference::expect_same(job.found, wanted, "a vector query");
    }
    HybridSearcher hybrid(snapshot_, 1);
    for (HybridJob& job : hybrid_jobs) {
      ASSERT_EQ(job.end_of.get_future().get(), JobEnd::kComplete);
      Job* const one[] = {&job};
      ASSERT_EQ(job.found.hits, search_hybrid(hybrid, one).front().hits);
    }
    CpuSearcher text(snapshot_);
    for (std::size_t i = 0; i < kQueries; ++i) {
      ASSERT_EQ(answers[i].get().result.hits, text.run(log.plans[i], log.settings[i]).hits);
    }
    if (placement == Placement::kGpuOnly) {
      EXPECT_GE(scheduler.statistics().complete_on_gpu, 2 * kQueries);
    }
  }

  std::mt19937_64 random_ = test::generator(880);
  vector::Collection collection_{vector::Metric::kL2, vector::Store::kFloat, kDimension,
                                 test::draw(random_, 500 * kDimension)};
  test::Living living_{881, CodecKind::kBitpack, false};
  Snapshot snapshot_ = Snapshot::open(living_.index());
};

TEST_F(VectorWorkTest, IsScheduledBesideText) {
  const FlatSearcher searcher(collection_.vectors, 1);
  HybridSearcher hybrid(snapshot_, 1);
  for (const Placement placement : {Placement::kBoth, Placement::kGpuOnly}) {
    run_all(
        [&](std::span<const float> queries, std::size_t k) { return searcher.nearest(queries, k); },
        hybrid, placement);
  }
}

TEST_F(VectorWorkTest, IsScheduledOnAGpu) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  Resources resources;
  const auto searcher = vector::search_on_gpu(collection_.vectors, resources);
  HybridSearcher hybrid(GpuVectors(GpuSnapshot(snapshot_, resources)));
  for (const Placement placement : {Placement::kBoth, Placement::kGpuOnly}) {
    run_all([&](std::span<const float> queries,
                std::size_t k) { return searcher->nearest(queries, k); },
            hybrid, placement);
  }
}

}  // namespace
}  // namespace warpdex
