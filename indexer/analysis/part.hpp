// A tokenizer or a filter as it is described. Internal to indexer/analysis.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace warpdex::analysis {

using PartValue = std::variant<bool, std::string, std::vector<std::string>>;

/// A tokenizer or a filter, with what it was told.
struct Part {
  std::string type;
  std::map<std::string, PartValue, std::less<>> values{};

  /// Null if it was not told that.
  template <class T>
  const T* find(std::string_view name) const {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : std::get_if<T>(&found->second);
  }
  bool operator==(const Part&) const = default;
};

/// What a filter may need of the analyzer that it is made for.
struct FilterContext {
  std::uint32_t version;  ///< kOneFormVersion, or before for old indexes
  /// What the filters before it make of a word; empty if nothing.
  std::function<std::string(std::string_view)> filtered;
};

}  // namespace warpdex::analysis
