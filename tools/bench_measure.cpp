// Holds the clock: from looked-up terms to the best documents, for each query or batch.
#include "warpdex/tools/bench_measure.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "warpdex/core/parallel.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/tools/query_turns.hpp"
#include "warpdex/tools/search_options.hpp"

namespace warpdex::tools {
namespace {

using Clock = std::chrono::steady_clock;
static_assert(Clock::period::num == 1 && Clock::period::den >= 1'000'000'000,
              "the clock must tell times below a microsecond apart");

/// What a thread takes of a pass: queries as `turns` give them; batches first, first + threads, ….
struct Share {
  std::size_t first;
  std::size_t threads;
  QueryTurns& turns;
};

void count_answer(std::size_t hits, bool fell_back, AnswerCounts& counts) {
  counts.hits += hits;
  counts.without_answer += hits == 0 ? 1 : 0;
  counts.fell_back += fell_back ? 1 : 0;
}

AnswerCounts sum_of(const std::vector<AnswerCounts>& parts) {
  AnswerCounts sum;
  for (const AnswerCounts& part : parts) {
    sum.hits += part.hits;
    sum.without_answer += part.without_answer;
    sum.fell_back += part.fell_back;
  }
  return sum;
}

/// What the turns give of the queries once. `samples`, if any, gets each one's nanoseconds.
void run_queries(std::span<CpuSearcher> searchers, const Workload& workload,
                 const BenchSettings& settings, Share share, std::uint64_t* samples,
                 AnswerCounts* counts) {
  CpuSearcher& searcher = searchers.front();
  while (const std::optional<std::size_t> query = share.turns.take()) {
    const Clock::time_point start = Clock::now();
    const SearchResult result = searcher.run(workload.plans[*query], settings.search);
    const Clock::time_point end = Clock::now();
    if (samples != nullptr) samples[*query] = static_cast<std::uint64_t>((end - start).count());
    if (counts != nullptr) count_answer(result.hits.size(), result.fell_back_to_or, *counts);
  }
}

/// What the turns give of the queries once, with as many samples as there are batches.
void run_turns(std::span<CpuSearcher> searchers, const Workload& workload,
               const BenchSettings& settings, Share share, std::uint64_t*, AnswerCounts* counts) {
  CpuSearcher& searcher = searchers.front();
  try {
    while (const std::optional<std::size_t> query = share.turns.take()) {
      const SearchResult result = searcher.run(workload.plans[*query], settings.search);
      share.turns.answered();
      if (counts != nullptr) count_answer(result.hits.size(), result.fell_back_to_or, *counts);
    }
  } catch (...) {
    share.turns.fail();
    throw;
  }
}

std::size_t count_batches(const Workload& workload, const BenchSettings& settings) {
  return (workload.plans.size() + settings.batch_size - 1) / settings.batch_size;
}

/// A share of the batches once: each searcher has one under way while the next are handed over.
/// `samples`, if any, gets each one's nanoseconds, from then to its answers.
class BatchRun {
 public:
  BatchRun(std::span<GpuSearcher> searchers, const Workload& workload,
           const BenchSettings& settings, std::uint64_t* samples, AnswerCounts* counts)
      : searchers_(searchers),
        plans_(workload.plans),
        settings_(settings),
        samples_(samples),
        counts_(counts),
        flights_(searchers.size()) {}

  void run(Share share, std::size_t batches) {
    std::size_t turn = 0;
    for (std::size_t i = share.first; i < batches; i += share.threads) {
      finish(turn);
      start(turn, i);
      turn = (turn + 1) % flights_.size();
    }
    for (std::size_t i = 0; i < flights_.size(); ++i) finish((turn + i) % flights_.size());
  }

 private:
  struct Flight {
    std::size_t batch;
    Clock::time_point start;
  };

