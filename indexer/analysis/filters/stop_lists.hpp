// Lists of stop words. Internal to indexer/analysis.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::analysis {

/// A language's list, or none: Lucene's 33 words of English, and Snowball's lists.
std::optional<std::vector<std::string>> stop_words(std::string_view language);

/// Words between white space; what the build made of the installed lists.
struct StopList {
  std::string_view language;
  std::string_view words;
};
extern const std::span<const StopList> kSnowballStopLists;

}  // namespace warpdex::analysis
