// Finds analyzers by their names and versions.
#include "warpdex/indexer/analysis/analyzer.hpp"

#include "analysis/analyzers.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {

std::uint32_t newest_analyzer_version(std::string_view name) {
  return name == "english" || name == "standard" ? analysis::kOneFormVersion : 1;
}

std::unique_ptr<Analyzer> make_analyzer(const AnalyzerSettings& analyzer) {
  check_analyzer(analyzer);
  const analysis::AnalysisPath path{.version = analyzer.version};
  if (analyzer.name == "english") return analysis::make_english_analyzer(path);
  if (analyzer.name == "standard") return analysis::make_standard_analyzer(path);
  return analysis::make_whitespace_analyzer();
}

std::vector<std::string> analyzer_names() { return {"english", "standard", "whitespace"}; }

void check_analyzer(const AnalyzerSettings& analyzer) {
  const std::uint32_t newest = newest_analyzer_version(analyzer.name);
  std::string known;
  for (const std::string& each : analyzer_names()) {
    if (each == analyzer.name) {
      if (analyzer.version >= 1 && analyzer.version <= newest) return;
      throw UsageError("the analyzer '" + analyzer.name + "' has no version " +
                       std::to_string(analyzer.version) + " here, the newest is " +
                       std::to_string(newest) + "; take a newer warpdex");
    }
    known += (known.empty() ? "" : ", ") + each;
  }
  throw UsageError("there is no analyzer '" + analyzer.name + "'; choose one of " + known);
}

}  // namespace warpdex
