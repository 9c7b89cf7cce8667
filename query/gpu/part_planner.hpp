// Which queries of a batch are answered together, and in which order, so that their lists are
// brought in as seldom as can be. Internal.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "warpdex/query/cpu/plan.hpp"
#include "warpdex/query/gpu/list_cache.hpp"

namespace warpdex::gpu {

/// What a part of a batch may take.
struct PartLimits {
  std::size_t queries = 1;
  std::uint64_t terms = 0;  ///< of all queries together; a first one may have more
  std::size_t loads = 0;    ///< bytes to be brought in, likewise
  std::size_t pinned = 0;   ///< bytes of lists, likewise
};

/// Queries that are answered together, and what they hold in the cache.
struct Part {
  std::vector<std::uint32_t> slots;
  PinnedLists pinned;
};

/// With a cache, takes next the query that misses the fewest bytes: first those whose lists are all
/// in, then, since what was brought in counts for all queries, those that share lists follow each
/// other. Without a cache: in the order of the batch.
class PartPlanner {
 public:
  /// `cache` may be null.
  PartPlanner(const Index& index, ListCache* cache) : index_(index), cache_(cache) {}

  /// The queries `slots` of `plans`, which stay where they are, are to be answered; the cache is
  /// told what they want. None of a former batch are left.
  void start(std::span<const PlannedQuery> plans, std::span<const std::uint32_t> slots);

  /// Queries that are left.
  std::size_t left() const { return left_; }
  /// Fills an empty part with queries that are left, their lists pinned. None where there is no
  /// room for the next one's lists beside what is pinned.
  void next(const PartLimits& limits, Part& part);
  /// Takes the query that comes next, without its lists.
  std::uint32_t take();
  /// Of the part, the last queries are to be answered later. Their lists stay pinned with it.
  void give_back(Part& part, std::size_t queries);
  /// Nothing is left. Never throws.
  void stop() noexcept;

  /// The postings of a list that next() brought in.
  const PostingsEntry& entry(ListSpace::Id list) const { return *lists_[numbers_.at(list)].entry; }

  /// Uses of lists that were found in, and that were not, so far.
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  /// A list of the batch.
  struct BatchList {
    const PostingsEntry* entry;
    std::uint32_t queries = 0;      ///< that use it
    std::uint32_t first_query = 0;  ///< in queries_of_lists_
    std::uint32_t part = 0;         ///< the last that pinned it
  };
  /// A query of the batch: its lists are uses_[first_use] and following.
  struct BatchQuery {
    std::uint32_t slot = 0;
    std::uint32_t first_use = 0;
    std::uint32_t uses = 0;
    bool is_left = true;
  };
  using Candidate = std::pair<std::uint64_t, std::uint32_t>;  ///< bytes that it misses; query

  void next_in_order(const PartLimits& limits, Part& part);
  void collect_uses(std::span<const PlannedQuery> plans, std::span<const std::uint32_t> slots);
  void collect_queries_of_lists();
  std::span<const ListUse> uses(const BatchQuery& query) const;
  std::uint64_t missing(const BatchQuery& query);
  bool find_next(std::uint32_t& query);
  void settle(std::uint32_t query);
  std::size_t add_to_part(const BatchQuery& query);
  void announce_loads(std::span<const ListSpace::Id> loads);

  const Index& index_;
  ListCache* cache_;
  std::span<const PlannedQuery> plans_;
  std::vector<std::uint32_t>
      in_order_;  ///< slots, of which the last left_ are left without a cache
  std::vector<BatchQuery> queries_;
  std::vector<ListUse> uses_;
  std::vector<BatchList> lists_;
  std::unordered_map<ListSpace::Id, std::uint32_t> numbers_;  ///< places in lists_
  std::vector<std::uint32_t> queries_of_lists_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_of_slots_;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates_;
  std::vector<bool> are_in_;
  std::size_t left_ = 0;
  std::uint32_t part_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace warpdex::gpu
