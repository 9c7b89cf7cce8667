// Reads signs as a mode says.
#include "plan/roles.hpp"

namespace warpdex {

RoleCounts count_roles(const PlannedQuery& plan, bool unsigned_is_required) {
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

Roles assign_roles(const PlannedQuery& plan, bool unsigned_is_required) {
  Roles roles;
  roles.counts = count_roles(plan, unsigned_is_required);
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited) {
      roles.prohibited.push_back(&term);
    } else {
      roles.scoring.push_back(&term);
      roles.is_required.push_back(is_required(term, unsigned_is_required));
    }
  }
  return roles;
}

}  // namespace warpdex
