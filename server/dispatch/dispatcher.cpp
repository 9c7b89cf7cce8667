#include "dispatch/dispatcher.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "http/error.hpp"

namespace warpdex::server {
namespace {

using Clock = SearchJob::Clock;
using std::chrono::microseconds;

/// By so much, threads that search give way to those that read requests.
constexpr int kYields = 5;

microseconds micros_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration_cast<microseconds>(end - begin);
}

bool are_equal(const ScorerSettings& one, const ScorerSettings& other) { return one == other; }

bool are_equal(const FusionSettings& one, const FusionSettings& other) {
  return one.fusion == other.fusion && one.weight == other.weight && one.depth == other.depth &&
         one.probes == other.probes && one.refine == other.refine;
}

bool are_equal(const SnippetSettings& one, const SnippetSettings& other) {
  return one.max_bytes == other.max_bytes && one.before == other.before &&
         one.after == other.after && one.is_html == other.is_html &&
         one.fragments == other.fragments;
}

bool are_equal(const SearchOptions& one, const SearchOptions& other) {
  return one.k == other.k && one.mode == other.mode && one.and_or_min == other.and_or_min &&
         one.count == other.count && one.filter == other.filter && one.sort == other.sort &&
         one.search_after == other.search_after && one.facets == other.facets &&
         are_equal(one.scorer, other.scorer) && are_equal(one.fusion, other.fusion) &&
         one.fields == other.fields && one.snippets == other.snippets &&
         one.positions == other.positions && are_equal(one.snippet, other.snippet) &&
         one.explain == other.explain && one.deadline == other.deadline &&
         one.vectors_alone == other.vectors_alone && one.vector_field == other.vector_field &&
         one.syntax == other.syntax &&
         (one.searched.synonyms == nullptr) == (other.searched.synonyms == nullptr);
}

bool can_run_together(const SearchJob& one, const SearchJob& other) {
  return one.index == other.index && one.vector.size() == other.vector.size() &&
         are_equal(one.options, other.options);
}

/// What is left of the deadline that counts from the job's arrival.
microseconds time_left(const SearchJob& job, Clock::time_point now) {
  if (job.options.deadline == microseconds::max()) return job.options.deadline;
  return std::max(microseconds(1), job.options.deadline - micros_between(job.arrival, now));
}

}  // namespace

Dispatcher::Dispatcher(const DispatchSettings& settings)
    : settings_(settings), is_batched_(settings.device != Device::kCpu) {
  const std::size_t threads =
      is_batched_ ? kBatchThreads : std::max<std::size_t>(1, settings.threads);
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { run(); });
    pthread_setname_np(threads_.back().native_handle(), "search");
  }
}

void Dispatcher::finish() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  woken_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

const char* Dispatcher::refusal() {
  const std::size_t before = waiting();
  const char* why = nullptr;
  if (before >= settings_.queue) {
    why = "too many searches wait; try again later";
  } else if (settings_.p99.count() > 0 && before >= threads_.size() &&
             p99() > std::chrono::duration_cast<microseconds>(settings_.p99)) {
    why = "searches take too long at present; try again later";
  }
  if (why != nullptr) ++refused_;
  return why;
}

void Dispatcher::put(Task task) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
    waiting_.store(queue_.size(), std::memory_order_relaxed);
  }
  woken_.notify_one();
}

void Dispatcher::submit(SearchJob job) {
  if (const char* why = refusal()) throw too_busy(why);
  put({.job = std::move(job)});
}

void Dispatcher::submit_always(SearchJob job) { put({.job = std::move(job)}); }

void Dispatcher::submit_always(std::vector<SearchJob> jobs) {
  {
    const std::lock_guard lock(mutex_);
    for (SearchJob& job : jobs) queue_.push_back({.job = std::move(job)});
    waiting_.store(queue_.size(), std::memory_order_relaxed);
  }
  woken_.notify_all();
}

