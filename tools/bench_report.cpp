// Words and JSON members for the figures of a benchmark of queries.
#include "bench_report.hpp"

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "codec_options.hpp"
#include "json.hpp"
#include "search_options.hpp"
#include "table.hpp"
#include "text.hpp"
#include "warpdex/core/cpu_features.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kTimedRegionGpu =
    "from a batch's looked-up terms to its queries' k best documents with scores in host memory: "
    "planning (roles, scales, thresholds, work items; by all of the host's threads where a batch "
    "is large), upload, decoding, matching, scoring, selection, download. Outside: parsing, "
    "analysis, term look-up, document names, output";

constexpr const char* kTimedRegion =
    "from a query's looked-up terms to its k best documents with scores: decoding, matching, "
    "scoring, selection. Outside: parsing, analysis, term look-up, document names, output";

constexpr const char* kTimedRegionBatch =
    "from the end of a batch to that of the next, by all threads: from looked-up terms to each "
    "query's k best documents with scores: decoding, matching, scoring, selection. Outside: "
    "parsing, analysis, term look-up, document names, output";

const char* timed_region(const BenchReport& report) {
  if (report.is_gpu()) return kTimedRegionGpu;
  return report.settings.batch_size > 1 ? kTimedRegionBatch : kTimedRegion;
}

/// Microseconds a query of a stage.
double stage_time(const BenchReport& report, std::size_t stage) {
  return report.measurement.work.stages[stage] * 1e6 / static_cast<double>(report.timed_queries());
}

/// Rows on what was searched for, and where.
void add_task(const BenchReport& report, Table& table) {
  const SearchSettings& search = report.settings.search;
  table.add({"index", report.index + ": " + counted(report.documents, "document") + ", " +
                          counted(report.postings, "posting") + ", " +
                          codec_text(report.index_settings.codec)});
  if (report.segments != 1 || report.deleted_documents != 0) {
    const std::string deleted = counted(report.deleted_documents, "deleted document");
    table.add({"segments", grouped(report.segments) + ", with " + deleted});
  }
  table.add({"queries", report.queries_file + ": " + grouped(report.queries) + ", " +
                            fixed(report.terms_per_query, 1) + " terms and " +
                            grouped(static_cast<std::uint64_t>(report.postings_per_query)) +
                            " postings each"});
  table.add({"search", std::string(query_mode_name(search.mode)) + ", k " +
                           std::to_string(search.k) + ", " + scorer_text(search.scorer) +
                           (search.count ? ", counting matches" : "")});
}

/// Rows on what answered, how often, and in which parts.
void add_runs(const BenchReport& report, Table& table) {
  const bool is_gpu = report.is_gpu();
  const BenchSettings& settings = report.settings;
  const GpuStatistics& work = report.measurement.work;
  table.add({"machine", (is_gpu ? report.device : std::string(isa_name(isa()))) + ", " +
                            counted(settings.threads, "thread")});
  table.add(
      {"samples",
       grouped(report.queries) + " queries" +
           (is_gpu || settings.batch_size > 1 ? " in batches of " + grouped(settings.batch_size)
                                              : "") +
           (is_gpu ? ", " + grouped(settings.in_flight) + " of a thread under way" : "") + " x " +
           counted(settings.repetitions, "timed pass") +
           (is_gpu ? ", after two that were not timed" : ", after one that was not timed")});
  if (is_gpu) {
    table.add({"answered", grouped(work.queries) + " by the GPU, " +
                               grouped(work.unanswered_queries) + " by the CPU; in " +
                               counted(work.parts, "part") + " of batches, and " +
                               grouped(work.candidates_lost) + " begun again with more memory"});
  }
  if (!report.is_resident) {
    table.add({"lists", grouped(work.cache_hits) + " uses of lists in GPU memory, " +
                            grouped(work.cache_misses) + " of others; " +
                            grouped(work.bytes_uploaded / settings.repetitions >> 20) +
                            " MiB uploaded a pass to stay and " +
                            grouped(work.bytes_staged / settings.repetitions >> 20) +
                            " for a batch"});
  }
  table.add({"timed", timed_region(report)});
}

