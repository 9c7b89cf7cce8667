// warpdex bench: how long queries take, on warm lists, with term look-up outside of the clock.
#include <chrono>
#include <iostream>
#include <memory>

#include "warpdex/core/cpu_features.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/tools/answers.hpp"
#include "warpdex/tools/command.hpp"
#include "warpdex/tools/interrupt.hpp"
#include "warpdex/tools/json.hpp"
#include "warpdex/tools/output_file.hpp"
#include "warpdex/tools/search_engine.hpp"
#include "warpdex/tools/search_options.hpp"
#include "warpdex/tools/table.hpp"
#include "warpdex/tools/text.hpp"
#include "warpdex/tools/timing.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Measures how fast a file of queries is answered. All queries are parsed and their terms "
    "looked\n"
    "up first; a first pass over all of them, which warms the lists, is not timed; then come\n"
    "--repetitions timed passes.";

constexpr const char* kTimedRegionGpu =
    "from a batch's looked-up terms to its queries' k best documents with scores in host memory: "
    "planning, upload, decoding, matching, scoring, selection, download. Outside: parsing, "
    "analysis, "
    "term look-up, document names, output";

constexpr const char* kTimedRegion =
    "from a query's looked-up terms to its k best documents with scores: decoding, matching, "
    "scoring, selection. Outside: parsing, analysis, term look-up, document names, output";

constexpr const char* kNotes =
    "The clock of a query runs from its looked-up terms to its k best documents with their "
    "scores;\n"
    "parsing, analysis, term look-up, document names and output are outside. Mean and percentiles\n"
    "are over all timed samples, queries times repetitions. Queries per second are those over the\n"
    "wall time of all timed passes. With --threads, each thread has its own searcher, takes every\n"
    "n-th query, and queries run beside each other.\n"
    "\n"
    "example:\n"
    "  warpdex bench INDEX --queries log.tsv --mode and -k 10 --json bench.json";

using Clock = std::chrono::steady_clock;
static_assert(Clock::period::num == 1 && Clock::period::den >= 1'000'000'000,
              "the clock must tell times below a microsecond apart");

struct Arguments {
  std::string index;
  SearchOptions search;
  EngineOptions engine;
  AnswerOptions answers;
  std::int64_t repetitions = 5;
  std::int64_t batch_size = 0;
  bool exhaustive = false;
  bool stages = false;
  std::string json;
};

struct Measurement {
  std::vector<std::uint64_t> samples;  ///< nanoseconds, repetition by repetition
  double seconds = 0;                  ///< wall time of all timed passes
  std::uint64_t hits = 0;              ///< of one pass
  std::uint64_t without_answer = 0;    ///< queries, of one pass
  std::uint64_t fell_back = 0;         ///< and-or: queries answered by OR
  std::uint64_t gpu_queries = 0;       ///< of the timed passes
  std::uint64_t cpu_queries = 0;       ///< likewise
  std::uint64_t cache_hits = 0;        ///< likewise, as GpuStatistics says
  std::uint64_t cache_misses = 0;      ///< likewise
  std::uint64_t bytes_uploaded = 0;    ///< likewise
  // Of the timed passes, if stages were timed.
  std::array<double, kGpuStages> stages{};  ///< seconds
  double tiles = 0;
  double and_blocks = 0;
  double exact_scores = 0;
};

/// What is known of the log before it is run.
struct Workload {
  std::vector<PlannedQuery> plans;
  std::uint64_t terms = 0;     ///< distinct and known, over all queries
  std::uint64_t postings = 0;  ///< of their lists
};

Workload plan_all(const Index& index, const std::vector<QueryText>& texts, QuerySyntax syntax) {
  const std::unique_ptr<Analyzer> analyzer = make_analyzer(index.settings().analyzer);
  const CpuSearcher searcher(index);
  Workload workload;
  for (const Query& query : parse_queries(texts, 0, texts.size(), syntax, *analyzer)) {
    workload.plans.push_back(searcher.plan(query));
    for (const PlannedTerm& term : workload.plans.back().terms) {
      ++workload.terms;
      workload.postings += term.entry.document_frequency;
    }
  }
  return workload;
}

