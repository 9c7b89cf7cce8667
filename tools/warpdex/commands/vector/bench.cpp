// warpdex vector bench: how long searches take and how much they find, over numbers of queries, k,
// probes, refined answers, and indexes.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <limits>
#include <set>
#include <vector>

#include "command.hpp"
#include "options/at_most.hpp"
#include "options/device_options.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/interrupt.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "search/true_neighbors.hpp"
#include "search/vector_bench_report.hpp"
#include "search/vector_search.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector_index.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Measures searches of an index, for each number of probes, number of refined answers, k and\n"
    "number of queries that are searched together: a search that warms memory, then --repetitions\n"
    "timed ones. The clock runs from queries to answers in memory; reading and writing files are\n"
    "outside, as are copies of the index to a GPU.";

constexpr const char* kNotes =
    "With --truth, 1@k is the share of queries whose nearest true neighbour is among the k found, "
    "and\n"
    "k@k the share of the k true neighbours that are. Both are of the largest batch, or of the "
    "whole\n"
    "file of queries if that is smaller: answers do not depend on the batch. The plot then has\n"
    "curves over the probes.\n"
    "\n"
    "Of indexes that are compared, each gets the options that its kind has.\n"
    "\n"
    "The floor is the time that the arithmetic or the reading of the vectors takes at the rates "
    "of\n"
    "--gflops and --bandwidth, whichever is longer, if you give these.\n"
    "\n"
    "On the GPU, 'certified' is the share of queries whose answers products in half precision\n"
    "settled; the others were compared with all vectors again. 'scan': too few queries or "
    "vectors,\n"
    "or too large a k, for products. Copies from and to the host's memory are timed, too.\n"
    "\n"
    "examples:\n"
    "  warpdex vector bench base.index --queries queries.fvecs --batch-sizes 1,100,10000 "
    "--plot bench.svg\n"
    "  warpdex vector bench pq16.index --compare pq32.index --queries queries.fvecs \\\n"
    "      --batch-sizes 10000 -k 10 --probes 1,4,16,64 --refine 0,100 --truth truth.ivecs \\\n"
    "      --plot curves.svg";

struct Arguments {
  std::string index;
  std::vector<std::string> compared;
  std::string queries;
  std::string truth;
  std::string batch_sizes = "1,10,100,1000";
  std::string k = "1,10,100";
  std::string probes = "16";
  std::string refine = "0";
  SearchDepth binary;  ///< of binary codes: the same in all searches
  DeviceOptions device;
  std::int64_t repetitions = 5;
  std::int64_t threads = 0;
  double gflops = 0;
  double bandwidth = 0;
  std::string json;
  std::string plot;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()("queries", po::value(&given.queries)->value_name("FILE")->required(),
                      "the queries, a row each; repeated where a batch is larger")(
      "batch-sizes",
      po::value(&given.batch_sizes)->value_name("N,N,...")->default_value(given.batch_sizes),
      "queries that are searched together")(
      ",k", po::value(&given.k)->value_name("N,N,...")->default_value(given.k),
      "neighbours; all vectors where these are fewer")(
      "repetitions",
      po::value(&given.repetitions)->value_name("N")->default_value(given.repetitions),
      "timed searches, whose median counts")(
      "probes", po::value(&given.probes)->value_name("N,N,...")->default_value(given.probes),
      "ivf-flat, ivf-pq, ivf-xfbq, ivf-sq8: lists that a query probes, at most as many as there "
      "are")(
      "refine", po::value(&given.refine)->value_name("N,N,...")->default_value(given.refine),
      "codes: rank the N best, or -k if that is more, anew by their exact distances; 0: none")(
      "truth", po::value(&given.truth)->value_name("FILE"),
      "the true neighbours, a row for each query, as of vector evaluate: say what share is found")(
      "compare", po::value(&given.compared)->value_name("INDEX")->composing(),
      "measure another index of the same vectors, too; may be repeated")(
      "gflops", po::value(&given.gflops)->value_name("X"),
      "billions of float additions and multiplications a second, for the floor")(
      "bandwidth", po::value(&given.bandwidth)->value_name("X"), "GB/s of memory, for the floor")(
      "plot", output_value(&given.plot)->value_name("FILE.svg"), "also draw them");
  add_binary_depth_options(group, given.binary);
  add_threads_option(group, &given.threads);
  add_json_option(group, "figures", &given.json);
  command.add(group);
  given.device.add_to(command, kGpuMemoryOfVectors, GpuCount::kShards);
}

