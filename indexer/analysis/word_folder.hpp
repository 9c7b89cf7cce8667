// Folding of words: what differs only in case or form becomes the same. Internal to
// indexer/analysis.
#pragma once

#include <unicode/utypes.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct UCaseMap;
U_NAMESPACE_BEGIN
class Normalizer2;
U_NAMESPACE_END

namespace warpdex::analysis {

/// Folds words, with a fast path for ASCII. Version 1: Unicode's full default case folding
/// ("Straße" to "strasse"). Version 2: NFKC_Casefold, which also unites the forms of a word
/// (full width, ligatures, composed and decomposed); accents stay. One per thread.
class WordFolder {
 public:
  explicit WordFolder(std::uint32_t version);

  /// `word`, folded; the view is `word` itself where folding changes nothing in ASCII, else it is
  /// valid until the next call. `word` must be valid UTF-8. A folded word of version 1 is at most
  /// three times as long, of version 2 eleven times. It may be empty in version 2, and has no
  /// space.
  std::string_view fold(std::string_view word);

 private:
  struct Close {
    void operator()(UCaseMap* map) const;
  };
  std::string_view fold_case(std::string_view word);
  std::string_view fold_form(std::string_view word);

  std::unique_ptr<UCaseMap, Close> map_;          // of version 1
  const icu::Normalizer2* normalizer_ = nullptr;  // of version 2; ICU owns it
  std::vector<char> lower_;                       // of ASCII
  std::string folded_;
};

}  // namespace warpdex::analysis
