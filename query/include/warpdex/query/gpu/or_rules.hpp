// Names the rules by which the GPU engine chooses how a part of a batch answers OR.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpdex {

/// A choice and its reason. The groups follow one another; a part obeys one rule of each group at
/// most.
enum class OrRule : std::uint8_t {
  // How documents are found:
  kByBound,
  kRoundsOfMany,
  kRoundsOfLong,
  kRoundsToAddUp,
  kRoundsForRoom,
  kRoundsAsked,
  kRoundsAgain,
  // In how many rounds:
  kTwoToAddUp,
  kTwoOfFew,
  kTwoResident,
  kThreeOverBus,
  kThreeAgain,
  // How rounds answer tiles:
  kAddUpForm,
  kAddUpAsked,
  kAddUpMatches,
  kAddUpLong,
  kLookUpApart,
  kLookUpAtOnceForRoom,
  kLookUpAtOnceAsked,
  kLookUpAtOnceAgain,
  // Whether lists are decoded once for all queries:
  kSearchStored,
  kAddStoredForm,
  kAddStoredSmall,
  kAddStoredLong,
  kAddStoredAnswers,
  kNoneStoredAddsUp,
  kNoneStoredFew,
  kNoneStoredUses,
  kNoneStoredSegments,
  kNoneStoredStatic,
  kNoneStoredForm,
  kNoneStoredRoom,
  kNoneStoredAsked,
  kNoneStoredAgain,
  // What else is shared out:
  kTilesCut,
  kScoresShared,
};
inline constexpr std::size_t kOrRules = 36;

struct OrRuleText {
  std::string_view name;    ///< for scripts: "by-bound", …
  std::string_view choice;  ///< for people
  std::string_view reason;  ///< likewise
};
const OrRuleText& text_of(OrRule rule);

/// How OR was answered: counts of parts of batches.
struct OrCounts {
  std::uint64_t parts = 0;  ///< that have queries of OR; the next are theirs
  std::uint64_t queries = 0;
  std::uint64_t lists = 0;
  std::uint64_t postings = 0;
  std::array<std::uint64_t, kOrRules> by_rule{};  ///< parts that obeyed each
};

}  // namespace warpdex
