// A build from start to end: documents to inverters and runs, these to lists, these to an index.
#include "warpdex/indexer/build/index_builder.hpp"
#include "format/manifest.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "build/document_stage.hpp"
#include "build/list_stage.hpp"
#include "build/memory_plan.hpp"
#include "build/progress.hpp"
#include "build/refuse_empty.hpp"
#include "build/run_store.hpp"
#include "build/segment_build.hpp"
#include "build/static_scores.hpp"
#include "build/term_merger.hpp"
#include "build/weights.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/vector/format/row_index.hpp"

namespace warpdex {
namespace {

using namespace build;

constexpr std::size_t kMaxOpenRuns = 256;  // systems allow 1,024 open files and more
constexpr std::size_t kMinRunBuffer = std::size_t{16} << 10;
constexpr std::size_t kMaxRunBuffer = std::size_t{1} << 20;
constexpr std::uint64_t kMaxForward = std::uint64_t{512} << 20;

void check(const DocumentReader& reader, const BuildOptions& options) {
  if (options.memory < kMinBuildMemory) {
    throw UsageError("building needs at least " + std::to_string(kMinBuildMemory >> 20) +
                     " MiB of memory; allow more");
  }
  if (options.codec.pfor_levels > kMaxPforLevels) {
    throw UsageError("pfor has 0 to " + std::to_string(kMaxPforLevels) +
                     " levels; choose a number of these");
  }
  check_analyzer(options.analyzer);
  if (reader.has_vectors() && options.impacts) {
    throw UsageError("sparse vectors have weights, not frequencies for BM25; leave impacts out");
  }
  IndexSettings settings;
  set_positions(options, settings);
  if (settings.has_positions && (reader.has_vectors() || options.impacts)) {
    throw UsageError(
        std::string(reader.has_vectors() ? "sparse vectors have" : "an index of impacts has") +
        " no positions of words; leave the positions out");
  }
  if (!options.schema.fields.empty()) parse_schema(schema_to_json(options.schema));
  const bool has_texts = !text_fields(options.schema).empty();
  if (has_texts && (reader.has_vectors() || options.impacts)) {
    throw UsageError(
        "an index of impacts or of sparse vectors has no text fields; leave them out of the "
        "schema");
  }
  if (options.vectors) vector::check_row_settings(*options.vectors);
  std::set<std::string_view> stored;
  for (const std::string& field : options.stored_fields) {
    if (!field.empty() && stored.insert(field).second) continue;
    throw UsageError("the field '" + field + "' cannot be stored; name each field once");
  }
}

// What threads freed does not help the next stage as long as their allocator keeps it.
void return_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

// How large a static score may be beside impacts depends on the number of documents.
void check_static_scores(const DocumentStage::LargestStatic& largest,
                         const std::optional<ImpactSettings>& impacts, const BuildReport& report) {
  if (!impacts || largest.score == 0) return;
  const double limit =
      ImpactQuantizer(*impacts, {report.documents, report.tokens}).largest_static();
  if (largest.score <= limit) return;
  const auto text = [](double value) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.6g", value);
    return std::string(digits.data());
  };
  throw InputError("the static score " + text(largest.score) + " of the document '" + largest.id +
                   "' is too large for an index of impacts, which takes at most " + text(limit) +
                   " here; divide all static scores by one number" +
                   (report.weights ? "" : ", or build without impacts"));
}

std::vector<Inverter> read_documents(DocumentReader& reader, const BuildOptions& options,
                                     const MemoryPlan& plan, const Admission* admission,
                                     const IndexSettings& settings, IndexWriter& writer,
                                     RunStore& runs, Progress& progress, BuildReport& report) {
  std::optional<IdTable> scores;
  progress.counts().stage = "reading";
  if (!options.static_scores.empty()) {
    scores = read_static_scores(
        options.static_scores, [&] { progress.report(); }, options.memory);
  }
  DocumentStage stage(reader, options, plan, admission, scores ? &*scores : nullptr, writer, runs,
                      progress, report);
  stage.run();
  if (reader.has_vectors() && report.documents > 0) {
    report.weights = admission == nullptr ? stage.weights().settings() : settings.impacts;
    report.zero_weights = stage.weights().zeros;
    writer.set_weights(*report.weights);
  }
  check_static_scores(stage.largest_static(), report.weights ? report.weights : options.impacts,
                      report);
  return stage.take_inverters();
}

// Inverters stay in memory if lists can be made beside them, else they become runs. Returns what
// memory is left.
std::uint64_t sort_or_spill(std::vector<Inverter>& inverters, const MemoryPlan& plan,
                            const IndexWriter& writer, RunStore& runs) {
  std::uint64_t held = writer.memory();
  for (const Inverter& inverter : inverters) held += inverter.memory();
  const std::uint64_t longest_list = kListBytesPerPosting * writer.lengths().size();
  const std::uint64_t lists = std::max(plan.writing / 4, longest_list);
  const bool spill = held + lists > plan.writing;
  parallel_for(plan.threads, inverters.size(), [&](std::size_t, std::size_t i) {
    spill ? runs.spill(inverters[i]) : inverters[i].sort();
  });
  if (spill) {
    inverters.clear();
    held = writer.memory();
  }
  return plan.writing - std::min(plan.writing, held);
}

// Merges runs until those that are left can be open together within `memory` bytes. Returns the
// size of their buffers.
std::size_t merge_runs(std::uint64_t memory, RunStore& runs) {
  const auto buffer_for = [&](std::uint64_t count) {
    const std::uint64_t share = memory / std::max<std::uint64_t>(count, 1);
    const std::uint64_t names = runs.bytes_per_run(0);
    return std::clamp<std::uint64_t>(share - std::min(share, names), kMinRunBuffer, kMaxRunBuffer);
  };
  const std::size_t fan_in =
      std::clamp<std::uint64_t>(memory / runs.bytes_per_run(kMinRunBuffer), 2, kMaxOpenRuns);
  runs.merge_down(fan_in, buffer_for(fan_in));
  return buffer_for(runs.size());
}

void write_index(std::vector<Inverter> inverters, const IndexSettings& settings,
                 const MemoryPlan& plan, IndexWriter& writer, RunStore& runs, Progress& progress,
                 BuildReport& report) {
  const std::uint64_t memory = sort_or_spill(inverters, plan, writer, runs);
  const std::size_t buffer = merge_runs(memory / 4, runs);
  std::vector<std::unique_ptr<TermSource>> sources = runs.open(buffer);
  for (const Inverter& inverter : inverters) {
    sources.push_back(std::make_unique<InverterSource>(inverter));
  }
  TermMerger terms(std::move(sources));
  const std::uint64_t used_by_runs =
      std::min<std::uint64_t>(memory, runs.bytes_per_run(buffer) * runs.size());
  const ListEncoder encoder(settings, writer.all_lengths());
  const std::uint64_t forward = settings.has_forward ? memory / 4 : 0;
  writer.set_forward_memory(std::min(forward, kMaxForward));
  const ImpactSettings* weights = report.weights ? &*report.weights : nullptr;
  const std::uint64_t held = std::min(memory, used_by_runs + forward);
  write_lists(terms, encoder, weights, plan.threads, (memory - held) / 2, writer, progress, report);
}

void check_documents(const BuildReport& report, const BuildOptions& options) {
  if (report.documents == 0 && report.skipped_documents > 0) {
    throw InputError("every document of the input (" + std::to_string(report.skipped_documents) +
                     ") was bad; nothing was built");
  }
  refuse_empty(report.documents, options.output);
}

/// A misspelt field must not leave its text out unsaid. Fields of the schema may be in no document.
void check_fields(const FieldUse& use, const BuildReport& report, const Schema& schema) {
  std::string missing;
  const auto look_at = [&](const std::vector<FieldCount>& fields) {
    for (const FieldCount& field : fields) {
      const std::string name = "'" + field.name + "'";
      const bool is_told =
          missing.find(name) != std::string::npos ||
          std::ranges::find(schema.fields, field.name, &Field::name) != schema.fields.end();
      if (field.documents > 0 || is_told) continue;
      missing += (missing.empty() ? "" : ", ") + name;
    }
  };
  look_at(use.fields);
  look_at(use.stored);
  if (missing.empty() || report.documents == 0) return;
  throw InputError("no document has the field " + missing + "; the first documents have " +
                   use.known + ": correct the name, or leave it out");
}

}  // namespace

