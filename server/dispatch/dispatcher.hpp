// Runs searches: on which threads, how many at once, and how many may wait.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "catalog/served_index.hpp"
#include "dispatch/recent_times.hpp"
#include "warpdex/answer.hpp"
#include "warpdex/search_options.hpp"

namespace warpdex::server {

/// What became of a search.
struct SearchOutcome {
  Answer answer{};
  std::exception_ptr failure{};        ///< null where there is an answer
  std::chrono::microseconds waited{};  ///< for a thread
  std::chrono::microseconds ran{};     ///< of the batch that it was in
  std::uint32_t batch = 1;             ///< searches that ran together
  bool has_vector = false;             ///< the search was not one by words alone
};

/// One search. Its deadline (SearchOptions::deadline) counts from `arrival`.
struct SearchJob {
  using Clock = std::chrono::steady_clock;

  IndexPtr index{};
  Query query{};                ///< empty with options.vectors_alone
  std::vector<float> vector{};  ///< empty: words alone
  SearchOptions options{};      ///< without callbacks; `stop` ends one that waits, or runs alone
  Clock::time_point arrival{};
  /// Called once, on the thread that searched. Throws nothing.
  std::function<void(SearchOutcome&&)> done{};
};

struct DispatchSettings {
  Device device = Device::kCpu;
  std::size_t threads = 1;  ///< processors to search with
  std::size_t queue = 1024;
  std::chrono::milliseconds p99{3000};  ///< 0: none
};

/// On the CPU each thread takes one search at a time: that is what its engine does best, and no
/// search waits for another.
///
/// With a GPU a thread takes all waiting searches of equal options, up to kMaxBatch, as one batch.
/// A GPU's throughput comes from batches, and these grow by themselves: while a batch is searched,
/// the next one gathers, so that a lone search waits for nobody and a thousand waiting ones are one
/// call. The engine has four batches under way at a time; beside these, as many threads read the
/// next ones and hand answers over (kBatchThreads; with four in all, a sixth fewer searches of
/// large batches are answered). An asynchronous call for each search over the scheduler was the
/// alternative: it makes batches too, but planning, one handle and one callback a search are then
/// paid one by one, and device `gpu`, which has no scheduler, would need another way. With `auto`
/// the scheduler still gives each search of a batch to the processor that serves it best.
class Dispatcher {
 public:
  static constexpr std::size_t kMaxBatch = 512;
  static constexpr std::size_t kBatchThreads = 8;

  explicit Dispatcher(const DispatchSettings& settings);
  ~Dispatcher() { finish(); }
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// Why a search would be refused now, which counts as refused then; null where it would not be.
  /// Asked before a request is read, it makes refusals cheap.
  const char* refusal();
  /// Throws HttpError (429) where the queue is full, or searches take too long and others wait.
  void submit(SearchJob job);
  /// Without these limits: for those who bound their searches themselves.
  void submit_always(SearchJob job);
  void submit_always(std::vector<SearchJob> jobs);
  /// Other work of about a search's length, within the same limits.
  void submit(std::function<void()> work);

  /// How many searches a client that has many should have under way.
  std::size_t window() const { return is_batched_ ? 2 * kMaxBatch : 4 * threads_.size(); }
  std::size_t waiting() const { return waiting_.load(std::memory_order_relaxed); }
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }
  /// Searches what waits, then ends the threads.
  void finish();
  std::chrono::microseconds p99() { return times_.p99(SearchJob::Clock::now()); }

 private:
  struct Task {
    SearchJob job{};
    std::function<void()> work{};  ///< in the place of a search
  };

  void put(Task task);
  void run();
  void take(std::vector<Task>& batch);
  void search(std::vector<Task>& batch);
  void search_one(Task& task, SearchJob::Clock::time_point taken);

  const DispatchSettings settings_;
  const bool is_batched_;
  std::mutex mutex_;  ///< protects the next three
  std::condition_variable woken_;
  std::deque<Task> queue_;
  bool ends_ = false;
  std::atomic<std::size_t> waiting_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  RecentTimes times_;
  std::vector<std::thread> threads_;
};

}  // namespace warpdex::server
