// warpdex vector graph: the nearest other rows of each row of an index.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

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
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/graph/knn_graph.hpp"
#include "warpdex/vector/graph/symmetric_graph.hpp"

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

constexpr std::size_t kMaxPartRows = 4096;
constexpr std::size_t kGpuMaxPartRows = 65'536;
/// Answers of a part, which are held in memory.
constexpr std::size_t kPartAnswers = std::size_t{1} << 22;
/// Of an exact search, products of components of a part: seconds, so that a signal is heard.
constexpr double kPartProducts = 1e12;
constexpr double kGpuPartProducts = 1e14;

struct Arguments {
  std::string index;
  std::int64_t k = 0;
  bool symmetric = false;
  bool quiet = false;
  SearchDepth depth;
  DeviceOptions device;
  GpuLayout layout;
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
  add_search_device_options(command, given.device, given.layout);
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
      : given_(given),
        index_(vector::VectorIndex::open(given.index)),
        search_(index_, command, checked_depth(index_, command, given.depth),
                checked_threads(given.threads), given.device, given.layout,
                SearchFor::kStoredRows) {
    const std::size_t others = std::max<std::size_t>(index_.live_rows(), 1) - 1;
    settings_.k = at_most(
        "-k", given.k,
        {others, "a vector of the index '" + given.index + "' has " + counted(others, "other"),
         "its list has these at most"});
    settings_.part_rows = part_rows();
  }

  void run() {
    const auto places = static_cast<std::size_t>(given_.k);
    std::unique_ptr<NeighborOutput> output = make_output(places);
    if (settings_.k == 0) {
      for (std::size_t row = 0; row < index_.rows(); ++row) output->add({row, {}, {}});
    } else if (!given_.symmetric) {
      find([&](std::size_t first, const vector::Neighbors& lists) { add(first, lists, *output); });
    } else {
      const vector::SymmetricGraph graph = symmetric();
      output.reset();
      output = make_output(graph.longest());
      for (std::size_t first = 0; first < index_.rows(); first += settings_.part_rows) {
        const std::size_t count = std::min(settings_.part_rows, index_.rows() - first);
        add(first, graph.lists(first, count), *output);
        InterruptGuard::check();
      }
    }
    output->finish();
  }

 private:
  std::size_t part_rows() const {
    const std::size_t max_rows = search_.is_on_gpu() ? kGpuMaxPartRows : kMaxPartRows;
    const std::size_t rows = std::clamp<std::size_t>(kPartAnswers / (settings_.k + 1), 1, max_rows);
    if (vector::has_lists(index_.settings().index)) return rows;
    const double products =
        static_cast<double>(index_.live_rows()) * static_cast<double>(index_.settings().dimension);
    const double wanted = search_.is_on_gpu() ? kGpuPartProducts : kPartProducts;
    const auto by_work = static_cast<std::size_t>(std::min(1e9, wanted / (products + 1)));
    return std::clamp<std::size_t>(by_work, std::min<std::size_t>(rows, 64), rows);
  }

  std::unique_ptr<NeighborOutput> make_output(std::size_t places) const {
    return make_neighbor_output(given_.targets, index_,
                                {.queries = index_.rows(), .places = places});
  }

  void find(const vector::TakeLists& take) {
    Progress progress = Progress::to_standard_error();
    const bool is_seen = !given_.quiet && given_.targets.output != "-";
    const auto search = [this](std::span<const float> rows, std::size_t k) {
      return search_.nearest(rows, k, nullptr);
    };
    vector::build_knn_graph(vector::StoredRows(index_), settings_, search,
                            [&](std::size_t first, const vector::Neighbors& lists) {
                              take(first, lists);
                              InterruptGuard::check();
                              if (!is_seen) return;
                              const std::size_t done = first + lists.queries;
                              progress.update("searching", counted(done, "row"), done,
                                              index_.rows(), Progress::Unit::kItems);
                            });
  }

  vector::SymmetricGraph symmetric() {
    vector::Neighbors all{index_.rows(), settings_.k, {}, {}};
    all.rows.reserve(all.queries * all.k);
    all.distances.reserve(all.queries * all.k);
    find([&](std::size_t /*first*/, const vector::Neighbors& lists) {
      all.rows.insert(all.rows.end(), lists.rows.begin(), lists.rows.end());
      all.distances.insert(all.distances.end(), lists.distances.begin(), lists.distances.end());
    });
    vector::SymmetricGraph graph(index_.settings().metric, all);
    if (graph.shortened() > 0) {
      std::cerr << "warpdex: note: " << counted(graph.shortened(), "row") << " had more than "
                << grouped(4 * settings_.k) << " neighbours; the nearest were kept\n";
    }
    return graph;
  }

  static void add(std::size_t first, const vector::Neighbors& lists, NeighborOutput& output) {
    for (std::size_t i = 0; i < lists.queries; ++i) {
      output.add({first + i, std::span(lists.rows).subspan(i * lists.k, lists.k),
                  std::span(lists.distances).subspan(i * lists.k, lists.k)});
    }
  }

  const Arguments& given_;
  vector::VectorIndex index_;
  vector::KnnGraphSettings settings_;
  VectorSearch search_;
};

}  // namespace

int run_vector_graph(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector graph", "INDEX -k N --output FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index of vectors");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;

  check_search_device_options(command, given.device);
  check_outputs_outside(given.index, {given.targets.output, given.targets.distances});
  const InterruptGuard guard;
  GraphJob(given, command).run();
  return 0;
}

}  // namespace warpdex::tools
