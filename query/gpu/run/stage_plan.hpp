// Plans which lists of a large batch are staged, and in which order its queries share the copies.
// Plain C++ that reads no list's bytes. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpu/batch/segment_plans.hpp"

namespace warpdex::gpu {

/// The plan of one batch.
class StagePlan {
 public:
  /// Bytes of a list's copy; 0 if it must not be copied.
  using BytesOf = std::function<std::size_t(const PostingsEntry&)>;

  /// A plan without lists.
  StagePlan() = default;
  /// Takes each list of the queries `slots` of `plans` whose copy is no larger than `room` bytes.
  /// Orders the slots: first those without lists to copy, then by their largest one; slots that are
  /// alike keep their order. `plans` must outlive this. O(slots log slots).
  StagePlan(SegmentPlans plans, std::span<std::uint32_t> slots, std::size_t room,
            const BytesOf& bytes_of);

  bool is_empty() const { return lists_.empty(); }
  /// Bytes of all lists, each counted once.
  std::size_t bytes() const;

  /// How many of the slots, from the first on, can be answered together, since their lists fit the
  /// room; at least one if there are any. Slots without lists form a part of their own, during
  /// which the first lists are copied.
  std::size_t queries_of_part(std::span<const std::uint32_t> slots) const;
  /// The lists of slots that can be answered together, each once, as many as fit.
  std::vector<const PostingsEntry*> lists_of(std::span<const std::uint32_t> slots) const;

 private:
  struct StagedList {
    const PostingsEntry* entry = nullptr;
    std::size_t bytes = 0;
  };

  const StagedList* find(const PostingsEntry& entry) const;
  const StagedList* largest_of(std::uint32_t slot) const;
  template <class Visit>
  void for_each_new(std::span<const std::uint32_t> slots, Visit visit) const;

  SegmentPlans plans_;
  std::size_t room_ = 0;
  std::unordered_map<std::uint32_t, StagedList> lists_;  ///< by first block
};

}  // namespace warpdex::gpu