/// Queries thread, thread + threads, … once. `samples`, if any, gets each one's nanoseconds.
void run_share(CpuSearcher& searcher, const Workload& workload, const SearchSettings& settings,
               std::size_t thread, std::size_t threads, std::uint64_t* samples,
               Measurement* totals) {
  for (std::size_t i = thread; i < workload.plans.size(); i += threads) {
    const Clock::time_point start = Clock::now();
    const SearchResult result = searcher.run(workload.plans[i], settings);
    const Clock::time_point end = Clock::now();
    if (samples != nullptr) samples[i] = static_cast<std::uint64_t>((end - start).count());
    if (totals != nullptr) {
      totals->hits += result.hits.size();
      totals->without_answer += result.hits.empty() ? 1 : 0;
      totals->fell_back += result.fell_back_to_or ? 1 : 0;
    }
  }
}

Measurement measure(const Index& index, const Workload& workload, const SearchSettings& settings,
                    std::size_t threads, std::size_t repetitions) {
  const std::size_t queries = workload.plans.size();
  std::vector<CpuSearcher> searchers;
  for (std::size_t i = 0; i < threads; ++i) searchers.emplace_back(index);
  Measurement measurement;
  measurement.samples.resize(queries * repetitions);
  std::vector<Measurement> totals(threads);
  // One item a thread: parallel_for's own hand-out stays outside of the queries' clocks.
  parallel_for(threads, threads, [&](std::size_t, std::size_t share) {
    run_share(searchers[share], workload, settings, share, threads, nullptr, &totals[share]);
  });
  for (std::size_t pass = 0; pass < repetitions; ++pass) {
    std::uint64_t* const samples = measurement.samples.data() + pass * queries;
    const Clock::time_point start = Clock::now();
    parallel_for(threads, threads, [&](std::size_t, std::size_t share) {
      run_share(searchers[share], workload, settings, share, threads, samples, nullptr);
    });
    measurement.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  }
  for (const Measurement& part : totals) {
    measurement.hits += part.hits;
    measurement.without_answer += part.without_answer;
    measurement.fell_back += part.fell_back;
  }
  return measurement;
}

/// Batches thread, thread + threads, … once. `samples`, if any, gets each batch's nanoseconds.
void run_batches(GpuSearcher& searcher, const Workload& workload, const SearchSettings& settings,
                 std::size_t batch_size, std::size_t thread, std::size_t threads,
                 std::uint64_t* samples, Measurement* totals) {
  const std::span<const PlannedQuery> plans = workload.plans;
  const std::size_t batches = (plans.size() + batch_size - 1) / batch_size;
  for (std::size_t i = thread; i < batches; i += threads) {
    const std::size_t first = i * batch_size;
    const std::size_t count = std::min(batch_size, plans.size() - first);
    const Clock::time_point start = Clock::now();
    const GpuAnswers answers = searcher.run(plans.subspan(first, count), settings);
    const Clock::time_point end = Clock::now();
    if (samples != nullptr) samples[i] = static_cast<std::uint64_t>((end - start).count());
    if (totals == nullptr) continue;
    for (std::size_t query = 0; query < count; ++query) {
      totals->hits += answers.hits(query).size();
      totals->without_answer += answers.hits(query).empty() ? 1 : 0;
      totals->fell_back += answers.result(query).fell_back_to_or ? 1 : 0;
    }
  }
}

