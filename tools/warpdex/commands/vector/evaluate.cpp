// warpdex vector evaluate: how many of the true nearest neighbours a search found.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <optional>
#include <set>

#include "command.hpp"
#include "options/options.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "search/true_neighbors.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/recall.hpp"

namespace warpdex::tools {
namespace {

using Ids = vector::Matrix<std::int32_t>;
using Distances = vector::Matrix<float>;

constexpr const char* kAbout =
    "Compares the neighbours that a search found with the true ones: row i of both files has "
    "those\n"
    "of query i, nearest first, -1 where there is none.";

constexpr const char* kNotes =
    "figures, each the mean over the queries that have a true neighbour:\n"
    "  k@k        the share of the k true neighbours that are among the first k found\n"
    "  1@k        the share of queries whose nearest true neighbour is among the first k found\n"
    "  ties@k     with both files of distances: the share that k@k would be if neighbours "
    "as\n"
    "             near as the k-th true one (or farther by --epsilon times its distance) were "
    "all\n"
    "             as good\n"
    "for k = 1, 10, 100 and that of -k, as far as both files have that many columns.\n"
    "\n"
    "Files are .ivecs, .ibin, .npy of whole numbers, or .hdf5 (dataset neighbors, or "
    "FILE.hdf5:NAME;\n"
    "for distances .fvecs, .fbin, .npy, or dataset distances). All of them are held in memory.\n"
    "\n"
    "example:\n"
    "  warpdex vector evaluate --truth groundtruth.ivecs --result found.ivecs -k 10";

struct Arguments {
  std::string truth;
  std::string result;
  std::string truth_distances;
  std::string result_distances;
  std::int64_t k = 0;
  std::string metric = "l2";
  double epsilon = vector::TieRule{}.epsilon;
  std::string json;
};

struct Figures {
  std::size_t k = 0;
  vector::Recall recall;
  std::optional<double> with_ties;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()("truth", po::value(&given.truth)->value_name("FILE")->required(),
                      "the true neighbours")(
      "result", po::value(&given.result)->value_name("FILE")->required(), "those that were found")(
      ",k", po::value(&given.k)->value_name("N"),
      "how many neighbours to compare. Default: as many as both files have")(
      "truth-distances", po::value(&given.truth_distances)->value_name("FILE"),
      "the distances of --truth, for ties@k")(
      "result-distances", po::value(&given.result_distances)->value_name("FILE"),
      "the distances of --result, of the same kind (all squared, or none)")(
      "metric", po::value(&given.metric)->value_name("NAME")->default_value(given.metric),
      "what the distances are: l2, where smaller is nearer; ip or cosine, where larger is")(
      "epsilon", po::value(&given.epsilon)->value_name("X")->default_value(given.epsilon, "0.001"),
      "ties@k: how much farther still counts, relative to the k-th true distance");
  add_json_option(group, "figures", &given.json);
  command.add(group);
}

/// Throws unless both files are of the same queries.
template <class A, class B>
void check_rows(const std::string& a_name, const vector::Matrix<A>& a, const std::string& b_name,
                const vector::Matrix<B>& b) {
  if (a.rows == b.rows) return;
  throw InputError("'" + a_name + "' has " + counted(a.rows, "row") + " and '" + b_name + "' has " +
                   counted(b.rows, "row") + "; give files of the same queries");
}

/// Throws unless a file has as many columns as the one whose distances it has.
void check_distances(const std::string& ids_name, const Ids& ids, const std::string& name,
                     const Distances& distances) {
  check_rows(ids_name, ids, name, distances);
  if (ids.columns == distances.columns) return;
  throw InputError("'" + ids_name + "' has " + counted(ids.columns, "column") + " and '" + name +
                   "' has " + counted(distances.columns, "column") +
                   "; give the distances of those neighbours");
}

void check_arguments(const Arguments& given) {
  if (given.truth_distances.empty() != given.result_distances.empty()) {
    throw UsageError("--truth-distances and --result-distances go together; give both or neither");
  }
  if (!(given.epsilon >= 0) || !std::isfinite(given.epsilon)) {
    throw UsageError("--epsilon takes a number of 0 or more");
  }
}

/// The largest k that both files have, or that of -k.
std::size_t largest_k(const Arguments& given, bool has_k, const Ids& truth, const Ids& result) {
  if (!has_k) return std::min(truth.columns, result.columns);
  if (given.k < 1) throw UsageError("-k takes a whole number of 1 or more");
  for (const auto& [name, ids] : {std::pair(given.truth, &truth), {given.result, &result}}) {
    if (static_cast<std::uint64_t>(given.k) <= ids->columns) continue;
    throw UsageError("-k is " + std::to_string(given.k) + ", but '" + name + "' has only " +
                     counted(ids->columns, "column") + "; choose a smaller one");
  }
  return static_cast<std::size_t>(given.k);
}

std::vector<Figures> compute(const Arguments& given, const Ids& truth, const Ids& result,
                             std::size_t max) {
  std::optional<Distances> truth_distances;
  std::optional<Distances> result_distances;
  if (!given.truth_distances.empty()) {
    truth_distances = read_float_matrix(given.truth_distances, vector::Role::kDistances);
    check_distances(given.truth, truth, given.truth_distances, *truth_distances);
    result_distances = read_float_matrix(given.result_distances, vector::Role::kDistances);
    check_distances(given.result, result, given.result_distances, *result_distances);
  }
  const vector::TieRule rule{vector::metric_from_name(given.metric), given.epsilon};
  std::set<std::size_t> depths{max};
  const std::size_t columns = std::min(truth.columns, result.columns);
  for (const std::size_t k : {1, 10, 100}) {
    if (k <= columns) depths.insert(k);
  }
  std::vector<Figures> figures;
  for (const std::size_t k : depths) {
    figures.push_back({k, recall_at(truth, result, k), std::nullopt});
    if (truth_distances) {
      figures.back().with_ties =
          recall_with_ties(truth, *truth_distances, result, *result_distances, k, rule);
    }
  }
  return figures;
}

void print(const std::vector<Figures>& figures, const Ids& result, std::size_t k,
           const vector::ResultDefects& defects) {
  std::vector<Table::Column> columns{{"k"}, {"k@k"}, {"1@k"}};
  const bool has_ties = figures.front().with_ties.has_value();
  if (has_ties) columns.push_back({"ties@k"});
  Table table(columns);
  for (const Figures& row : figures) {
    std::vector<std::string> cells{grouped(row.k), fixed(row.recall.intersection, 4),
                                   fixed(row.recall.nearest, 4)};
    if (has_ties) cells.push_back(fixed(*row.with_ties, 4));
    table.add(std::move(cells));
  }
  table.print(std::cout);
  const auto report = [&](std::uint64_t rows, const char* what) {
    if (rows == 0) return;
    std::cout << grouped(rows) << " of " << counted(result.rows, "row") << " " << what
              << " among the first " << grouped(k) << " found\n";
  };
  report(defects.rows_with_missing, "have a place without a neighbour (-1)");
  report(defects.rows_with_repeats, "have a neighbour twice");
}

std::string to_json(const std::vector<Figures>& figures, const Ids& result, std::size_t k,
                    const vector::ResultDefects& defects) {
  JsonWriter json;
  json.begin_object();
  json.member("queries", result.rows);
  json.begin_array("figures");
  for (const Figures& row : figures) {
    json.begin_object();
    json.member("k", std::uint64_t{row.k});
    json.member("k@k", row.recall.intersection);
    json.member("1@k", row.recall.nearest);
    if (row.with_ties) json.member("ties@k", *row.with_ties);
    json.end_object();
  }
  json.end_array();
  json.member("k", std::uint64_t{k});
  const double rows = static_cast<double>(std::max<std::uint64_t>(1, result.rows));
  json.member("share_with_missing", static_cast<double>(defects.rows_with_missing) / rows);
  json.member("share_with_repeats", static_cast<double>(defects.rows_with_repeats) / rows);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace

int run_vector_evaluate(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector evaluate", "--truth FILE --result FILE [options]", kAbout, kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  check_arguments(given);

  const Ids truth = vector::read_int_matrix(given.truth);
  const Ids result = vector::read_int_matrix(given.result);
  check_rows(given.truth, truth, given.result, result);
  check_truth(given.truth, truth);
  const std::size_t k = largest_k(given, command.given("-k"), truth, result);
  const std::vector<Figures> figures = compute(given, truth, result, k);
  const vector::ResultDefects defects = vector::defects_of(result, k);
  if (given.json != "-") print(figures, result, k, defects);
  if (!given.json.empty()) write_output(given.json, to_json(figures, result, k, defects));
  return 0;
}

}  // namespace warpdex::tools
