// The analyzers behind make_analyzer, with the switches that tests need. Internal to
// indexer/analysis.
#pragma once

#include <memory>

#include "warpdex/indexer/analysis/analyzer.hpp"

namespace warpdex::analysis {

/// How words are found, and how many are cached. The terms are the same for all settings.
struct AnalysisPath {
  bool ascii_fast_path = true;    ///< without: every word comes from ICU
  unsigned cache_slot_bits = 17;  ///< 2^bits words remembered by "english" (32 bytes each); 0: none
};

std::unique_ptr<Analyzer> make_standard_analyzer(AnalysisPath path = {});
std::unique_ptr<Analyzer> make_english_analyzer(AnalysisPath path = {});
std::unique_ptr<Analyzer> make_whitespace_analyzer();

}  // namespace warpdex::analysis
