// The permutations of a permutation index, by a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/metric/objects.hpp"
#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {

/// The rows of ranks, `view.objects` of them, those of rank_permutants() to the bit. Objects go
/// through the GPU of `resources` in blocks of a few MiB, which a few of `threads` threads prepare
/// (0: default_threads(); 2 at least). All threads rank for the texts that the GPU would take too
/// long for: of more than 16,384 bytes under Levenshtein's distance, else texts and sets of more
/// than 1 MiB.
///
/// Throws UsageError as rank_permutants() does, CudaError where there is no GPU, Error, which says
/// how much is needed, where there is too little memory, and what `progress` throws.
std::unique_ptr<std::uint8_t[]> rank_permutants_on_gpu(const ObjectsView& view,
                                                       std::span<const std::uint32_t> permutants,
                                                       Resources& resources,
                                                       std::size_t threads = 0,
                                                       const MetricProgress& progress = {});

}  // namespace warpdex::metric