Measurement measure_gpu(const GpuIndex& index, const Workload& workload,
                        const SearchSettings& settings, const GpuAblation& ablation,
                        std::size_t batch_size, std::size_t threads, std::size_t repetitions) {
  const std::size_t batches = (workload.plans.size() + batch_size - 1) / batch_size;
  std::vector<GpuSearcher> searchers;
  for (std::size_t i = 0; i < threads; ++i) searchers.emplace_back(index, ablation);
  Measurement measurement;
  measurement.samples.resize(batches * repetitions);
  std::vector<Measurement> totals(threads);
  const auto run_pass = [&](std::uint64_t* samples, bool counts) {
    parallel_for(threads, threads, [&](std::size_t, std::size_t share) {
      run_batches(searchers[share], workload, settings, batch_size, share, threads, samples,
                  counts ? &totals[share] : nullptr);
    });
  };
  run_pass(nullptr, true);
  run_pass(nullptr, false);  // memory has its final size now
  const auto count = [&](std::uint64_t GpuStatistics::*counter) {
    std::uint64_t sum = 0;
    for (const GpuSearcher& searcher : searchers) sum += searcher.statistics().*counter;
    return sum;
  };
  const auto subtract_counts = [&] {
    measurement.gpu_queries = count(&GpuStatistics::gpu_queries) - measurement.gpu_queries;
    measurement.cpu_queries = count(&GpuStatistics::cpu_queries) - measurement.cpu_queries;
    measurement.cache_hits = count(&GpuStatistics::cache_hits) - measurement.cache_hits;
    measurement.cache_misses = count(&GpuStatistics::cache_misses) - measurement.cache_misses;
    measurement.bytes_uploaded = count(&GpuStatistics::bytes_uploaded) - measurement.bytes_uploaded;
  };
  const auto sum_stages = [&](double sign) {
    for (const GpuSearcher& searcher : searchers) {
      for (std::size_t i = 0; i < kGpuStages; ++i) {
        measurement.stages[i] += sign * searcher.statistics().stages[i];
      }
      const GpuStatistics& statistics = searcher.statistics();
      measurement.tiles += sign * static_cast<double>(statistics.tiles);
      measurement.and_blocks += sign * static_cast<double>(statistics.and_blocks);
      measurement.exact_scores += sign * static_cast<double>(statistics.exact_scores);
    }
  };
  sum_stages(-1);
  subtract_counts();
  for (std::size_t pass = 0; pass < repetitions; ++pass) {
    const Clock::time_point start = Clock::now();
    run_pass(measurement.samples.data() + pass * batches, false);
    measurement.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  }
  sum_stages(1);
  subtract_counts();  // once more: what was counted since
  for (const Measurement& part : totals) {
    measurement.hits += part.hits;
    measurement.without_answer += part.without_answer;
    measurement.fell_back += part.fell_back;
  }
  return measurement;
}

/// All that a report says, in the order in which it says it.
struct Report {
  std::string index;
  std::string queries_file;
  IndexCounts counts;
  IndexSettings index_settings;
  SearchSettings settings;
  std::size_t threads = 1;
  std::size_t queries = 0;
  std::size_t repetitions = 1;
  std::string device;          ///< the GPU's name, or "cpu"
  std::size_t batch_size = 1;  ///< queries that a sample of time is for
  bool exhaustive = false;
  bool stages = false;
  bool is_resident = true;     ///< no list has to be uploaded
  std::size_t gpu_memory = 0;  ///< bytes that the index takes
  double terms_per_query = 0;
  double postings_per_query = 0;
  Measurement measurement;
  Latency latency;
  double queries_per_second = 0;
};

std::string codec_text(const CodecSettings& codec) {
  std::string text(codec_name(codec.kind));
  if (codec.kind == CodecKind::kPfor) text += ", " + counted(codec.pfor_levels, "level");
  return text;
}

/// Microseconds a query of a stage.
double stage_time(const Report& report, std::size_t stage) {
  return report.measurement.stages[stage] * 1e6 /
         static_cast<double>(report.queries * report.repetitions);
}

