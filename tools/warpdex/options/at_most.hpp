// Numbers above what there is stand for all of it, and a note says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpdex::tools {

/// What an option's number is of.
struct Supply {
  std::size_t count;   ///< how many there are
  std::string there;   ///< "the index 'x' has 5 vectors"
  std::string effect;  ///< "a query finds these at most"
};

/// `wanted`, or the supply's count if that is less; then a note on standard error says so. Throws
/// UsageError, which names the option, for less than 1.
std::size_t at_most(const std::string& option, std::int64_t wanted, const Supply& supply);

}  // namespace warpdex::tools
