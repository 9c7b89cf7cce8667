// warpdex vector kmeans: centroids of a file of vectors.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "options/device_options.hpp"
#include "options/options.hpp"
#include "output/interrupt.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "search/vector_search.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/rows.hpp"
#include "warpdex/vector/data/vector_reader.hpp"
#include "warpdex/vector/data/vector_writer.hpp"
#include "warpdex/vector/rows/vector_view.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Finds centroids near which the vectors of a file lie, by k-means: from vectors drawn at "
    "random,\n"
    "each iteration gives every vector to its nearest centroid, and moves every centroid into the\n"
    "mean of its vectors. Clusters that are empty or tiny take half of the largest one. The same\n"
    "input, options and processor give the same centroids, whatever the number of threads. A "
    "GPU's\n"
    "differ from a CPU's where two centroids are equally near but for rounding. Several GPUs "
    "share\n"
    "the vectors; the same number of them gives the same centroids.";

constexpr const char* kNotes =
    "example:\n"
    "  warpdex vector kmeans --input base.fvecs --clusters 1024 --output centroids.fvecs";

constexpr std::size_t kPartRows = 4096;

struct Arguments {
  std::string input;
  std::string output;
  std::int64_t clusters = 0;
  std::int64_t iterations = 20;
  bool spherical = false;
  bool balanced = false;
  std::int64_t sample = 0;
  std::uint64_t seed = 1;
  std::int64_t threads = 0;
  DeviceOptions device;
  std::string json;
  bool quiet = false;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()("input", po::value(&given.input)->value_name("FILE")->required(),
                      "the vectors, a row each")(
      "output", po::value(&given.output)->value_name("FILE")->required(),
      "the centroids, a row each (.fvecs, .fbin, .npy, .hdf5)")(
      "clusters", po::value(&given.clusters)->value_name("N")->required(),
      "how many, 1 to the number of vectors")(
      "iterations", po::value(&given.iterations)->value_name("N")->default_value(given.iterations),
      "at most; it ends early once no vector changes its cluster")(
      "spherical", po::bool_switch(&given.spherical),
      "only directions count: vectors and centroids are scaled to length 1")(
      "balanced", po::bool_switch(&given.balanced), "clusters of more even sizes")(
      "sample", po::value(&given.sample)->value_name("N")->default_value(given.sample),
      "vectors to work with, drawn at random and held in memory; 0: all")(
      "seed", po::value(&given.seed)->value_name("S")->default_value(given.seed),
      "of all that is drawn at random");
  add_threads_option(group, &given.threads);
  add_json_option(group, "report", &given.json);
  add_quiet_option(group, &given.quiet);
  command.add(group);
  given.device.add_to(command, "It holds for each GPU, whose share of the vectors must fit",
                      GpuCount::kSeveral);
}

/// The rows that are wanted, in one pass over the file.
vector::Matrix<float> read_points(const Arguments& given, vector::VectorReader& reader,
                                  Progress* progress) {
  const std::uint64_t total = reader.rows();
  const auto wanted = static_cast<std::uint64_t>(given.sample);
  const std::vector<std::uint64_t> sample = wanted == 0 || wanted >= total
                                                ? std::vector<std::uint64_t>()
                                                : vector::sample_rows(total, wanted, given.seed);
  const std::size_t dimension = reader.dimension();
  vector::Matrix<float> points{0, dimension, {}};
  vector::reserve_rows(points, sample.empty() ? total : sample.size());
  std::vector<float> part(kPartRows * dimension);
  std::uint64_t done = 0;
  auto next = sample.begin();
  while (const std::size_t count = reader.read(kPartRows, part.data())) {
    if (sample.empty()) {
      points.values.insert(points.values.end(), part.begin(),
                           part.begin() + static_cast<std::ptrdiff_t>(count * dimension));
    }
    for (; next != sample.end() && *next < done + count; ++next) {
      const auto begin = part.begin() + static_cast<std::ptrdiff_t>((*next - done) * dimension);
      points.values.insert(points.values.end(), begin,
                           begin + static_cast<std::ptrdiff_t>(dimension));
    }
    done += count;
    InterruptGuard::check();
    if (progress == nullptr) continue;
    progress->update("reading", counted(done, "vector"), done, total, Progress::Unit::kItems);
  }
  points.rows = points.values.size() / dimension;
  return points;
}

vector::KmeansSettings settings_of(const Arguments& given) {
  vector::KmeansSettings settings;
  settings.clusters = checked_number("--clusters", given.clusters, 1, vector::kMaxRows);
  settings.iterations = checked_number("--iterations", given.iterations, 1, 1'000'000);
  settings.is_spherical = given.spherical;
  settings.is_balanced = given.balanced;
  settings.seed = given.seed;
  settings.threads = checked_threads(given.threads);
  return settings;
}

