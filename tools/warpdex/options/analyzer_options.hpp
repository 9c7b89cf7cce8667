// --analyzer and --stop-words.
#pragma once

#include <string>

#include "options/options.hpp"
#include "warpdex/indexer/index_settings.hpp"

namespace warpdex::tools {

struct AnalyzerOptions {
  std::string analyzer;
  std::string stop_words{};

  void add_to(po::options_description& group);
  /// Throws UsageError for an analyzer that there is not, and IoError for a file that is missing.
  AnalyzerSettings settings() const;
};

}  // namespace warpdex::tools
