// Each kind of searcher behind the common face, and shards and replicas of them.
#include "warpdex/vector/search/make_searcher.hpp"

#include <string>
#include <utility>
#include <vector>

#include "search/named_errors.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/binary/binary_searcher.hpp"
#include "warpdex/vector/binary/gpu_binary_searcher.hpp"
#include "warpdex/vector/ivf/gpu_ivf_binary_searcher.hpp"
#include "warpdex/vector/ivf/gpu_ivf_pq_searcher.hpp"
#include "warpdex/vector/ivf/gpu_ivf_searcher.hpp"
#include "warpdex/vector/search/refining_searcher.hpp"
#include "warpdex/vector/search/replicated_searcher.hpp"
#include "warpdex/vector/search/sharded_searcher.hpp"

namespace warpdex::vector {
namespace {

template <class Searcher>
concept OnGpu = requires(const Searcher& searcher) {
  searcher.figures();
};
template <class Searcher>
concept MayPage = requires(const Searcher& searcher) {
  searcher.is_resident();
};
template <class Searcher>
concept RefinesOnGpu = requires(const Searcher& searcher) {
  searcher.has_vectors();
};

/// A searcher behind the common face.
template <class Searcher>
class SearcherAdapter final : public VectorSearcher {
 public:
  SearcherAdapter(const SearchedVectors& vectors, const ProbeSettings& settings, Searcher searcher)
      : vectors_(vectors), settings_(settings), searcher_(std::move(searcher)) {}

  Metric metric() const override { return metric_of(vectors_); }
  std::size_t dimension() const override { return dimension_of(vectors_); }
  std::size_t rows() const override { return rows_of(vectors_); }

  Neighbors nearest(std::span<const float> queries, std::size_t k, const RowFilter* filter,
                    Refining refining) const override {
    const ProbeSettings settings = refining == Refining::kNone ? settings_.by_codes() : settings_;
    if constexpr (requires { searcher_.nearest(queries, k, filter); }) {
      return searcher_.nearest(queries, k, filter);
    } else if constexpr (requires { searcher_.nearest(queries, k, BinaryDepth{}, filter); }) {
      return searcher_.nearest(queries, k, settings.binary(), filter);
    } else if constexpr (requires { searcher_.nearest(queries, k, 1, BinaryDepth{}, filter); }) {
      return searcher_.nearest(queries, k, settings.probes, settings.binary(), filter);
    } else if constexpr (requires { searcher_.nearest(queries, k, 1, filter); }) {
      return searcher_.nearest(queries, k, settings.probes, filter);
    } else {
      return searcher_.nearest(queries, k, settings.probes, settings.refine, filter);
    }
  }
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const RowFilter* filter) const override {
    if constexpr (requires { searcher_.within(queries, radius, filter); }) {
      return searcher_.within(queries, radius, filter);
    } else if constexpr (requires { searcher_.within(queries, radius, BinaryDepth{}, filter); }) {
      return searcher_.within(queries, radius, settings_.binary(), filter);
    } else if constexpr (requires {
                           searcher_.within(queries, radius, 1, BinaryDepth{}, filter);
                         }) {
      return searcher_.within(queries, radius, settings_.probes, settings_.binary(), filter);
    } else {
      return searcher_.within(queries, radius, settings_.probes, filter);
    }
  }

  bool nearest_on_gpu(const float* queries, std::size_t count, std::size_t k, std::int32_t* rows,
                      float* distances) const override {
    if constexpr (requires { searcher_.nearest_on_gpu(queries, count, k, rows, distances); }) {
      searcher_.nearest_on_gpu(queries, count, k, rows, distances);
      return true;
    } else if constexpr (requires {
                           searcher_.nearest_on_gpu(queries, count, k, 1, rows, distances);
                         }) {
      if (settings_.refine > 0) return false;
      searcher_.nearest_on_gpu(queries, count, k, settings_.probes, rows, distances);
      return true;
    }
    return false;
  }

  GpuFlatFigures figures() const override {
    if constexpr (OnGpu<Searcher>) return searcher_.figures();
    return {};
  }
  bool is_resident() const override {
    if constexpr (MayPage<Searcher>) return searcher_.is_resident();
    if constexpr (RefinesOnGpu<Searcher>) {
      return settings_.refine == 0 || searcher_.has_vectors();
    }
    return true;
  }

