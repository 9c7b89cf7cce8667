// Threads that may wait: for disks, for clients that read slowly, for other threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace warpdex::server {

/// Runs tasks in their order on threads of its own. Tasks throw nothing.
class WorkPool {
 public:
  using Task = std::function<void()>;

  /// `limit`: tasks that may wait. `name` is that of the threads, 15 bytes at most.
  WorkPool(const std::string& name, std::size_t threads, std::size_t limit);
  ~WorkPool() { finish(); }
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  /// False, and the task is dropped, where too many wait.
  bool try_post(Task task);
  /// The same without a limit, for what continues work that was taken.
  void post(Task task);
  std::size_t waiting() const;
  /// Runs all that waits, then ends the threads.
  void finish();

 private:
  void run();

  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<Task> tasks_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

/// Runs tasks on a pool, one at a time, in their order: what may be touched by one thread at a time
/// only. Others of the pool's threads stay free meanwhile.
class SerialWork : public std::enable_shared_from_this<SerialWork> {
 public:
  /// The pool must outlive this.
  explicit SerialWork(WorkPool& pool) : pool_(pool) {}

  /// Whoever posts bounds how many tasks wait.
  void post(WorkPool::Task task);

 private:
  void run_one();

  WorkPool& pool_;
  std::mutex mutex_;
  std::deque<WorkPool::Task> tasks_;
  bool is_running_ = false;
};

}  // namespace warpdex::server
