// Search by vectors within what words match: sets of documents stay in GPU memory.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "gpu/hybrid/hybrid_kernels.hpp"
#include "gpu/hybrid/hybrid_state.hpp"
#include "plan/roles.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/query/filter/document_filter.hpp"

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

  /// Queues the search in `segments` of what matches queries [first, first + count), a block, and
  /// the copy of the numbers of matches to `counts`. These follow each other block by block, and
  /// within a block by Reading, then by query.
  void fill(GpuHybrid::State& state, const SearchSettings& settings,
            const FilteredSegments& segments, std::size_t first, std::size_t count,
            const vector::GpuRowSets& sets, std::uint32_t* counts, const Stream& stream) {
    MatchBatch batch{};
    static_cast<HybridBatch&>(batch) =
        state.start_batch(std::span(plans_).subspan(first, count), settings, stream);
    batch.segments = segments.upload(stream);
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
  const FilteredSegments segments = state.leave_out_of(settings.documents);
  const auto documents = static_cast<double>(state.snapshot().documents());
  const double passing = settings.documents == nullptr
                             ? 1
                             : static_cast<double>(state.passing(*settings.documents)) / documents;
  std::vector<double> shares(plans.size());
  std::ranges::transform(plans, shares.begin(), [&](const PlannedQuery& plan) {
    const double of_terms =
        plan.statistics ? static_cast<double>(plan.statistics->documents) : documents;
    return passing * expected_share(plan, settings.mode, of_terms);
  });
  const SetGroups groups = state.group(shares, settings.k);
  std::vector<SearchResult> results(plans.size());
  for (const std::vector<std::uint32_t>* queries : {&groups.few, &groups.many}) {
    FilteredGroup group(plans, vectors, *queries, state.dimension());
    auto* const counts = static_cast<std::uint32_t*>(
        state.take_pinned(kReadings * queries->size() * sizeof(std::uint32_t)));
    const auto fill = [&](std::size_t first, std::size_t count, const vector::GpuRowSets& sets,
                          const Stream& stream) {
      group.fill(state, settings, segments, first, count, sets, counts, stream);
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
