// warpdex calibrate: measures what queries cost on each processor, for the scheduler's predictions.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "command.hpp"
#include "options/device_options.hpp"
#include "options/places.hpp"
#include "options/search_options.hpp"
#include "output/interrupt.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "search/open_searcher.hpp"
#include "warpdex/calibration.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Measures what the queries of a file cost on the CPU and, with --device auto or gpu, on the\n"
    "GPU, alone and in batches, and stores models of that beside the index (INDEX.costs.json). "
    "The\n"
    "scheduler then predicts by them. Tells how far predictions are off for queries that the "
    "models\n"
    "were not fitted to.";

constexpr const char* kNotes =
    "Each query is measured by each of --modes and each of --ks. A few hundred queries will do;\n"
    "they should be like those that are to come. A build that replaces the index makes its costs\n"
    "void; those of an index that was changed stay in use, and are corrected by what queries "
    "take.\n"
    "\n"
    "example:\n"
    "  warpdex calibrate INDEX --queries log.tsv --device auto";

/// For --help, behind "auto: ".
constexpr const char* kAuto =
    "the GPU beside the CPU if there is one that is fit and has memory enough; else the CPU, with "
    "a "
    "line that says why";

struct Arguments {
  std::string index;
  SearchOptions search{0};  // on all threads
  DeviceOptions device{kAuto};
  std::string modes = "or,and,and-or";
  std::string ks = "10,1000";
  std::int64_t limit = 1'000;
  std::int64_t repetitions = 3;
  std::string json;
};

void add_options(CommandLine& command, Arguments& given) {
  given.search.add_to(command);
  given.device.add_to(command);
  po::options_description group = option_group("Calibration");
  group.add_options()("modes",
                      po::value(&given.modes)->value_name("LIST")->default_value(given.modes),
                      "modes to measure, of and, or and and-or; others keep rough figures")(
      "ks", po::value(&given.ks)->value_name("LIST")->default_value(given.ks),
      "numbers of documents to return, to measure with")(
      "limit", po::value(&given.limit)->value_name("N")->default_value(given.limit),
      "queries to measure at most, spread over the file")(
      "repetitions",
      po::value(&given.repetitions)->value_name("N")->default_value(given.repetitions),
      "timed runs of each query, of which the median counts");
  add_json_option(group, "errors of predictions", &given.json);
  command.add(group);
}

/// Queries spread over the file.
std::vector<Query> queries_of(const Arguments& given, const IndexReader& index) {
  const TextAnalyzers analyzers(index.settings());
  std::vector<Query> all =
      parse_queries(given.search.read_query_file(index.settings()),
                    given.search.syntax(QuerySyntax::kPlain), analyzers, given.search.searched());
  const std::size_t limit = checked_number("--limit", given.limit, 1);
  const std::size_t count = std::min(limit, all.size());
  std::vector<Query> queries;
  for (std::size_t i = 0; i < count; ++i) queries.push_back(all[i * all.size() / count]);
  if (queries.empty()) throw UsageError("there are no queries in " + given.search.query_file());
  return queries;
}

/// Each mode with each k.
std::vector<warpdex::SearchOptions> kinds_of(const Arguments& given) {
  std::vector<warpdex::SearchOptions> kinds;
  for (const std::string& mode : split_list("--modes", given.modes)) {
    for (const std::string& k : split_list("--ks", given.ks)) {
      SearchSettings settings = given.search.settings();
      settings.mode = query_mode_from_name(mode);
      settings.k = whole_number_of("--ks", k);
      settings.validate();
      kinds.push_back(searcher_options(settings));
    }
  }
  return kinds;
}

void print_errors(const std::vector<PredictionError>& errors, std::ostream& out) {
  Table table({{"queries", Table::Align::kLeft},
               {"cost", Table::Align::kLeft},
               {"model", Table::Align::kLeft},
               {"samples"},
               {"mean error %"},
               {"95th percentile %"}});
  for (const PredictionError& error : errors) {
    table.add({error.query_class, error.what, error.model, grouped(error.samples),
               fixed(100 * error.mean, 1), fixed(100 * error.p95, 1)});
  }
  table.print(out);
  out << "Relative errors for queries (or batches) that the models were not fitted to.\n";
}

std::string to_json(const std::vector<PredictionError>& errors) {
  JsonWriter json;
  json.begin_object();
  json.begin_array("errors");
  for (const PredictionError& error : errors) {
    json.begin_object();
    json.member("queries", error.query_class);
    json.member("cost", error.what);
    json.member("model", error.model);
    json.member("samples", std::uint64_t{error.samples});
    json.member("mean_relative_error", error.mean);
    json.member("p95_relative_error", error.p95);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

}  // namespace

int run_calibrate(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("calibrate", "INDEX --queries FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  if (!given.search.has_query_file()) throw UsageError("calibrate needs --queries FILE");
  given.search.refuse_mode_and_k(command, "--modes and --ks say what is measured");
  given.device.check(command);
  check_outputs_outside(given.index, {given.json});
  const InterruptGuard guard;
  const IndexReader index(given.index);
  given.search.check(command, index.settings(), given.index);
  const std::vector<Query> queries = queries_of(given, index);
  const std::vector<warpdex::SearchOptions> kinds = kinds_of(given);
  std::optional<Calibrator> calibrator;
  given.device.start_gpu(
      [&](const GpuChoice& gpu) { calibrator.emplace(given.index, Gpu(gpu.device, gpu.memory)); });
  if (!calibrator) calibrator.emplace(given.index);
  CalibrationOptions options{.threads = given.search.threads()};
  options.repetitions = checked_number("--repetitions", given.repetitions, 1, 1000);
  Progress progress = Progress::to_standard_error();
  options.on_progress = [&](const char* what, std::size_t done, std::size_t all) {
    InterruptGuard::check();
    progress.update(what, what, done, all, Progress::Unit::kItems);
  };
  const std::vector<PredictionError> errors = calibrator->run(queries, kinds, options);
  progress.clear();
  if (given.json != "-") print_errors(errors, std::cout);
  write_outputs({{given.json, to_json(errors)}});
  return 0;
}

}  // namespace warpdex::tools