void print_latency(const BenchReport& report, std::ostream& out) {
  out << "\nmicroseconds per " << (report.settings.batch_size == 1 ? "query" : "batch") << "\n";
  Table times({{"mean"}, {"p50"}, {"p90"}, {"p95"}, {"p99"}, {"max"}});
  const Latency latency = report.latency();
  times.add({fixed(latency.mean, 2), fixed(latency.p50, 2), fixed(latency.p90, 2),
             fixed(latency.p95, 2), fixed(latency.p99, 2), fixed(latency.max, 2)});
  times.print(out);
}

/// Of a stage's cycles, those of each phase; all 0 if there were none.
std::array<double, kGpuPhases> shares_of(const PhaseCycles& cycles) {
  const auto all = std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0});
  std::array<double, kGpuPhases> shares{};
  for (std::size_t i = 0; i < kGpuPhases; ++i) {
    shares[i] = all == 0 ? 0 : static_cast<double>(cycles[i]) / static_cast<double>(all);
  }
  return shares;
}

/// Words on what warps do in a stage, if it was entered.
void print_phases(GpuStage stage, const PhaseCycles& cycles, std::ostream& out) {
  const std::array<double, kGpuPhases> shares = shares_of(cycles);
  if (std::accumulate(shares.begin(), shares.end(), 0.0) == 0) return;
  out << "of the time of warps in " << gpu_stage_name(stage) << ": ";
  for (std::size_t i = 0; i < kGpuPhases; ++i) {
    out << (i == 0 ? "" : ", ") << gpu_phase_name(static_cast<GpuPhase>(i)) << ' '
        << fixed(100 * shares[i], 1) << " %";
  }
  out << "\n";
}

void print_stages(const BenchReport& report, std::ostream& out) {
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
  const auto per_query = [&](std::uint64_t count) {
    return fixed(static_cast<double>(count) / static_cast<double>(report.timed_queries()), 1);
  };
  const GpuStatistics& work = report.measurement.work;
  out << "per query: OR: " << per_query(work.tiles) << " tiles added up, "
      << per_query(work.or_blocks) << " blocks decoded for " << per_query(work.lookups)
      << " lookups; AND: " << per_query(work.and_blocks) << " blocks decoded to match; "
      << per_query(work.exact_scores) << " candidates left for exact scores\n";
  print_phases(GpuStage::kMatch, work.match_phases, out);
  print_phases(GpuStage::kTiles, work.tile_phases, out);
}

void print_summary(const BenchReport& report, std::ostream& out) {
  const AnswerCounts& answers = report.measurement.answers;
  const double rate = report.queries_per_second();
  out << "\n"
      << grouped(static_cast<std::uint64_t>(rate)) << " queries per second ("
      << fixed(1e6 / rate, 2) << " µs a query); " << grouped(answers.hits) << " documents found, "
      << counted(answers.without_answer, "query") << " without an answer";
  if (report.settings.search.mode == QueryMode::kAndOr) {
    out << ", " << counted(answers.fell_back, "query") << " answered by OR";
  }
  out << "\n";
}

void write_index(const BenchReport& report, JsonWriter& json) {
  const CodecSettings& codec = report.index_settings.codec;
  json.begin_object("index");
  json.member("folder", report.index);
  json.member("documents", report.documents);
  json.member("terms", report.terms);
  json.member("postings", report.postings);
  json.member("segments", report.segments);
  json.member("deleted_documents", report.deleted_documents);
  json.member("codec", codec_name(codec.kind));
  if (codec.kind == CodecKind::kPfor) json.member("pfor_levels", std::uint64_t{codec.pfor_levels});
  json.member("bit_sets", codec.bit_sets);
  json.member("analyzer", report.index_settings.analyzer);
  json.end_object();
}

