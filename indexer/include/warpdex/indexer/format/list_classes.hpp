// Posting lists by their length: the classes that reports show.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpdex {

struct ListClass {
  const char* name;
  std::uint32_t shortest;  ///< in postings
};

/// Each class reaches up to the next one's shortest list.
inline constexpr std::array<ListClass, 7> kListClasses{{{"1", 1},
                                                        {"2-127", 2},
                                                        {"128-1K", 128},
                                                        {"1K-10K", 1'000},
                                                        {"10K-100K", 10'000},
                                                        {"100K-1M", 100'000},
                                                        {"1M+", 1'000'000}}};

/// The place in kListClasses of a list of `postings` (1 or more).
inline std::size_t list_class(std::uint32_t postings) {
  std::size_t found = 0;
  while (found + 1 < kListClasses.size() && kListClasses[found + 1].shortest <= postings) ++found;
  return found;
}

}  // namespace warpdex
