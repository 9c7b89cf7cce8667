// A machine without a GPU, wherever a test runs.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace warpdex::test {

/// Hides all GPUs from the programs that are started while it lives.
class NoGpus {
 public:
  NoGpus() {
    if (const char* value = std::getenv(kName)) before_ = value;
    ::setenv(kName, "-1", 1);
  }
  ~NoGpus() {
    if (before_) {
      ::setenv(kName, before_->c_str(), 1);
    } else {
      ::unsetenv(kName);
    }
  }
  NoGpus(const NoGpus&) = delete;
  NoGpus& operator=(const NoGpus&) = delete;

 private:
  static constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
  std::optional<std::string> before_;
};

}  // namespace warpdex::test
