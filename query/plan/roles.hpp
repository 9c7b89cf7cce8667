// A query's terms as one mode reads them: which score, which a match must have or must not have.
#pragma once

#include <cstdint>
#include <vector>

#include "warpdex/query/plan/plan.hpp"

namespace warpdex {

/// Whether a match must have a scoring term. `unsigned_is_required`, here and below: unsigned terms
/// are required, as in AND.
inline bool is_required(const PlannedTerm& term, bool unsigned_is_required) {
  return term.is_must || (unsigned_is_required && term.weight > 0);
}

/// Counts of terms by role.
struct RoleCounts {
  std::uint32_t scoring = 0;
  std::uint32_t prohibited = 0;
  bool is_empty = false;      ///< nothing can match
  bool has_required = false;  ///< among those that score

  /// Whether the query is one list whose postings all match, so that its size is the number of
  /// matches.
  bool is_one_list() const { return !is_empty && scoring == 1 && prohibited == 0; }
};

/// O(terms); allocates nothing.
inline RoleCounts count_roles(const PlannedQuery& plan, bool unsigned_is_required) {
  RoleCounts counts;
  counts.is_empty = plan.misses_must || (unsigned_is_required && plan.misses_unsigned);
  for (const PlannedTerm& term : plan.terms) {
    const bool required = is_required(term, unsigned_is_required);
    if (term.is_prohibited) {
      ++counts.prohibited;
      counts.is_empty |= required;
    } else {
      ++counts.scoring;
      counts.has_required |= required;
    }
  }
  counts.is_empty |= counts.scoring == 0;
  return counts;
}

/// Pointers into a PlannedQuery, in its canonical order.
struct Roles {
  RoleCounts counts;
  std::vector<const PlannedTerm*> scoring;
  std::vector<bool> is_required;  ///< a scoring term
  std::vector<const PlannedTerm*> prohibited;
};

/// O(terms).
Roles assign_roles(const PlannedQuery& plan, bool unsigned_is_required);

}  // namespace warpdex
