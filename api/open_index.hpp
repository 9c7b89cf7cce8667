// One commit of an index, open for searching on a device. Internal.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "phrase_text.hpp"
#include "pool.hpp"
#include "text_engine.hpp"
#include "warpdex/core/kept_threads.hpp"
#include "warpdex/gpu.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/stored_fields.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/gpu/gpu_facets.hpp"
#include "warpdex/query/gpu/gpu_vectors.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"
#include "warpdex/query/plan/query_planner.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/text_analyzers.hpp"
#include "warpdex/query/tree/tree_query.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex {

/// Immutable to the outside; any thread.
class OpenIndex {
 public:
  /// On the CPU.
  OpenIndex(const Snapshot& snapshot, std::size_t threads);
  /// On a GPU too. Shares with `before` what both have; that may be null. `device` is not kCpu.
  OpenIndex(const Snapshot& snapshot, std::size_t threads, const Gpu& gpu, Device device,
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
  /// By words alone.
  std::vector<TextAnswer> search(std::span<const Query> queries, const SearchSettings& settings,
                                 const SearchLimits& limits) const;
  /// By words and vectors.
  std::vector<TextAnswer> search(std::span<const Query> queries, std::span<const float> vectors,
                                 const SearchSettings& settings, const FusionSettings& fusion,
                                 const SearchLimits& limits) const;
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
  std::vector<TextAnswer> nearest(std::span<const float> vectors, std::uint32_t k,
                                  const FusionSettings& depth, const DocumentFilter* documents,
                                  const SearchLimits& limits) const;
  Pool<StoredReader>::Lease stored_reader() const;
  /// A sentence where the GPU's memory does not hold the vectors or positions that were searched;
  /// else empty.
  std::string note() const;

 private:
  /// A searcher, and the limits of the search that it is in.
  struct Hybrid {
    explicit Hybrid(const OpenIndex& index);
    SearchLimits limits;
    HybridSearcher searcher;
  };

  std::size_t threads_for(std::size_t queries, const SearchLimits& limits) const;
  Pool<TextAnalyzers>::Lease take_analyzers() const;
  Pool<QueryPlanner>::Lease take_planner() const;
  std::vector<TextAnswer> search_apart(std::span<const Query> queries,
                                       const SearchSettings& settings,
                                       const SearchLimits& limits) const;
  std::vector<TextAnswer> search_trees(std::span<const Query> queries,
                                       const SearchSettings& settings,
                                       const SearchLimits& limits) const;
  HybridSearcher make_hybrid(Hybrid& of) const;
  Pool<Hybrid>::Lease take_hybrid(const SearchLimits& limits) const;
  std::size_t part_size() const;
  const GpuVectors& gpu_vectors() const;

  std::shared_ptr<const Snapshot> snapshot_;
  std::size_t threads_;
  std::optional<Gpu> gpu_;
  std::optional<GpuSnapshot> uploaded_;
  mutable std::optional<GpuFacets> facets_;             ///< if there are columns, on the GPU
  mutable std::mutex mutex_;                            ///< protects the next
  mutable std::optional<GpuVectors> uploaded_vectors_;  ///< once a search has needed them
  std::unique_ptr<TextEngine> cpu_;
  std::unique_ptr<TextEngine> with_gpu_;  ///< or none, and the CPU answers
  std::unique_ptr<PhraseText> phrases_;   ///< likewise
  mutable KeptThreads kept_threads_;
  mutable Pool<TextAnalyzers> analyzers_;
  mutable Pool<QueryPlanner> planners_;
  mutable Pool<TreeSearcher> tree_searchers_;
  mutable Pool<StoredReader> stored_;
  mutable Pool<Hybrid> hybrids_;
  mutable FilterCache filters_;
};

/// Whether both are the same commit of the same index.
bool are_same_commit(const Snapshot& one, const Snapshot& other);

}  // namespace warpdex