  std::span<const PlannedQuery> queries_of(std::size_t batch) const {
    const std::size_t first = batch * settings_.batch_size;
    return plans_.subspan(first, std::min(settings_.batch_size, plans_.size() - first));
  }

  void start(std::size_t which, std::size_t batch) {
    flights_[which] = {batch, Clock::now()};
    searchers_[which].submit(queries_of(batch), settings_.search);
  }

  void finish(std::size_t which) {
    if (!flights_[which]) return;
    const Flight flight = *flights_[which];
    flights_[which].reset();
    const GpuAnswers answers = searchers_[which].wait();
    const auto time = static_cast<std::uint64_t>((Clock::now() - flight.start).count());
    if (samples_ != nullptr) samples_[flight.batch] = time;
    if (counts_ == nullptr) return;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      count_answer(answers.hits(i).size(), answers.result(i).fell_back_to_or, *counts_);
    }
  }

  std::span<GpuSearcher> searchers_;
  std::span<const PlannedQuery> plans_;
  const BenchSettings& settings_;
  std::uint64_t* samples_;
  AnswerCounts* counts_;
  std::vector<std::optional<Flight>> flights_;
};

void run_batches(std::span<GpuSearcher> searchers, const Workload& workload,
                 const BenchSettings& settings, Share share, std::uint64_t* samples,
                 AnswerCounts* counts) {
  BatchRun(searchers, workload, settings, samples, counts)
      .run(share, count_batches(workload, settings));
}

/// Passes over all queries or batches by threads that have searchers of their own.
template <class Searcher>
class Passes {
 public:
  /// run_queries, run_turns or run_batches.
  using RunShare = void (*)(std::span<Searcher>, const Workload&, const BenchSettings&, Share,
                            std::uint64_t* samples, AnswerCounts* counts);

  Passes(std::vector<Searcher>& searchers, const Workload& workload, const BenchSettings& settings,
         RunShare run_share)
      : searchers_(searchers), workload_(workload), settings_(settings), run_share_(run_share) {}

  /// One that is not timed.
  void warm_up() { run(nullptr, nullptr); }
  AnswerCounts warm_up_and_count() {
    std::vector<AnswerCounts> parts(settings_.threads);
    run(nullptr, parts.data());
    return sum_of(parts);
  }

  /// `items` queries or batches, repetitions times.
  void time(std::size_t items, Measurement& measurement) {
    measurement.samples.resize(items * settings_.repetitions);
    for (std::size_t pass = 0; pass < settings_.repetitions; ++pass) {
      const Clock::time_point start = Clock::now();
      run(measurement.samples.data() + pass * items, nullptr);
      measurement.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    }
  }

 private:
  /// `samples`, if any, are those of all items; `counts`, if any, those of each thread.
  void run(std::uint64_t* samples, AnswerCounts* counts) {
    const std::size_t threads = settings_.threads;
    const std::size_t own = searchers_.size() / threads;
    // Queries one by one are a batch of all: no thread waits for another's.
    const std::size_t queries = workload_.plans.size();
    QueryTurns turns(queries, settings_.batch_size > 1 ? settings_.batch_size
                                                       : std::max<std::size_t>(queries, 1));
    // One item a thread: parallel_for's own hand-out stays outside of the queries' clocks; the
    // first batch's, of those that threads share out, has the start of the threads.
    parallel_for(threads, threads, [&](std::size_t, std::size_t thread) {
      run_share_(std::span(searchers_).subspan(thread * own, own), workload_, settings_,
                 {thread, threads, turns}, samples, counts == nullptr ? nullptr : counts + thread);
    });
    if constexpr (std::is_same_v<Searcher, CpuSearcher>) {
      if (samples != nullptr && settings_.batch_size > 1) turns.write_times(samples);
    }
  }

