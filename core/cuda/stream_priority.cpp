// The priority of the streams that a thread makes.
#include "warpdex/core/cuda/stream_priority.hpp"

#include <utility>

namespace warpdex {
namespace {

thread_local StreamPriority priority_now = StreamPriority::kUsual;

}  // namespace

StreamPriorityScope::StreamPriorityScope(StreamPriority priority)
    : before_(std::exchange(priority_now, priority)) {}
StreamPriorityScope::~StreamPriorityScope() { priority_now = before_; }
StreamPriority StreamPriorityScope::current() { return priority_now; }

}  // namespace warpdex
