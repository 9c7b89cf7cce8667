// Runs both halves and joins them.
#include "warpdex/query/hybrid/hybrid_searcher.hpp"

#include <algorithm>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include "gpu/hybrid/hybrid_shards.hpp"
#include "hybrid/hybrid_steps.hpp"
#include "hybrid/text_answers.hpp"
#include "query_threads.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/hybrid/matching.hpp"
#include "warpdex/query/hybrid/vector_half.hpp"
#include "warpdex/query/index_vectors.hpp"

namespace warpdex {
namespace {

vector::SearchOptions depth_of(const FusionSettings& fusion) {
  return {.probes = fusion.probes, .refine = fusion.refine};
}

bool is_tree(const Query& query) { return query.tree != nullptr; }

}  // namespace

struct HybridSearcher::State {
  State(const Snapshot& searched, std::size_t use_threads, TextSearch search, std::size_t set)
      : snapshot(searched),
        row_settings(vector_settings(searched, set)),
        threads(use_threads),
        text_search(std::move(search)),
        vectors(snapshot, use_threads, set) {
    if (text_search) return;
    cpu_text = std::make_unique<CpuEngine>(snapshot, CpuEngineSettings{.threads = use_threads});
  }

  std::size_t dimension() const { return row_settings.dimension; }
  std::vector<PlannedQuery> plan(std::span<const Query> queries);
  TextAnswers search_text(std::span<const Query> queries, SearchSettings settings,
                          std::uint32_t depth);
  std::vector<SearchResult> search_left(std::span<const PlannedQuery> plans,
                                        const BatchAnswers& answers,
                                        const SearchSettings& settings);
  std::vector<std::vector<Hit>> nearest(std::span<const float> rows, std::uint32_t k,
                                        const FusionSettings& fusion,
                                        const DocumentFilter* documents) const;
  bool is_for_gpu(std::span<const Query> queries, std::span<const PlannedQuery> plans) const;
  vector::RowFilter match_tree(std::size_t i, const QueryNode& tree,
                               const SearchSettings& settings);
  std::vector<SearchResult> filter(std::span<const Query> queries, std::span<const float> rows,
                                   const SearchSettings& settings);
  std::vector<SearchResult> rerank(const TextAnswers& text, std::size_t queries,
                                   std::span<const float> rows, std::uint32_t k);
  std::vector<SearchResult> neighbors(std::span<const Query> queries, std::span<const float> rows,
                                      const SearchSettings& settings, const FusionSettings& fusion);
  std::vector<SearchResult> fuse_halves(std::span<const Query> queries, std::span<const float> rows,
                                        const SearchSettings& settings,
                                        const FusionSettings& fusion);
  /// Calls work(i, vector i) for each query, on many threads.
  template <class Work>
  std::vector<SearchResult> for_each(std::size_t queries, std::span<const float> rows,
                                     const Work& work) {
    std::vector<SearchResult> results(queries);
    threads.for_each(queries, [&](std::size_t i) {
      results[i] = work(i, rows.subspan(i * dimension(), dimension()));
    });
    return results;
  }

  Snapshot snapshot;
  vector::RowSettings row_settings;
  QueryThreads threads;
  TextSearch text_search;
  VectorHalf vectors;
  std::vector<std::uint8_t> were_cut;      ///< by query; threads write different ones
  std::unique_ptr<gpu::HybridShards> gpu;  ///< if vectors are there
  std::unique_ptr<GpuEngine> gpu_text;     ///< where no search was given, on a GPU
  std::unique_ptr<CpuEngine> cpu_text;     ///< likewise, and for what the GPU leaves
};

std::vector<PlannedQuery> HybridSearcher::State::plan(std::span<const Query> queries) {
  std::vector<PlannedQuery> plans(queries.size());
  threads.for_each(queries.size(),
                   [&](std::size_t i) { plans[i] = plan_query(snapshot, queries[i]); });
  return plans;
}

TextAnswers HybridSearcher::State::search_text(std::span<const Query> queries,
                                               SearchSettings settings, std::uint32_t depth) {
  settings.and_or_min = settings.and_or_min_matches();  // not of the depth
  settings.k = depth;
  if (text_search) {
    std::vector<SearchResult> results;
    for (TreeResult& found : text_search(queries, settings)) {
      were_cut[results.size()] = found.was_cut ? 1 : 0;
      results.push_back(std::move(found.result));
    }
    return TextAnswers(std::move(results));
  }
  if (std::ranges::any_of(queries, is_tree)) {
    throw UsageError("trees of words and a vector need a search for trees; give text_search");
  }
  const std::vector<PlannedQuery> plans = plan(queries);
  if (!gpu_text) return {cpu_text->run(plans, settings), {}};
  BatchAnswers answers = gpu_text->run(plans, settings);
  std::vector<SearchResult> left = search_left(plans, answers, settings);
  return {std::move(answers), std::move(left)};
}

/// The CPU answers what the GPU could not.
std::vector<SearchResult> HybridSearcher::State::search_left(std::span<const PlannedQuery> plans,
                                                             const BatchAnswers& answers,
                                                             const SearchSettings& settings) {
  std::vector<std::size_t> left;
  std::vector<PlannedQuery> left_plans;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].is_answered) continue;
    left.push_back(i);
    left_plans.push_back(plans[i]);
  }
  std::vector<SearchResult> results(left.empty() ? 0 : plans.size());
  if (left.empty()) return results;
  const BatchAnswers others = cpu_text->run(left_plans, settings);
  for (std::size_t i = 0; i < left.size(); ++i) results[left[i]] = others.result(i);
  return results;
}