  std::vector<Searcher>& searchers_;
  const Workload& workload_;
  const BenchSettings& settings_;
  RunShare run_share_;
};

constexpr std::array kCounters{
    &GpuStatistics::gpu_queries,  &GpuStatistics::cpu_queries,    &GpuStatistics::cache_hits,
    &GpuStatistics::cache_misses, &GpuStatistics::bytes_uploaded, &GpuStatistics::bytes_staged,
    &GpuStatistics::tiles,        &GpuStatistics::or_blocks,      &GpuStatistics::lookups,
    &GpuStatistics::and_blocks,   &GpuStatistics::exact_scores,   &GpuStatistics::candidates_lost,
    &GpuStatistics::parts,
};

/// What all searchers have done so far.
GpuStatistics sum_of(const std::vector<GpuSearcher>& searchers) {
  GpuStatistics sum;
  for (const GpuSearcher& searcher : searchers) {
    const GpuStatistics& part = searcher.statistics();
    for (const auto counter : kCounters) sum.*counter += part.*counter;
    for (std::size_t i = 0; i < kGpuStages; ++i) sum.stages[i] += part.stages[i];
    for (std::size_t i = 0; i < kGpuPhases; ++i) {
      sum.match_phases[i] += part.match_phases[i];
      sum.tile_phases[i] += part.tile_phases[i];
    }
  }
  return sum;
}

/// What was done between two sums.
GpuStatistics difference(const GpuStatistics& before, const GpuStatistics& after) {
  GpuStatistics between;
  for (const auto counter : kCounters) between.*counter = after.*counter - before.*counter;
  for (std::size_t i = 0; i < kGpuStages; ++i) {
    between.stages[i] = after.stages[i] - before.stages[i];
  }
  for (std::size_t i = 0; i < kGpuPhases; ++i) {
    between.match_phases[i] = after.match_phases[i] - before.match_phases[i];
    between.tile_phases[i] = after.tile_phases[i] - before.tile_phases[i];
  }
  return between;
}

}  // namespace

Workload plan_all(const Index& index, const std::vector<QueryText>& texts, QuerySyntax syntax) {
  const std::unique_ptr<Analyzer> analyzer = make_analyzer(index.settings().analyzer);
  const CpuSearcher searcher(index);
  Workload workload;
  for (const Query& query : parse_queries(texts, 0, texts.size(), syntax, *analyzer)) {
    workload.plans.push_back(searcher.plan(query));
    for (const PlannedTerm& term : workload.plans.back().terms) {
      ++workload.terms;
      workload.postings += term.entry.document_frequency;
      workload.bytes += std::uint64_t{term.entry.docid_bytes} + term.entry.frequency_bytes;
    }
  }
  return workload;
}

Measurement measure(const Index& index, const Workload& workload, const BenchSettings& settings) {
  std::vector<CpuSearcher> searchers;
  for (std::size_t i = 0; i < settings.threads; ++i) searchers.emplace_back(index);
  const bool by_batch = settings.batch_size > 1;
  Passes<CpuSearcher> passes(searchers, workload, settings, by_batch ? run_turns : run_queries);
  Measurement measurement;
  measurement.answers = passes.warm_up_and_count();
  passes.time(count_batches(workload, settings), measurement);
  measurement.work.cpu_queries = workload.plans.size() * settings.repetitions;
  return measurement;
}

Measurement measure_gpu(const GpuIndex& index, const Workload& workload,
                        const BenchSettings& settings) {
  std::vector<GpuSearcher> searchers;
  for (std::size_t i = 0; i < settings.threads * settings.in_flight; ++i) {
    searchers.emplace_back(index, settings.ablation);
  }
  Passes<GpuSearcher> passes(searchers, workload, settings, run_batches);
  Measurement measurement;
  measurement.answers = passes.warm_up_and_count();
  passes.warm_up();  // memory has its final size now
  const GpuStatistics before = sum_of(searchers);
  passes.time(count_batches(workload, settings), measurement);
  measurement.work = difference(before, sum_of(searchers));
  return measurement;
}

}  // namespace warpdex::tools