namespace build {

void refuse_empty(std::uint64_t documents, const std::filesystem::path& output) {
  std::error_code ignored;
  if (documents > 0 || !std::filesystem::exists(output / kManifestName, ignored)) return;
  throw InputError("the input holds no document; the index at '" + output.string() +
                   "' stays as it was: remove it first if it is to be replaced by an empty one");
}

void set_positions(const BuildOptions& options, IndexSettings& settings) {
  const std::vector<Field> texts = text_fields(options.schema);
  const auto asking = static_cast<std::size_t>(std::ranges::count(texts, true, &Field::positions));
  settings.has_positions = options.positions || asking > 0;
  settings.positions_by_field = !options.positions && asking > 0 && asking < texts.size();
}

void check_build_options(const DocumentReader& reader, const BuildOptions& options) {
  check(reader, options);
}

BuildReport build_segment(DocumentReader& reader, const BuildOptions& options,
                          const Admission* admission, IndexSettings& settings, IndexWriter& writer,
                          Progress& progress) {
  const MemoryPlan plan =
      plan_memory(options.memory, options.threads != 0 ? options.threads : default_threads());
  writer.set_threads(plan.threads);
  RunStore runs(writer.scratch_folder(), PositionedTexts(settings));
  BuildReport report;
  std::vector<Inverter> inverters =
      read_documents(reader, options, plan, admission, settings, writer, runs, progress, report);
  FieldUse field_use = reader.field_use();
  if (admission == nullptr) {
    check_documents(report, options);
    check_fields(field_use, report, options.schema);
  }
  report.fields = std::move(field_use.fields);
  report.left_out = reader.left_out();
  if (admission == nullptr) return_freed_memory();
  progress.counts().postings_total = report.postings;
  report.postings = 0;
  if (report.weights) settings.impacts = report.weights;
  write_index(std::move(inverters), settings, plan, writer, runs, progress, report);
  report.runs_spilled = runs.spilled();
  return report;
}

IndexSettings settings_of(const DocumentReader& reader, const BuildOptions& options) {
  IndexSettings settings;
  settings.codec = options.codec;
  settings.analyzer = canonical_analyzer(options.analyzer);
  settings.fields = options.fields;
  settings.has_static_scores = !options.static_scores.empty();
  settings.impacts = options.impacts;
  if (reader.has_vectors()) {
    settings.analyzer = "whitespace";
    settings.fields = "vector";
    settings.impacts = WeightSummary{}.settings();  // until all weights are known
  }
  // BM25's impacts have the statistics of the build in them: such an index does not change.
  const bool is_fixed = settings.impacts && settings.impacts->source == ImpactSource::kBm25;
  settings.has_forward = options.forward && !is_fixed;
  settings.stored_fields = options.stored_fields;
  settings.schema = options.schema;
  settings.vectors = options.vectors;
  set_positions(options, settings);
  return settings;
}

}  // namespace build

BuildReport build_index(DocumentReader& reader, const BuildOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  check_build_options(reader, options);
  IndexSettings settings = settings_of(reader, options);
  IndexWriter writer(options.output, settings);
  Progress progress(options.on_progress);
  BuildReport report = build_segment(reader, options, nullptr, settings, writer, progress);
  report.notes = writer.commit([&] { progress.report(true); });
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace warpdex
