// Threads sleep until they are given work, and signal when it is done.
#include "warpdex/core/kept_threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <latch>
#include <semaphore>
#include <system_error>
#include <thread>
#include <utility>

#include "warpdex/core/parallel.hpp"

namespace warpdex {
namespace {

/// Items that are handed out in order; the first failure stops them.
class SharedItems {
 public:
  using Work = std::function<void(std::size_t thread, std::size_t item)>;

  /// `work` must outlive it.
  SharedItems(std::size_t count, const Work& work) : count_(count), work_(work) {}

  /// Does items until there are no more. Each thread calls it, with its number.
  void run(std::size_t thread) {
    try {
      for (std::size_t item = next_++; item < count_; item = next_++) work_(thread, item);
    } catch (...) {
      next_ = count_;
      const std::lock_guard lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  /// When all threads are done.
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::size_t count_;
  const Work& work_;
  std::atomic<std::size_t> next_{0};
  std::exception_ptr failure_;
  std::mutex failure_mutex_;
};

}  // namespace

class KeptThreads::Thread {
 public:
  Thread() : thread_([this] { run(); }) {}
  ~Thread() {
    start({});
    thread_.join();
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  /// Starts `work`, which must not throw; an empty function ends the thread. Call it only when the
  /// work before is done.
  void start(std::function<void()> work) {
    work_ = std::move(work);
    has_work_.release();
  }

 private:
  void run() {
    for (;;) {
      has_work_.acquire();
      // Moved out of work_, which start() may set again as soon as the work is done.
      const std::function<void()> own = std::move(work_);
      if (!own) return;
      own();
    }
  }

  std::function<void()> work_;
  std::binary_semaphore has_work_{0};
  std::thread thread_;
};

KeptThreads::KeptThreads() = default;
KeptThreads::~KeptThreads() = default;

/// Takes `count` threads, or as many as the system gives.
KeptThreads::Threads KeptThreads::take(std::size_t count) {
  Threads taken;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t some = std::min(count, idle_.size());
    taken.insert(taken.end(), std::make_move_iterator(idle_.end() - some),
                 std::make_move_iterator(idle_.end()));
    idle_.resize(idle_.size() - some);
  }
  try {
    while (taken.size() < count) taken.push_back(std::make_unique<Thread>());
  } catch (const std::system_error&) {
    // The system gives no more threads: those that run do the work.
  }
  return taken;
}

void KeptThreads::put_back(Threads threads) {
  const std::lock_guard lock(mutex_);
  idle_.insert(idle_.end(), std::make_move_iterator(threads.begin()),
               std::make_move_iterator(threads.end()));
}

void KeptThreads::parallel_for(std::size_t threads, std::size_t items,
                               const std::function<void(std::size_t, std::size_t)>& work) {
  if (items == 0) return;
  threads = std::min(threads == 0 ? default_threads() : threads, items);
  SharedItems shared(items, work);
  if (threads == 1) {
    shared.run(0);
    shared.rethrow_failure();
    return;
  }
  Threads others = take(threads - 1);
  std::latch done(static_cast<std::ptrdiff_t>(others.size()));
  for (std::size_t i = 0; i < others.size(); ++i) {
    others[i]->start([&, i] {
      shared.run(i + 1);
      done.count_down();
    });
  }
  shared.run(0);
  done.wait();
  put_back(std::move(others));
  shared.rethrow_failure();
}

}  // namespace warpdex
