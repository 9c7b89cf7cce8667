// warpdex vector search: the nearest vectors of each query.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "command.hpp"
#include "options/at_most.hpp"
#include "options/device_options.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/interrupt.hpp"
#include "output/neighbor_output.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "search/vector_search.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/vector_reader.hpp"
#include "warpdex/vector_index.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Finds the nearest vectors of each query, nearest first, equal distances in the order of "
    "rows.\n"
    "Over an index of the kind flat every answer is exact. Over ivf-flat the distances are exact, "
    "and\n"
    "vectors in lists that were not probed are missed. Over all other kinds distances come from\n"
    "codes and are nearly right; with --refine those of the best are exact.\n"
    "\n"
    "With --radius, codes whose vectors are kept only say which vectors are looked at: no answer\n"
    "lies outside, and distances are exact. Over xfbq built with --correct none is missed. Over\n"
    "other codes one may be missed whose code is off by more than those that were looked at: 100,\n"
    "or as many as --refine says, and all that may lie within.\n"
    "Where no vectors are kept (--no-vectors), all are estimates, and a note says so.";

constexpr const char* kNotes =
    "The answers go to standard output as lines: query (its row), id (its row in an index without\n"
    "ids), distance, between tabs; so does --output FILE.tsv. --output FILE.ivecs (.ibin, .npy,\n"
    ".hdf5) has a row for each query, with the numbers of the rows found, and -1 where there are "
    "too\n"
    "few. JSON says whether distances are exact or estimates.\n"
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
  std::string filter;
  std::int64_t threads = 0;
  NeighborTargets targets;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()("queries", po::value(&given.queries)->value_name("FILE")->required(),
                      "the queries, a row each; of an HDF5 file the dataset 'test'")(
      ",k", po::value(&given.k)->value_name("N")->default_value(given.k),
      "neighbours of each query, 1 or more; all that there are where these are fewer")(
      "radius", po::value(&given.radius)->value_name("X"),
      "instead of -k: all vectors whose distance is at most X; for ip and cosine, at least X")(
      "filter", po::value(&given.filter)->value_name("FILE"),
      "answer with these vectors only: ids, in a .npy file or a line each, or a .npy file of bool "
      "with a value for each row. Ids that no vector has are passed over, with a note");
  add_threads_option(group, &given.threads);
  add_depth_options(group, given.depth);
  command.add(group);
  given.device.add_to(command, kGpuMemoryOfVectors, GpuCount::kShards);
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
  Answering(const Arguments& given, const CommandLine& command, VectorIndex& index,
            vector::VectorReader& queries)
      : given_(given), index_(index), queries_(queries) {
    const VectorDepth depth = checked_depth(index, command, given.depth);
    set_search(index, depth, checked_threads(given.threads), given.device);
    if (!given.filter.empty()) set_filter();
    if (command.given("radius")) return;
    const std::size_t vectors = index.live_rows();
    Supply supply = vectors_of(index, "a query finds these at most");
    if (filter_ && filter_->count() < vectors) {
      supply.count = filter_->count();
      supply.there = "the filter allows " + counted(supply.count, "vector");
    }
    // The default is for indexes that have so many, and of none there is a note already.
    const bool is_default = !command.given("-k");
    if (is_default || vectors == 0) supply.count = std::numeric_limits<std::size_t>::max();
    at_most("-k", given.k, supply);
    k_ = std::min<std::size_t>(vectors, given.k);
    places_ = is_default && vectors > 0 ? *k_ : given.k;
  }

  /// Places of an answer in files, of which the last may be missing; none: by --radius.
  std::optional<std::size_t> places() const { return places_; }

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
  void set_filter() {
    vector::UnknownIds unknown;
    filter_ = index_.read_filter(given_.filter, &unknown);
    if (unknown.count == 0) return;
    std::cerr << "warpdex: note: " << counted(unknown.count, "id") << " of '" << given_.filter
              << "' " << (unknown.count == 1 ? "is" : "are")
              << " of no vector of the index (any more); the first is '" << unknown.first << "', "
              << unknown.first_place << "\n";
  }

  /// Queries of a part, at most.
  std::size_t largest_part() const {
    const double products =
        static_cast<double>(index_.rows()) * static_cast<double>(index_.dimension()) + 1;
    const double wanted = index_.device() == Device::kGpu ? kGpuPartProducts : kPartProducts;
    const auto by_work = static_cast<std::size_t>(std::min(1e9, wanted / products));
    const std::size_t by_answers = kPartAnswers / std::max<std::size_t>(1, k_.value_or(1));
    return std::clamp<std::size_t>(by_work, std::min<std::size_t>(kMinPartQueries, by_answers + 1),
                                   std::clamp<std::size_t>(by_answers, 1, kMaxPartQueries));
  }

  /// Returns how many answers there are.
  std::size_t answer(std::span<const float> queries, std::uint64_t first, NeighborOutput& output) {
    const VectorSearchOptions options{.filter = filter_ ? &*filter_ : nullptr};
    if (!k_) {
      const vector::RangeNeighbors found = index_.search_radius(queries, given_.radius, options);
      for (std::size_t q = 0; q + 1 < found.offsets.size(); ++q) {
        const std::size_t begin = found.offsets[q];
        const std::size_t count = found.offsets[q + 1] - begin;
        output.add({first + q, std::span(found.rows).subspan(begin, count),
                    std::span(found.distances).subspan(begin, count)});
      }
      return found.rows.size();
    }
    if (*k_ == 0) {
      const std::size_t count = queries.size() / queries_.dimension();
      for (std::size_t q = 0; q < count; ++q) output.add({first + q, {}, {}});
      return 0;
    }
    const vector::Neighbors found = index_.search(queries, *k_, options);
    for (std::size_t q = 0; q < found.queries; ++q) {
      output.add({first + q, std::span(found.rows).subspan(q * *k_, *k_),
                  std::span(found.distances).subspan(q * *k_, *k_)});
    }
    return found.rows.size();
  }

  const Arguments& given_;
  VectorIndex& index_;
  vector::VectorReader& queries_;
  std::optional<vector::RowFilter> filter_;
  std::optional<std::size_t> k_;  ///< no more than there are vectors
  std::optional<std::size_t> places_;
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
  if (command.given("radius") && command.given("extra")) {
    throw UsageError("--extra adds to the best of -k; leave it out with --radius");
  }

  given.device.check(command);
  check_outputs_not_inputs({given.queries, given.filter},
                           {given.targets.output, given.targets.distances, given.targets.json});
  const NeighborTargets& targets = given.targets;
  check_outputs_outside(given.index, {targets.output, targets.distances, targets.json});
  const InterruptGuard guard;
  VectorIndex index(given.index);
  const std::unique_ptr<vector::VectorReader> queries =
      vector::open_vectors(given.queries, vector::Role::kQueries);
  if (queries->dimension() != index.dimension()) {
    throw InputError("the queries in '" + given.queries + "' have " +
                     counted(queries->dimension(), "component") + ", the vectors of '" +
                     given.index + "' have " + std::to_string(index.dimension()));
  }
  const bool are_checked = command.given("radius") || command.given("refine");
  const NewVectorIndex settings = index.settings();
  const bool has_estimates =
      settings.coding != VectorCoding::kRows && !(settings.keeps_vectors && are_checked);
  if (index.live_rows() == 0) {
    std::cerr << "warpdex: note: the index '" << given.index
              << "' has no vectors, so no query finds any\n";
  }
  Answering answering(given, command, index, *queries);
  if (has_estimates && command.given("radius")) {
    std::cerr << "warpdex: note: the index '" << given.index
              << "' keeps no vectors, so distances are estimates: answers may lie outside of "
                 "--radius, and some that lie within may be missing\n";
  }
  const auto output = make_neighbor_output(
      given.targets, index,
      {.queries = queries->rows(), .places = answering.places(), .has_estimates = has_estimates});
  Progress progress = Progress::to_standard_error();
  const bool is_seen =
      isatty(STDERR_FILENO) != 0 && !(given.targets.output.empty() && isatty(STDOUT_FILENO) != 0);
  answering.run(*output, is_seen ? &progress : nullptr);
  progress.clear();
  output->finish();
  return 0;
}

}  // namespace warpdex::tools
