// Holds the clock: from looked-up terms to the best documents, for each query or batch.
#include "bench/bench_measure.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "bench/passes.hpp"
#include "bench/phrase_bench.hpp"
#include "options/search_options.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/query/columns/facets.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/gpu/gpu_phrases.hpp"
#include "warpdex/query/hybrid/matching.hpp"

namespace warpdex::tools {
namespace {

/// A thread's: the GPU's engine, and the CPU's for what that cannot answer.
struct BenchGpuEngine {
  GpuGroupEngine gpu;
  CpuSearcher cpu;
  GpuFacets* facets = nullptr;  ///< of all threads
};

std::span<const PlannedQuery> queries_of(const Workload& workload, const BenchSettings& settings,
                                         std::size_t batch) {
  const std::size_t first = batch * settings.batch_size;
  return std::span(workload.plans)
      .subspan(first, std::min(settings.batch_size, workload.plans.size() - first));
}

/// What `warpdex search --facet` counts, on the CPU.
void count_facets(const Snapshot& index, const PlannedQuery& plan, const BenchSettings& settings) {
  if (settings.facets.empty()) return;
  const vector::RowFilter matches = matching_documents(index, plan, settings.search);
  for (const FacetRequest& facet : settings.facets) count_facet(index, facet, matches);
}

/// A thread's share of the batches of some passes: while some are under way, the next is handed
/// over. `samples`, if any, gets each one's nanoseconds, from then to its answers.
class BatchRun {
 public:
  BatchRun(BenchGpuEngine& engine, const Workload& workload, const BenchSettings& settings,
           std::uint64_t* samples, AnswerCounts* counts)
      : engine_(engine),
        workload_(workload),
        settings_(settings),
        samples_(samples),
        counts_(counts),
        flights_(settings.in_flight) {}

  /// Every n-th batch, of n threads. A pass begins while the last batches of the one before are
  /// under way.
  void run(std::size_t thread, std::size_t passes) {
    const std::size_t batches = count_batches(workload_.plans.size(), settings_);
    std::size_t turn = 0;
    for (std::size_t i = thread; i < batches * passes; i += settings_.threads) {
      finish(flights_[turn]);
      start(flights_[turn], i, i % batches);
      turn = (turn + 1) % flights_.size();
    }
    for (std::size_t i = 0; i < flights_.size(); ++i) {
      finish(flights_[(turn + i) % flights_.size()]);
    }
  }

 private:
  struct Flight {
    std::size_t sample;
    std::size_t batch;
    Clock::time_point start;
    Ticket ticket;
    std::optional<GpuFacets::Counting> facets{};
  };

  void start(std::optional<Flight>& flight, std::size_t sample, std::size_t batch) {
    const Clock::time_point now = Clock::now();
    const std::span<const PlannedQuery> plans = queries_of(workload_, settings_, batch);
    auto counting = start_facets(plans);
    const Ticket ticket = engine_.gpu.submit(plans, std::span(&settings_.search, 1));
    flight.emplace(Flight{sample, batch, now, ticket, std::move(counting)});
  }

  void finish(std::optional<Flight>& flight) {
    if (!flight) return;
    const BatchAnswers answers = engine_.gpu.wait(flight->ticket);
    answer_rest(answers, queries_of(workload_, settings_, flight->batch));
    if (flight->facets) flight->facets->finish();
    if (samples_ != nullptr) samples_[flight->sample] = nanoseconds_since(flight->start);
    flight.reset();
    if (counts_ == nullptr) return;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!answers[i].is_answered) continue;
      count_answer(answers[i].hits.size(), answers[i].fell_back_to_or, *counts_);
    }
  }

  /// With facets, batches have one query.
  std::optional<GpuFacets::Counting> start_facets(std::span<const PlannedQuery> plans) {
    if (settings_.facets.empty()) return std::nullopt;
    auto counting = engine_.facets->start(plans[0], settings_.search, settings_.facets);
    if (counting) return counting;
    throw UsageError("the GPU does not count this facet; measure it on the CPU");
  }

  /// What the GPU cannot answer, the CPU does, as in a search.
  void answer_rest(const BatchAnswers& answers, std::span<const PlannedQuery> plans) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].is_answered) continue;
      const SearchResult result = engine_.cpu.run(plans[i], settings_.search);
      if (counts_ != nullptr) count_answer(result.hits.size(), result.fell_back_to_or, *counts_);
    }
  }

  BenchGpuEngine& engine_;
  const Workload& workload_;
  const BenchSettings& settings_;
  std::uint64_t* samples_;
  AnswerCounts* counts_;
  std::vector<std::optional<Flight>> flights_;
};

/// Query by query on the CPU: each thread takes the next one.
RunPasses by_query(const Snapshot& index, std::vector<CpuSearcher>& searchers,
                   const Workload& workload, const BenchSettings& settings) {
  return [&](std::size_t passes, std::uint64_t* samples, AnswerCounts* counts) {
    const std::size_t queries = workload.plans.size();
    parallel_for(searchers.size(), passes * queries, [&](std::size_t thread, std::size_t i) {
      const Clock::time_point start = Clock::now();
      const SearchResult result =
          searchers[thread].run(workload.plans[i % queries], settings.search);
      count_facets(index, workload.plans[i % queries], settings);
      if (samples != nullptr) samples[i] = nanoseconds_since(start);
      if (counts != nullptr) {
        count_answer(result.hits.size(), result.fell_back_to_or, counts[thread]);
      }
    });
  };
}

