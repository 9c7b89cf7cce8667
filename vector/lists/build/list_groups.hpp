// The groups of 32 vectors that the lists of codes consist of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kmeans/update.hpp"
#include "pq/code_groups.hpp"

namespace warpdex::vector {

/// Which rows each group has, and of which list it is. Each list begins at a group of its own.
class ListGroups {
 public:
  /// `members` must outlive it.
  explicit ListGroups(const ClusterMembers& members) : members_(members), begins_{0} {
    for (std::size_t list = 0; list + 1 < members.begins.size(); ++list) {
      begins_.push_back(begins_.back() + groups_of(members.size(list)));
    }
  }

  std::size_t count() const { return begins_.back(); }
  /// Where each list begins among the groups: lists + 1 numbers.
  const std::vector<std::uint64_t>& begins() const { return begins_; }

  std::size_t list_of(std::size_t group) const {
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), group);
    return static_cast<std::size_t>(after - begins_.begin()) - 1;
  }

  /// The rows of a group, which is one of that list's.
  std::span<const std::uint32_t> rows_of(std::size_t list, std::size_t group) const {
    const std::span<const std::uint32_t> own =
        members_.of(list).subspan((group - begins_[list]) * kGroupVectors);
    return own.first(std::min(kGroupVectors, own.size()));
  }

  /// Calls work(group, list, rows) for the groups [first, last) in order.
  template <class Work>
  void for_each(std::size_t first, std::size_t last, const Work& work) const {
    if (first == last) return;
    std::size_t list = list_of(first);
    for (std::size_t group = first; group < last; ++group) {
      while (group >= begins_[list + 1]) ++list;
      work(group, list, rows_of(list, group));
    }
  }

 private:
  const ClusterMembers& members_;
  std::vector<std::uint64_t> begins_;
};

}  // namespace warpdex::vector
