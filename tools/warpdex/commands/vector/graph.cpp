// warpdex vector graph: the nearest other rows of each row of an index.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string_view>

#include "command.hpp"
#include "options/device_options.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/interrupt.hpp"
#include "output/neighbor_output.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "search/vector_search.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector_graph.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Finds for each vector of an index the k nearest others, nearest first, equal distances in "
    "the\n"
    "order of rows: the k-NN graph. A vector is never its own neighbour. Over an index of the kind "
    "flat\n"
    "the graph is exact; over others it is what a search for each vector finds.";

constexpr const char* kNotes =
    "--output has a row for each row of the index, with the numbers of its neighbours, and -1 "
    "where\n"
    "too few were found (.ivecs, .ibin, .npy, .hdf5). As FILE.tsv it has lines: row, id of a\n"
    "neighbour, distance, between tabs. Distances are squared for l2; for ip and cosine they are\n"
    "products: larger is nearer. Over ivf-pq they are exact: the best by their codes are ranked "
    "by\n"
    "their vectors.\n"
    "\n"
    "With --symmetric, if b is a neighbour of a, a is one of b as well. Lists then differ in "
    "length:\n"
    "rows are filled up with -1 to the longest. Of more than 4 times as many neighbours as -k "
    "says,\n"
    "a list keeps the nearest, and a note tells how many lists that were. The graph is held in\n"
    "memory.\n"
    "\n"
    "example:\n"
    "  warpdex vector graph base.index -k 10 --output graph.ivecs";

struct Arguments {
  std::string index;
  std::int64_t k = 0;
  bool symmetric = false;
  bool quiet = false;
  SearchDepth depth;
  DeviceOptions device;
  std::int64_t threads = 0;
  NeighborTargets targets;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()(",k", po::value(&given.k)->value_name("N")->required(),
                      "neighbours of each vector, 1 or more; all others where these are fewer")(
      "symmetric", po::bool_switch(&given.symmetric), "neighbours are neighbours of each other");
  add_depth_options(group, given.depth);
  add_threads_option(group, &given.threads);
  add_quiet_option(group, &given.quiet);
  command.add(group);
  given.device.add_to(command, kGpuMemoryOfVectors, GpuCount::kShards);
  po::options_description output = option_group("Output");
  output.add_options()("output",
                       output_value(&given.targets.output)->value_name("FILE")->required(),
                       "the graph; the suffix says in which format")(
      "distances", po::value(&given.targets.distances)->value_name("FILE"),
      "distances, a row for each row of the graph (.fvecs, .fbin, .npy, .hdf5)");
  command.add(output);
}

/// Finds the lists, part after part, and hands them on.
class GraphJob {
 public:
  GraphJob(const Arguments& given, const CommandLine& command)
      : given_(given), index_(given.index) {
    const VectorDepth depth = checked_depth(index_, command, given.depth);
    const std::size_t threads = checked_threads(given.threads);
    if (!index_.settings().keeps_vectors) {
      throw UsageError("the index at '" + given.index +
                       "' keeps no vectors, only codes; build it again with its vectors");
    }
    options_.search = search_options(depth, threads, given.device);
    options_.is_symmetric = given.symmetric;
    const std::size_t others = std::max<std::size_t>(index_.live_rows(), 1) - 1;
    options_.k = at_most(
        "-k", given.k,
        {others, "a vector of the index '" + given.index + "' has " + counted(others, "other"),
         "its list has these at most"});
  }

  void run() {
    std::unique_ptr<NeighborOutput> output = make_output(static_cast<std::size_t>(given_.k));
    if (options_.k == 0) {
      for (std::size_t row = 0; row < index_.rows(); ++row) output->add({row, {}, {}});
    } else {
      find(output);
    }
    output->finish();
  }

 private:
  std::unique_ptr<NeighborOutput> make_output(std::size_t places) const {
    return make_neighbor_output(given_.targets, index_,
                                {.queries = index_.rows(), .places = places});
  }

  void find(std::unique_ptr<NeighborOutput>& output) {
    Progress progress = Progress::to_standard_error();
    const bool is_seen = !given_.quiet && given_.targets.output != "-";
    options_.work.progress = [&](std::string_view stage, std::uint64_t done, std::uint64_t total) {
      InterruptGuard::check();
      if (is_seen) {
        progress.update(std::string(stage), counted(done, "row"), done, total,
                        Progress::Unit::kItems);
      }
    };
    const auto take = [&](std::size_t first, const vector::Neighbors& lists) {
      if (given_.symmetric && first == 0) {  // now the longest list is known
        output.reset();
        output = make_output(lists.k);
      }
      add(first, lists, *output);
      InterruptGuard::check();
    };
    const KnnGraphReport report = knn_graph(index_, options_, take);
    progress.clear();
    if (report.shortened == 0) return;
    std::cerr << "warpdex: note: " << counted(report.shortened, "row") << " had more than "
              << grouped(4 * options_.k) << " neighbours; the nearest were kept\n";
  }

  static void add(std::size_t first, const vector::Neighbors& lists, NeighborOutput& output) {
    for (std::size_t i = 0; i < lists.queries; ++i) {
      output.add({first + i, std::span(lists.rows).subspan(i * lists.k, lists.k),
                  std::span(lists.distances).subspan(i * lists.k, lists.k)});
    }
  }

  const Arguments& given_;
  VectorIndex index_;
  KnnGraphOptions options_;
};

}  // namespace

int run_vector_graph(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector graph", "INDEX -k N --output FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index of vectors");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;

  given.device.check(command);
  check_outputs_outside(given.index, {given.targets.output, given.targets.distances});
  const InterruptGuard guard;
  GraphJob(given, command).run();
  return 0;
}

}  // namespace warpdex::tools
