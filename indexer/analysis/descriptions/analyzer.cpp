// Finds analyzers by their names and versions, or makes those that are described.
#include "warpdex/indexer/analysis/analyzer.hpp"

#include <algorithm>

#include "analysis/descriptions/languages.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/stop_words.hpp"

namespace warpdex {

namespace analysis {

Description describe(const AnalyzerSettings& analyzer) {
  const bool is_described = is_description(analyzer.name);
  std::optional<Description> description = is_described
                                               ? read_description(analyzer.name)
                                               : named_description(analyzer.name, analyzer.version);
  if (!description) {
    std::string known;
    for (const std::string& each : analyzer_names()) known += ", " + each;
    throw UsageError("there is no analyzer '" + analyzer.name + "'; choose one of " +
                     known.substr(2));
  }
  const std::uint32_t newest = newest_analyzer_version(analyzer.name);
  if (analyzer.version >= 1 && analyzer.version <= newest) return std::move(*description);
  const std::string name = is_described ? "of a description" : "'" + analyzer.name + "'";
  throw UsageError("the analyzer " + name + " has no version " + std::to_string(analyzer.version) +
                   " here, the newest is " + std::to_string(newest) + "; take a newer warpdex");
}

/// The version of the parts is that of the two analyzers that have versions.
static AnalysisPath path_of(const AnalyzerSettings& analyzer) {
  if (newest_analyzer_version(analyzer.name) == analyzer.version) return {};
  return {.version = analyzer.version};
}

}  // namespace analysis

std::uint32_t newest_analyzer_version(std::string_view name) {
  return name == "english" || name == "standard" ? analysis::kOneFormVersion : 1;
}

std::unique_ptr<Analyzer> make_analyzer(const AnalyzerSettings& analyzer) {
  return analysis::make_described(analysis::describe(analyzer), analysis::path_of(analyzer));
}

std::vector<std::string> analyzer_names() { return analysis::description_names(); }

void check_analyzer(const AnalyzerSettings& analyzer) {
  analysis::AnalysisPath path = analysis::path_of(analyzer);
  path.cache_slot_bits = 0;
  analysis::make_described(analysis::describe(analyzer), path);
}

AnalyzerSettings canonical_analyzer(const AnalyzerSettings& analyzer) {
  if (!analysis::is_description(analyzer.name)) return analyzer;
  return {analysis::write_description(analysis::describe(analyzer)), analyzer.version};
}

AnalyzerSettings with_stop_words(const AnalyzerSettings& analyzer, const StopWords& words) {
  analysis::Description description = analysis::describe(analyzer);
  auto& filters = description.filters;
  std::erase_if(filters, [](const analysis::Part& filter) { return filter.type == "stop"; });
  const analysis::PartValue value =
      std::visit([](const auto& given) { return analysis::PartValue(given); }, words);
  const auto stem = std::ranges::find(filters, "stem", &analysis::Part::type);
  filters.insert(stem, analysis::Part{"stop", {{"words", value}}});
  return analysis::write_description(description);
}

}  // namespace warpdex
