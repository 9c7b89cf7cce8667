// Lets a search on the CPU be stopped, and says how far it came.
#pragma once

namespace warpdex {

/// Is asked now and then by a search that is under way.
class SearchWatch {
 public:
  virtual ~SearchWatch() = default;
  /// False: the search stops as soon as it can. Called on the search's thread, every few
  /// microseconds to a few hundred of them; must be fast.
  virtual bool goes_on() = 0;
};

/// What a search knows when it ends.
struct SearchProgress {
  bool is_complete = true;  ///< false: the watch stopped it, and the answer is the best so far
  /// No document that is missing from the answer scores more. Only of a search that was stopped.
  float max_missing_score = 0;
  /// A score that at least k matches are known to reach, or 0: SearchSettings::known_threshold for
  /// another search of the same query. Only of a search that was stopped.
  float threshold = 0;
};

}  // namespace warpdex