 private:
  SearchedVectors vectors_;
  ProbeSettings settings_;
  Searcher searcher_;
};

template <class Searcher>
std::unique_ptr<VectorSearcher> make_face(const SearchedVectors& vectors,
                                          const ProbeSettings& settings, Searcher searcher) {
  return std::make_unique<SearcherAdapter<Searcher>>(vectors, settings, std::move(searcher));
}

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

std::unique_ptr<VectorSearcher> search_on_cpu(const SearchedVectors& vectors,
                                              const ProbeSettings& settings, std::size_t threads) {
  if (const auto* flat = std::get_if<FlatVectors>(&vectors)) {
    return make_face(vectors, settings, FlatSearcher(*flat, threads));
  }
  if (const auto* ivf = std::get_if<IvfVectors>(&vectors)) {
    return make_face(vectors, settings, IvfSearcher(*ivf, threads));
  }
  if (const auto* codes = std::get_if<IvfPqVectors>(&vectors)) {
    return make_face(vectors, settings, IvfPqSearcher(*codes, threads));
  }
  if (const auto* codes = std::get_if<IvfBinaryVectors>(&vectors)) {
    return make_face(vectors, settings, IvfBinarySearcher(*codes, threads));
  }
  return make_face(vectors, settings, BinarySearcher(std::get<BinaryVectors>(vectors), threads));
}

std::unique_ptr<VectorSearcher> search_on_gpu(const SearchedVectors& vectors,
                                              const ProbeSettings& settings, Resources& resources) {
  if (const auto* flat = std::get_if<FlatVectors>(&vectors)) {
    return make_face(vectors, settings, GpuFlatSearcher(*flat, resources));
  }
  if (const auto* ivf = std::get_if<IvfVectors>(&vectors)) {
    return make_face(vectors, settings, GpuIvfSearcher(*ivf, resources));
  }
  const bool refines = settings.refine > 0;
  if (const auto* codes = std::get_if<IvfPqVectors>(&vectors)) {
    const GpuIvfPqSettings with_vectors{.memory = 0, .keeps_vectors = refines};
    return make_face(vectors, settings, GpuIvfPqSearcher(*codes, resources, with_vectors));
  }
  if (const auto* codes = std::get_if<IvfBinaryVectors>(&vectors)) {
    const GpuIvfBinarySettings with_vectors{.memory = 0, .keeps_vectors = refines};
    return make_face(vectors, settings, GpuIvfBinarySearcher(*codes, resources, with_vectors));
  }
  const GpuBinarySettings with_vectors{.memory = 0, .keeps_vectors = refines};
  return make_face(vectors, settings,
                   GpuBinarySearcher(std::get<BinaryVectors>(vectors), resources, with_vectors));
}

std::unique_ptr<VectorSearcher> search_on_gpus(const SearchedVectors& vectors,
                                               const ProbeSettings& settings,
                                               std::span<Resources* const> gpus,
                                               std::size_t shards) {
  if (shards == 0 || gpus.empty() || gpus.size() % shards != 0) {
    throw UsageError(std::to_string(gpus.size()) + " GPUs cannot hold replicas of " +
                     std::to_string(shards) + " shards; give as many as shards times replicas");
  }
  if (gpus.size() == 1) return search_on_gpu(vectors, settings, *gpus.front());
  const std::size_t replicas = gpus.size() / shards;
  const Slices slices = cut_rows(vectors, shards);
  ProbeSettings own = settings;
  if (shards > 1) own = settings.by_codes();  // refining is for all shards together
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
          rows_of(rows) == 0 ? search_on_cpu(rows, own, 1) : search_on_gpu(rows, own, *gpus[i]);
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
  if (own.refine == settings.refine || !has_codes(vectors)) return all;
  const FlatVectors& flat = flat_of(vectors);
  if (flat.vectors.data == nullptr) {
    throw UsageError(
        "the index keeps no vectors to refine answers by; search without refining, or build it "
        "again with its vectors");
  }
  return std::make_unique<RefiningSearcher>(std::move(all), flat, settings.refine,
                                            candidate_margin(vectors, settings));
}

}  // namespace warpdex::vector
