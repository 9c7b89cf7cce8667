// warpdex bench: how long queries take, on warm lists, with term look-up outside of the clock.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "bench/bench_measure.hpp"
#include "bench/bench_report.hpp"
#include "bench/measured_engines.hpp"
#include "bench/phrase_bench.hpp"
#include "bench/tree_bench.hpp"
#include "command.hpp"
#include "options/places.hpp"
#include "options/search_options.hpp"
#include "output/interrupt.hpp"
#include "output/output_file.hpp"
#include "output/query_notes.hpp"
#include "search/answers.hpp"
#include "search/open_searcher.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/query/filter/document_filter.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Measures how fast a file of queries is answered. All queries are parsed and their terms "
    "looked\n"
    "up first; a first pass over all of them, which warms the lists, is not timed (on the GPU, nor "
    "is\n"
    "a second); then come --repetitions timed passes. A file of exact phrases is measured, too; "
    "other\ntrees, and and-or over several fields, as `warpdex search` answers them.";

constexpr const char* kNotes =
    "The clock of a query runs from its looked-up terms to its k best documents with their "
    "scores.\n"
    "Parsing, analysis, term look-up, document names and output are not timed. Mean and "
    "percentiles\n"
    "are those of all timed samples: queries (or batches) times repetitions. Queries per second "
    "are\n"
    "all timed queries over the wall time of all timed passes. With --threads N, each thread has "
    "its\n"
    "own searcher and takes the next query; on the GPU it has its own engine and every N-th "
    "batch.\n"
    "\n"
    "example:\n"
    "  warpdex bench INDEX --queries log.tsv --mode and -k 10 --json bench.json";

/// For --help, behind "auto: ".
constexpr const char* kAuto =
    "the GPU alone is timed if there is one that is fit and has memory enough, else the CPU, with "
    "a line that says why; answers of --output come from both";

struct Arguments {
  std::string index;
  SearchOptions search;
  DeviceOptions device{kAuto};
  AnswerOptions answers;
  std::int64_t repetitions = 5;
  std::int64_t batch_size = 0;
  std::int64_t in_flight = 1;
  bool document_blocks = false;
  bool exhaustive = false;
  std::string or_by{or_method_name(OrMethod::kByCost)};
  bool no_seeds = false;
  bool stages = false;
  std::string filter;
  std::vector<std::string> facets;
  std::string json;

  GpuAblation ablation() const {
    return {.exhaustive = exhaustive,
            .or_by = parse_or_method(or_by),
            .no_seeds = no_seeds,
            .time_stages = stages};
  }
};

void add_options(CommandLine& command, Arguments& given) {
  given.search.add_to(command);
  given.device.add_to(command, kGpuMemoryOfText, GpuCount::kShards);
  po::options_description group = option_group("Measuring");
  group.add_options()(
      "repetitions",
      po::value(&given.repetitions)->value_name("N")->default_value(given.repetitions),
      "timed passes over the queries")(
      "batch-size", po::value(&given.batch_size)->value_name("N")->default_value(given.batch_size),
      "queries of a batch. GPU: 0 is all queries. CPU: the threads share each batch, and start the "
      "next one when all of it is answered; with 0 or 1, each thread goes on by itself")(
      "filter", po::value(&given.filter)->value_name("TEXT"),
      "only documents with such values match: year >= 1990 AND NOT draft = true")(
      "facet", po::value(&given.facets)->value_name("COLUMN"),
      "also count the values of a column over all matches of each query, one query at a time; may "
      "be given again")(
      "in-flight", po::value(&given.in_flight)->value_name("N")->default_value(given.in_flight),
      "GPU: batches that each thread has under way at a time, so that it prepares one while others "
      "are answered, also across passes: with large batches, give more --repetitions")(
      "document-blocks", po::bool_switch(&given.document_blocks), kDocumentBlocks)(
      "exhaustive", po::bool_switch(&given.exhaustive),
      "GPU: skip no block, to measure what skipping is worth; AND by BM25 with codec bitpack only")(
      "or-by", po::value(&given.or_by)->value_name("METHOD")->default_value(given.or_by),
      "GPU: how OR answers the ranges of documents (tiles) that its bounds leave: adding-up "
      "(accumulates all documents of a tile), looking-up (looks competitive documents up, list by "
      "list), searching (as looking-up, but by one kernel that needs little memory), "
      "decoding-once (decodes each list once for all queries of a batch, then looks documents up "
      "in them by BM25, and accumulates by impacts or where queries are long), or cost "
      "(whichever is estimated to be cheapest)")(
      "no-seeds", po::bool_switch(&given.no_seeds),
      "GPU: let OR's thresholds start at 0, to measure what the index's seeds are worth")(
      "stages", po::bool_switch(&given.stages),
      "GPU: also show the time of each stage, how OR was answered and why, and, by BM25 with codec "
      "bitpack, the time of what warps do");
  add_json_option(group, "figures", &given.json);
  command.add(group);
  given.answers.add_to(command, "nowhere");
}

