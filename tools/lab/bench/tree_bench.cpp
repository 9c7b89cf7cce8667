#include "bench/tree_bench.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "bench/passes.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/query/gpu/gpu_phrases.hpp"

namespace warpdex::tools {

bool needs_searcher(const Query& query) {
  return query.or_else != nullptr || (query.tree != nullptr && !is_exact_phrase(*query.tree));
}

Measurement measure_trees(const Searcher& searcher, std::span<const Query> queries,
                          const warpdex::SearchOptions& options, const BenchSettings& settings) {
  const std::size_t threads = settings.batch_size > 1 ? 1 : settings.threads;
  const std::size_t batches = count_batches(queries.size(), settings);
  std::atomic<std::uint64_t> of_gpu = 0;
  const RunPasses run = [&](std::size_t passes, std::uint64_t* samples, AnswerCounts* counts) {
    parallel_for(threads, passes * batches, [&](std::size_t thread, std::size_t sample) {
      const Clock::time_point start = Clock::now();
      const std::size_t first = sample % batches * settings.batch_size;
      const std::size_t count = std::min(settings.batch_size, queries.size() - first);
      const std::vector<Answer> answers =
          searcher.search(queries.subspan(first, count), {}, options);
      if (samples != nullptr) samples[sample] = nanoseconds_since(start);
      for (const Answer& answer : answers) {
        if (samples != nullptr && answer.is_of_gpu) ++of_gpu;
        if (counts == nullptr) continue;
        count_answer(answer.size(), answer.fell_back_to_or, counts[thread]);
      }
    });
  };
  Measurement measurement;
  measurement.answers = count_answers(run, threads);
  time_passes(run, settings, batches, measurement);
  measurement.work.queries = of_gpu;
  measurement.work.unanswered_queries = queries.size() * settings.repetitions - of_gpu;
  return measurement;
}

}  // namespace warpdex::tools
