// Names that tests of evaluation make.
#pragma once

#include <cstdint>
#include <string>

namespace warpdex::test {

/// A letter and a number, as in "d12".
inline std::string numbered(char letter, std::uint64_t number) {
  return std::string(1, letter).append(std::to_string(number));
}

}  // namespace warpdex::test
