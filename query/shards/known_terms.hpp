// What the parts of a whole count of terms that were asked for before. Parts do not change, so
// nothing of it becomes wrong. Internal.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warpdex/query/plan/whole_statistics.hpp"

namespace warpdex::shards {

/// By part.
using TermInParts = std::shared_ptr<const std::vector<PartTerm>>;

using TermTable =
    std::unordered_map<std::string, TermInParts, WholeStatistics::TextHash, std::equal_to<>>;

/// For any number of threads.
class KnownTerms {
 public:
  /// `max_terms` are kept at most; then all are forgotten.
  explicit KnownTerms(std::size_t max_terms = 65'536) : max_terms_(max_terms) {}

  /// Null for a term that is not known.
  TermInParts find(std::string_view term) const {
    const std::lock_guard lock(mutex_);
    const auto found = terms_.find(term);
    return found == terms_.end() ? nullptr : found->second;
  }

  void add(const std::string& term, TermInParts counts) {
    const std::lock_guard lock(mutex_);
    if (terms_.size() >= max_terms_) terms_.clear();
    terms_.insert_or_assign(term, std::move(counts));
  }

 private:
  const std::size_t max_terms_;
  mutable std::mutex mutex_;
  TermTable terms_;
};

}  // namespace warpdex::shards
