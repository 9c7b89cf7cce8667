// Stops a search on the CPU before its end, and bounds what it has missed.
#pragma once

namespace warpdex {

/// A search asks it now and then whether to go on.
class SearchWatch {
 public:
  virtual ~SearchWatch() = default;
  /// False: the search stops as soon as it can. Called on the search's thread, at intervals of a
  /// few to a few hundred microseconds; must be fast.
  virtual bool goes_on() = 0;
};

/// How far a search came. The other members are set only if the search was stopped.
struct SearchProgress {
  bool is_complete = true;  ///< false: the watch stopped it, and the answer is the best so far
  /// No document that is missing from the answer scores more.
  float max_missing_score = 0;
  /// A score that at least k matches are known to reach; 0: none is known. Another search of the
  /// same query can start with it (SearchSettings::known_threshold).
  float threshold = 0;
};

}  // namespace warpdex
