// Searches a permutation index on the CPU or on a GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "options/device_options.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/metric/gpu_permutation_searcher.hpp"
#include "warpdex/vector/metric/metric_index.hpp"

namespace warpdex::tools {

/// What is searched for: the k nearest, or with k of 0 all within the radius.
struct MetricKind {
  std::size_t k;
  float radius;
};

/// By one thread at a time.
class MetricSearch {
 public:
  /// Index and queries must outlive this. With --device gpu it throws what
  /// DeviceOptions::start_gpu() does, and FormatError for damage.
  MetricSearch(const metric::MetricIndex& index, const metric::Queries& queries,
               const DeviceOptions& device);

  /// The answers to queries [first, first + count). Where the GPU has too little memory for them,
  /// --device auto goes on on the CPU.
  metric::Matches search(std::size_t first, std::size_t count, const MetricKind& kind,
                         const metric::MetricSearchSettings& settings);
  /// What the driver calls the GPU; empty: the CPU answers.
  std::string gpu_name() const;

 private:
  struct Gpu {
    explicit Gpu(const metric::MetricIndex& index, const ResourceSettings& settings)
        : resources(settings),
          searcher(index.objects(), index.permutants(), index.permutations(), resources) {}
    Resources resources;
    metric::GpuPermutationSearcher searcher;
  };

  std::optional<metric::Matches> try_gpu(const metric::QueryObjects& queries,
                                         const MetricKind& kind,
                                         const metric::MetricSearchSettings& settings);

  const metric::MetricIndex& index_;
  const metric::Queries& queries_;
  DeviceOptions device_;
  metric::PermutationSearcher cpu_;
  std::unique_ptr<Gpu> gpu_;
};

}  // namespace warpdex::tools
