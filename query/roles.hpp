// A query's terms as one mode reads them: which score, which a match must have or must not have.
#pragma once

#include <vector>

#include "warpdex/query/cpu/plan.hpp"

namespace warpdex {

/// Pointers into a PlannedQuery, in its canonical order.
struct Roles {
  std::vector<const PlannedTerm*> scoring;
  std::vector<bool> is_required;  ///< a scoring term
  std::vector<const PlannedTerm*> prohibited;
  bool is_empty = false;  ///< nothing can match
  bool has_required = false;

  /// Whether one list is all there is: its postings match, and its size is their number.
  bool is_one_list() const { return !is_empty && scoring.size() == 1 && prohibited.empty(); }
};

/// O(terms). `unsigned_is_required`: as AND reads unsigned terms.
Roles assign_roles(const PlannedQuery& plan, bool unsigned_is_required);

}  // namespace warpdex
