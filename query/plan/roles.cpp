// Reads signs as a mode says.
#include "plan/roles.hpp"

namespace warpdex {

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
