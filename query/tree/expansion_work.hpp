// What the clauses of a query that stand for many terms cost together. Internal.
#pragma once

#include <cstdint>

#include "warpdex/core/error.hpp"

namespace warpdex {

/// Counts the work, so that no query takes minutes and all memory. A unit is a term of the index
/// that is looked at: some ten nanoseconds.
class ExpansionWork {
 public:
  /// Some seconds, and half a gigabyte of sets.
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 26;

  /// To be asked before each such clause: the first one may cost anything. Throws UsageError where
  /// those so far cost too much.
  void check() const {
    if (units_ <= kMost) return;
    throw UsageError(
        "the query's prefixes, patterns, ranges and near words stand for too many terms together; "
        "search for fewer at a time");
  }
  void add_terms(std::uint64_t terms) { units_ += terms; }
  void add_postings(std::uint64_t postings) { units_ += postings / 8; }
  /// A bit for each document of a segment.
  void add_set(std::uint64_t documents) { units_ += documents / 64; }

 private:
  std::uint64_t units_ = 0;
};

}  // namespace warpdex
