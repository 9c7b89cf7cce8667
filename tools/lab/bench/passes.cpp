#include "bench/passes.hpp"

#include <vector>

namespace warpdex::tools {

std::uint64_t nanoseconds_since(Clock::time_point start) {
  return static_cast<std::uint64_t>((Clock::now() - start).count());
}

std::size_t count_batches(std::size_t queries, const BenchSettings& settings) {
  return (queries + settings.batch_size - 1) / settings.batch_size;
}

void count_answer(std::size_t hits, bool fell_back, AnswerCounts& counts) {
  counts.hits += hits;
  counts.without_answer += hits == 0 ? 1 : 0;
  counts.fell_back += fell_back ? 1 : 0;
}

AnswerCounts count_answers(const RunPasses& run, std::size_t threads) {
  std::vector<AnswerCounts> parts(threads);
  run(1, nullptr, parts.data());
  AnswerCounts sum;
  for (const AnswerCounts& part : parts) {
    sum.hits += part.hits;
    sum.without_answer += part.without_answer;
    sum.fell_back += part.fell_back;
  }
  return sum;
}

void time_passes(const RunPasses& run, const BenchSettings& settings, std::size_t samples,
                 Measurement& measurement) {
  measurement.samples.resize(samples * settings.repetitions);
  const Clock::time_point start = Clock::now();
  run(settings.repetitions, measurement.samples.data(), nullptr);
  measurement.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace warpdex::tools
