// Reads signs as a mode says.
#include "warpdex/query/roles.hpp"

namespace warpdex {

Roles assign_roles(const PlannedQuery& plan, bool unsigned_is_required) {
  Roles roles;
  roles.is_empty = plan.misses_must || (unsigned_is_required && plan.misses_unsigned);
  for (const PlannedTerm& term : plan.terms) {
    const bool required = term.is_must || (unsigned_is_required && term.multiplicity > 0);
    if (term.is_prohibited) {
      roles.prohibited.push_back(&term);
      roles.is_empty |= required;
    } else {
      roles.scoring.push_back(&term);
      roles.is_required.push_back(required);
      roles.has_required |= required;
    }
  }
  roles.is_empty |= roles.scoring.empty();
  return roles;
}

}  // namespace warpdex
