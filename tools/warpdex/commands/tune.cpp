// warpdex tune: the weight of a fusion, chosen on one half of judged queries and tried on the
// other.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command.hpp"
#include "options/device_options.hpp"
#include "options/hybrid_options.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "options/search_options.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/query_notes.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "search/open_searcher.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/evaluation/evaluation.hpp"
#include "warpdex/query/hybrid/fusion.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Finds the --fusion-weight for searches of words and vectors: tries weights from 0 (vectors\n"
    "alone) to 1 (words alone) on every other judged query, chooses the best (of equal ones the\n"
    "nearest to 0.5), and tells what it is worth on the other queries, which it was not chosen by.";

constexpr const char* kNotes =
    "example:\n"
    "  warpdex tune INDEX --queries q.tsv --vector-queries q.npy --qrels qrels.txt --fusion convex";

constexpr int kSteps = 10;
constexpr int kDecimals = 4;

struct Arguments {
  std::string index;
  SearchOptions search;
  DeviceOptions device{kAutoTakesBoth};
  HybridOptions hybrid;
  std::string qrels;
  std::string measure = "ndcg_cut_10";
  bool ignore_identical_ids = false;
  std::string json;
};

/// What both halves found, query by query.
struct Halves {
  std::optional<IndexReader> index{};  ///< that was searched
  std::vector<Query> queries{};
  std::vector<std::vector<Hit>> text{};
  std::vector<std::vector<Hit>> vectors{};
  vector::Metric metric;  ///< of these
};

struct Trial {
  float weight = 0;
  double training = 0;
  double test = 0;
};

std::vector<std::vector<Hit>> hits_of(const std::vector<Answer>& answers) {
  std::vector<std::vector<Hit>> all;
  for (const Answer& answer : answers) {
    std::vector<Hit>& hits = all.emplace_back();
    for (const AnswerHit hit : answer) hits.push_back({hit.document(), hit.score()});
  }
  return all;
}

Halves search_halves(const IndexReader& index, const Arguments& given,
                     const FusionSettings& fusion) {
  const vector::Metric metric = index.vector_settings(given.hybrid.field()).metric;
  const Searcher searcher = open_searcher(given.index, given.device, given.search.threads());
  Halves halves{.metric = metric};
  halves.index.emplace(searcher);
  const std::vector<QueryText> texts = given.search.read_query_file(index.settings());
  const TextAnalyzers analyzers(index.settings());
  const QuerySyntax syntax = given.search.syntax(QuerySyntax::kPlain);
  halves.queries = parse_queries(texts, syntax, analyzers, given.search.searched(), nullptr,
                                 given.search.settings().mode);
  print_query_notes(texts, halves.queries, syntax, index);
  QueryVectors vectors(index, given.hybrid);
  vectors.check_count(halves.queries.size());
  SearchSettings settings = given.search.settings();
  settings.and_or_min = settings.and_or_min_matches();
  settings.k = fusion.depth;
  warpdex::SearchOptions options = searcher_options(settings);
  options.fusion = fusion;
  options.vector_field = given.hybrid.field();
  halves.text = hits_of(searcher.search(halves.queries, {}, options));
  options.vectors_alone = true;
  halves.vectors =
      hits_of(searcher.search(halves.queries, vectors.next(halves.queries.size()), options));
  print_problem(searcher);
  return halves;
}

/// The measure over the queries at `places`, fused by these settings.
double worth(const Halves& halves, const std::vector<std::size_t>& places,
             const FusionSettings& fusion, const Qrels& qrels, const Measure& measure,
             const EvaluationOptions& options) {
  TrecRun run;
  for (const std::size_t i : places) {
    RunQuery& query = run.queries.emplace_back(RunQuery{halves.queries[i].id, {}});
    for (const Hit& hit :
         fuse(halves.text[i], halves.vectors[i], halves.metric, fusion, 2 * fusion.depth)) {
      query.documents.push_back({halves.index->id(hit.document), hit.score});
    }
  }
  return evaluate(run, qrels, {measure}, options).summary.at(0);
}

std::vector<Trial> try_weights(const IndexReader& index, const Arguments& given, const Qrels& qrels,
                               std::size_t& training_queries, std::size_t& test_queries) {
  FusionSettings fusion = given.hybrid.fusion(FusionSettings{}.depth);
  const Halves halves = search_halves(index, given, fusion);
  std::vector<std::size_t> training;
  std::vector<std::size_t> test;
  for (std::size_t i = 0; i < halves.queries.size(); ++i) {
    if (!qrels.contains(halves.queries[i].id)) continue;
    (training.size() > test.size() ? test : training).push_back(i);
  }
  if (test.empty()) {
    throw InputError(
        "fewer than two of the queries are judged; check that the judgements name "
        "queries as the query file does");
  }
  training_queries = training.size();
  test_queries = test.size();
  const Measure measure = measure_from_name(given.measure);
  EvaluationOptions options;
  options.ignore_identical_ids = given.ignore_identical_ids;
  const auto worth_of = [&](const std::vector<std::size_t>& places) {
    return worth(halves, places, fusion, qrels, measure, options);
  };
  std::vector<Trial> trials;
  for (int step = 0; step <= kSteps; ++step) {
    fusion.weight = static_cast<float>(step) / kSteps;
    trials.push_back({fusion.weight, worth_of(training), worth_of(test)});
  }
  return trials;
}

