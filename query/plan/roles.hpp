// A query's terms as one mode reads them: which score, which a match must have or must not have.
#pragma once

#include <cstdint>
#include <vector>

#include "warpdex/query/plan/plan.hpp"

namespace warpdex {

/// Whether a match must have a term that scores. `unsigned_is_required`: as AND reads unsigned
/// terms, here and below.
inline bool is_required(const PlannedTerm& term, bool unsigned_is_required) {
  return term.is_must || (unsigned_is_required && term.weight > 0);
}

/// How many terms there are of which kind.
struct RoleCounts {
  std::uint32_t scoring = 0;
  std::uint32_t prohibited = 0;
  bool is_empty = false;      ///< nothing can match
  bool has_required = false;  ///< among those that score

  /// Whether one list is all there is: its postings match, and its size is their number.
  bool is_one_list() const { return !is_empty && scoring == 1 && prohibited == 0; }
};

/// O(terms); allocates nothing.
RoleCounts count_roles(const PlannedQuery& plan, bool unsigned_is_required);

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
