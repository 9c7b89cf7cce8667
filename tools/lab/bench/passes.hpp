// Passes over a query log: what each found, and how long its samples took.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "bench/bench_measure.hpp"

namespace warpdex::tools {

using Clock = std::chrono::steady_clock;
static_assert(Clock::period::num == 1 && Clock::period::den >= 1'000'000'000,
              "the clock must tell times below a microsecond apart");

std::uint64_t nanoseconds_since(Clock::time_point start);

/// Batches of so many queries.
std::size_t count_batches(std::size_t queries, const BenchSettings& settings);

void count_answer(std::size_t hits, bool fell_back, AnswerCounts& counts);

/// Runs all queries so many times. `samples`, if any, gets the nanoseconds of each query or batch,
/// pass by pass; `counts`, if any, what each thread found.
using RunPasses =
    std::function<void(std::size_t passes, std::uint64_t* samples, AnswerCounts* counts)>;

/// A pass that is not timed and says what was found.
AnswerCounts count_answers(const RunPasses& run, std::size_t threads);

/// As many passes as are wanted, of so many samples each.
void time_passes(const RunPasses& run, const BenchSettings& settings, std::size_t samples,
                 Measurement& measurement);

}  // namespace warpdex::tools
