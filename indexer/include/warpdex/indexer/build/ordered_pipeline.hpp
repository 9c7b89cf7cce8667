// Threads that take items in turn, work on them side by side, and finish them in the order in
// which they were taken.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace warpdex::build {

/// Runs up to `threads` threads (1 or more, the calling one included), each with an Item of its
/// own that it uses again and again:
///   take(item) -> bool       the next item, false at the end; one thread at a time, in order
///   work(thread, item)       from many threads
///   finish(item)             one thread at a time, in the order of take
///   follow_up(thread, item)  from many threads, after the item's finish
/// `thread` is below `threads`. An exception ends the run and is rethrown once every thread has
/// stopped. One from work() or finish() surfaces when its item's turn comes, so that what a caller
/// sees does not depend on timing: the first failing item, in order, wins. At any time at most
/// `threads` items are taken and not finished. An item that was taken may be destroyed unfinished.
template <class Item>
class OrderedPipeline {
 public:
  explicit OrderedPipeline(std::size_t threads) : threads_(threads) {}

  template <class Take, class Work, class Finish, class FollowUp>
  void run(const Take& take, const Work& work, const Finish& finish, const FollowUp& follow_up) {
    const auto loop = [&](std::size_t thread) {
      try {
        Item item;
        std::uint64_t ticket = 0;
        while (take_ticket(take, item, ticket)) {
          std::exception_ptr problem;
          try {
            work(thread, item);
          } catch (...) {
            problem = std::current_exception();
          }
          if (!finish_in_turn(finish, item, ticket, problem)) return;
          follow_up(thread, item);
        }
      } catch (...) {
        fail(std::current_exception());
      }
    };
    {
      std::vector<std::jthread> pool;
      try {
        for (std::size_t thread = 1; thread < threads_; ++thread) pool.emplace_back(loop, thread);
      } catch (const std::system_error&) {
        // The system gives no more threads: those that run do the work.
      }
      loop(0);
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  template <class Take>
  bool take_ticket(const Take& take, Item& item, std::uint64_t& ticket) {
    const std::lock_guard lock(take_mutex_);
    if (ended_ || failed()) return false;
    ended_ = true;  // also if take throws
    if (!take(item)) return false;
    ended_ = false;
    ticket = next_ticket_++;
    return true;
  }

  template <class Finish>
  bool finish_in_turn(const Finish& finish, Item& item, std::uint64_t ticket,
                      const std::exception_ptr& problem) {
    {
      std::unique_lock lock(turn_mutex_);
      turn_changed_.wait(lock, [&] { return turn_ == ticket || failure_; });
      if (failure_) return false;
      if (problem) std::rethrow_exception(problem);
      finish(item);
      ++turn_;
    }
    turn_changed_.notify_all();
    return true;
  }

  bool failed() {
    const std::lock_guard lock(turn_mutex_);
    return failure_ != nullptr;
  }

  void fail(std::exception_ptr failure) {
    {
      const std::lock_guard lock(turn_mutex_);
      if (!failure_) failure_ = std::move(failure);
    }
    turn_changed_.notify_all();
  }

  std::size_t threads_;
  std::mutex take_mutex_;
  bool ended_ = false;
  std::uint64_t next_ticket_ = 0;
  std::mutex turn_mutex_;
  std::condition_variable turn_changed_;
  std::uint64_t turn_ = 0;
  std::exception_ptr failure_;
};

}  // namespace warpdex::build
