// Names of the GPU engine's stages, phases and OR methods, and sums of its statistics. Part of
// every build.
#include "warpdex/query/gpu/gpu_stages.hpp"

#include <algorithm>
#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex {
namespace {

constexpr std::array<std::string_view, 5> kOrMethods{"cost", "adding-up", "looking-up", "searching",
                                                     "decoding-once"};

constexpr std::array kCounters{
    &GpuStatistics::queries,        &GpuStatistics::unanswered_queries,
    &GpuStatistics::parts,          &GpuStatistics::candidates_lost,
    &GpuStatistics::cache_hits,     &GpuStatistics::cache_misses,
    &GpuStatistics::bytes_uploaded, &GpuStatistics::bytes_staged,
    &GpuStatistics::tiles,          &GpuStatistics::or_blocks,
    &GpuStatistics::lookups,        &GpuStatistics::and_blocks,
    &GpuStatistics::exact_scores,
};

constexpr std::array kOrCounters{&OrCounts::parts, &OrCounts::queries, &OrCounts::lists,
                                 &OrCounts::postings};

/// Calls use(count, sum) for each count of `part`.
template <class Use>
void for_each_count(const OrCounts& part, OrCounts& sum, Use use) {
  for (const auto counter : kOrCounters) use(part.*counter, sum.*counter);
  for (std::size_t i = 0; i < kOrRules; ++i) use(part.by_rule[i], sum.by_rule[i]);
}

}  // namespace

void add(const GpuStatistics& part, GpuStatistics& sum) {
  for (const auto counter : kCounters) sum.*counter += part.*counter;
  for_each_count(part.or_counts, sum.or_counts,
                 [](std::uint64_t from, std::uint64_t& to) { to += from; });
  for (std::size_t i = 0; i < kGpuStages; ++i) sum.stages[i] += part.stages[i];
  for (std::size_t i = 0; i < kGpuPhases; ++i) {
    sum.match_phases[i] += part.match_phases[i];
    sum.tile_phases[i] += part.tile_phases[i];
  }
}

void subtract(const GpuStatistics& part, GpuStatistics& sum) {
  for (const auto counter : kCounters) sum.*counter -= part.*counter;
  for_each_count(part.or_counts, sum.or_counts,
                 [](std::uint64_t from, std::uint64_t& to) { to -= from; });
  for (std::size_t i = 0; i < kGpuStages; ++i) sum.stages[i] -= part.stages[i];
  for (std::size_t i = 0; i < kGpuPhases; ++i) {
    sum.match_phases[i] -= part.match_phases[i];
    sum.tile_phases[i] -= part.tile_phases[i];
  }
}

std::string_view gpu_stage_name(GpuStage stage) {
  constexpr std::array<std::string_view, kGpuStages> kNames{"build",   "upload", "match", "tables",
                                                            "bounds",  "plan",   "find",  "read",
                                                            "lookups", "tiles",  "finish"};
  return kNames[static_cast<std::size_t>(stage)];
}

std::string_view gpu_phase_name(GpuPhase phase) {
  constexpr std::array<std::string_view, kGpuPhases> kNames{"decode", "intersect", "score",
                                                            "select", "wait"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::string_view or_method_name(OrMethod method) {
  return kOrMethods[static_cast<std::size_t>(method)];
}

OrMethod parse_or_method(std::string_view name) {
  const auto* const found = std::find(kOrMethods.begin(), kOrMethods.end(), name);
  if (found == kOrMethods.end()) {
    throw UsageError(
        "'" + std::string(name) +
        "' is no way to treat OR; use cost, adding-up, looking-up, searching or decoding-once");
  }
  return static_cast<OrMethod>(found - kOrMethods.begin());
}

}  // namespace warpdex
