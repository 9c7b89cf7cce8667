// warpdex vector path: from one vector to another by small steps.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include "command.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/number_text.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector_graph.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Finds the smoothest path between two vectors in a k-NN graph: of all paths those whose "
    "largest\n"
    "step is the smallest, of these those with the fewest steps, of these the one of the smallest\n"
    "row numbers, compared from its start. Edges go one way, from a row of the graph to the rows "
    "in\n"
    "it; 'warpdex vector graph --symmetric' makes graphs with ways back.";

constexpr const char* kNotes =
    "The path goes to standard output as lines: row, id, distance from the row before (none for "
    "the\n"
    "first), between tabs. Distances are squared for l2; for ip and cosine they are products, and\n"
    "the largest step is the one with the smallest product. The graph is held in memory.\n"
    "\n"
    "example:\n"
    "  warpdex vector path --vectors base.index --graph graph.ivecs --from 17 --to 4711";

struct Arguments {
  std::string vectors;
  std::string graph;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::string json;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()("vectors", po::value(&given.vectors)->value_name("INDEX")->required(),
                      "the folder of the index whose vectors they are")(
      "graph", po::value(&given.graph)->value_name("FILE")->required(),
      "the graph: row i has the rows that edges lead to from row i, -1 is none (.ivecs, .ibin, "
      ".npy, .hdf5)")("from", po::value(&given.from)->value_name("ROW")->required(),
                      "where the path begins, a row counted from 0")(
      "to", po::value(&given.to)->value_name("ROW")->required(), "where it ends");
  add_json_option(group, "path", &given.json);
  command.add(group);
}

void print(const VectorIndex& index, const SmoothPath& path) {
  for (std::size_t i = 0; i < path.rows.size(); ++i) {
    std::cout << path.rows[i] << '\t' << index.id(static_cast<std::size_t>(path.rows[i])) << '\t'
              << (i == 0 ? "" : shortest(path.steps[i - 1])) << '\n';
  }
}

/// JSON has no infinity, which a step past the range of floats is.
void write_distance(JsonWriter& json, const char* name, float distance) {
  if (std::isfinite(distance)) {
    json.member(name, distance);
  } else {
    json.null_member(name);
  }
}

std::string to_json(const VectorIndex& index, const SmoothPath& path) {
  JsonWriter json;
  json.begin_object();
  json.member("steps", std::uint64_t{path.steps.size()});
  const auto [smallest, largest] = std::minmax_element(path.steps.begin(), path.steps.end());
  if (!path.steps.empty()) {
    const bool is_product = vector::larger_is_nearer(index.metric());
    write_distance(json, "largest_step", is_product ? *smallest : *largest);
  }
  json.begin_array("path");
  for (std::size_t i = 0; i < path.rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(path.rows[i]);
    json.begin_object();
    json.member("row", std::uint64_t{row});
    if (index.id_kind() != vector::IdKind::kRows) json.member("id", index.id(row));
    if (i > 0) write_distance(json, "distance", path.steps[i - 1]);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

}  // namespace

int run_vector_path(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector path", "--vectors INDEX --graph FILE --from ROW --to ROW [options]",
                      kAbout, kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;

  check_outputs_outside(given.vectors, {given.json});
  check_outputs_not_inputs({given.graph}, {given.json});
  const VectorIndex index(given.vectors);
  if (index.live_rows() == 0) throw UsageError("the index '" + given.vectors + "' has no vectors");
  const auto last = static_cast<std::int64_t>(index.rows() - 1);
  const std::size_t from = checked_number("--from", given.from, 0, last);
  const std::size_t to = checked_number("--to", given.to, 0, last);
  const vector::Matrix<std::int32_t> graph = vector::read_int_matrix(given.graph);
  const std::optional<SmoothPath> path = smooth_path(index, graph, from, to);
  if (!path) {
    throw Error("no path leads from row " + std::to_string(from) + " to row " + std::to_string(to) +
                " in '" + given.graph +
                "'; a graph of more neighbours, or a symmetric one, may have some");
  }
  if (given.json != "-") print(index, *path);
  if (!given.json.empty()) write_output(given.json, to_json(index, *path));
  return 0;
}

}  // namespace warpdex::tools
