// Finds analyzers by their names.
#include "warpdex/indexer/analysis/analyzer.hpp"

#include "analysis/analyzers.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {

std::unique_ptr<Analyzer> make_analyzer(std::string_view name) {
  if (name == "english") return analysis::make_english_analyzer();
  if (name == "standard") return analysis::make_standard_analyzer();
  if (name == "whitespace") return analysis::make_whitespace_analyzer();
  std::string known;
  for (const std::string& each : analyzer_names()) known += (known.empty() ? "" : ", ") + each;
  throw UsageError("there is no analyzer '" + std::string(name) + "'; choose one of " + known);
}

std::vector<std::string> analyzer_names() { return {"english", "standard", "whitespace"}; }

}  // namespace warpdex