/// Batch by batch on the CPU: all threads share one out.
RunPasses by_batch(CpuEngine& engine, const Workload& workload, const BenchSettings& settings) {
  return [&](std::size_t passes, std::uint64_t* samples, AnswerCounts* counts) {
    const std::size_t batches = count_batches(workload.plans.size(), settings);
    for (std::size_t sample = 0; sample < passes * batches; ++sample) {
      const Clock::time_point start = Clock::now();
      const BatchAnswers answers =
          engine.run(queries_of(workload, settings, sample % batches), settings.search);
      if (samples != nullptr) samples[sample] = nanoseconds_since(start);
      for (std::size_t i = 0; counts != nullptr && i < answers.size(); ++i) {
        count_answer(answers[i].hits.size(), answers[i].fell_back_to_or, *counts);
      }
    }
  };
}

/// Batch by batch on the GPU.
RunPasses by_gpu(std::vector<BenchGpuEngine>& engines, const Workload& workload,
                 const BenchSettings& settings) {
  return [&](std::size_t passes, std::uint64_t* samples, AnswerCounts* counts) {
    parallel_for(engines.size(), engines.size(), [&](std::size_t, std::size_t thread) {
      BatchRun(engines[thread], workload, settings, samples,
               counts == nullptr ? nullptr : counts + thread)
          .run(thread, passes);
    });
  };
}

/// What all engines have done so far.
GpuStatistics sum_of(const std::vector<BenchGpuEngine>& engines) {
  GpuStatistics sum;
  for (const BenchGpuEngine& engine : engines) add(engine.gpu.statistics(), sum);
  return sum;
}

/// Counts the lists of a query: those of the index, or of its segments.
void count_lists(const PlannedQuery& plan, Workload& workload) {
  for (const PlannedTerm& term : plan.terms) {
    workload.postings += term.entry.document_frequency;
    workload.bytes += std::uint64_t{term.entry.docid_bytes} + term.entry.frequency_bytes;
  }
}

}  // namespace

Workload plan_all(const Snapshot& index, std::span<const Query> queries) {
  Workload workload;
  std::string of_words;  // a query without a phrase
  for (const Query& query : queries) {
    if (query.tree != nullptr) {
      workload.phrases.push_back(query.tree);
      continue;
    }
    if (!query.terms.empty()) of_words = query.id;
    workload.plans.push_back(plan_query(index, query));
    const PlannedQuery& plan = workload.plans.back();
    workload.terms += plan.terms.size();
    if (index.is_plain()) {
      count_lists(plan, workload);
    } else {
      for (const PlannedQuery& segment : plan.segments) count_lists(segment, workload);
    }
  }
  if (!workload.phrases.empty() && !of_words.empty()) {
    throw UsageError("query " + of_words +
                     " has no phrase, and others are phrases; these are timed apart: leave it out");
  }
  return workload;
}

Measurement measure(const Snapshot& index, const Workload& workload,
                    const BenchSettings& settings) {
  if (!workload.phrases.empty()) return measure_phrases(index, workload.phrases, settings);
  Measurement measurement;
  const auto take = [&](const RunPasses& run) {
    measurement.answers = count_answers(run, settings.threads);
    time_passes(run, settings, count_batches(workload.plans.size(), settings), measurement);
  };
  std::shared_ptr<const SnapshotBlocks> blocks;
  if (settings.document_blocks) {
    blocks = std::make_shared<const SnapshotBlocks>(index, settings.threads);
  }
  if (settings.batch_size > 1) {
    CpuEngine engine(index, {.threads = settings.threads, .blocks = blocks});
    take(by_batch(engine, workload, settings));
  } else {
    std::vector<CpuSearcher> searchers;
    for (std::size_t i = 0; i < settings.threads; ++i) searchers.emplace_back(index, blocks);
    take(by_query(index, searchers, workload, settings));
  }
  // None is the GPU's.
  measurement.work.unanswered_queries = workload.plans.size() * settings.repetitions;
  return measurement;
}

Measurement measure_gpu(const Snapshot& index, const MakeGpuEngine& make_engine, GpuFacets* facets,
                        const Workload& workload, const BenchSettings& settings) {
  std::vector<BenchGpuEngine> engines;
  for (std::size_t i = 0; i < settings.threads; ++i) {
    engines.push_back(
        {make_engine({.max_batches = settings.in_flight, .ablation = settings.ablation}),
         CpuSearcher(index), facets});
  }
  const RunPasses run = by_gpu(engines, workload, settings);
  Measurement measurement;
  measurement.answers = count_answers(run, settings.threads);
  run(1, nullptr, nullptr);  // memory has its final size now
  const GpuStatistics before = sum_of(engines);
  time_passes(run, settings, count_batches(workload.plans.size(), settings), measurement);
  measurement.work = sum_of(engines);
  subtract(before, measurement.work);
  return measurement;
}

}  // namespace warpdex::tools
