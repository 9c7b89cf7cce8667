// Times the paper's search in two passes beside GpuIvfPqSearcher's scan of the same codes, query by
// query, and checks that both find the same distances.
//
// Time is the host's, from the call to its return with queries and answers in GPU memory; the
// median of --repetitions calls, after one that is not timed. The two searches take turns.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "benchmarks/report.hpp"
#include "benchmarks/two_pass.hpp"
#include "search/timing.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/ivf/gpu_ivf_pq_searcher.hpp"

namespace warpdex::tools {
namespace {

/// Relative, of distances that two searches give to one place.
constexpr double kTolerance = 1e-5;

struct Options {
  std::string index;
  std::string queries;
  std::vector<std::size_t> counts{1, 10, 100, 1000, 10'000};
  std::vector<std::size_t> probes{1, 16, 64};
  std::size_t k = 100;
  std::size_t parts = 8;
  std::size_t memory = 4096;
  int repetitions = 5;
  std::string json;
};

/// The largest relative difference of distances in the same places.
double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;  // infinities, too
    const double difference = std::abs(double{a[i]} - double{b[i]});
    const double size = std::max(std::abs(double{a[i]}), std::abs(double{b[i]}));
    largest = std::isfinite(difference) ? std::max(largest, difference / size) : INFINITY;
  }
  return largest;
}

class Benchmark {
 public:
  explicit Benchmark(const Options& options)
      : options_(options),
        report_("two_pass", {"queries", "k", "probes", "fused, ms", "two passes, ms", "tables",
                             "scan", "first pass", "second pass", "difference"}),
        index_(vector::VectorIndex::open(options.index)),
        queries_(vector::read_float_matrix(options.queries, vector::Role::kQueries)),
        fused_(index_.ivf_pq(), resources_,
               {.memory = 0, .keeps_vectors = false, .way = vector::CodeWay::kQueries}),
        two_pass_(index_.ivf_pq(), resources_, options.parts, options.memory << 20) {
    if (queries_.columns != index_.settings().dimension) {
      throw InputError("the queries in '" + options.queries + "' have another dimension than '" +
                       options.index + "'; give queries for that index");
    }
  }

  void run() {
    report_.note("device", device_info(0).to_string());
    report_.note("vectors", std::uint64_t{index_.live_rows()});
    report_.note("lists", std::uint64_t{index_.settings().ivf.lists});
    report_.note("bytes", std::uint64_t{index_.settings().pq.bytes});
    report_.note("parts", std::uint64_t{options_.parts});
    double largest = 0;
    for (const std::size_t count : options_.counts) {
      if (count == 0 || count > queries_.rows) continue;
      for (const std::size_t probes : options_.probes) {
        largest = std::max(largest, measure(count, probes));
      }
    }
    report_.write(options_.json);
    if (largest <= kTolerance) return;
    throw Error("the two searches differ by " + std::to_string(largest) +
                " of a distance; one of them is wrong");
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Milliseconds of a call.
  template <class Search>
  static double time_of(const Search& search) {
    const auto start = Clock::now();
    search();
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }

  /// Returns the largest difference of distances.
  double measure(std::size_t count, std::size_t probes) {
    const std::size_t k = options_.k;
    const vector::Matrix<float> some{
        count,
        queries_.columns,
        {queries_.values.begin(),
         queries_.values.begin() + static_cast<std::ptrdiff_t>(count * queries_.columns)}};
    const TwoPassQueries uploaded = two_pass_.upload(some);
    DeviceArray<std::int32_t> rows(count * k);
    DeviceArray<float> of_fused(count * k);
    DeviceArray<float> of_two_pass(count * k);
    std::vector<double> fused;
    std::vector<double> two_pass;
    TwoPassTimes times;
    for (int i = 0; i <= options_.repetitions; ++i) {
      const double first = time_of([&] {
        fused_.nearest_on_gpu(uploaded.values.data(), count, k, probes, rows.data(),
                              of_fused.data());
      });
      if (i == 1) times = {};
      const double second = time_of([&] {
        two_pass_.nearest_on_gpu(uploaded, k, probes, rows.data(), of_two_pass.data(), times);
      });
      if (i == 0) continue;
      fused.push_back(first);
      two_pass.push_back(second);
    }
    const double difference = largest_difference(download(of_fused), download(of_two_pass));
    const auto each = [&](double seconds) { return Cell(seconds * 1e3 / options_.repetitions, 3); };
    report_.add({count,
                 k,
                 probes,
                 {median(fused), 3},
                 {median(two_pass), 3},
                 each(times.tables),
                 each(times.scan),
                 each(times.first_pass),
                 each(times.second_pass),
                 {difference, 9}});
    std::cerr << count << " queries, " << probes << " probes: " << median(fused) << " and "
              << median(two_pass) << " ms\n";
    return difference;
  }

  static std::vector<float> download(const DeviceArray<float>& values) {
    const Stream stream;
    std::vector<float> host(values.size());
    values.download(host, stream);
    stream.synchronize();
    return host;
  }

  Options options_;
  Report report_;
  vector::VectorIndex index_;
  vector::Matrix<float> queries_;
  Resources resources_;
  vector::GpuIvfPqSearcher fused_;
  TwoPassSearch two_pass_;
};

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  using namespace warpdex::tools;
  namespace po = boost::program_options;
  Options given;
  po::options_description options(
      "Search by codes in two passes, beside one that is fused. Options");
  options.add_options()                                                                       //
      ("index", po::value(&given.index)->required(), "an index of kind ivf-pq, by l2 or ip")  //
      ("queries", po::value(&given.queries)->required(), "a file of queries")                 //
      ("counts", po::value(&given.counts)->multitoken(),
       "of queries that are searched together, instead of 1 to 10,000")  //
      ("probes", po::value(&given.probes)->multitoken(),
       "lists of a query, instead of 1, 16 and 64")                       //
      ("k,k", po::value(&given.k)->default_value(given.k), "neighbours")  //
      ("parts", po::value(&given.parts)->default_value(given.parts),
       "into which a query's distances are cut for the first pass")  //
      ("memory", po::value(&given.memory)->default_value(given.memory),
       "MiB for tables, distances and results of the first pass")  //
      ("repetitions", po::value(&given.repetitions)->default_value(given.repetitions),
       "timed calls of each kind")  //
      ("json", po::value(&given.json), "also write the results to this file");
  return run_benchmark(argc, argv, options, [&] {
    if (given.k == 0 || given.memory == 0 || given.repetitions < 1) {
      throw warpdex::UsageError("-k, --memory and --repetitions take 1 or more");
    }
    Benchmark(given).run();
  });
}
