// One commit of an index, open for searching on a device. Internal.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu_replica.hpp"
#include "text_engine.hpp"
#include "warpdex/core/kept_threads.hpp"
#include "warpdex/core/pool.hpp"
#include "warpdex/gpu.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/stored_fields.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/gpu/gpu_group.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"
#include "warpdex/query/plan/query_planner.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/text_analyzers.hpp"
#include "warpdex/query/tree/tree_query.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"
#include "warpdex/searcher.hpp"

namespace warpdex {

/// Immutable to the outside; any thread.
class OpenIndex {
 public:
  /// On the CPU. Shares with `before`, which was opened with the same options and may be null, what
  /// both have.
  OpenIndex(const Snapshot& snapshot, const SearcherOptions& options, const OpenIndex* before);
  /// Likewise on GPUs too, which are checked. The device is not kCpu.
  OpenIndex(const Snapshot& snapshot, std::span<const Gpu> gpus, const SearcherOptions& options,
            const OpenIndex* before);

  const Snapshot& snapshot() const { return *snapshot_; }
  std::shared_ptr<const Snapshot> shared_snapshot() const { return snapshot_; }

  /// How texts are read.
  struct Reading {
    QuerySyntax syntax = QuerySyntax::kSigned;
    QueryMode mode = QueryMode::kOr;  ///< of kLucene, and of several texts
    SearchedFields fields{};
  };
  /// The terms of a text. Throws InputError.
  Query parse(std::string_view text, const Reading& reading, std::string_view id) const;
  std::vector<Query> parse(std::span<const std::string_view> texts, const Reading& reading,
                           const SearchLimits& limits) const;
  /// The same of a tree. Throws InputError, UsageError.
  Query parse(const QueryNode& tree, const SearchedFields& fields) const;
  /// Whether documents have several texts.
  bool has_several_texts() const;
  /// By words alone, of texts that are named by their places. Throws InputError.
  std::vector<TextAnswer> search(std::span<const std::string_view> texts, const Reading& reading,
                                 const SearchSettings& settings, const SearchLimits& limits) const;
  /// By words alone. Where a query with Query::or_else matches too few, the answer is that one's.
  std::vector<TextAnswer> search(std::span<const Query> queries, const SearchSettings& settings,
                                 const SearchLimits& limits) const;
  /// Queries without Query::or_else: each is the one that is answered.
  struct Decided {
    std::vector<Query> queries;
    std::vector<bool> fell_back;  ///< by query: it is the other one
  };
  Decided decide(std::span<const Query> queries, const SearchSettings& settings,
                 const SearchLimits& limits) const;
  /// By words and vectors, of one of vector_sets().
  std::vector<TextAnswer> search(std::span<const Query> queries, std::span<const float> vectors,
                                 std::size_t set, const SearchSettings& settings,
                                 const FusionSettings& fusion, const SearchLimits& limits) const;
  /// Starts to count over all matches of a plan on the GPU; none where it cannot. The arguments
  /// outlive the counting.
  std::optional<GpuFacets::Counting> start_facets(const PlannedQuery& plan,
                                                  const SearchSettings& settings,
                                                  std::span<const FacetRequest> wanted) const;
  PlannedQuery plan(const Query& query) const { return take_planner()->plan(query); }
  /// By words alone.
  std::vector<TextAnswer> search(std::span<const PlannedQuery> plans,
                                 const SearchSettings& settings, const SearchLimits& limits) const;
  /// The documents of a filter; null for an empty text. Throws InputError, FormatError.
  std::shared_ptr<const DocumentFilter> filter(std::string_view text) const;
  /// By vectors alone: the k nearest of each row. Of `depth`, probes and refine count.
  /// `documents`, if it is not null, are those that may be found.
  std::vector<TextAnswer> nearest(std::span<const float> vectors, std::size_t set, std::uint32_t k,
                                  const FusionSettings& depth, const DocumentFilter* documents,
                                  const SearchLimits& limits) const;
  Pool<StoredReader>::Lease stored_reader() const;
  /// A sentence where the GPU's memory does not hold the vectors or positions that were searched,
  /// or blocks of documents, or some GPUs have no segment; else empty.
  std::string note() const;

 private:
  /// A searcher, and the limits of the search that it is in.
  struct Hybrid {
    Hybrid(const OpenIndex& index, std::size_t replica, std::size_t set);
    SearchLimits limits;
    HybridSearcher searcher;
  };
  using HybridSearch =
      std::function<std::vector<TextAnswer>(HybridSearcher&, std::size_t first, std::size_t count)>;

  static std::shared_ptr<const GpuBlocks> upload_blocks(const Snapshot& snapshot,
                                                        const SnapshotBlocks& blocks,
                                                        std::span<Resources* const> gpus,
                                                        const OpenIndex* before);
  std::size_t threads_for(std::size_t queries, const SearchLimits& limits) const;
  Pool<TextAnalyzers>::Lease take_analyzers() const;
  Pool<QueryPlanner>::Lease take_planner() const;
  std::vector<TextAnswer> search_once(std::span<const Query> queries,
                                      const SearchSettings& settings,
                                      const SearchLimits& limits) const;
  std::vector<TextAnswer> search_terms(std::span<const Query> queries,
                                       const SearchSettings& settings,
                                       const SearchLimits& limits) const;
  std::vector<TextAnswer> search_apart(std::span<const Query> queries,
                                       const SearchSettings& settings,
                                       const SearchLimits& limits) const;
  std::vector<TextAnswer> search_trees(std::span<const Query> queries,
                                       const SearchSettings& settings,
                                       const SearchLimits& limits) const;
  HybridSearcher make_hybrid(Hybrid& of, std::size_t replica, std::size_t set) const;
  Pool<Hybrid>::Lease take_hybrid(std::size_t replica, std::size_t set) const;
  std::vector<TextAnswer> search_hybrid(std::size_t set, std::size_t queries,
                                        const SearchLimits& limits,
                                        const HybridSearch& search) const;
  std::vector<std::size_t> search_phrases(std::span<const Query> queries,
                                          const SearchSettings& settings,
                                          const SearchLimits& limits,
                                          std::vector<TextAnswer>& answers) const;
  std::size_t replica_count() const { return std::max<std::size_t>(replicas_.size(), 1); }
  std::size_t next_replica() const { return next_replica_++ % replica_count(); }
  std::size_t part_size() const;

  std::shared_ptr<const Snapshot> snapshot_;
  std::size_t threads_;
  std::vector<Gpu> gpus_;
  std::optional<GpuGroup> uploaded_;
  std::vector<std::unique_ptr<GpuReplica>> replicas_;
  mutable std::atomic<std::size_t> next_replica_ = 0;
  std::shared_ptr<const SnapshotBlocks> blocks_;  ///< or none
  std::shared_ptr<const GpuBlocks> gpu_blocks_;   ///< or none
  bool lacks_gpu_blocks_ = false;                 ///< they were wanted, and did not fit
  std::unique_ptr<TextEngine> cpu_;
  std::unique_ptr<TextEngine> with_gpu_;  ///< or none, and the CPU answers
  mutable KeptThreads kept_threads_;
  mutable Pool<TextAnalyzers> analyzers_;
  mutable Pool<QueryPlanner> planners_;
  mutable Pool<TreeSearcher> tree_searchers_;
  mutable Pool<StoredReader> stored_;
  mutable std::vector<Pool<Hybrid>> hybrids_;  ///< by replica, one if there are none, and set
  mutable FilterCache filters_;
};

/// Whether both are the same commit of the same index.
bool are_same_commit(const Snapshot& one, const Snapshot& other);

}  // namespace warpdex
