// What a commit tells its caller.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpdex {

/// A commit that is in place: whatever its notes say, the change is made.
struct CommitReport {
  /// How often the index was changed since it was built. A client that lost its connection reads
  /// the number in the index and knows whether its change was made.
  std::uint64_t number = 0;
  /// A sentence for each thing that went wrong beside the change.
  std::vector<std::string> notes{};
};

}  // namespace warpdex
