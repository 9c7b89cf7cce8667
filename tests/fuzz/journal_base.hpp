// The commit that fuzzed journals follow.
#pragma once

#include "warpdex/indexer/living/change_journal.hpp"

namespace warpdex::fuzz {

inline constexpr JournalBase kFuzzedBase{3, 0x9E3779B97F4A7C15};

}  // namespace warpdex::fuzz
