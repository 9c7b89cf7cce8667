// Searches a permutation index on the CPU or on a GPU.
#pragma once

#include <cstddef>

#include "options/device_options.hpp"
#include "warpdex/metric_index.hpp"

namespace warpdex::tools {

/// What is searched for: the k nearest, or with k of 0 all within the radius.
struct MetricKind {
  std::size_t k;
  float radius;
};

/// Sets where the index is searched from now on. Where the GPU has too little memory for a search,
/// --device auto goes on on the CPU. With --device gpu it throws what DeviceOptions::start_gpu()
/// does, and FormatError for damage.
void set_search(MetricIndex& index, const DeviceOptions& device);

/// The answers to queries [first, first + count). A signal ends it.
metric::Matches search_metric(const MetricIndex& index, const MetricQueries& queries,
                              std::size_t first, std::size_t count, const MetricKind& kind,
                              const metric::MetricSearchSettings& settings);

}  // namespace warpdex::tools
