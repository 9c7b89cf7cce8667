// Search by words within the neighbours of vectors: these stay in GPU memory.
#include <algorithm>

#include "gpu/hybrid/hybrid_kernels.hpp"
#include "gpu/hybrid/hybrid_state.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/query/filter/document_filter.hpp"

namespace warpdex::gpu {
namespace {

/// Whose neighbours are uploaded together.
constexpr std::size_t kQueriesAtOnce = 1024;

/// What kernels find, in memory of the GPU or of the host.
struct Answers {
  Hit* hits;
  NeighborAnswer* answers;
  std::size_t bytes;

  Answers(void* begin, std::size_t queries, std::size_t k) {
    Arena arena(begin);
    hits = arena.take<Hit>(queries * k);
    answers = arena.take<NeighborAnswer>(queries);
    bytes = arena.used();
  }
};

}  // namespace

std::uint32_t GpuHybrid::most_neighbors() const {
  const CurrentDevice current(state_->resources().device());
  return gpu::most_neighbors();
}

std::vector<SearchResult> GpuHybrid::neighbors(std::span<const PlannedQuery> plans,
                                               std::span<const float> vectors,
                                               const SearchSettings& settings, std::uint32_t count,
                                               const vector::SearchOptions& depth) {
  State& state = *state_;
  const DocumentFilter* const filter = settings.documents;
  const auto near = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      count, filter == nullptr ? state.searcher().live_rows() : filter->count));
  std::vector<SearchResult> results(plans.size());
  if (near == 0) {
    for (SearchResult& result : results) {
      result.fell_back_to_or = settings.mode == QueryMode::kAndOr;
    }
    return results;
  }
  const std::uint32_t k = std::min(settings.k, near);
  std::vector<const PlannedQuery*> all;
  for (const PlannedQuery& plan : plans) all.push_back(&plan);
  const auto score = [&](std::size_t first, std::size_t queries, const std::int32_t* rows,
                         const Stream& stream) {
    NeighborBatch batch{};
    static_cast<HybridBatch&>(batch) =
        state.start_batch(std::span(all).subspan(first, queries), settings, stream);
    batch.neighbors = rows;
    batch.depth = near;
    batch.k = k;
    const std::size_t bytes = Answers(nullptr, queries, k).bytes;
    const Answers device(state.take_scratch(bytes), queries, k);
    const Answers host(state.take_pinned(bytes), queries, k);
    batch.hits = device.hits;
    batch.answers = device.answers;
    launch_score_neighbors(batch, state.codec, stream);
    copy_to_host(host.hits, device.hits, queries * k, stream);
    copy_to_host(host.answers, device.answers, queries, stream);
    stream.synchronize();
    state.threads.for_each(queries, [&](std::size_t i) {
      SearchResult& result = results[first + i];
      result.hits.assign(host.hits + i * k, host.hits + i * k + host.answers[i].hits);
      result.matches = host.answers[i].matches;
      result.fell_back_to_or = host.answers[i].fell_back != 0;
    });
  };
  if (state.vectors.state().listed.empty() && filter == nullptr) {
    state.searcher().nearest_on_gpu(vectors, near, score);
    return results;
  }
  const std::vector<std::vector<Hit>> found = nearest(vectors, near, depth, filter);
  const CurrentDevice current(state.resources().device());
  const Stream stream(state.resources().device());
  for (std::size_t first = 0; first < found.size(); first += kQueriesAtOnce) {
    const std::size_t queries = std::min(kQueriesAtOnce, found.size() - first);
    const AccountedBuffer rows =
        state.upload_rows(std::span(found).subspan(first, queries), near, stream);
    score(first, queries, static_cast<const std::int32_t*>(rows.data()), stream);
  }
  return results;
}

}  // namespace warpdex::gpu
