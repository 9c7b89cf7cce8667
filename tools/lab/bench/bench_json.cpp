// Writes the figures of a benchmark of queries as JSON.
#include <algorithm>
#include <array>

#include "bench/bench_report.hpp"
#include "options/search_options.hpp"
#include "output/json.hpp"
#include "warpdex/core/cpu_features.hpp"

namespace warpdex::tools {
namespace {

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
  json.member("analyzer", report.index_settings.analyzer.name);
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
  json.member("name", scorer_report_name(scorer.kind));
  const auto reads = [&](const ScorerOption& option) { return reads_option(scorer.kind, option); };
  for (const ScorerOption& option : scorer_options()) {
    if (reads(option) && option.number == nullptr) {
      json.member("form", bm25_form_name(scorer.form));
    }
  }
  for (const ScorerOption& option : scorer_options()) {
    if (reads(option) && option.number != nullptr) {
      json.member(option.name, scorer.*option.number);
    }
  }
  json.end_object();
}

void write_settings(const BenchReport& report, JsonWriter& json) {
  const BenchSettings& settings = report.settings;
  json.member("mode", query_mode_name(settings.search.mode));
  json.member("k", std::uint64_t{settings.search.k});
  json.member("counting_matches", settings.search.count);
  if (!settings.filter.empty()) json.member("filter", settings.filter);
  if (!settings.facets.empty()) json.member("facets", std::uint64_t{settings.facets.size()});
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

/// Of each query, or batch, the shortest sample of all passes.
void write_shortest(const BenchReport& report, JsonWriter& json) {
  const std::vector<std::uint64_t>& samples = report.measurement.samples;
  const std::size_t passes = report.settings.repetitions;
  const std::size_t count = samples.size() / passes;
  json.begin_array("shortest_microseconds");
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t shortest = samples[i];
    for (std::size_t pass = 1; pass < passes; ++pass) {
      shortest = std::min(shortest, samples[pass * count + i]);
    }
    json.value(static_cast<double>(shortest) / 1000);
  }
  json.end_array();
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

/// How OR was answered: the rules that some part obeyed.
void write_choices(const OrCounts& counts, JsonWriter& json) {
  json.begin_object("or_choices");
  json.member("parts", counts.parts);
  json.member("queries", counts.queries);
  json.member("lists", counts.lists);
  json.member("postings", counts.postings);
  json.begin_object("rules");
  for (std::size_t i = 0; i < kOrRules; ++i) {
    if (counts.by_rule[i] == 0) continue;
    json.member(text_of(static_cast<OrRule>(i)).name, counts.by_rule[i]);
  }
  json.end_object();
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
  write_choices(work.or_counts, json);
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

std::string to_json(const BenchReport& report) {
  const AnswerCounts& answers = report.measurement.answers;
  JsonWriter json;
  json.begin_object();
  write_index(report, json);
  write_queries(report, json);
  write_settings(report, json);
  write_latency(report.latency(), json);
  write_shortest(report, json);
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
