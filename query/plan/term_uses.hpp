// A query's uses of its terms, gathered by term, and what a plan makes of them. Internal.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "warpdex/query/plan/plan.hpp"

namespace warpdex {

/// What the query says of one of its terms.
struct TermUse {
  std::string_view term;
  Occur occur = Occur::kUnsigned;
  float weight = 0;
};

/// The uses of all terms by the terms' bytes, those of one term in the order of the query. Throws
/// UsageError for a weight out of range.
std::vector<TermUse> sorted_uses(const Query& query);

/// Calls visit(term, its uses) for each distinct term of sorted uses.
template <class Visit>
void for_each_term(const std::vector<TermUse>& uses, const Visit& visit) {
  for (std::size_t begin = 0; begin < uses.size();) {
    std::size_t end = begin + 1;
    while (end < uses.size() && uses[end].term == uses[begin].term) ++end;
    visit(uses[begin].term, std::span(uses).subspan(begin, end - begin));
    begin = end;
  }
}

/// A term of these uses, which is at `entry`.
PlannedTerm planned(const PostingsEntry& entry, std::span<const TermUse> uses);

/// Notes that the index, or the segment, does not know the term.
void note_missing(PlannedQuery& plan, std::span<const TermUse> uses);

/// Sorts terms, which are in the order of their bytes, canonically.
void sort_canonically(std::vector<PlannedTerm>& terms);

}  // namespace warpdex
