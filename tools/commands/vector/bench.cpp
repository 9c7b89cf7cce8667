// warpdex vector bench: how long a search takes, over numbers of queries and k.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <vector>

#include "command.hpp"
#include "device_options.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "places.hpp"
#include "text.hpp"
#include "timing.hpp"
#include "vector_bench_report.hpp"
#include "vector_search.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Measures searches of an index, for each number of queries that are searched together\n"
    "and each k: a search that warms memory, then --repetitions timed ones. The clock runs from\n"
    "queries to answers in memory; reading and writing files are outside.";

constexpr const char* kNotes =
    "The floor is the time that the arithmetic or the reading of the vectors takes at the rates "
    "of\n"
    "--gflops and --bandwidth, whichever is longer, if you give these.\n"
    "\n"
    "On the GPU, 'certified' is the share of queries whose answers products in half precision\n"
    "settled; the others were compared with all vectors again. 'scan': too few queries or "
    "vectors,\n"
    "or too large a k, for products. Copies from and to the host's memory are timed, too.\n"
    "\n"
    "example:\n"
    "  warpdex vector bench base.index --queries queries.fvecs --batch-sizes 1,100,10000 "
    "--plot bench.svg";

struct Arguments {
  std::string index;
  std::string queries;
  std::string batch_sizes = "1,10,100,1000";
  std::string k = "1,10,100";
  SearchDepth depth;
  DeviceOptions device;
  GpuLayout layout;
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
      ",k", po::value(&given.k)->value_name("N,N,...")->default_value(given.k), "neighbours")(
      "repetitions",
      po::value(&given.repetitions)->value_name("N")->default_value(given.repetitions),
      "timed searches, whose median counts")(
      "gflops", po::value(&given.gflops)->value_name("X"),
      "billions of float additions and multiplications a second, for the floor")(
      "bandwidth", po::value(&given.bandwidth)->value_name("X"), "GB/s of memory, for the floor")(
      "plot", po::value(&given.plot)->value_name("FILE.svg"), "also draw them");
  add_threads_option(group, &given.threads);
  add_json_option(group, "figures", &given.json);
  add_depth_options(group, given.depth);
  command.add(group);
  add_search_device_options(command, given.device, given.layout);
}

std::vector<std::size_t> numbers(const std::string& option, const std::string& list,
                                 std::size_t largest) {
  std::vector<std::size_t> result;
  for (const std::string& part : split_list(list)) {
    std::int64_t number = 0;
    try {
      std::size_t end = 0;
      number = std::stoll(part, &end);
      if (end != part.size()) number = 0;
    } catch (const std::exception&) {
      number = 0;
    }
    result.push_back(checked_number(option, number, 1, static_cast<std::int64_t>(largest)));
  }
  if (result.empty()) throw UsageError(option + " has no number");
  return result;
}

std::vector<float> take_queries(const vector::Matrix<float>& all, std::size_t count) {
  std::vector<float> queries;
  queries.reserve(count * all.columns);
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const float> row = all.row(i % all.rows);
    queries.insert(queries.end(), row.begin(), row.end());
  }
  return queries;
}

double floor_of(const Arguments& given, const vector::VectorIndex& index, std::size_t queries) {
  const double components =
      static_cast<double>(index.live_rows()) * static_cast<double>(index.settings().dimension);
  const double bytes =
      components * static_cast<double>(vector::store_bytes(index.settings().store));
  const double operations = 2 * components * static_cast<double>(queries);
  const double by_arithmetic = given.gflops > 0 ? operations / (given.gflops * 1e6) : 0;
  const double by_reading = given.bandwidth > 0 ? bytes / (given.bandwidth * 1e6) : 0;
  return std::max(by_arithmetic, by_reading);
}

vector::GpuFlatFigures operator-(vector::GpuFlatFigures after,
                                 const vector::GpuFlatFigures& before) {
  after.queries -= before.queries;
  after.uncertified -= before.uncertified;
  return after;
}

MeasuredSearch measure(const Arguments& given, const vector::VectorIndex& index,
                       VectorSearch& searcher, const std::vector<float>& queries, std::size_t k,
                       std::size_t repetitions) {
  const auto figures = [&] {
    return searcher.is_on_gpu() ? searcher.figures() : vector::GpuFlatFigures{};
  };
  searcher.nearest(queries, k, nullptr);
  const vector::GpuFlatFigures before = figures();
  std::vector<double> times;
  for (std::size_t i = 0; i < repetitions; ++i) {
    InterruptGuard::check();
    const auto begin = std::chrono::steady_clock::now();
    searcher.nearest(queries, k, nullptr);
    const std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - begin;
    times.push_back(passed.count());
  }
  const std::size_t count = queries.size() / index.settings().dimension;
  const bool is_exact = index.settings().index == vector::IndexKind::kFlat;
  MeasuredSearch one{count, k, median(times), is_exact ? floor_of(given, index, count) : 0, {}};
  if (searcher.is_on_gpu()) one.on_gpu = figures() - before;
  return one;
}

}  // namespace

int run_vector_bench(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector bench", "INDEX --queries FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index of vectors");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;

  check_search_device_options(command, given.device);
  check_outputs_outside(given.index, {given.json, given.plot});
  const InterruptGuard guard;
  const vector::VectorIndex index = vector::VectorIndex::open(given.index);
  const vector::Matrix<float> queries =
      vector::read_float_matrix(given.queries, vector::Role::kQueries);
  if (queries.rows == 0) throw InputError("there is no query in '" + given.queries + "'");
  if (queries.columns != index.settings().dimension) {
    throw InputError("the queries in '" + given.queries + "' have " +
                     counted(queries.columns, "component") + ", the vectors of '" + given.index +
                     "' have " + std::to_string(index.settings().dimension));
  }
  constexpr std::size_t kMaxBatch = 10'000'000;
  const std::vector<std::size_t> batches = numbers("--batch-sizes", given.batch_sizes, kMaxBatch);
  const std::vector<std::size_t> ks =
      numbers("-k", given.k, std::max<std::size_t>(1, index.live_rows()));
  const std::size_t repetitions = checked_number("--repetitions", given.repetitions, 1, 100'000);
  const std::size_t wanted = checked_threads(given.threads);
  const std::size_t threads = wanted == 0 ? default_threads() : wanted;
  VectorSearch searcher(index, command, given.depth, threads, given.device, given.layout);
  const VectorBenchSettings settings{searcher.gpu_name(),
                                     searcher.is_on_gpu() && searcher.is_resident(),
                                     searcher.shards(),
                                     searcher.replicas(),
                                     threads,
                                     searcher.probes(),
                                     searcher.refine()};
  std::vector<MeasuredSearch> all;
  for (const std::size_t batch : batches) {
    const std::vector<float> some = take_queries(queries, batch);
    for (const std::size_t k : ks) {
      all.push_back(measure(given, index, searcher, some, k, repetitions));
    }
  }
  if (given.json != "-") print_searches(all, std::cout);
  write_outputs({{given.json, searches_to_json(index, settings, all)},
                 {given.plot, searches_to_svg(all, batches, ks)}});
  return 0;
}

}  // namespace warpdex::tools