void write_queries(const BenchReport& report, JsonWriter& json) {
  json.begin_object("queries");
  json.member("file", report.queries_file);
  json.member("count", std::uint64_t{report.queries});
  json.member("terms_per_query", report.terms_per_query);
  json.member("postings_per_query", report.postings_per_query);
  json.member("list_bytes_per_query", report.bytes_per_query);
  json.end_object();
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

void write_settings(const BenchReport& report, JsonWriter& json) {
  const BenchSettings& settings = report.settings;
  json.member("mode", query_mode_name(settings.search.mode));
  json.member("k", std::uint64_t{settings.search.k});
  json.member("counting_matches", settings.search.count);
  write_scorer(settings.search.scorer, json);
  json.member("isa", isa_name(isa()));
  json.member("threads", std::uint64_t{settings.threads});
  json.member("repetitions", std::uint64_t{settings.repetitions});
  json.member("device", report.device);
  json.member("batch_size", std::uint64_t{settings.batch_size});
  if (report.is_gpu()) {
    json.member("in_flight", std::uint64_t{settings.in_flight});
    json.member("exhaustive", settings.ablation.exhaustive);
    json.member("seeds", !settings.ablation.no_seeds);
    json.member("or_by", or_method_name(settings.ablation.or_by));
  }
  json.member("timed_region", timed_region(report));
}

void write_latency(const Latency& latency, JsonWriter& json) {
  json.begin_object("microseconds");
  json.member("mean", latency.mean);
  json.member("p50", latency.p50);
  json.member("p90", latency.p90);
  json.member("p95", latency.p95);
  json.member("p99", latency.p99);
  json.member("max", latency.max);
  json.end_object();
}

/// Of what warps do in a stage, the shares.
void write_phases(const char* name, const PhaseCycles& cycles, JsonWriter& json) {
  const std::array<double, kGpuPhases> shares = shares_of(cycles);
  json.begin_object(name);
  for (std::size_t i = 0; i < kGpuPhases; ++i) {
    json.member(gpu_phase_name(static_cast<GpuPhase>(i)), shares[i]);
  }
  json.end_object();
}

void write_stages(const BenchReport& report, JsonWriter& json) {
  json.begin_object("stage_microseconds");
  for (std::size_t i = 0; i < kGpuStages; ++i) {
    json.member(gpu_stage_name(static_cast<GpuStage>(i)), stage_time(report, i));
  }
  json.end_object();
  const GpuStatistics& work = report.measurement.work;
  write_phases("match_phases", work.match_phases, json);
  write_phases("tile_phases", work.tile_phases, json);
  json.member("tiles", static_cast<double>(work.tiles));
  json.member("or_blocks", static_cast<double>(work.or_blocks));
  json.member("lookups", static_cast<double>(work.lookups));
  json.member("and_blocks", static_cast<double>(work.and_blocks));
  json.member("exact_scores", static_cast<double>(work.exact_scores));
}

void write_processors(const BenchReport& report, JsonWriter& json) {
  const GpuStatistics& work = report.measurement.work;
  json.begin_object("queries_by_processor");
  json.member("gpu", work.queries);
  json.member("cpu", work.unanswered_queries);
  json.end_object();
  if (!report.is_gpu()) return;
  json.begin_object("gpu_lists");
  json.member("resident", report.is_resident);
  json.member("index_bytes", std::uint64_t{report.gpu_memory});
  json.member("cache_hits", work.cache_hits);
  json.member("cache_misses", work.cache_misses);
  json.member("bytes_uploaded", work.bytes_uploaded);
  json.member("bytes_staged", work.bytes_staged);
  json.end_object();
  json.member("parts_of_batches", work.parts);
  json.member("queries_begun_again", work.candidates_lost);
}

}  // namespace

void print_report(const BenchReport& report, std::ostream& out) {
  Table table({{"", Table::Align::kLeft}, {"", Table::Align::kLeft}});
  add_task(report, table);
  add_runs(report, table);
  table.print(out);
  print_latency(report, out);
  if (report.settings.ablation.time_stages) print_stages(report, out);
  print_summary(report, out);
}

std::string to_json(const BenchReport& report) {
  const AnswerCounts& answers = report.measurement.answers;
  JsonWriter json;
  json.begin_object();
  write_index(report, json);
  write_queries(report, json);
  write_settings(report, json);
  write_latency(report.latency(), json);
  json.member("queries_per_second", report.queries_per_second());
  if (report.settings.ablation.time_stages) write_stages(report, json);
  write_processors(report, json);
  json.member("hits", answers.hits);
  json.member("queries_without_answer", answers.without_answer);
  json.member("queries_answered_by_or", answers.fell_back);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace warpdex::tools
