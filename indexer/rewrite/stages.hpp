// Reports the progress of a rewriting, and divides its memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex::rewrite {

/// Reports the progress of stages.
class Stages {
 public:
  explicit Stages(const std::function<void(const RewriteProgress&)>& callback)
      : callback_(callback) {}

  void tell(std::string_view stage, std::uint64_t done, std::uint64_t total) const {
    if (callback_) callback_({stage, done, total == 0 ? 1 : total});
  }
  /// `share` from 0 to 1.
  void tell_share(std::string_view stage, double share) const {
    constexpr std::uint64_t kParts = 1'000'000;
    tell(stage, static_cast<std::uint64_t>(share * kParts), kParts);
  }

 private:
  const std::function<void(const RewriteProgress&)>& callback_;
};

/// Threads, and bytes for all that they hold together.
struct Means {
  std::size_t threads = 1;
  std::uint64_t memory = 0;
  std::uint64_t set_aside = 0;  ///< bytes of the budget that are not in `memory`

  /// The same without `bytes` more.
  Means without(std::uint64_t bytes) const {
    return {threads, memory > bytes ? memory - bytes : 0, set_aside + bytes};
  }
};

/// Throws UsageError for less memory than a build needs.
Means means_of(const RewriteOptions& options);

}  // namespace warpdex::rewrite
