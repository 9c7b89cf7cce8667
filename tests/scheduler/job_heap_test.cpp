// The heap against a sorted set.
#include "queues/job_heap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <vector>

#include "tests/scheduler/stub_work.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using test::StubJob;

struct ByPlace {
  bool operator()(const Job* a, const Job* b) const { return key(*a) < key(*b); }
  static std::tuple<std::int64_t, float, std::uint64_t> key(const Job& job) {
    return {job.place.slot, job.place.length, job.place.number};
  }
};
using Truth = std::set<Job*, ByPlace>;

std::vector<Job*> front(const JobHeap& heap, std::size_t count) {
  std::vector<Job*> jobs;
  for (std::size_t i = 0; i < count; ++i) jobs.push_back(&heap.job(i));
  return jobs;
}

std::vector<Job*> first(const Truth& truth, std::size_t count) {
  return {truth.begin(), std::next(truth.begin(), static_cast<std::ptrdiff_t>(count))};
}

TEST(JobHeap, GivesJobsInOrderWhateverElseIsDone) {
  std::mt19937_64 random = test::generator(843);
  test::StubWork work(0);
  std::deque<StubJob> jobs;
  JobHeap heap;
  Truth truth;
  const auto push = [&] {
    StubJob& job = jobs.emplace_back(work);
    job.place.slot = static_cast<std::int64_t>(random() % 5);
    job.place.length = static_cast<float>(random() % 9) / 3;
    job.place.number = jobs.size();
    heap.push(job);
    truth.insert(&job);
  };
  const auto remove = [&](Job& job) {
    heap.remove(job);
    truth.erase(&job);
  };
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t kind = random() % 20;
    if (kind < 10 || truth.empty()) {
      push();
    } else if (kind < 15) {
      ASSERT_EQ(&heap.top(), *truth.begin());
      remove(heap.top());
    } else if (kind < 18) {
      remove(heap.job(random() % heap.size()));
    } else {
      const std::size_t count = 1 + random() % std::min<std::size_t>(heap.size(), 30);
      heap.bring_to_front(count);
      if (kind == 18) heap.sort_front(count);
      std::vector<Job*> taken = front(heap, count);
      if (kind == 19) std::sort(taken.begin(), taken.end(), ByPlace());
      ASSERT_EQ(taken, first(truth, count));
      const std::size_t dropped = random() % (count + 1);
      for (Job* job : front(heap, dropped)) truth.erase(job);
      heap.drop_front(dropped);
    }
    ASSERT_EQ(heap.size(), truth.size());
    ASSERT_EQ(heap.empty(), truth.empty());
  }
  while (!truth.empty()) {
    ASSERT_EQ(&heap.top(), *truth.begin());
    remove(heap.top());
  }
}

}  // namespace
}  // namespace warpdex