std::vector<std::vector<Hit>> HybridSearcher::State::nearest(std::span<const float> rows,
                                                             std::uint32_t k,
                                                             const FusionSettings& fusion,
                                                             const DocumentFilter* of) const {
  const vector::RowFilter* const documents = of != nullptr ? &of->documents : nullptr;
  return search_on(
      gpu != nullptr, [&] { return gpu->nearest(rows, k, depth_of(fusion), of); },
      [&] { return vectors.nearest(rows, k, depth_of(fusion), documents); });
}

/// Whether the GPU can match the queries' documents.
bool HybridSearcher::State::is_for_gpu(std::span<const Query> queries,
                                       std::span<const PlannedQuery> plans) const {
  return gpu && gpu->has_lists() && std::ranges::none_of(queries, is_tree) &&
         std::ranges::none_of(plans, excludes_words);
}

/// The documents that match the tree of query i.
vector::RowFilter HybridSearcher::State::match_tree(std::size_t i, const QueryNode& tree,
                                                    const SearchSettings& settings) {
  const TreeMatches found = TreeSearcher(snapshot).matches(tree);
  were_cut[i] = found.was_cut ? 1 : 0;
  return passing_documents(snapshot, found.documents, settings.documents);
}

std::vector<SearchResult> HybridSearcher::State::filter(std::span<const Query> queries,
                                                        std::span<const float> rows,
                                                        const SearchSettings& settings) {
  const std::vector<PlannedQuery> plans = plan(queries);
  const auto on_cpu = [&](std::size_t i, std::span<const float> row) {
    const vector::RowFilter matches = is_tree(queries[i])
                                          ? match_tree(i, *queries[i].tree, settings)
                                          : matching_documents(snapshot, plans[i], settings);
    SearchResult result = result_of(vectors.nearest_within(row, settings.k, matches));
    result.matches = matches.count();
    return result;
  };
  return search_on(
      is_for_gpu(queries, plans) && gpu->can_filter(settings.mode),
      [&] { return gpu->filter(plans, rows, settings); },
      [&] { return for_each(queries.size(), rows, on_cpu); });
}

std::vector<SearchResult> HybridSearcher::State::rerank(const TextAnswers& text,
                                                        std::size_t queries,
                                                        std::span<const float> rows,
                                                        std::uint32_t k) {
  const auto on_gpu = [&] {
    std::vector<std::span<const Hit>> hits;
    for (std::size_t i = 0; i < queries; ++i) hits.push_back(text.hits(i));
    return gpu->rerank(hits, rows, k);
  };
  const auto on_cpu = [&](std::size_t i, std::span<const float> row) {
    return result_of(vectors.nearest_within(row, k, documents_of(text.hits(i), snapshot)));
  };
  return search_on(gpu != nullptr, on_gpu, [&] { return for_each(queries, rows, on_cpu); });
}

std::vector<SearchResult> HybridSearcher::State::neighbors(std::span<const Query> queries,
                                                           std::span<const float> rows,
                                                           const SearchSettings& settings,
                                                           const FusionSettings& fusion) {
  const std::vector<PlannedQuery> plans = plan(queries);
  const auto on_cpu = [&] {
    const std::vector<std::vector<Hit>> near =
        nearest(rows, fusion.depth, fusion, settings.documents);
    return for_each(queries.size(), rows, [&](std::size_t i, std::span<const float>) {
      const vector::RowFilter documents = documents_of(near[i], snapshot);
      if (is_tree(queries[i])) {
        const DocumentFilter within = filter_of(snapshot, documents);
        SearchSettings of_tree = settings;
        of_tree.documents = &within;
        TreeResult found = TreeSearcher(snapshot).search(*queries[i].tree, of_tree);
        were_cut[i] = found.was_cut ? 1 : 0;
        return std::move(found.result);
      }
      return CpuSearcher(snapshot).run_within(plans[i], settings, documents);
    });
  };
  const bool is_on_gpu = is_for_gpu(queries, plans) && fusion.depth <= gpu->most_neighbors();
  return search_on(
      is_on_gpu,
      [&] { return gpu->neighbors(plans, rows, settings, fusion.depth, depth_of(fusion)); },
      on_cpu);
}

