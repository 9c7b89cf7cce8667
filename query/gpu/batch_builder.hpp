// Planned queries to what the kernels read. Host code; nothing here waits for the GPU. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/query/cpu/plan.hpp"
#include "warpdex/query/engine.hpp"
#include "warpdex/query/gpu/gpu_index_state.hpp"
#include "warpdex/query/gpu/gpu_searcher.hpp"
#include "warpdex/query/gpu/layout.hpp"
#include "warpdex/query/roles.hpp"

namespace warpdex::gpu {

/// A batch on the host. Pointers between its parts are offsets until upload.
struct BatchImage {
  std::vector<List> lists;
  std::vector<Query> and_queries;     ///< queries with required terms
  std::vector<Query> second_queries;  ///< likewise, that run only where the first found too few
  std::vector<Query> or_queries;
  std::vector<Query> finals;  ///< by state: what finish reads
  std::vector<Stretch> table_stretches;
  std::vector<Stretch> and_stretches;
  std::vector<Stretch> second_stretches;
  std::vector<std::uint32_t> raw;  ///< raw lists, kRawEntries docIDs and as many values each
  std::vector<std::uint32_t> cpu_queries;  ///< slots of those that the kernels cannot hold
  std::uint32_t row_entries = 0;           ///< of the tile tables
  std::uint32_t tile_entries = 0;          ///< of the tables of queries and tiles
  std::uint64_t postings = 0;              ///< of all queries' terms
  std::uint32_t stretch_blocks = 0;        ///< of each of table_stretches, at most
  std::size_t or_blocks = 0;               ///< of all lists of OR, and so on
  std::size_t or_postings = 0;
  bool adds_up_only = true;  ///< OR looks nothing up
  bool needs_rounds =
      false;  ///< of OR: tiles are to be added up, some queries are long, or it is asked for

  void clear();
  /// The queries of OR, in their order, so many at a time.
  std::vector<Wave> waves(std::uint32_t at_once) const;
};

/// Blocks of a query's shortest required list that AND takes together. In batches of few postings,
/// fewer for a list that would else be shared out to few CTAs: a chunk's documents may each be in
/// another block of another list.
std::uint32_t blocks_of_and_chunk(std::uint32_t list_blocks, bool are_few);

/// Builds batches over one index.
class BatchBuilder {
 public:
  BatchBuilder(const GpuIndex::State& index, const GpuAblation& ablation);

  /// How scores are computed, of an index like this.
  ScoreForm form(const SearchSettings& settings) const;
  /// Tiles of the collection.
  std::uint32_t tiles() const { return tiles_; }

  /// Fills `image` with the queries `slots` of a batch, whose answers go to the same places. The
  /// n-th of them has state n. There is room for `capacity` candidates of each.
  void build(std::span<const PlannedQuery> batch, std::span<const std::uint32_t> slots,
             const SearchSettings& settings, std::uint32_t capacity, BatchImage& image);

 private:
  /// Returns whether the query is of one list, so that OR need not come second.
  bool add_query(const PlannedQuery& plan, bool unsigned_is_required, bool is_fallback,
                 std::uint32_t state, std::uint32_t slot, BatchImage& image);
  void add_lists(const Roles& roles, BatchImage& image);
  void add_list(const PlannedTerm& term, std::uint32_t flags, BatchImage& image);
  void add_raw(const PlannedTerm& term, List& list, std::uint64_t& occurrences, BatchImage& image);
  void set_scale(Query& query, const BatchImage& image) const;
  void set_seed(const PlannedQuery& plan, Query& query) const;
  void add_or(Query& query, BatchImage& image);
  void add_and(const Query& query, std::vector<Query>& queries, std::vector<Stretch>& stretches,
               const BatchImage& image);

  const GpuIndex::State& index_;
  std::uint32_t ablation_ = 0;  ///< QueryFlags
  bool has_seeds_ = true;
  SearchSettings settings_;
  std::uint32_t capacity_ = 0;
  std::uint32_t tiles_ = 0;
};

}  // namespace warpdex::gpu
