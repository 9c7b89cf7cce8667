// Case folding. Internal to indexer/analysis.
#pragma once

#include <cstdint>

#include "analysis/word_filter.hpp"
#include "analysis/word_folder.hpp"

namespace warpdex::analysis {

/// Here, so that where it is the only filter it is called directly.
class LowercaseFilter final : public WordFilter {
 public:
  explicit LowercaseFilter(std::uint32_t version) : folder_(version) {}
  std::string_view apply(std::string_view word) override { return folder_.fold(word); }

 private:
  WordFolder folder_;
};

}  // namespace warpdex::analysis
