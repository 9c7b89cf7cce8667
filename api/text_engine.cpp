#include "text_engine.hpp"

#include "warpdex/search_options.hpp"

namespace warpdex {
namespace {

/// Between two calls of on_progress.
constexpr std::chrono::milliseconds kBetweenReports{20};

}  // namespace

void SearchLimits::check_stop() const {
  if (stop.stop_requested()) throw CancelledError("the search was stopped by its caller");
}

bool ProgressReport::goes_on() {
  if (has_failed_.load(std::memory_order_relaxed)) return false;
  if (!limits_.reports() || std::this_thread::get_id() != caller_) return true;
  const auto now = SearchLimits::Clock::now();
  if (now - last_ < kBetweenReports) return true;
  last_ = now;
  try {
    (*limits_.on_progress)(answered_.exchange(0));
  } catch (...) {
    failure_ = std::current_exception();
    has_failed_ = true;
    return false;
  }
  return true;
}

void ProgressReport::finish() {
  if (failure_) std::rethrow_exception(failure_);
  if (limits_.reports()) (*limits_.on_progress)(answered_.exchange(0));
}

}  // namespace warpdex
