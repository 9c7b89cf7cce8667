// Case folding of words. Internal to indexer/analysis.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct UCaseMap;

namespace warpdex::analysis {

/// Unicode full default case folding ("Straße" to "strasse"), with a fast path for ASCII.
class CaseFolder {
 public:
  CaseFolder();

  /// `word`, folded; the view is `word` itself where folding changes nothing in ASCII, else it is
  /// valid until the next call. `word` must be valid UTF-8. A folded word is at most three times as
  /// long.
  std::string_view fold(std::string_view word);

 private:
  struct Close {
    void operator()(UCaseMap* map) const;
  };
  std::string_view fold_unicode(std::string_view word);

  std::unique_ptr<UCaseMap, Close> map_;
  std::string folded_;
};

}  // namespace warpdex::analysis
