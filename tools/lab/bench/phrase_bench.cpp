#include "bench/phrase_bench.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "bench/passes.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/query/gpu/gpu_phrases.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex::tools {

Measurement measure_phrases(const Snapshot& index, const Phrases& phrases,
                            const BenchSettings& settings) {
  std::vector<TreeSearcher> searchers;
  for (std::size_t i = 0; i < settings.threads; ++i) searchers.emplace_back(index);
  const std::size_t batches = count_batches(phrases.size(), settings);
  const RunPasses run = [&](std::size_t passes, std::uint64_t* samples, AnswerCounts* counts) {
    parallel_for(searchers.size(), passes * batches, [&](std::size_t thread, std::size_t sample) {
      const Clock::time_point start = Clock::now();
      const std::size_t first = sample % batches * settings.batch_size;
      const std::size_t end = std::min(phrases.size(), first + settings.batch_size);
      for (std::size_t i = first; i < end; ++i) {
        const TreeResult found = searchers[thread].search(*phrases[i], settings.search);
        if (counts != nullptr) count_answer(found.result.hits.size(), false, counts[thread]);
      }
      if (samples != nullptr) samples[sample] = nanoseconds_since(start);
    });
  };
  Measurement measurement;
  measurement.answers = count_answers(run, settings.threads);
  time_passes(run, settings, batches, measurement);
  // None is the GPU's.
  measurement.work.unanswered_queries = phrases.size() * settings.repetitions;
  return measurement;
}

Measurement measure_phrases(const Snapshot& index, std::span<const GpuSnapshot> shards,
                            const Phrases& phrases, const BenchSettings& settings) {
  std::vector<GpuPositions> positions;
  for (const GpuSnapshot& shard : shards) positions.emplace_back(shard);
  GpuPhrases searcher(index, positions, 0);  // as engines, with all threads
  std::vector<const QueryNode*> trees;
  for (const auto& phrase : phrases) trees.push_back(phrase.get());
  const std::size_t batches = count_batches(phrases.size(), settings);
  const RunPasses run = [&](std::size_t passes, std::uint64_t* samples, AnswerCounts* counts) {
    for (std::size_t sample = 0; sample < passes * batches; ++sample) {
      const Clock::time_point start = Clock::now();
      const std::size_t first = sample % batches * settings.batch_size;
      const std::size_t end = std::min(phrases.size(), first + settings.batch_size);
      const auto found =
          searcher.search(std::span(trees).subspan(first, end - first), settings.search);
      if (samples != nullptr) samples[sample] = nanoseconds_since(start);
      if (counts == nullptr) continue;
      for (const std::optional<SearchResult>& one : found) {
        if (!one) throw UsageError("the GPU's memory does not suffice for these phrases");
        count_answer(one->hits.size(), false, *counts);
      }
    }
  };
  Measurement measurement;
  measurement.answers = count_answers(run, 1);
  run(1, nullptr, nullptr);  // memory has its final size now
  time_passes(run, settings, batches, measurement);
  measurement.work.queries = phrases.size() * settings.repetitions;
  return measurement;
}

}  // namespace warpdex::tools
