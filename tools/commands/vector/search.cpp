// warpdex vector search: the nearest vectors of each query.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "command.hpp"
#include "device_options.hpp"
#include "interrupt.hpp"
#include "neighbor_output.hpp"
#include "options.hpp"
#include "places.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "vector_search.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/vector_reader.hpp"
#include "warpdex/vector/format/read_filter.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Finds the nearest vectors of each query, nearest first, equal distances in the order of "
    "rows.\n"
    "Over an index of the kind flat every answer is exact. Over ivf-flat the distances are exact, "
    "and\n"
    "vectors in lists that were not probed are missed. Over ivf-pq, xfbq and ivf-xfbq distances\n"
    "come from codes and are nearly right; with --refine those of the best are exact.";

constexpr const char* kNotes =
    "The answers go to standard output as lines: query (its row), id (its row in an index without\n"
    "ids), distance, between tabs; so does --output FILE.tsv. --output FILE.ivecs (.ibin, .npy,\n"
    ".hdf5) has a row for each query, with the numbers of the rows found, and -1 where there are "
    "too\n"
    "few.\n"
    "\n"
    "Distances are squared for l2; for ip and cosine they are products: larger is nearer.\n"
    "\n"
    "example:\n"
    "  warpdex vector search base.index --queries queries.fvecs -k 10 --output found.ivecs";

constexpr std::size_t kMaxPartQueries = 4096;
constexpr std::size_t kMinPartQueries = 20;
/// Answers of a part, which are held in memory.
constexpr std::size_t kPartAnswers = std::size_t{1} << 22;
/// Products of components of a part: about a second of two cores or of a GPU, so that a signal is
/// heard.
constexpr double kPartProducts = 2e11;
constexpr double kGpuPartProducts = 1e14;

struct Arguments {
  std::string index;
  std::string queries;
  std::int64_t k = 10;
  float radius = 0;
  SearchDepth depth;
  DeviceOptions device;
  GpuLayout layout;
  std::string filter;
  std::int64_t threads = 0;
  NeighborTargets targets;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()("queries", po::value(&given.queries)->value_name("FILE")->required(),
                      "the queries, a row each; of an HDF5 file the dataset 'test'")(
      ",k", po::value(&given.k)->value_name("N")->default_value(given.k),
      "neighbours of each query, 1 to the number of vectors")(
      "radius", po::value(&given.radius)->value_name("X"),
      "instead of -k: all vectors whose distance is at most X; for ip and cosine, at least X")(
      "filter", po::value(&given.filter)->value_name("FILE"),
      "answer with these vectors only: ids, in a .npy file or a line each, or a .npy file of bool "
      "with a value for each row");
  add_threads_option(group, &given.threads);
  add_depth_options(group, given.depth);
  command.add(group);
  add_search_device_options(command, given.device, given.layout);
  po::options_description output = option_group("Output");
  output.add_options()("output", output_value(&given.targets.output)->value_name("FILE"),
                       "answers; the suffix says in which format")(
      "distances", po::value(&given.targets.distances)->value_name("FILE"),
      "distances, a row for each query (.fvecs, .fbin, .npy, .hdf5)")(
      "json", output_value(&given.targets.json)->value_name("FILE"),
      "answers as JSON, an object for each query on a line of its own; - is standard output");
  command.add(output);
}

/// Answers part after part of the queries, so that it can be interrupted and holds few answers.
class Answering {
 public:
  Answering(const Arguments& given, const CommandLine& command, const vector::VectorIndex& index,
            vector::VectorReader& queries)
      : given_(given),
        index_(index),
        queries_(queries),
        searcher_(index, command, checked_depth(index, command, given.depth),
                  checked_threads(given.threads), given.device, given.layout) {
    if (!given.filter.empty()) filter_ = vector::read_filter(index, given.filter);
    if (command.given("radius")) return;
    const auto vectors = static_cast<std::int64_t>(index.live_rows());
    if (vectors == 0) {
      k_ = checked_number("-k", given.k, 1, vector::kMaxNeighbors);
      return;
    }
    // The default is for indexes that have so many.
    k_ = checked_number("-k", command.given("-k") ? given.k : std::min(given.k, vectors), 1,
                        vectors);
  }

  std::optional<std::size_t> k() const { return k_; }

  void run(NeighborOutput& output, Progress* progress) {
    const std::size_t dimension = queries_.dimension();
    std::vector<float> rows(largest_part() * dimension);
    std::size_t part = k_ ? largest_part() : 1;
    std::uint64_t done = 0;
    // Parts become smaller where the CPU takes over from the GPU.
    while (const std::size_t count = queries_.read(std::min(part, largest_part()), rows.data())) {
      const std::size_t answers = answer({rows.data(), count * dimension}, done, output);
      done += count;
      // Nobody knows how many are within a radius before they are found.
      if (!k_) {
        const std::size_t fitting = kPartAnswers * count / std::max<std::size_t>(1, answers);
        part = std::clamp<std::size_t>(fitting, 1, std::min(2 * part, largest_part()));
      }
      InterruptGuard::check();
      if (progress == nullptr) continue;
      progress->update("searching", counted(done, "query"), done, queries_.rows(),
                       Progress::Unit::kItems);
    }
  }