const Trial& best_of(const std::vector<Trial>& trials) {
  return *std::max_element(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) {
    const auto distance = [](const Trial& trial) { return std::abs(trial.weight - 0.5F); };
    if (a.training != b.training) return a.training < b.training;
    return distance(a) > distance(b);
  });
}

/// Of weights that are all worth nothing, none is the best.
void check_worth(const std::vector<Trial>& trials, const std::string& measure) {
  const bool is_any = std::any_of(trials.begin(), trials.end(),
                                  [](const Trial& trial) { return trial.training > 0; });
  if (is_any) return;
  throw InputError("no weight gives " + measure +
                   " above 0, so none is the best; check that the judgements name documents as the "
                   "index does");
}

void write_json(const Arguments& given, const std::vector<Trial>& trials, const Trial& best) {
  JsonWriter json;
  json.begin_object();
  json.member("measure", given.measure);
  json.member("weight", best.weight);
  json.member("training", best.training);
  json.member("test", best.test);
  json.begin_array("trials");
  for (const Trial& trial : trials) {
    json.begin_object();
    json.member("weight", trial.weight);
    json.member("training", trial.training);
    json.member("test", trial.test);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  write_output(given.json, json.take() + "\n");
}

void add_options(CommandLine& command, Arguments& given) {
  command.add_positional("INDEX", &given.index, "the folder of an index with vectors");
  given.search.add_to(command);
  given.device.add_to(command, kGpuMemoryOfText, GpuCount::kShards);
  given.hybrid.add_to(command);
  po::options_description group = option_group("Tuning");
  group.add_options()("qrels", po::value(&given.qrels)->value_name("FILE")->required(),
                      "judgements, as of 'warpdex evaluate'")(
      "measure", po::value(&given.measure)->value_name("NAME")->default_value(given.measure),
      "what is to be large, a measure of 'warpdex evaluate'")(
      "ignore-identical-ids", po::bool_switch(&given.ignore_identical_ids),
      "leave the document out that has its query's id, as BEIR does");
  add_json_option(group, "figures", &given.json);
  command.add(group);
}

}  // namespace

int run_tune(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("tune", "INDEX --queries FILE --vector-queries FILE --qrels FILE [options]",
                      kAbout, kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  if (!given.search.has_query_file() || !given.hybrid.is_given()) {
    throw UsageError("tune takes queries and their vectors; give --queries and --vector-queries");
  }
  given.device.check(command);
  given.hybrid.check(command, given.search, true);
  if (command.given("k")) {
    throw UsageError(
        "tune judges all documents of the fused lists; say how many each half finds by "
        "--fusion-depth, and leave -k out");
  }
  const Fusion fusion = given.hybrid.fusion(FusionSettings{}.depth).fusion;
  if (command.given("fusion-weight") ||
      (fusion != Fusion::kReciprocalRank && fusion != Fusion::kConvex)) {
    throw UsageError(
        "tune chooses the weight of rrf or convex; give --fusion rrf or convex, and "
        "no weight");
  }
  check_outputs_outside(given.index, {given.json});
  given.search.check_mode(command);
  const IndexReader index(given.index);
  given.search.check(command, index.settings(), given.index);
  std::size_t training = 0;
  std::size_t test = 0;
  const std::vector<Trial> trials =
      try_weights(index, given, read_qrels(given.qrels), training, test);
  check_worth(trials, given.measure);
  const Trial& best = best_of(trials);
  if (given.json != "-") {
    Table table({{"weight of words"}, {given.measure + ", training"}, {"test"}});
    for (const Trial& trial : trials) {
      table.add({fixed(static_cast<double>(trial.weight), 1), fixed(trial.training, kDecimals),
                 fixed(trial.test, kDecimals)});
    }
    table.print(std::cout);
    std::cout << "best on " << counted(training, "query") << ": --fusion-weight "
              << fixed(static_cast<double>(best.weight), 1) << "; on " << counted(test, "other one")
              << " it gives " << fixed(best.test, kDecimals) << "\n";
  }
  if (!given.json.empty()) write_json(given, trials, best);
  return 0;
}

}  // namespace warpdex::tools
