// Times a log of exact phrases. The looking up of their words is timed too, on both processors.
#pragma once

#include <span>

#include "bench/bench_measure.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"

namespace warpdex::tools {

/// On the CPU: each thread takes the next phrase, or the next batch.
Measurement measure_phrases(const Snapshot& index, const Phrases& phrases,
                            const BenchSettings& settings);

/// On the GPUs that have its shards: one batch after the other. Throws UsageError if the GPU cannot
/// answer them.
Measurement measure_phrases(const Snapshot& index, std::span<const GpuSnapshot> shards,
                            const Phrases& phrases, const BenchSettings& settings);

}  // namespace warpdex::tools
