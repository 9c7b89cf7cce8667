// Where the terms of a text stand in it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/analysis/analyzer.hpp"

namespace warpdex {

/// A word of a text, and the term that an analyzer makes of it.
struct LocatedTerm {
  std::size_t offset = 0;  ///< of the word in the text as it was given, in bytes
  std::size_t size = 0;    ///< of the word
  std::string term;        ///< never empty
};

/// Finds the terms of an analyzer, the same as it does, with their places. One per thread.
class TermLocator {
 public:
  /// The index's analyzer. Throws UsageError as make_analyzer() does.
  explicit TermLocator(const AnalyzerSettings& analyzer);
  ~TermLocator();
  TermLocator(TermLocator&&) noexcept;
  TermLocator& operator=(TermLocator&&) noexcept;

  /// In the order of the text. Throws InputError as Analyzer::analyze() does. O(bytes).
  std::vector<LocatedTerm> locate(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