/// None if the CPU is to work.
std::vector<Gpu> start_gpus(const DeviceOptions& device) {
  std::vector<Gpu> gpus;
  const bool work =
      device.start_gpu([&](const auto& one) { gpus.emplace_back(one.device, one.memory); });
  if (!work) gpus.clear();
  return gpus;
}

/// On `gpus`, if there are any, which go if the CPU takes over.
vector::KmeansResult find_centroids(const vector::Matrix<float>& points,
                                    const vector::KmeansSettings& settings,
                                    const DeviceOptions& device, std::vector<Gpu>& gpus) {
  if (!gpus.empty()) {
    try {
      return warpdex::kmeans(points, settings, gpus);
    } catch (const Error& error) {
      device.take_cpu(error);
      gpus.clear();
    }
  }
  return warpdex::kmeans(points, settings);
}

struct Report {
  std::size_t vectors;
  std::size_t smallest;
  std::size_t largest;
  std::size_t repaired;
  double seconds;
  std::string device;  ///< "cpu", or the names of the GPUs
};

void write_report(const Arguments& given, const vector::KmeansResult& result,
                  const Report& report) {
  const double mean = result.objective / static_cast<double>(report.vectors);
  if (!given.quiet && given.json != "-") {
    std::cout << counted(result.centroids.rows, "cluster") << " of "
              << counted(report.vectors, "vector") << " after "
              << counted(result.iterations, "iteration") << " in " << duration_text(report.seconds)
              << " on " << (report.device == "cpu" ? "the CPU" : report.device) << "\n"
              << "mean squared distance " << fixed(mean, 6) << "; clusters have "
              << grouped(report.smallest) << " to " << grouped(report.largest) << " vectors, "
              << counted(report.repaired, "repair") << "\n";
  }
  if (given.json.empty()) return;
  JsonWriter json;
  json.begin_object();
  json.member("vectors", std::uint64_t{report.vectors});
  json.member("clusters", std::uint64_t{result.centroids.rows});
  json.member("iterations", std::uint64_t{result.iterations});
  json.member("objective", result.objective);
  json.member("smallest_cluster", std::uint64_t{report.smallest});
  json.member("largest_cluster", std::uint64_t{report.largest});
  json.member("repaired_clusters", std::uint64_t{report.repaired});
  json.member("device", report.device);
  json.member("seconds", report.seconds);
  json.end_object();
  write_output(given.json, json.take() + "\n");
}

}  // namespace

int run_vector_kmeans(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector kmeans", "--input FILE --clusters N --output FILE [options]", kAbout,
                      kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  given.device.check(command);
  vector::KmeansSettings settings = settings_of(given);
  if (given.sample < 0) throw UsageError("--sample is 0 for all vectors, or how many to draw");
  if (given.sample > 0 && given.sample < given.clusters) {
    throw UsageError("--sample draws " + counted(given.sample, "vector") + " for " +
                     counted(given.clusters, "cluster") + "; draw more");
  }

  for (const std::string& other : {given.input, given.json}) {
    std::error_code ignored;
    if (other == given.output || std::filesystem::equivalent(other, given.output, ignored)) {
      throw UsageError("--output '" + given.output +
                       "' is the input or the report as well; give it a file of its own");
    }
  }
  const InterruptGuard guard;
  std::vector<Gpu> gpus = start_gpus(given.device);
  Progress progress = Progress::to_standard_error();
  const std::unique_ptr<vector::VectorReader> reader = vector::open_vectors(given.input);
  // Opened first, so that a file that cannot be written is an error before the work.
  const auto writer = vector::create_vectors(given.output, vector::Element::kFloat32,
                                             reader->dimension(), settings.clusters);
  const vector::Matrix<float> points =
      read_points(given, *reader, given.quiet ? nullptr : &progress);
  Report report{points.rows, 0, 0, 0, 0, {}};
  settings.on_iteration = [&](const vector::KmeansIteration& told) {
    report.repaired += told.repaired;
    InterruptGuard::check();
    if (given.quiet) return;
    const double mean = told.objective / static_cast<double>(points.rows);
    progress.update("k-means", "mean squared distance " + fixed(mean, 6), told.number,
                    settings.iterations, Progress::Unit::kItems);
  };
  const auto begin = std::chrono::steady_clock::now();
  const vector::KmeansResult result = find_centroids(points, settings, given.device, gpus);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  writer->write(result.centroids.rows, result.centroids.values.data());
  writer->write_through();
  progress.clear();
  const auto [smallest, largest] = std::minmax_element(result.sizes.begin(), result.sizes.end());
  report.smallest = *smallest;
  report.largest = *largest;
  report.seconds = passed.count();
  report.device = gpus.empty() ? "cpu" : gpu_names(gpus);
  write_report(given, result, report);
  writer->finish();
  return 0;
}

}  // namespace warpdex::tools
