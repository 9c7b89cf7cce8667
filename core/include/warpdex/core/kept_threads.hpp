// Threads that stay from call to call.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace warpdex {

/// Shares work over threads that stay and wait for the next call. Starting a thread takes some 100
/// microseconds on a virtual machine, and its first call of CUDA about as long, which matters where
/// calls are many and short.
class KeptThreads {
 public:
  KeptThreads();
  /// No call may be under way.
  ~KeptThreads();
  KeptThreads(const KeptThreads&) = delete;
  KeptThreads& operator=(const KeptThreads&) = delete;

  /// As warpdex::parallel_for(). Any number of threads may call it at once: each call has threads
  /// of its own, which are started if none waits.
  void parallel_for(std::size_t threads, std::size_t items,
                    const std::function<void(std::size_t thread, std::size_t item)>& work);

 private:
  class Thread;
  using Threads = std::vector<std::unique_ptr<Thread>>;
  Threads take(std::size_t count);
  void put_back(Threads threads);

  std::mutex mutex_;
  Threads idle_;
};

}  // namespace warpdex