void print_stages(const Report& report, std::ostream& out) {
  out << "\nof which, in microseconds per query\n";
  std::vector<Table::Column> columns;
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < kGpuStages; ++i) {
    columns.push_back({std::string(gpu_stage_name(static_cast<GpuStage>(i)))});
    cells.push_back(fixed(stage_time(report, i), 3));
  }
  Table table(columns);
  table.add(cells);
  table.print(out);
  const auto queries = static_cast<double>(report.queries * report.repetitions);
  const Measurement& measurement = report.measurement;
  out << "per query: " << fixed(measurement.tiles / queries, 1) << " tiles or regions of OR, "
      << fixed(measurement.and_blocks / queries, 1) << " blocks decoded to match AND, "
      << fixed(measurement.exact_scores / queries, 1) << " candidates left for exact scores\n";
}

void print(const Report& report, std::ostream& out) {
  const SearchSettings& settings = report.settings;
  Table table({{"", Table::Align::kLeft}, {"", Table::Align::kLeft}});
  table.add({"index", report.index + ": " + counted(report.counts.documents, "document") + ", " +
                          counted(report.counts.postings, "posting") + ", " +
                          codec_text(report.index_settings.codec)});
  table.add({"queries", report.queries_file + ": " + grouped(report.queries) + ", " +
                            fixed(report.terms_per_query, 1) + " terms and " +
                            grouped(static_cast<std::uint64_t>(report.postings_per_query)) +
                            " postings each"});
  table.add({"search", std::string(query_mode_name(settings.mode)) + ", k " +
                           std::to_string(settings.k) + ", " + scorer_text(settings.scorer) +
                           (settings.count ? ", counting matches" : "")});
  const bool is_gpu = report.device != "cpu";
  table.add({"machine", (is_gpu ? report.device : std::string(isa_name(isa()))) + ", " +
                            counted(report.threads, "thread")});
  table.add({"samples",
             grouped(report.queries) + " queries" +
                 (is_gpu ? " in batches of " + grouped(report.batch_size) : "") + " x " +
                 counted(report.repetitions, "timed pass") +
                 (is_gpu ? ", after two that were not timed" : ", after one that was not timed")});
  if (is_gpu) {
    table.add({"answered", grouped(report.measurement.gpu_queries) + " by the GPU, " +
                               grouped(report.measurement.cpu_queries) + " by the CPU"});
  }
  if (!report.is_resident) {
    const Measurement& measured = report.measurement;
    table.add({"lists", grouped(measured.cache_hits) + " uses of lists in GPU memory, " +
                            grouped(measured.cache_misses) + " of lists uploaded for them; " +
                            grouped(measured.bytes_uploaded / report.repetitions >> 20) +
                            " MiB uploaded a pass"});
  }
  table.add({"timed", is_gpu ? kTimedRegionGpu : kTimedRegion});
  table.print(out);

  out << "\nmicroseconds per " << (report.batch_size == 1 ? "query" : "batch") << "\n";
  Table times({{"mean"}, {"p50"}, {"p90"}, {"p95"}, {"p99"}, {"max"}});
  const Latency& latency = report.latency;
  times.add({fixed(latency.mean, 2), fixed(latency.p50, 2), fixed(latency.p90, 2),
             fixed(latency.p95, 2), fixed(latency.p99, 2), fixed(latency.max, 2)});
  times.print(out);
  if (report.stages) print_stages(report, out);
  out << "\n"
      << grouped(static_cast<std::uint64_t>(report.queries_per_second)) << " queries per second ("
      << fixed(1e6 / report.queries_per_second, 2) << " µs a query); "
      << grouped(report.measurement.hits) << " documents found, "
      << counted(report.measurement.without_answer, "query") << " without an answer";
  if (settings.mode == QueryMode::kAndOr) {
    out << ", " << counted(report.measurement.fell_back, "query") << " answered by OR";
  }
  out << "\n";
}

