// A heap of queries by the bytes that they miss. Its numbers go stale as lists come and go: a list
// that comes lowers them at once, one that goes is noticed when the query is looked at.
#include "warpdex/query/gpu/part_planner.hpp"

#include "warpdex/query/gpu/layout.hpp"
#include "warpdex/query/gpu/list_image.hpp"

namespace warpdex::gpu {

void PartPlanner::start(std::span<const PlannedQuery> plans, std::span<const std::uint32_t> slots) {
  plans_ = plans;
  queries_.clear();
  uses_.clear();
  lists_.clear();
  numbers_.clear();
  numbers_of_slots_.clear();
  candidates_ = {};
  part_ = 0;
  left_ = slots.size();
  in_order_.assign(slots.begin(), slots.end());
  if (cache_ == nullptr) return;
  collect_uses(plans, slots);
  collect_queries_of_lists();
  for (std::uint32_t query = 0; query < queries_.size(); ++query) {
    numbers_of_slots_[queries_[query].slot] = query;
    cache_->want(uses(queries_[query]), 1);
    candidates_.emplace(missing(queries_[query]), query);
  }
}

void PartPlanner::collect_uses(std::span<const PlannedQuery> plans,
                               std::span<const std::uint32_t> slots) {
  for (const std::uint32_t slot : slots) {
    BatchQuery query{slot, static_cast<std::uint32_t>(uses_.size())};
    const PlannedQuery& plan = plans[slot];
    if (plan.terms.size() <= kMostLists) {
      for (const PlannedTerm& term : plan.terms) {
        if (term.entry.is_short()) continue;
        const ListSpace::Id id = term.entry.first_block;
        const auto [place, is_new] =
            numbers_.try_emplace(id, static_cast<std::uint32_t>(lists_.size()));
        if (is_new) lists_.push_back({&term.entry});
        ++lists_[place->second].queries;
        uses_.push_back({id, ListImage(index_, term.entry).bytes});
      }
    }
    query.uses = static_cast<std::uint32_t>(uses_.size()) - query.first_use;
    queries_.push_back(query);
  }
}

void PartPlanner::collect_queries_of_lists() {
  std::uint32_t next = 0;
  for (BatchList& list : lists_) {
    list.first_query = next;
    next += list.queries;
    list.queries = 0;
  }
  queries_of_lists_.resize(next);
  for (std::uint32_t query = 0; query < queries_.size(); ++query) {
    for (const ListUse& use : uses(queries_[query])) {
      BatchList& list = lists_[numbers_[use.list]];
      queries_of_lists_[list.first_query + list.queries++] = query;
    }
  }
}

std::span<const ListUse> PartPlanner::uses(const BatchQuery& query) const {
  return std::span(uses_).subspan(query.first_use, query.uses);
}

std::uint64_t PartPlanner::missing(const BatchQuery& query) {
  if (query.uses == 0) return 0;
  const std::span<const ListUse> lists = uses(query);
  cache_->look_up(lists, are_in_);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < lists.size(); ++i) bytes += are_in_[i] ? 0 : lists[i].bytes;
  return bytes;
}

/// The query on top of the heap, once its number is not too low. False if none is left.
bool PartPlanner::find_next(std::uint32_t& query) {
  while (!candidates_.empty()) {
    const auto [bytes, top] = candidates_.top();
    if (queries_[top].is_left) {
      const std::uint64_t now = missing(queries_[top]);
      if (now <= bytes) {
        query = top;
        return true;
      }
      candidates_.pop();
      candidates_.emplace(now, top);
      continue;
    }
    candidates_.pop();
  }
  return false;
}

void PartPlanner::settle(std::uint32_t query) {
  queries_[query].is_left = false;
  --left_;
  cache_->want(uses(queries_[query]), -1);
}

/// Bytes of the query's lists that the part did not hold yet.
std::size_t PartPlanner::add_to_part(const BatchQuery& query) {
  std::size_t bytes = 0;
  for (const ListUse& use : uses(query)) {
    BatchList& list = lists_[numbers_[use.list]];
    if (list.part != part_) bytes += use.bytes;
    list.part = part_;
  }
  return bytes;
}

void PartPlanner::announce_loads(std::span<const ListSpace::Id> loads) {
  for (const ListSpace::Id id : loads) {
    const BatchList& list = lists_[numbers_[id]];
    for (std::uint32_t i = 0; i < list.queries; ++i) {
      const std::uint32_t query = queries_of_lists_[list.first_query + i];
      if (queries_[query].is_left) candidates_.emplace(missing(queries_[query]), query);
    }
  }
}

void PartPlanner::next(const PartLimits& limits, Part& part) {
  if (cache_ == nullptr) return next_in_order(limits, part);
  ++part_;
  std::uint64_t terms = 0;
  std::uint64_t loads = 0;
  std::uint64_t pinned = 0;
  std::uint32_t query = 0;
  while (part.slots.size() < limits.queries && find_next(query)) {
    const BatchQuery& taken = queries_[query];
    const bool is_first = part.slots.empty();
    terms += plans_[taken.slot].terms.size();
    if (!is_first && (terms > limits.terms || pinned > limits.pinned)) return;
    const std::uint64_t missed = missing(taken);
    if (!is_first && loads + missed > limits.loads) return;
    const std::size_t loads_before = part.pinned.loads.size();
    if (!cache_->pin(uses(taken), part.pinned)) return;
    loads += missed;
    pinned += add_to_part(taken);
    const std::size_t brought = part.pinned.loads.size() - loads_before;
    misses_ += brought;
    hits_ += taken.uses - brought;
    settle(query);
    announce_loads(std::span(part.pinned.loads).subspan(loads_before));
    part.slots.push_back(taken.slot);
  }
}

void PartPlanner::next_in_order(const PartLimits& limits, Part& part) {
  std::uint64_t terms = 0;
  while (part.slots.size() < limits.queries && left_ > 0) {
    const std::uint32_t slot = in_order_[in_order_.size() - left_];
    terms += plans_[slot].terms.size();
    if (!part.slots.empty() && terms > limits.terms) return;
    part.slots.push_back(slot);
    --left_;
  }
}

std::uint32_t PartPlanner::take() {
  if (cache_ == nullptr) return in_order_[in_order_.size() - left_--];
  std::uint32_t query = 0;
  find_next(query);
  settle(query);
  return queries_[query].slot;
}

void PartPlanner::give_back(Part& part, std::size_t queries) {
  for (std::size_t i = 0; i < queries; ++i) {
    const std::uint32_t slot = part.slots.back();
    part.slots.pop_back();
    ++left_;
    if (cache_ == nullptr) continue;
    const std::uint32_t query = numbers_of_slots_.at(slot);
    queries_[query].is_left = true;
    cache_->want(uses(queries_[query]), 1);
    candidates_.emplace(missing(queries_[query]), query);
  }
}

void PartPlanner::stop() noexcept {
  for (std::uint32_t query = 0; query < queries_.size(); ++query) {
    if (queries_[query].is_left) settle(query);
  }
  left_ = 0;
}

}  // namespace warpdex::gpu