/// The numbers of a list that an option takes, each from `smallest` to `largest`.
std::vector<std::int64_t> numbers(const std::string& option, const std::string& list,
                                  std::int64_t smallest, std::int64_t largest) {
  std::vector<std::int64_t> result;
  for (const std::string& part : split_list(option, list)) {
    std::int64_t number = 0;
    const char* const end = part.data() + part.size();
    const auto read = std::from_chars(part.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) {
      throw UsageError(option + " takes whole numbers with commas between them, not '" + part +
                       "'");
    }
    checked_number(option, number, smallest, largest);
    result.push_back(number);
  }
  if (result.empty()) throw UsageError(option + " has no number");
  return result;
}

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

/// Likewise; those above the supply are all of it, and stand once. Without `told` there is no note.
std::vector<std::size_t> numbers_at_most(const std::string& option, const std::string& list,
                                         const Supply& supply, bool told) {
  std::vector<std::size_t> result;
  for (const std::int64_t number : numbers(option, list, 1, kNoLimit)) {
    const std::size_t most = told ? at_most(option, number, supply) : supply.count;
    result.push_back(std::min<std::size_t>(number, most));
  }
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<VectorIndex> open_indexes(const std::vector<std::string>& folders) {
  std::vector<VectorIndex> indexes;
  for (const std::string& folder : folders) {
    indexes.emplace_back(folder);
    const VectorIndex& first = indexes.front();
    const VectorIndex& own = indexes.back();
    if (own.live_rows() == first.live_rows() && own.dimension() == first.dimension() &&
        own.metric() == first.metric()) {
      continue;
    }
    throw UsageError("'" + folder + "' and '" + folders.front() +
                     "' differ in the number of their vectors, their dimension or their metric; "
                     "compare indexes of the same vectors");
  }
  return indexes;
}

/// The folders' own names; all of the paths where two have one name.
std::vector<std::string> names_of(const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    names.push_back(std::filesystem::weakly_canonical(folder).filename().string());
  }
  const std::set<std::string> distinct(names.begin(), names.end());
  return distinct.size() == names.size() ? names : folders;
}

vector::Matrix<float> read_queries(const Arguments& given, const VectorIndex& index) {
  vector::Matrix<float> queries = vector::read_float_matrix(given.queries, vector::Role::kQueries);
  if (queries.rows == 0) throw InputError("there is no query in '" + given.queries + "'");
  if (queries.columns == index.dimension()) return queries;
  throw InputError("the queries in '" + given.queries + "' have " +
                   counted(queries.columns, "component") + ", the vectors of '" + given.index +
                   "' have " + std::to_string(index.dimension()));
}

vector::Matrix<std::int32_t> read_truth(const Arguments& given, const VectorBenchPlan& plan,
                                        std::size_t rows) {
  vector::Matrix<std::int32_t> truth = vector::read_int_matrix(given.truth);
  check_truth(given.truth, truth, rows);
  if (truth.rows != plan.queries.rows) {
    throw InputError("'" + given.truth + "' has " + counted(truth.rows, "row") + " and '" +
                     given.queries + "' has " + counted(plan.queries.rows, "row") +
                     "; give files of the same queries");
  }
  const std::size_t k = *std::max_element(plan.ks.begin(), plan.ks.end());
  if (k <= truth.columns) return truth;
  throw UsageError("-k asks for " + counted(k, "neighbour") + ", but '" + given.truth +
                   "' has only " + counted(truth.columns, "column") +
                   "; choose smaller ones, or leave --truth out");
}

