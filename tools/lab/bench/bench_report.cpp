// Words for the figures of a benchmark of queries.
#include "bench/bench_report.hpp"

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "options/codec_options.hpp"
#include "options/search_options.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
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

/// Rows on what was searched for, and where.
void add_task(const BenchReport& report, Table& table) {
  const SearchSettings& search = report.settings.search;
  const std::string& filter = report.settings.filter;
  const std::size_t facets = report.settings.facets.size();
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
                           (search.count ? ", counting matches" : "") +
                           (filter.empty() ? "" : ", with the filter " + filter) +
                           (facets == 0 ? "" : ", and " + counted(facets, "facet"))});
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

/// How OR was answered, and why.
void print_choices(const OrCounts& counts, std::ostream& out) {
  if (counts.parts == 0) return;
  out << "how OR was answered, in parts of batches with " << grouped(counts.queries / counts.parts)
      << " queries of OR, " << grouped(counts.lists / counts.parts) << " lists and "
      << grouped(counts.postings / counts.parts) << " postings on average\n";
  Table table({{"parts"}, {"chosen", Table::Align::kLeft}, {"because", Table::Align::kLeft}});
  for (std::size_t i = 0; i < kOrRules; ++i) {
    if (counts.by_rule[i] == 0) continue;
    const OrRuleText& text = text_of(static_cast<OrRule>(i));
    table.add({grouped(counts.by_rule[i]), std::string(text.choice), std::string(text.reason)});
  }
  table.print(out);
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
  print_choices(work.or_counts, out);
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

}  // namespace

const char* timed_region(const BenchReport& report) {
  if (report.is_gpu()) return kTimedRegionGpu;
  return report.settings.batch_size > 1 ? kTimedRegionBatch : kTimedRegion;
}

double stage_time(const BenchReport& report, std::size_t stage) {
  return report.measurement.work.stages[stage] * 1e6 / static_cast<double>(report.timed_queries());
}

std::array<double, kGpuPhases> shares_of(const PhaseCycles& cycles) {
  const auto all = std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0});
  std::array<double, kGpuPhases> shares{};
  for (std::size_t i = 0; i < kGpuPhases; ++i) {
    shares[i] = all == 0 ? 0 : static_cast<double>(cycles[i]) / static_cast<double>(all);
  }
  return shares;
}

void print_report(const BenchReport& report, std::ostream& out) {
  Table table({{"", Table::Align::kLeft}, {"", Table::Align::kLeft}});
  add_task(report, table);
  add_runs(report, table);
  table.print(out);
  print_latency(report, out);
  if (report.settings.ablation.time_stages) print_stages(report, out);
  print_summary(report, out);
}

}  // namespace warpdex::tools