void write_scorer(const ScorerSettings& scorer, JsonWriter& json) {
  json.begin_object("scorer");
  if (scorer.kind == ScorerKind::kImpact) {
    json.member("name", "impacts");
  } else if (scorer.kind == ScorerKind::kQueryLikelihood) {
    json.member("name", "qld");
    json.member("mu", scorer.mu);
  } else {
    json.member("name", "bm25");
    json.member("form", scorer.form == Bm25Form::kLucene ? "lucene" : "pisa");
    json.member("k1", scorer.k1);
    json.member("b", scorer.b);
  }
  json.end_object();
}

std::string to_json(const Report& report) {
  JsonWriter json;
  json.begin_object();
  json.begin_object("index");
  json.member("folder", report.index);
  json.member("documents", report.counts.documents);
  json.member("terms", report.counts.terms);
  json.member("postings", report.counts.postings);
  json.member("codec", codec_name(report.index_settings.codec.kind));
  if (report.index_settings.codec.kind == CodecKind::kPfor) {
    json.member("pfor_levels", std::uint64_t{report.index_settings.codec.pfor_levels});
  }
  json.member("analyzer", report.index_settings.analyzer);
  json.end_object();
  json.begin_object("queries");
  json.member("file", report.queries_file);
  json.member("count", std::uint64_t{report.queries});
  json.member("terms_per_query", report.terms_per_query);
  json.member("postings_per_query", report.postings_per_query);
  json.end_object();
  json.member("mode", query_mode_name(report.settings.mode));
  json.member("k", std::uint64_t{report.settings.k});
  json.member("counting_matches", report.settings.count);
  write_scorer(report.settings.scorer, json);
  json.member("isa", isa_name(isa()));
  json.member("threads", std::uint64_t{report.threads});
  json.member("repetitions", std::uint64_t{report.repetitions});
  json.member("device", report.device);
  json.member("batch_size", std::uint64_t{report.batch_size});
  json.member("exhaustive", report.exhaustive);
  json.member("timed_region", report.device == "cpu" ? kTimedRegion : kTimedRegionGpu);
  json.begin_object("microseconds");
  json.member("mean", report.latency.mean);
  json.member("p50", report.latency.p50);
  json.member("p90", report.latency.p90);
  json.member("p95", report.latency.p95);
  json.member("p99", report.latency.p99);
  json.member("max", report.latency.max);
  json.end_object();
  json.member("queries_per_second", report.queries_per_second);
  if (report.stages) {
    json.begin_object("stage_microseconds");
    for (std::size_t i = 0; i < kGpuStages; ++i) {
      json.member(std::string(gpu_stage_name(static_cast<GpuStage>(i))).c_str(),
                  stage_time(report, i));
    }
    json.end_object();
    json.member("tiles", report.measurement.tiles);
    json.member("and_blocks", report.measurement.and_blocks);
    json.member("exact_scores", report.measurement.exact_scores);
  }
  json.begin_object("queries_by_processor");
  json.member("gpu", report.measurement.gpu_queries);
  json.member("cpu", report.measurement.cpu_queries);
  json.end_object();
  if (report.device != "cpu") {
    json.begin_object("gpu_lists");
    json.member("resident", report.is_resident);
    json.member("index_bytes", std::uint64_t{report.gpu_memory});
    json.member("cache_hits", report.measurement.cache_hits);
    json.member("cache_misses", report.measurement.cache_misses);
    json.member("bytes_uploaded", report.measurement.bytes_uploaded);
    json.end_object();
  }
  json.member("hits", report.measurement.hits);
  json.member("queries_without_answer", report.measurement.without_answer);
  json.member("queries_answered_by_or", report.measurement.fell_back);
  json.end_object();
  return json.take() + "\n";
}

