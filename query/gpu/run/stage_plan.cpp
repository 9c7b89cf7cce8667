// Chooses the lists of a stage and cuts the queries of a batch into parts.
#include "gpu/run/stage_plan.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace warpdex::gpu {

StagePlan::StagePlan(SegmentPlans plans, std::span<std::uint32_t> slots, std::size_t room,
                     const BytesOf& bytes_of)
    : plans_(plans), room_(room) {
  for (const std::uint32_t slot : slots) {
    for (const PlannedTerm& term : plans[slot].terms) {
      if (term.entry.is_short()) continue;
      StagedList& list = lists_[term.entry.first_block];
      if (list.entry == nullptr) list = {&term.entry, bytes_of(term.entry)};
    }
  }
  std::erase_if(lists_, [&](const auto& each) {
    const StagedList& list = each.second;
    return list.bytes == 0 || list.bytes > room;
  });
  if (lists_.empty()) return;
  // By bytes, then by list. Slots without lists come first.
  std::vector<std::pair<std::pair<std::size_t, std::uint32_t>, std::uint32_t>> order;
  order.reserve(slots.size());
  for (const std::uint32_t slot : slots) {
    const StagedList* const list = largest_of(slot);
    const std::uint32_t id = list == nullptr ? 0 : list->entry->first_block;
    order.push_back({{list == nullptr ? 0 : list->bytes, id}, slot});
  }
  std::ranges::stable_sort(order, {}, [](const auto& each) { return each.first; });
  std::ranges::transform(order, slots.begin(), [](const auto& each) { return each.second; });
}

std::size_t StagePlan::bytes() const {
  std::size_t sum = 0;
  for (const auto& [block, list] : lists_) sum += list.bytes;
  return sum;
}

const StagePlan::StagedList* StagePlan::find(const PostingsEntry& entry) const {
  if (entry.is_short()) return nullptr;
  const auto found = lists_.find(entry.first_block);
  return found == lists_.end() ? nullptr : &found->second;
}

const StagePlan::StagedList* StagePlan::largest_of(std::uint32_t slot) const {
  const StagedList* largest = nullptr;
  for (const PlannedTerm& term : plans_[slot].terms) {
    const StagedList* const list = find(term.entry);
    if (list == nullptr) continue;
    if (largest == nullptr || list->bytes > largest->bytes) largest = list;
  }
  return largest;
}

/// Calls visit(query, list) once for each list of the slots, when it first occurs, until it returns
/// false.
template <class Visit>
void StagePlan::for_each_new(std::span<const std::uint32_t> slots, Visit visit) const {
  std::unordered_set<const StagedList*> seen;
  for (std::size_t query = 0; query < slots.size(); ++query) {
    for (const PlannedTerm& term : plans_[slots[query]].terms) {
      const StagedList* const list = find(term.entry);
      if (list == nullptr || !seen.insert(list).second) continue;
      if (!visit(query, *list)) return;
    }
  }
}

std::size_t StagePlan::queries_of_part(std::span<const std::uint32_t> slots) const {
  if (slots.empty()) return 0;
  const auto has_none = [&](std::uint32_t slot) { return largest_of(slot) == nullptr; };
  const auto without = std::ranges::find_if_not(slots, has_none) - slots.begin();
  if (without > 0) return static_cast<std::size_t>(without);
  std::size_t count = slots.size();
  std::size_t bytes = 0;
  for_each_new(slots, [&](std::size_t query, const StagedList& list) {
    bytes += list.bytes;
    if (bytes > room_) count = std::max<std::size_t>(query, 1);
    return bytes <= room_;
  });
  return count;
}

std::vector<const PostingsEntry*> StagePlan::lists_of(std::span<const std::uint32_t> slots) const {
  std::vector<const PostingsEntry*> lists;
  std::size_t bytes = 0;
  for_each_new(slots, [&](std::size_t, const StagedList& list) {
    if (bytes + list.bytes > room_) return true;
    bytes += list.bytes;
    lists.push_back(list.entry);
    return true;
  });
  return lists;
}

}  // namespace warpdex::gpu
