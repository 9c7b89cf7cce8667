// Versions of the parts of analyzers, with the switches that tests need. Internal to
// indexer/analysis.
#pragma once

#include <cstdint>

namespace warpdex::analysis {

/// From this version on, "english" and "standard" take all forms of a word for one: what nobody
/// sees is left out (OneForm), and words are folded by NFKC_Casefold (WordFolder).
inline constexpr std::uint32_t kOneFormVersion = 2;

/// The version of the parts, how words are found, and how many are cached. The terms depend on the
/// version alone.
struct AnalysisPath {
  std::uint32_t version = kOneFormVersion;
  bool ascii_fast_path = true;    ///< without: every word comes from ICU
  unsigned cache_slot_bits = 17;  ///< 2^bits words remembered (32 bytes each); 0: none
};

}  // namespace warpdex::analysis
