// The entries of one query in a batch: AND, or OR, or one after the other. Internal.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "gpu/batch/term_set.hpp"
#include "plan/roles.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::gpu {

/// The roles of a query's terms.
struct TermRoles {
  TermSet scoring;
  TermSet prohibited;
  TermSet must;      ///< with +, even if also prohibited
  TermSet weighted;  ///< with + or unsigned, even if also prohibited
  bool misses_must = false;
  bool misses_unsigned = false;

  /// The terms that a match must have.
  TermSet required(bool unsigned_is_required) const {
    return unsigned_is_required ? must | weighted : must;
  }
};

/// The kind of an entry: which kernels read it.
enum class EntryKind : std::uint8_t {
  kAnd,          ///< AND: it has required terms
  kAndFallback,  ///< AND that runs only if the AND before it matched too few
  kOr,
};

/// A query in the form in which the kernels of one kind read it.
struct QueryEntry {
  EntryKind kind = EntryKind::kOr;
  RoleCounts roles;
  bool unsigned_is_required = false;
  bool is_fallback = false;   ///< runs only if the AND before it matched too few
  bool is_one_list = false;   ///< all postings of its only list match; their number is known
  bool shares_lists = false;  ///< uses the lists of the entry before
};

/// The entries of a query, in the order in which they run. None if nothing can match.
struct QueryEntries {
  std::array<QueryEntry, 2> entries;
  std::uint32_t count = 0;

  bool any_of_or() const {
    return std::any_of(begin(), end(),
                       [](const QueryEntry& entry) { return entry.kind == EntryKind::kOr; });
  }
  const QueryEntry* begin() const { return entries.data(); }
  const QueryEntry* end() const { return entries.data() + count; }
};

/// The roles of the terms that a segment has.
inline RoleCounts count_roles(const TermRoles& roles, const TermSet& present,
                              bool unsigned_is_required) {
  const TermSet required = roles.required(unsigned_is_required);
  RoleCounts counts;
  counts.scoring = (roles.scoring & present).count();
  counts.prohibited = (roles.prohibited & present).count();
  counts.has_required = !(required & roles.scoring & present).is_empty();
  counts.is_empty = roles.misses_must || (unsigned_is_required && roles.misses_unsigned) ||
                    !(required - present).is_empty() || !(required & roles.prohibited).is_empty() ||
                    counts.scoring == 0;
  return counts;
}

/// Adds an entry, in which unsigned terms are required or not, unless nothing can match.
inline void add_entry(const TermRoles& all, const TermSet& present, bool unsigned_is_required,
                      bool is_fallback, bool knows_matches, QueryEntries& entries) {
  const RoleCounts roles = count_roles(all, present, unsigned_is_required);
  if (roles.is_empty) return;
  QueryEntry& entry = entries.entries[entries.count];
  entry.roles = roles;
  entry.unsigned_is_required = unsigned_is_required;
  entry.is_fallback = is_fallback;
  entry.is_one_list = roles.is_one_list() && !is_fallback && knows_matches;
  if (roles.has_required && !entry.is_one_list) {
    entry.kind = is_fallback ? EntryKind::kAndFallback : EntryKind::kAnd;
  }
  // OR as a fallback reads the same lists as AND; none of them is required.
  entry.shares_lists = is_fallback && !roles.has_required && entries.count > 0;
  ++entries.count;
}

/// A query's entries in a segment that has the terms `present`. `knows_matches`: the number of
/// matches of a query of one list is known.
inline QueryEntries entries_of(const TermRoles& roles, const TermSet& present, QueryMode mode,
                               bool knows_matches) {
  QueryEntries entries;
  add_entry(roles, present, mode != QueryMode::kOr, false, knows_matches, entries);
  const bool is_one_list = entries.count > 0 && entries.entries[0].is_one_list;
  if (mode == QueryMode::kAndOr && !is_one_list) {
    add_entry(roles, present, false, true, knows_matches, entries);
  }
  return entries;
}

/// The number of a query's shortest required term, whose list drives AND. There must be one.
inline std::uint32_t driver_of(const TermRoles& roles, const TermSet& present,
                               const QueryEntry& entry) {
  return (roles.required(entry.unsigned_is_required) & roles.scoring & present).first();
}

/// The QueryFlags of an entry.
std::uint32_t flags_of(const QueryEntry& entry, bool count);

}  // namespace warpdex::gpu