Report bench(const Arguments& given, const Index& index, const std::vector<QueryText>& texts) {
  const QuerySyntax syntax = given.search.syntax(QuerySyntax::kPlain);
  Report report;
  report.index = given.index;
  report.queries_file = given.search.query_file();
  report.counts = index.counts();
  report.index_settings = index.settings();
  report.settings = given.search.settings();
  report.settings.scorer = effective_scorer(index.settings(), report.settings.scorer);
  const std::size_t threads = given.search.threads();
  report.threads = threads == 0 ? default_threads() : threads;
  report.queries = texts.size();
  report.repetitions = checked_number("--repetitions", given.repetitions, 1, 100'000);

  const Workload workload = plan_all(index, texts, syntax);
  const auto queries = static_cast<double>(texts.size());
  report.terms_per_query = static_cast<double>(workload.terms) / queries;
  report.postings_per_query = static_cast<double>(workload.postings) / queries;
  report.device = "cpu";
  report.exhaustive = given.exhaustive;
  report.stages = given.stages;
  if (given.engine.use_gpu()) {
    const GpuSettings settings = given.engine.gpu_settings();
    report.device = device_info(settings.device).name;
    report.batch_size = checked_number("--batch-size", given.batch_size, 0, 1'000'000'000);
    if (report.batch_size == 0) report.batch_size = texts.size();
    const GpuIndex gpu_index(index, settings);
    report.is_resident = gpu_index.is_resident();
    report.gpu_memory = gpu_index.memory();
    report.measurement = measure_gpu(gpu_index, workload, report.settings,
                                     {.exhaustive = given.exhaustive, .time_stages = given.stages},
                                     report.batch_size, report.threads, report.repetitions);
  } else {
    report.measurement =
        measure(index, workload, report.settings, report.threads, report.repetitions);
    report.measurement.cpu_queries = report.queries * report.repetitions;
  }
  report.latency = summarise(report.measurement.samples);
  report.queries_per_second =
      static_cast<double>(report.queries * report.repetitions) / report.measurement.seconds;
  return report;
}

}  // namespace

int run_bench(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("bench", "INDEX --queries FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index");
  given.search.add_to(command);
  given.engine.add_to(command);
  po::options_description group = option_group("Measuring");
  group.add_options()(
      "repetitions",
      po::value(&given.repetitions)->value_name("N")->default_value(given.repetitions),
      "timed passes over the queries")(
      "batch-size", po::value(&given.batch_size)->value_name("N")->default_value(given.batch_size),
      "GPU: queries that are handed over at once; 0: all")(
      "exhaustive", po::bool_switch(&given.exhaustive),
      "GPU: skip nothing by its bounds, to see what skipping is worth")(
      "stages", po::bool_switch(&given.stages), "GPU: also show what the time goes into")(
      "json", po::value(&given.json)->value_name("FILE"),
      "also write the figures there; - is standard output");
  command.add(group);
  given.answers.add_to(command);
  if (!command.parse(arguments)) return 0;
  if (!given.search.has_query_file()) {
    throw UsageError("--queries is missing; name a file of queries to measure with");
  }
  given.search.settings();
  const Index index = Index::open(given.index);
  SearchOptions::check(command, index);
  const std::vector<QueryText> texts = given.search.read_query_file();
  if (texts.empty()) {
    throw InputError(given.search.query_file() + " holds no query; nothing can be measured");
  }
  if (!given.answers.output().empty()) {
    const InterruptGuard guard;  // a signal must not leave the unfinished file behind
    OutputFile output(given.answers.output());
    const auto writer = given.answers.make_writer(output.stream());
    const auto engine = make_engine(index, given.engine, given.search.threads());
    write_answers(index, texts, given.search.syntax(QuerySyntax::kPlain), given.search.settings(),
                  *engine, *writer);
    output.commit();
  }
  const Report report = bench(given, index, texts);
  if (given.json != "-") print(report, std::cout);
  if (!given.json.empty()) write_output(given.json, to_json(report));
  return 0;
}

}  // namespace warpdex::tools