void Dispatcher::submit(std::function<void()> work) {
  if (const char* why = refusal()) throw too_busy(why);
  put({.work = std::move(work)});
}

/// The next task, and with a GPU all others that can run together with it. Under the lock.
void Dispatcher::take(std::vector<Task>& batch) {
  batch.clear();
  batch.push_back(std::move(queue_.front()));
  queue_.pop_front();
  if (is_batched_ && !batch[0].work) {
    std::deque<Task> others;
    while (!queue_.empty() && batch.size() < kMaxBatch) {
      Task& next = queue_.front();
      const bool fits = !next.work && can_run_together(batch[0].job, next.job);
      if (fits) {
        batch.push_back(std::move(next));
      } else {
        others.push_back(std::move(next));
      }
      queue_.pop_front();
    }
    while (!others.empty()) {
      queue_.push_front(std::move(others.back()));
      others.pop_back();
    }
  }
  waiting_.store(queue_.size(), std::memory_order_relaxed);
}

void Dispatcher::run() {
  // With a GPU, threads that read requests go first: they refuse what is too much, at once, only
  // while they run. On the CPU that costs a tenth of the rate, by switches between threads.
  if (is_batched_) {
    ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kYields);  // of this thread
  }
  std::vector<Task> batch;
  std::unique_lock lock(mutex_);
  while (true) {
    woken_.wait(lock, [this] { return ends_ || !queue_.empty(); });
    if (queue_.empty()) return;
    take(batch);
    lock.unlock();
    if (batch[0].work) {
      batch[0].work();
    } else {
      search(batch);
    }
    batch.clear();  // what it holds goes before the next wait
    lock.lock();
  }
}

void Dispatcher::search_one(Task& task, Clock::time_point taken) {
  SearchJob& job = task.job;
  SearchOutcome outcome{.has_vector = !job.vector.empty()};
  outcome.waited = micros_between(job.arrival, taken);
  const Clock::time_point begin = Clock::now();
  try {
    job.options.deadline = time_left(job, begin);
    outcome.answer =
        std::move(job.index->searcher().search({&job.query, 1}, job.vector, job.options).front());
  } catch (...) {
    outcome.failure = std::current_exception();
  }
  const Clock::time_point end = Clock::now();
  outcome.ran = micros_between(begin, end);
  times_.add(end, micros_between(job.arrival, end));
  job.done(std::move(outcome));
}

void Dispatcher::search(std::vector<Task>& batch) {
  const Clock::time_point taken = Clock::now();
  // Those that were stopped end at once, by themselves. The others run to their end together.
  std::erase_if(batch, [&](Task& task) {
    if (!task.job.options.stop.stop_requested()) return false;
    search_one(task, taken);
    return true;
  });
  if (batch.empty()) return;
  if (batch.size() == 1) return search_one(batch[0], taken);
  std::vector<Query> queries;
  std::vector<float> vectors;
  SearchOptions options = batch[0].job.options;
  options.stop = {};
  for (Task& task : batch) {
    queries.push_back(task.job.query);
    vectors.insert(vectors.end(), task.job.vector.begin(), task.job.vector.end());
    options.deadline = std::min(options.deadline, time_left(task.job, taken));
  }
  std::vector<Answer> answers;
  try {
    answers = batch[0].job.index->searcher().search(queries, vectors, options);
  } catch (...) {
    // One of them may be what no search can answer. The others are not to fail with it.
    for (Task& task : batch) search_one(task, taken);
    return;
  }
  const Clock::time_point end = Clock::now();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    SearchJob& job = batch[i].job;
    times_.add(end, micros_between(job.arrival, end));
    job.done({.answer = std::move(answers[i]),
              .waited = micros_between(job.arrival, taken),
              .ran = micros_between(taken, end),
              .batch = static_cast<std::uint32_t>(batch.size()),
              .has_vector = !job.vector.empty()});
  }
}

}  // namespace warpdex::server
