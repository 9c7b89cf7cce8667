// What becomes of a word on its way to a term. Internal to indexer/analysis.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

namespace warpdex::analysis {

/// Turns a word into another, or leaves it out. The same word always gives the same. One per
/// thread.
class WordFilter {
 public:
  WordFilter() = default;
  WordFilter(const WordFilter&) = delete;
  WordFilter& operator=(const WordFilter&) = delete;
  virtual ~WordFilter() = default;

  /// Empty if the word is left out. The result is valid until the next call, and as long as `word`
  /// is. `word` is UTF-8 and not empty.
  virtual std::string_view apply(std::string_view word) = 0;
};

/// Filters one after the other.
class WordFilters {
 public:
  void add(std::unique_ptr<WordFilter> filter) { filters_.push_back(std::move(filter)); }
  std::size_t size() const { return filters_.size(); }
  /// The filter, if it is the only one and of that type; else null.
  template <class Filter>
  Filter* only() const {
    return filters_.size() == 1 ? dynamic_cast<Filter*>(filters_[0].get()) : nullptr;
  }

  std::string_view apply(std::string_view word) {
    for (const std::unique_ptr<WordFilter>& filter : filters_) {
      word = filter->apply(word);
      if (word.empty()) break;
    }
    return word;
  }

 private:
  std::vector<std::unique_ptr<WordFilter>> filters_;
};

}  // namespace warpdex::analysis
