// A searcher for each kind of vectors, and shards and replicas of searchers.
#include "warpdex/vector/search/make_searcher.hpp"

#include <string>
#include <utility>
#include <vector>

#include "binary/searchers.hpp"
#include "flat/searchers.hpp"
#include "lists/searchers.hpp"
#include "search/parts.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/search/refining_searcher.hpp"
#include "warpdex/vector/search/replicated_searcher.hpp"
#include "warpdex/vector/search/row_slice.hpp"
#include "warpdex/vector/search/sharded_searcher.hpp"

namespace warpdex::vector {
namespace {

using Slices = std::vector<std::shared_ptr<const RowSlice>>;

Slices cut_rows(const SearchedVectors& vectors, std::size_t shards) {
  Slices slices(shards);
  const std::size_t rows = rows_of(vectors);
  parallel_for(shards, shards, [&](std::size_t /*thread*/, std::size_t i) {
    const std::size_t first = rows * i / shards;
    slices[i] = std::make_shared<RowSlice>(vectors, first, rows * (i + 1) / shards - first);
  });
  return slices;
}

}  // namespace

std::unique_ptr<VectorSearcher> search_on_cpu(const SearchedVectors& vectors, std::size_t threads) {
  return std::visit([threads](const auto& own) { return make_cpu_searcher(own, threads); },
                    vectors);
}

std::unique_ptr<VectorSearcher> search_on_gpus(const SearchedVectors& vectors,
                                               std::span<Resources* const> gpus, std::size_t shards,
                                               const GpuSearchSettings& settings) {
  if (shards == 0 || gpus.empty() || gpus.size() % shards != 0) {
    throw UsageError(std::to_string(gpus.size()) + " GPUs cannot hold replicas of " +
                     std::to_string(shards) + " shards; give as many as shards times replicas");
  }
  if (gpus.size() == 1) return search_on_gpu(vectors, *gpus.front(), settings);
  const std::size_t replicas = gpus.size() / shards;
  const Slices slices = cut_rows(vectors, shards);
  GpuSearchSettings own = settings;
  if (shards > 1) own.keeps_vectors = false;  // refining is for all shards together
  std::vector<Shard> parts(gpus.size());
  parallel_for(gpus.size(), gpus.size(), [&](std::size_t /*thread*/, std::size_t i) {
    const std::string place = " on GPU " + std::to_string(gpus[i]->device());
    Shard& part = parts[i];
    part.name = shards > 1 ? "shard " + std::to_string(i % shards) + place
                           : "replica " + std::to_string(i) + place;
    with_name(part.name, [&] {
      const SearchedVectors& rows = slices[i % shards]->vectors();
      part.vectors = slices[i % shards];
      // An empty shard is never asked, so that it needs no GPU.
      part.searcher =
          rows_of(rows) == 0 ? search_on_cpu(rows, 1) : search_on_gpu(rows, *gpus[i], own);
    });
  });
  if (shards == 1) return std::make_unique<ReplicatedSearcher>(std::move(parts));
  std::vector<Shard> whole;
  for (std::size_t replica = 0; replica < replicas; ++replica) {
    const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(replica * shards);
    whole.push_back({nullptr,
                     std::make_unique<ShardedSearcher>(std::vector<Shard>(
                         std::make_move_iterator(begin),
                         std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(shards)))),
                     "replica " + std::to_string(replica)});
  }
  std::unique_ptr<VectorSearcher> all =
      replicas == 1 ? std::move(whole.front().searcher)
                    : std::make_unique<ReplicatedSearcher>(std::move(whole));
  const FlatVectors& flat = flat_of(vectors);
  if (!has_codes(vectors) || flat.vectors.data == nullptr) return all;
  return std::make_unique<RefiningSearcher>(std::move(all), flat, vectors);
}

}  // namespace warpdex::vector
