// Which lists of a large batch are copied to the GPU for it alone, and the order of its queries in
// which they share the copies. Plain C++ that touches no list's bytes. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "warpdex/query/plan/plan.hpp"

namespace warpdex::gpu {

/// One batch's.
class StagePlan {
 public:
  /// Bytes that a list's copy takes; 0: it is not to be copied.
  using BytesOf = std::function<std::size_t(const PostingsEntry&)>;

  /// No list.
  StagePlan() = default;
  /// Takes the lists of the queries `slots` of `plans`, which outlive this, that take no more than
  /// `room`. Orders the slots: first those without such lists, then by the largest of them; where
  /// they have the same, as they were. O(slots log slots).
  StagePlan(std::span<const PlannedQuery> plans, std::span<std::uint32_t> slots, std::size_t room,
            const BytesOf& bytes_of);

  bool is_empty() const { return lists_.empty(); }
  /// Bytes of all lists, each once.
  std::size_t bytes() const;

  /// How many of the slots, the first ones, can be answered together: their lists fit in the room;
  /// at least one if there are any. Those without lists are by themselves: meanwhile, the first
  /// lists are copied.
  std::size_t queries_of_part(std::span<const std::uint32_t> slots) const;
  /// The lists of slots that can be answered together, each once, as many as fit.
  std::vector<const PostingsEntry*> lists_of(std::span<const std::uint32_t> slots) const;

 private:
  struct Listed {
    const PostingsEntry* entry = nullptr;
    std::size_t bytes = 0;
  };

  const Listed* find(const PostingsEntry& entry) const;
  const Listed* largest_of(std::uint32_t slot) const;
  template <class Visit>
  void for_each_new(std::span<const std::uint32_t> slots, Visit visit) const;

  std::span<const PlannedQuery> plans_;
  std::size_t room_ = 0;
  std::unordered_map<std::uint32_t, Listed> lists_;  ///< by first block
};

}  // namespace warpdex::gpu