 private:
  /// Queries of a part, at most.
  std::size_t largest_part() const {
    const double products =
        static_cast<double>(index_.rows()) * static_cast<double>(index_.settings().dimension) + 1;
    const double wanted = searcher_.is_on_gpu() ? kGpuPartProducts : kPartProducts;
    const auto by_work = static_cast<std::size_t>(std::min(1e9, wanted / products));
    const std::size_t by_answers = kPartAnswers / k_.value_or(1);
    return std::clamp<std::size_t>(by_work, std::min<std::size_t>(kMinPartQueries, by_answers + 1),
                                   std::clamp<std::size_t>(by_answers, 1, kMaxPartQueries));
  }

  /// Returns how many answers there are.
  std::size_t answer(std::span<const float> queries, std::uint64_t first, NeighborOutput& output) {
    const vector::RowFilter* const filter = filter_ ? &*filter_ : nullptr;
    if (!k_) {
      const vector::RangeNeighbors found = searcher_.within(queries, given_.radius, filter);
      for (std::size_t q = 0; q + 1 < found.offsets.size(); ++q) {
        const std::size_t begin = found.offsets[q];
        const std::size_t count = found.offsets[q + 1] - begin;
        output.add({first + q, std::span(found.rows).subspan(begin, count),
                    std::span(found.distances).subspan(begin, count)});
      }
      return found.rows.size();
    }
    if (index_.live_rows() == 0)
      return answer_nothing(queries.size() / queries_.dimension(), first, output);
    const vector::Neighbors found = searcher_.nearest(queries, *k_, filter);
    for (std::size_t q = 0; q < found.queries; ++q) {
      output.add({first + q, std::span(found.rows).subspan(q * *k_, *k_),
                  std::span(found.distances).subspan(q * *k_, *k_)});
    }
    return found.rows.size();
  }

  /// As of an index with fewer than k vectors: with none.
  std::size_t answer_nothing(std::size_t queries, std::uint64_t first, NeighborOutput& output) {
    const std::vector<std::int32_t> rows(*k_, -1);
    const std::vector<float> distances(*k_, vector::worst_distance(index_.settings().metric));
    for (std::size_t q = 0; q < queries; ++q) output.add({first + q, rows, distances});
    return queries * *k_;
  }

  const Arguments& given_;
  const vector::VectorIndex& index_;
  vector::VectorReader& queries_;
  VectorSearch searcher_;
  std::optional<vector::RowFilter> filter_;
  std::optional<std::size_t> k_;
};

}  // namespace

int run_vector_search(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector search", "INDEX --queries FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index of vectors");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  if (command.given("radius") && command.given("-k")) {
    throw UsageError("-k and --radius are two kinds of search; give one of them");
  }
  if (command.given("radius") && command.given("refine")) {
    throw UsageError("--refine ranks the best of -k anew; leave it out with --radius");
  }

  check_search_device_options(command, given.device);
  check_outputs_not_inputs({given.queries, given.filter},
                           {given.targets.output, given.targets.distances, given.targets.json});
  const NeighborTargets& targets = given.targets;
  check_outputs_outside(given.index, {targets.output, targets.distances, targets.json});
  const InterruptGuard guard;
  const vector::VectorIndex index = vector::VectorIndex::open(given.index);
  const std::unique_ptr<vector::VectorReader> queries =
      vector::open_vectors(given.queries, vector::Role::kQueries);
  if (queries->dimension() != index.settings().dimension) {
    throw InputError("the queries in '" + given.queries + "' have " +
                     counted(queries->dimension(), "component") + ", the vectors of '" +
                     given.index + "' have " + std::to_string(index.settings().dimension));
  }
  if (index.live_rows() == 0) {
    std::cerr << "warpdex: note: the index '" << given.index
              << "' has no vectors, so no query finds any\n";
  }
  Answering answering(given, command, index, *queries);
  const auto output = make_neighbor_output(given.targets, index, queries->rows(), answering.k());
  Progress progress = Progress::to_standard_error();
  const bool is_seen =
      isatty(STDERR_FILENO) != 0 && !(given.targets.output.empty() && isatty(STDOUT_FILENO) != 0);
  answering.run(*output, is_seen ? &progress : nullptr);
  progress.clear();
  output->finish();
  return 0;
}

}  // namespace warpdex::tools
