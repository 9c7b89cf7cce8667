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
  std::vector<StubJob*> removed;  // their owners use them again
  std::uint64_t last_number = 0;
  JobHeap heap;
  Truth truth;
  const auto push = [&] {
    StubJob& job = removed.empty() ? jobs.emplace_back(work) : *removed.back();
    if (!removed.empty()) removed.pop_back();
    job.place.slot = static_cast<std::int64_t>(random() % 5);
    job.place.length = static_cast<float>(random() % 9) / 3;
    job.place.number = ++last_number;
    heap.push(job);
    truth.insert(&job);
  };
  const auto remove = [&](Job& job) {
    truth.erase(&job);
    heap.remove(job);
    job.place = {.lane = 0, .slot = -1, .length = -1, .number = 0};
    removed.push_back(static_cast<StubJob*>(&job));
  };
  const auto take = [&](std::size_t place) {
    truth.erase(&heap.job(place));
    heap.take(place);
  };
  // For some time more jobs come than go, then more are removed than come.
  for (int step = 0; step < 40'000; ++step) {
    const int phase = step / 500 % 4;
    const std::size_t kind = random() % 40;
    if (kind < (phase < 2 ? 30U : 10U) || truth.empty()) {
      push();
    } else if (kind < 15) {
      ASSERT_EQ(&heap.top(), *truth.begin());
      take(0);
    } else if (kind < 19) {
      const std::size_t place = random() % heap.places();
      if (!heap.is_removed(place)) take(place);
    } else if (kind < 39) {
      const bool is_near = phase == 3 && random() % 3 > 0;  // the last, or the first
      const std::size_t place = !is_near            ? random() % heap.places()
                                : random() % 2 == 0 ? heap.places() - 1
                                                    : 0;
      if (!heap.is_removed(place)) remove(heap.job(place));
    } else {
      const std::size_t count = 1 + random() % std::min<std::size_t>(heap.size(), 30);
      heap.bring_to_front(count);
      const bool is_sorted = random() % 2 == 0;
      if (is_sorted) heap.sort_front(count);
      std::vector<Job*> taken = front(heap, count);
      if (!is_sorted) std::sort(taken.begin(), taken.end(), ByPlace());
      ASSERT_EQ(taken, first(truth, count));
      const std::size_t dropped = random() % (count + 1);
      for (Job* job : front(heap, dropped)) truth.erase(job);
      heap.drop_front(dropped);
    }
    ASSERT_EQ(heap.size(), truth.size());
    ASSERT_EQ(heap.empty(), truth.empty());
    if (truth.empty()) {
      ASSERT_EQ(heap.places(), 0U);
      continue;
    }
    ASSERT_FALSE(heap.is_removed(0));
    ASSERT_FALSE(heap.is_removed(heap.places() - 1));
    ASSERT_LE(heap.places(), 2 * truth.size());
  }
  while (!truth.empty()) {
    ASSERT_EQ(&heap.top(), *truth.begin());
    take(0);
  }
  EXPECT_EQ(heap.places(), 0U);
}

TEST(JobHeap, KeepsWhatIsLeftWherePlacesAreFreed) {
  std::mt19937_64 random = test::generator(845);
  test::StubWork work(0);
  std::deque<StubJob> jobs;
  JobHeap heap;
  Truth left;
  for (std::uint64_t number = 1; number <= 1'000; ++number) {
    StubJob& job = jobs.emplace_back(work);
    job.place.length = static_cast<float>(random() % 100);
    job.place.number = number;
    heap.push(job);
    left.insert(&job);
  }
  heap.top();
  for (std::size_t i = 1; i < 400; ++i) {
    left.erase(&jobs[i]);
    heap.remove(jobs[i]);
  }
  EXPECT_GT(heap.places(), left.size());
  heap.drop_removed();
  EXPECT_EQ(heap.places(), left.size());
  std::set<Job*> there;
  for (std::size_t i = 0; i < heap.places(); ++i) there.insert(&heap.job(i));
  EXPECT_EQ(there, std::set<Job*>(left.begin(), left.end()));
  EXPECT_EQ(&heap.top(), *left.begin());
  heap.clear();
  EXPECT_TRUE(heap.empty());
}

}  // namespace
}  // namespace warpdex
