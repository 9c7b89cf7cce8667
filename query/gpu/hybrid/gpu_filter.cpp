// Search by vectors within what words match: sets of documents stay in GPU memory.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>

#include "gpu/hybrid/hybrid_kernels.hpp"
#include "gpu/hybrid/hybrid_state.hpp"
#include "plan/roles.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::gpu {
namespace {

/// The share of the documents that match, were words independent of each other. It decides only how
/// a query is searched.
double expected_share(const PlannedQuery& plan, QueryMode mode, double documents) {
  double required = 1;
  double lacks_all = 1;
  bool has_required = false;
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited) continue;
    const double share = std::min(1.0, term.entry.document_frequency / documents);
    lacks_all *= 1 - share;
    if (!is_required(term, mode != QueryMode::kOr)) continue;
    required *= share;
    has_required = true;
  }
  return has_required ? required : 1 - lacks_all;
}

/// If a query's rows have so many bytes, reading them takes longer than the query's part of a
/// product of all queries and all rows.
constexpr double kManyBytes = 4e6;
/// The product as such takes as long as reading so many bytes, and all rows twice.
constexpr double kProductBytes = 5e8;
/// If near rows matched as often as others, the nearest k / share of all rows would do. More are
/// taken: kWideMargin times as many, and kWideExtra besides.
constexpr double kWideMargin = 1.4;
constexpr double kWideExtra = 24;
/// A search finds GpuSegmentSearcher::kMaxWide rows at most. That is enough if it is kMinMargin
/// times k / share or more. For k 1,000 where half of the documents match, a fifth of the queries
/// then find too few, and have their rows read.
constexpr double kMinMargin = 1.02;

/// How many of the nearest of all rows are to be found for k of those that match; 0: too many.
double wide_of(double k, double share) {
  constexpr double kMost = vector::GpuSegmentSearcher::kMaxWide;
  if (kMinMargin * k > kMost * share) return 0;
  return std::min(kWideMargin * k / share + kWideExtra, kMost);
}

/// The queries, in two groups.
struct Groups {
  std::vector<std::uint32_t> few;   ///< whose rows are read
  std::vector<std::uint32_t> many;  ///< that are searched among all rows, then filtered
  std::size_t wide_k = 0;           ///< of `many`
};

Groups group_queries(std::span<const PlannedQuery> plans, const SearchSettings& settings,
                     double documents, double row_bytes) {
  Groups groups;
  double saved = 0;
  double widest = 0;
  for (std::uint32_t i = 0; i < plans.size(); ++i) {
    const double share = expected_share(plans[i], settings.mode, documents);
    const double wide = wide_of(settings.k, share);
    const double bytes = share * documents * row_bytes;
    if (bytes >= kManyBytes && wide > 0) {
      groups.many.push_back(i);
      saved += bytes;
      widest = std::max(widest, wide);
    } else {
      groups.few.push_back(i);
    }
  }
  groups.wide_k = static_cast<std::size_t>(widest);
  if (saved >= kProductBytes + 2 * documents * row_bytes) return groups;
  groups.few.insert(groups.few.end(), groups.many.begin(), groups.many.end());
  groups.many.clear();
  return groups;
}

/// One group of queries. Fills their sets, a block of queries at a time, and keeps the numbers of
/// their matches.
class FilteredGroup {
 public:
  FilteredGroup(std::span<const PlannedQuery> plans, std::span<const float> vectors,
                std::span<const std::uint32_t> queries, std::size_t dimension) {
    for (const std::uint32_t query : queries) {
      plans_.push_back(&plans[query]);
      const auto row = vectors.subspan(query * dimension, dimension);
      vectors_.insert(vectors_.end(), row.begin(), row.end());
    }
  }

  std::span<const float> vectors() const { return vectors_; }

  /// Queues the search of what matches queries [first, first + count), a block, and the copy of the
  /// numbers of matches to `counts`. These follow each other block by block, and within a block by
  /// Reading, then by query.
  void fill(GpuHybrid::State& state, const SearchSettings& settings, std::size_t first,
            std::size_t count, const vector::GpuRowSets& sets, std::uint32_t* counts,
            const Stream& stream) {
    MatchBatch batch{};
    static_cast<HybridBatch&>(batch) =
        state.start_batch(std::span(plans_).subspan(first, count), settings, stream);
    const std::size_t bytes = kReadings * count * sizeof(std::uint32_t);
    batch.matches = static_cast<std::uint32_t*>(state.take_scratch(bytes));
    batch.sets = sets.words;
    batch.set_words = static_cast<std::uint32_t>(sets.stride);
    check_cuda(cudaMemsetAsync(batch.matches, 0, bytes, stream.handle()), "cudaMemsetAsync");
    launch_match(batch, state.codec, stream);
    copy_to_host(counts + kReadings * first, batch.matches, kReadings * count, stream);
    blocks_.push_back({first, count});
  }

  /// Calls take(query, matches) for each query of the group. All blocks must be done.
  template <class Take>
  void take_matches(const SearchSettings& settings, const std::uint32_t* counts, Take take) const {
    for (const Block& block : blocks_) {
      const std::uint32_t* const as_or = counts + kReadings * block.first + kReadOr * block.count;
      const std::uint32_t* const as_and = counts + kReadings * block.first + kReadAnd * block.count;
      for (std::size_t i = 0; i < block.count; ++i) {
        const bool falls_back =
            settings.mode == QueryMode::kAndOr && as_and[i] < settings.and_or_min_matches();
        take(block.first + i, settings.mode == QueryMode::kOr || falls_back ? as_or[i] : as_and[i]);
      }
    }
  }

 private:
  struct Block {
    std::size_t first;
    std::size_t count;
  };

  std::vector<const PlannedQuery*> plans_;
  std::vector<float> vectors_;
  std::vector<Block> blocks_;
};

}  // namespace

std::vector<SearchResult> GpuHybrid::filter(std::span<const PlannedQuery> plans,
                                            std::span<const float> vectors,
                                            const SearchSettings& settings) {
  State& state = *state_;
  const CurrentDevice current(state.resources().device());
  const vector::GpuSegmentSearcher& searcher = state.searcher();
  const std::size_t k = std::min<std::size_t>(settings.k, state.snapshot().docid_end());
  const vector::RowSettings& rows = *state.snapshot().settings().vectors;
  const Groups groups =
      group_queries(plans, settings, static_cast<double>(state.snapshot().documents()),
                    static_cast<double>(rows.dimension * vector::store_bytes(rows.store)));
  std::vector<SearchResult> results(plans.size());
  for (const std::vector<std::uint32_t>* queries : {&groups.few, &groups.many}) {
    FilteredGroup group(plans, vectors, *queries, state.dimension());
    auto* const counts = static_cast<std::uint32_t*>(
        state.take_pinned(kReadings * queries->size() * sizeof(std::uint32_t)));
    const auto fill = [&](std::size_t first, std::size_t count, const vector::GpuRowSets& sets,
                          const Stream& stream) {
      group.fill(state, settings, first, count, sets, counts, stream);
    };
    const auto take = state.taker(k, [&](std::size_t query, std::vector<Hit> found) {
      results[(*queries)[query]].hits = std::move(found);
    });
    if (queries == &groups.few) {
      searcher.nearest_within(group.vectors(), k, fill, take);
    } else {
      searcher.nearest_passing(group.vectors(), k, std::max(k, groups.wide_k), fill, take);
    }
    group.take_matches(settings, counts, [&](std::size_t query, std::uint32_t matches) {
      results[(*queries)[query]].matches = matches;
    });
  }
  return results;
}

}  // namespace warpdex::gpu