/// For --output: the answers themselves, which are not timed.
void save_answers(const Arguments& given, const std::vector<QueryText>& texts) {
  const InterruptGuard guard;  // a signal must not leave the unfinished file behind
  OutputFile output(given.answers.output());
  const auto writer = given.answers.make_writer(output.stream());
  const Searcher searcher =
      open_searcher(given.index, given.device, given.search.threads(), given.document_blocks);
  warpdex::SearchOptions options = searcher_options(given.search.settings());
  options.filter = given.filter;
  options.searched = given.search.searched();
  write_answers(searcher, texts, given.search.syntax(QuerySyntax::kPlain), options, *writer);
  output.commit();
  InterruptGuard::check();  // one that came last
}

/// What the options say, for a log of so many queries.
BenchSettings settings_of(const Arguments& given, const Snapshot& index, std::size_t queries) {
  BenchSettings settings;
  settings.search = given.search.settings();
  settings.search.scorer = effective_scorer(index.settings(), settings.search.scorer);
  const std::size_t threads = given.search.threads();
  settings.threads = threads == 0 ? default_threads() : threads;
  settings.repetitions = checked_number("--repetitions", given.repetitions, 1, 100'000);
  settings.batch_size = checked_number("--batch-size", given.batch_size, 0, 1'000'000'000);
  if (settings.batch_size == 0) settings.batch_size = queries;
  settings.in_flight = checked_number("--in-flight", given.in_flight, 1, 64);
  settings.document_blocks = given.document_blocks;
  settings.facets = parse_facets(given.facets);
  if (!settings.facets.empty()) settings.batch_size = settings.in_flight = 1;
  settings.ablation = given.ablation();
  if (given.stages && settings.in_flight > 1) {
    throw UsageError("--stages times one batch of a thread at a time; leave --in-flight at 1");
  }
  return settings;
}

/// Without what only the GPU's engine has. `batch_size` is as given: 0 for queries one by one.
BenchSettings for_cpu(BenchSettings settings, std::int64_t batch_size) {
  if (batch_size == 0) settings.batch_size = 1;
  settings.in_flight = 1;
  settings.ablation = {};
  return settings;
}

/// The GPU's name, and how many there are.
std::string describe(const std::vector<Gpu>& gpus, std::size_t shards) {
  if (gpus.size() == 1) return gpus.front().name();
  return std::to_string(gpus.size()) + " x " + gpus.front().name() + ", " + std::to_string(shards) +
         " shards, " + std::to_string(gpus.size() / shards) + " replicas";
}

/// What is known before anything is measured.
BenchReport report_of(const Arguments& given, const Snapshot& index, std::size_t queries) {
  BenchReport report;
  report.index = given.index;
  report.documents = index.documents();
  for (const Snapshot::Segment& segment : index.segments()) {
    report.terms += segment.index->counts().terms;
    report.postings += segment.index->counts().postings;
  }
  report.segments = index.segments().size();
  report.deleted_documents = index.removed_documents();
  report.index_settings = index.settings();
  report.queries_file = given.search.query_file();
  report.queries = queries;
  return report;
}

/// Queries that were read by a mode are for OR.
bool are_read_by_mode(const Arguments& given, const Snapshot& index) {
  const QuerySyntax syntax = given.search.syntax(QuerySyntax::kPlain);
  return syntax == QuerySyntax::kLucene || syntax == QuerySyntax::kJson ||
         given.search.searched().synonyms != nullptr ||
         TextAnalyzers(index.settings()).are_several();
}

/// `gpu` has the index if the GPU is to answer.
BenchReport bench(const Arguments& given, const BenchSettings& settings, const Snapshot& index,
                  const UploadedIndex* gpu, std::span<const Query> queries) {
  BenchReport report = report_of(given, index, queries.size());
  report.settings = gpu != nullptr ? settings : for_cpu(settings, given.batch_size);
  BenchSettings run = report.settings;
  if (are_read_by_mode(given, index)) run.search.mode = QueryMode::kOr;

  const Workload workload = plan_all(index, queries);
  const auto count = static_cast<double>(queries.size());
  report.terms_per_query = static_cast<double>(workload.terms) / count;
  report.postings_per_query = static_cast<double>(workload.postings) / count;
  report.bytes_per_query = static_cast<double>(workload.bytes) / count;
  if (gpu == nullptr) {
    report.measurement = measure(index, workload, run);
    return report;
  }
  report.device = describe(gpu->gpus, gpu->group.shards());
  report.is_resident = gpu->is_resident();
  report.gpu_memory = gpu->memory();
  if (!workload.phrases.empty()) {
    report.measurement = measure_phrases(index, gpu->group.replica(0), workload.phrases, run);
    return report;
  }
  const std::shared_ptr<const GpuBlocks> blocks =
      settings.document_blocks && gpu->group.shards() == 1  // shards go by lists
          ? gpu->upload_blocks(settings.threads)
          : nullptr;
  if (blocks) report.gpu_memory += blocks->memory();
  const MakeGpuEngine make = [&](GpuEngineSettings of) {
    of.blocks = blocks;
    return gpu->make_engine(of);
  };
  std::optional<GpuFacets> facets;
  if (!settings.facets.empty()) facets.emplace(index, gpu->group.replica(0));
  report.measurement = measure_gpu(index, make, facets ? &*facets : nullptr, workload, run);
  return report;
}

/// Of queries that engines do not answer alone.
BenchReport bench_trees(const Arguments& given, const BenchSettings& settings,
                        const Snapshot& index, std::span<const Query> queries) {
  if (given.exhaustive || given.no_seeds || given.stages || given.in_flight > 1) {
    throw UsageError(
        "queries that are trees, and and-or over several fields, are timed as a search answers "
        "them; leave --exhaustive, --no-seeds, --stages and --in-flight out");
  }
  BenchReport report = report_of(given, index, queries.size());
  SearcherOptions how{.threads = settings.threads};
  std::optional<Searcher> searcher;
  given.device.start_gpus([&](std::span<const GpuChoice> choice) {
    SearcherOptions on_gpus = how;
    on_gpus.device = Device::kGpu;
    on_gpus.gpus = open_gpus(choice);
    on_gpus.shards = given.device.shards();
    searcher.emplace(given.index, on_gpus);
    how = on_gpus;
  });
  if (!searcher) searcher.emplace(given.index, how);
  report.settings = how.gpus.empty() ? for_cpu(settings, given.batch_size) : settings;
  warpdex::SearchOptions options = searcher_options(report.settings.search);
  options.searched = given.search.searched();
  options.syntax = given.search.syntax(QuerySyntax::kPlain);
  options.filter = given.filter;
  if (!given.facets.empty()) options.facets = report.settings.facets;
  for (const Query& query : queries)
    report.terms_per_query += static_cast<double>(query.terms.size());
  report.terms_per_query /= static_cast<double>(queries.size());
  report.measurement = measure_trees(*searcher, queries, options, report.settings);
  if (how.gpus.empty()) return report;
  report.device = describe(how.gpus, how.shards);
  report.gpu_memory = how.gpus.front().memory_used();
  return report;
}

}  // namespace

int run_bench(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("bench", "INDEX --queries FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  if (!given.search.has_query_file()) {
    throw UsageError("--queries is missing; name a file of queries to measure with");
  }
  check_shared_stream("standard output",
                      {{"--json", given.json}, {"--output", given.answers.output()}});
  check_outputs_outside(given.index, {given.json, given.answers.output()});
  given.answers.check(command, false);
  for (const char* const option : {"output-format", "tag"}) {
    if (!command.given(option) || !given.answers.output().empty()) continue;
    throw UsageError("--" + std::string(option) +
                     " is for --output FILE; add that or leave it out");
  }
  given.device.check(command, {"in-flight", "exhaustive", "or-by", "no-seeds", "stages"});
  given.search.check_mode(command);
  given.search.settings();
  const Snapshot snapshot = Snapshot::open(given.index);
  given.search.check(command, snapshot.settings(), given.index);
  const std::vector<QueryText> texts = given.search.read_query_file(snapshot.settings());
  if (texts.empty()) {
    throw InputError(given.search.query_file() + " holds no query; nothing can be measured");
  }
  BenchSettings settings = settings_of(given, snapshot, texts.size());
  std::shared_ptr<const DocumentFilter> filter;
  if (!given.filter.empty()) filter = FilterCache().get(snapshot, given.filter);
  settings.search.documents = filter.get();
  settings.filter = given.filter;
  const QuerySyntax syntax = given.search.syntax(QuerySyntax::kPlain);
  const std::vector<Query> queries =
      parse_queries(texts, syntax, TextAnalyzers(snapshot.settings()), given.search.searched(),
                    nullptr, settings.search.mode);
  print_query_notes(texts, queries, syntax, IndexReader(given.index));
  if (!given.answers.output().empty()) save_answers(given, texts);
  const bool are_trees = std::ranges::any_of(queries, needs_searcher);
  const std::unique_ptr<UploadedIndex> gpu = are_trees ? nullptr : upload(snapshot, given.device);
  const BenchReport report = are_trees ? bench_trees(given, settings, snapshot, queries)
                                       : bench(given, settings, snapshot, gpu.get(), queries);
  if (given.json != "-") print_report(report, std::cout);
  if (!given.json.empty()) write_output(given.json, to_json(report));
  return 0;
}

}  // namespace warpdex::tools
