#include "threads/work_pool.hpp"

#include <pthread.h>

#include <utility>

namespace warpdex::server {

WorkPool::WorkPool(const std::string& name, std::size_t threads, std::size_t limit)
    : limit_(limit) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { run(); });
    pthread_setname_np(threads_.back().native_handle(), name.c_str());
  }
}

void WorkPool::finish() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  woken_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool WorkPool::try_post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (tasks_.size() >= limit_) return false;
    tasks_.push_back(std::move(task));
  }
  woken_.notify_one();
  return true;
}

void WorkPool::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  woken_.notify_one();
}

std::size_t WorkPool::waiting() const {
  const std::lock_guard lock(mutex_);
  return tasks_.size();
}

void WorkPool::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    woken_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it holds goes before the next wait
    lock.lock();
  }
}

void SerialWork::post(WorkPool::Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (is_running_) return;
    is_running_ = true;
  }
  pool_.post([self = shared_from_this()] { self->run_one(); });
}

void SerialWork::run_one() {
  WorkPool::Task task;
  {
    const std::lock_guard lock(mutex_);
    task = std::move(tasks_.front());
    tasks_.pop_front();
  }
  task();
  task = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (tasks_.empty()) {
      is_running_ = false;
      return;
    }
  }
  pool_.post([self = shared_from_this()] { self->run_one(); });
}

}  // namespace warpdex::server