VectorBenchPlan make_plan(const Arguments& given, const CommandLine& command,
                          const VectorIndex& index) {
  constexpr std::int64_t kMaxBatch = 10'000'000;
  VectorBenchPlan plan;
  plan.queries = read_queries(given, index);
  for (const std::int64_t size : numbers("--batch-sizes", given.batch_sizes, 1, kMaxBatch)) {
    plan.batches.push_back(size);
  }
  Supply vectors = vectors_of(index, "all of them are measured");
  vectors.count = std::max<std::size_t>(1, vectors.count);
  plan.ks = numbers_at_most("-k", given.k, vectors, command.given("-k"));
  plan.repetitions = checked_number("--repetitions", given.repetitions, 1, 100'000);
  if (!given.truth.empty()) plan.truth = read_truth(given, plan, index.rows());
  // Written so that NaN fails it.
  if (!(given.gflops >= 0 && given.bandwidth >= 0)) {
    throw UsageError("--gflops and --bandwidth take numbers of 0 or more");
  }
  plan.gflops = given.gflops;
  plan.bandwidth = given.bandwidth;
  return plan;
}

/// Refuses --probes and --refine where no index has a use for them.
void check_depths(const std::vector<VectorIndex>& indexes, const CommandLine& command) {
  const auto suits = [&](const VectorIndex& index) {
    try {
      check_depth_options(index, command);
      return true;
    } catch (const UsageError&) {
      return false;
    }
  };
  if (std::none_of(indexes.begin(), indexes.end(), suits)) {
    check_depth_options(indexes.front(), command);
  }
}

/// The depths at which an index is searched: those of the lists that its kind has a use for.
std::vector<VectorDepth> depths_of(const Arguments& given, const CommandLine& command,
                                   const VectorIndex& index) {
  const NewVectorIndex settings = index.settings();
  std::vector<std::size_t> probes{1};
  if (settings.lists != 0) {
    probes = numbers_at_most("--probes", given.probes, lists_of(index), command.given("probes"));
  }
  std::vector<std::size_t> refines{0};
  if (settings.coding != VectorCoding::kRows && settings.keeps_vectors) {
    refines.clear();
    for (const std::int64_t refine : numbers("--refine", given.refine, 0, kNoLimit)) {
      refines.push_back(refine == 0 ? 0 : at_most("--refine", refine, refined_of(index)));
    }
  }
  std::vector<VectorDepth> depths;
  for (const std::size_t refine : refines) {
    for (const std::size_t probe : probes) {
      depths.push_back({probe, refine});
      if (settings.coding == VectorCoding::kBinary) {
        set_binary_depth(command, given.binary, depths.back());
      }
    }
  }
  return depths;
}

/// Measures index after index; only one of them is on the GPUs at a time.
VectorBenchResult measure(const Arguments& given, const CommandLine& command,
                          const std::vector<std::string>& folders,
                          std::vector<VectorIndex>& indexes) {
  VectorBenchPlan plan = make_plan(given, command, indexes.front());
  Progress progress = Progress::to_standard_error();
  const std::size_t wanted = checked_threads(given.threads);
  VectorBenchResult result;
  result.threads = wanted == 0 ? default_threads() : wanted;
  result.names = names_of(folders);
  result.batches = plan.batches;
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    const std::vector<VectorDepth> depths = depths_of(given, command, indexes[i]);
    const std::size_t total = depths.size() * plan.ks.size() * plan.batches.size();
    std::size_t done = 0;
    plan.on_search = [&] {
      progress.update("measuring " + result.names[i], "", ++done, total, Progress::Unit::kSteps);
    };
    VectorIndex& index = indexes[i];
    set_search(index, depths.front(), result.threads, given.device);
    if (index.device() == Device::kGpu) {
      const VectorIndexOptions options = index.options();
      result.gpu = gpu_names(options.gpus);
      result.shards = options.shards;
      result.replicas = options.gpus.size() / options.shards;
    }
    std::vector<MeasuredSearch> searches = measure_searches(plan, depths, index);
    index.set_options({});
    for (MeasuredSearch& one : searches) {
      one.index = i;
      result.searches.push_back(one);
    }
  }
  return result;
}

}  // namespace

int run_vector_bench(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector bench", "INDEX --queries FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index of vectors");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;

  given.device.check(command);
  std::vector<std::string> folders{given.index};
  folders.insert(folders.end(), given.compared.begin(), given.compared.end());
  for (const std::string& folder : folders) {
    check_outputs_outside(folder, {given.json, given.plot});
  }
  const InterruptGuard guard;
  std::vector<VectorIndex> indexes = open_indexes(folders);
  check_depths(indexes, command);
  const VectorBenchResult result = measure(given, command, folders, indexes);
  if (given.json != "-") print_searches(result, std::cout);
  write_outputs(
      {{given.json, searches_to_json(result, indexes)}, {given.plot, searches_to_svg(result)}});
  return 0;
}

}  // namespace warpdex::tools
