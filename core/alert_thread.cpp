#include "warpdex/core/alert_thread.hpp"

#include <utility>

#include "warpdex/core/waiting.hpp"

namespace warpdex {

AlertThread::AlertThread(std::chrono::microseconds awake)
    : awake_(awake), thread_([this] { run(); }) {}

AlertThread::~AlertThread() {
  state_ = State::kEnd;
  state_.notify_one();
  thread_.join();
}

bool AlertThread::start(std::function<void()> work) {
  work_ = std::move(work);
  State before = State::kAwake;
  if (state_.compare_exchange_strong(before, State::kWork)) return true;
  if (before == State::kAsleep && state_.compare_exchange_strong(before, State::kAwake)) {
    state_.notify_one();
  }
  return false;
}

void AlertThread::wait() {
  while (state_ != State::kDone) pause_thread();
  state_ = State::kAwake;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Spins until there is work, then falls asleep until it is woken. Returns false at the end.
bool AlertThread::rest() {
  const auto is_needed = [this] {
    const State state = state_;
    return state == State::kWork || state == State::kEnd;
  };
  while (!spin_until(is_needed, awake_)) {
    State idle = State::kAwake;
    if (state_.compare_exchange_strong(idle, State::kAsleep)) idle = State::kAsleep;
    if (idle == State::kAsleep) state_.wait(State::kAsleep);
  }
  return state_ == State::kWork;
}

void AlertThread::run() {
  while (rest()) {
    try {
      work_();
    } catch (...) {
      failure_ = std::current_exception();
    }
    State working = State::kWork;
    state_.compare_exchange_strong(working, State::kDone);
    while (state_ == State::kDone) pause_thread();
  }
}

}  // namespace warpdex
