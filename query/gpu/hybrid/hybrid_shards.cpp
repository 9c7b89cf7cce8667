// Asks all shards, and keeps the nearest of what they find.
#include "gpu/hybrid/hybrid_shards.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "nearest_hits.hpp"
#include "warpdex/query/index_vectors.hpp"

namespace warpdex::gpu {
namespace {

std::vector<std::vector<Hit>> hits_of(std::vector<SearchResult> results) {
  std::vector<std::vector<Hit>> hits;
  for (SearchResult& each : results) hits.push_back(std::move(each.hits));
  return hits;
}

std::vector<SearchResult> results_of(std::vector<std::vector<Hit>> hits) {
  std::vector<SearchResult> results(hits.size());
  for (std::size_t i = 0; i < hits.size(); ++i) results[i].hits = std::move(hits[i]);
  return results;
}

}  // namespace

HybridShards::HybridShards(std::span<const GpuVectors> shards, QueryThreads& threads)
    : metric_(vector_settings(shards[0].snapshot().snapshot(), shards[0].set()).metric) {
  for (const GpuVectors& shard : shards) {
    const Snapshot& documents = shard.snapshot().snapshot();
    if (documents.docid_begin() == documents.docid_end() && shards.size() > 1) continue;
    shards_.push_back({std::make_unique<GpuHybrid>(shard, threads), documents.docid_begin(),
                       documents.docid_end()});
  }
}

bool HybridShards::has_vectors() const {
  return !shards_.empty() && std::ranges::all_of(shards_, [](const Shard& shard) {
    return shard.hybrid->has_vectors();
  });
}

bool HybridShards::has_lists() const {
  return std::ranges::all_of(shards_, [](const Shard& shard) { return shard.hybrid->has_lists(); });
}

std::uint32_t HybridShards::most_neighbors() const {
  return shards_.size() == 1 ? shards_[0].hybrid->most_neighbors() : 0;
}

/// The k nearest of what all find, and the sums of their matches.
std::vector<SearchResult> HybridShards::search(std::uint32_t k,
                                               const SearchShard& search_shard) const {
  std::vector<std::future<std::vector<SearchResult>>> others;
  for (std::size_t i = 1; i < shards_.size(); ++i) {
    others.push_back(std::async(std::launch::async, [&, i] { return search_shard(shards_[i]); }));
  }
  std::vector<SearchResult> results = search_shard(shards_[0]);
  for (auto& other : others) {
    std::vector<SearchResult> found = other.get();
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i].matches += found[i].matches;
      results[i].hits.insert(results[i].hits.end(), found[i].hits.begin(), found[i].hits.end());
    }
  }
  if (others.empty()) return results;
  const IsNearer is_nearer{vector::larger_is_nearer(metric_)};
  for (SearchResult& result : results) keep_nearest_hits(result.hits, k, is_nearer);
  return results;
}

std::vector<std::vector<Hit>> HybridShards::nearest(std::span<const float> vectors, std::uint32_t k,
                                                    const vector::SearchOptions& depth,
                                                    const DocumentFilter* filter) {
  return hits_of(search(k, [&](const Shard& shard) {
    return results_of(shard.hybrid->nearest(vectors, k, depth, filter));
  }));
}

std::vector<SearchResult> HybridShards::rerank(std::span<const std::span<const Hit>> text,
                                               std::span<const float> vectors, std::uint32_t k) {
  if (shards_.size() == 1) return shards_[0].hybrid->rerank(text, vectors, k);
  std::vector<SearchResult> results = search(k, [&](const Shard& shard) {
    std::vector<std::vector<Hit>> own(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::ranges::copy_if(text[i], std::back_inserter(own[i]), [&](const Hit& hit) {
        return hit.document >= shard.first_document && hit.document < shard.end_document;
      });
    }
    const std::vector<std::span<const Hit>> views(own.begin(), own.end());
    return shard.hybrid->rerank(views, vectors, k);
  });
  for (SearchResult& result : results) result.matches = result.hits.size();
  return results;
}

std::vector<SearchResult> HybridShards::filter(std::span<const PlannedQuery> plans,
                                               std::span<const float> vectors,
                                               const SearchSettings& settings) {
  return search(settings.k,
                [&](const Shard& shard) { return shard.hybrid->filter(plans, vectors, settings); });
}

std::vector<SearchResult> HybridShards::neighbors(std::span<const PlannedQuery> plans,
                                                  std::span<const float> vectors,
                                                  const SearchSettings& settings,
                                                  std::uint32_t count,
                                                  const vector::SearchOptions& depth) {
  return shards_[0].hybrid->neighbors(plans, vectors, settings, count, depth);
}

}  // namespace warpdex::gpu
