// Runs both halves and joins them.
#include "warpdex/query/hybrid/hybrid_searcher.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/hybrid/matching.hpp"
#include "warpdex/query/hybrid/vector_half.hpp"

namespace warpdex {
namespace {

vector::RowFilter documents_of(std::span<const Hit> hits, const Snapshot& snapshot) {
  vector::RowFilter documents(snapshot.docid_end());
  for (const Hit& hit : hits) documents.add(hit.document);
  return documents;
}

SearchResult result_of(std::vector<Hit> hits) {
  SearchResult result;
  result.hits = std::move(hits);
  result.matches = result.hits.size();
  return result;
}

}  // namespace

struct HybridSearcher::State {
  Snapshot snapshot;
  std::size_t threads;
  TextSearch text_search;
  VectorHalf vectors;
  std::unique_ptr<CpuEngine> engine;  ///< where no search was given

  std::size_t dimension() const { return snapshot.settings().vectors->dimension; }
  std::vector<SearchResult> search_text(std::span<const Query> queries, SearchSettings settings,
                                        std::uint32_t depth);
  /// Calls work(i, vector i) for each query, on many threads.
  template <class Work>
  std::vector<SearchResult> for_each(std::span<const Query> queries, std::span<const float> rows,
                                     const Work& work) const {
    std::vector<SearchResult> results(queries.size());
    parallel_for(threads, queries.size(), [&](std::size_t /*thread*/, std::size_t i) {
      results[i] = work(i, rows.subspan(i * dimension(), dimension()));
    });
    return results;
  }
};

std::vector<SearchResult> HybridSearcher::State::search_text(std::span<const Query> queries,
                                                             SearchSettings settings,
                                                             std::uint32_t depth) {
  settings.and_or_min = settings.and_or_min_matches();  // not of the depth
  settings.k = depth;
  if (text_search) return text_search(queries, settings);
  if (!engine)
    engine = std::make_unique<CpuEngine>(snapshot, CpuEngineSettings{.threads = threads});
  std::vector<PlannedQuery> plans;
  plans.reserve(queries.size());
  for (const Query& query : queries) plans.push_back(plan_query(snapshot, query));
  const BatchAnswers answers = engine->run(plans, settings);
  std::vector<SearchResult> results;
  results.reserve(queries.size());
  for (std::size_t i = 0; i < answers.size(); ++i) results.push_back(answers.result(i));
  return results;
}

HybridSearcher::HybridSearcher(const Snapshot& snapshot, std::size_t threads,
                               TextSearch text_search)
    : state_(new State{snapshot, threads, std::move(text_search), VectorHalf(snapshot, threads),
                       nullptr}) {}
HybridSearcher::~HybridSearcher() = default;
HybridSearcher::HybridSearcher(HybridSearcher&&) noexcept = default;
HybridSearcher& HybridSearcher::operator=(HybridSearcher&&) noexcept = default;

std::vector<SearchResult> HybridSearcher::nearest(std::span<const float> vectors, std::uint32_t k) {
  std::vector<SearchResult> results;
  for (std::vector<Hit>& hits : state_->vectors.nearest(vectors, k)) {
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
  if (fusion.fusion == Fusion::kFilter) {
    return state.for_each(queries, vectors, [&](std::size_t i, std::span<const float> row) {
      const PlannedQuery plan = plan_query(state.snapshot, queries[i]);
      const vector::RowFilter matches = matching_documents(state.snapshot, plan, settings);
      SearchResult result = result_of(state.vectors.nearest_within(row, settings.k, matches));
      result.matches = matches.count();
      return result;
    });
  }
  if (fusion.fusion == Fusion::kRerank) {
    const std::vector<SearchResult> text = state.search_text(queries, settings, fusion.depth);
    return state.for_each(queries, vectors, [&](std::size_t i, std::span<const float> row) {
      return result_of(state.vectors.nearest_within(row, settings.k,
                                                    documents_of(text[i].hits, state.snapshot)));
    });
  }
  const std::vector<std::vector<Hit>> near = state.vectors.nearest(vectors, fusion.depth);
  if (fusion.fusion == Fusion::kNeighbors) {
    return state.for_each(queries, vectors, [&](std::size_t i, std::span<const float>) {
      CpuSearcher searcher(state.snapshot);
      return searcher.run_within(searcher.plan(queries[i]), settings,
                                 documents_of(near[i], state.snapshot));
    });
  }
  const std::vector<SearchResult> text = state.search_text(queries, settings, fusion.depth);
  std::vector<SearchResult> results;
  const vector::Metric metric = state.snapshot.settings().vectors->metric;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    results.push_back(result_of(fuse(text[i].hits, near[i], metric, fusion, settings.k)));
  }
  return results;
}

}  // namespace warpdex
