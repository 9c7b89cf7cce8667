// An analyzer as a description: a tokenizer and filters. Internal to indexer/analysis.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis_path.hpp"
#include "analysis/part.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"

namespace warpdex::analysis {

struct Description {
  Part tokenizer;
  std::vector<Part> filters{};
  bool operator==(const Description&) const = default;
};

/// Whether an analyzer's name is a description as JSON.
inline bool is_description(std::string_view name) {
  const std::size_t first = name.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && name[first] == '{';
}

/// What an analyzer consists of: that of its name and version, or that of its JSON. Throws
/// UsageError as check_analyzer() does.
Description describe(const AnalyzerSettings& analyzer);

/// A description from its JSON. Throws UsageError that names the place and what there is. What the
/// values mean is looked at when the analyzer is made.
Description read_description(std::string_view json);

/// Throws UsageError for a value that a part cannot take.
std::unique_ptr<Analyzer> make_described(const Description& description,
                                         const AnalysisPath& path = {});

/// On one line. Descriptions that are equal have the same JSON.
std::string write_description(const Description& description);

}  // namespace warpdex::analysis
