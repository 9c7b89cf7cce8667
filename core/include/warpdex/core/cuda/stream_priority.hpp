// Which streams' work a GPU does first.
#pragma once

#include <cstdint>

namespace warpdex {

/// Blocks of kernels start in this order: those in streams of kFirst, of kAfterFirst, of kUsual. No
/// block that runs is stopped for others. A GPU with only two priorities takes kAfterFirst for
/// kUsual.
enum class StreamPriority : std::uint8_t {
  kUsual,  ///< as CUDA's streams are, unless they are asked to be more
  kAfterFirst,
  kFirst,
};

/// While it lives, streams that this thread makes have this priority. So classes that own a stream
/// need no argument for it.
class StreamPriorityScope {
 public:
  explicit StreamPriorityScope(StreamPriority priority);
  ~StreamPriorityScope();
  StreamPriorityScope(const StreamPriorityScope&) = delete;
  StreamPriorityScope& operator=(const StreamPriorityScope&) = delete;

  static StreamPriority current();

 private:
  StreamPriority before_;
};

}  // namespace warpdex