/// On a GPU both halves are searched at the same time, each from a thread and in streams of its
/// own.
std::vector<SearchResult> HybridSearcher::State::fuse_halves(std::span<const Query> queries,
                                                             std::span<const float> rows,
                                                             const SearchSettings& settings,
                                                             const FusionSettings& fusion) {
  const auto policy = gpu ? std::launch::async : std::launch::deferred;
  auto later =
      std::async(policy, [&] { return nearest(rows, fusion.depth, fusion, settings.documents); });
  const TextAnswers text = search_text(queries, settings, fusion.depth);
  const std::vector<std::vector<Hit>> near = later.get();
  const vector::Metric metric = row_settings.metric;
  return for_each(queries.size(), rows, [&](std::size_t i, std::span<const float>) {
    return result_of(fuse(text.hits(i), near[i], metric, fusion, settings.k));
  });
}

HybridSearcher::HybridSearcher(const Snapshot& snapshot, std::size_t threads,
                               TextSearch text_search, std::size_t set)
    : state_(std::make_unique<State>(snapshot, threads, std::move(text_search), set)) {}
HybridSearcher::HybridSearcher(const GpuVectors& vectors, std::size_t threads,
                               TextSearch text_search)
    : HybridSearcher(vectors.snapshot().snapshot(), std::span(&vectors, 1), threads,
                     std::move(text_search)) {}
HybridSearcher::HybridSearcher(const Snapshot& snapshot, std::span<const GpuVectors> shards,
                               std::size_t threads, TextSearch text_search)
    : HybridSearcher(snapshot, threads, std::move(text_search), shards.front().set()) {
  auto gpu = std::make_unique<gpu::HybridShards>(shards, state_->threads);
  if (gpu->has_vectors()) state_->gpu = std::move(gpu);
  if (state_->text_search) return;
  std::vector<GpuSnapshot> parts;
  for (const GpuVectors& shard : shards) parts.push_back(shard.snapshot());
  state_->gpu_text = std::make_unique<GpuEngine>(parts);
}
HybridSearcher::~HybridSearcher() = default;
HybridSearcher::HybridSearcher(HybridSearcher&&) noexcept = default;
HybridSearcher& HybridSearcher::operator=(HybridSearcher&&) noexcept = default;

std::vector<SearchResult> HybridSearcher::nearest(std::span<const float> vectors, std::uint32_t k,
                                                  const FusionSettings& depth,
                                                  const DocumentFilter* documents) {
  depth.validate();
  std::vector<SearchResult> results;
  for (std::vector<Hit>& hits : state_->nearest(vectors, k, depth, documents)) {
    results.push_back(result_of(std::move(hits)));
  }
  return results;
}

std::vector<SearchResult> HybridSearcher::search(std::span<const Query> queries,
                                                 std::span<const float> vectors,
                                                 const SearchSettings& settings,
                                                 const FusionSettings& fusion) {
  State& state = *state_;
  settings.validate();
  fusion.validate();
  if (vectors.size() != queries.size() * state.dimension()) {
    throw UsageError("there are " + std::to_string(queries.size()) + " queries, and vectors of " +
                     std::to_string(vectors.size()) + " components; give each query one of " +
                     std::to_string(state.dimension()) + " components");
  }
  state.were_cut.assign(queries.size(), 0);
  switch (fusion.fusion) {
    case Fusion::kFilter: return state.filter(queries, vectors, settings);
    case Fusion::kNeighbors: return state.neighbors(queries, vectors, settings, fusion);
    case Fusion::kRerank:
      return state.rerank(state.search_text(queries, settings, fusion.depth), queries.size(),
                          vectors, settings.k);
    case Fusion::kReciprocalRank:
    case Fusion::kConvex: break;
  }
  return state.fuse_halves(queries, vectors, settings, fusion);
}

bool HybridSearcher::was_cut(std::size_t query) const { return state_->were_cut[query] != 0; }

}  // namespace warpdex
