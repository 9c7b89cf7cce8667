// How fast exact vector search is on a GPU: queries and answers in its memory.
//
// Time is the host's, from the call to its return with the answers in GPU memory; the median of
// --repetitions calls, after one that is not timed. Vectors and queries come from files, or are
// normally distributed.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/copy_bandwidth.hpp"
#include "benchmarks/report.hpp"
#include "search/timing.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::tools {
namespace {

struct Settings {
  std::size_t rows = 1'000'000;
  std::size_t dimension = 128;
  std::vector<std::size_t> counts{1, 2, 4, 8, 10, 16, 32, 100, 1000, 10'000};
  std::vector<std::size_t> ks{10, 100, 1000};
  int repetitions = 7;
  std::string vectors;
  std::string queries;
  std::string json;
};

/// The vectors of a file; without one, `rows` random ones.
vector::Matrix<float> load(const std::string& file, vector::Role role, std::size_t rows,
                           std::size_t dimension, std::uint64_t seed) {
  if (!file.empty()) return vector::read_float_matrix(file, role);
  const std::size_t count = rows * dimension;
  std::vector<float> values(count);
  constexpr std::size_t kPart = 1 << 20;
  parallel_for(0, (count + kPart - 1) / kPart, [&](std::size_t /*thread*/, std::size_t part) {
    std::mt19937_64 random(seed * 1'000'003 + part);
    std::normal_distribution<float> normal;
    const std::size_t end = std::min(count, (part + 1) * kPart);
    for (std::size_t i = part * kPart; i < end; ++i) values[i] = normal(random);
  });
  return {rows, dimension, std::move(values)};
}

class Benchmark {
 public:
  explicit Benchmark(const Settings& settings)
      : settings_(settings),
        report_("vectors",
                {"halves kept", "queries", "k", "milliseconds", "read once", "times", "certified"}),
        vectors_(load(settings.vectors, vector::Role::kBase, settings.rows, settings.dimension, 1)),
        queries_(load(settings.queries, vector::Role::kQueries, 10'000, vectors_.columns, 2)),
        norms_(vectors_.rows) {
    parallel_for(0, vectors_.rows, [&](std::size_t /*thread*/, std::size_t row) {
      norms_[row] = vector::row_norm(vector::Metric::kL2, vectors_.row(row), {});
    });
  }

  void run() {
    const double bandwidth = measure_copy_bandwidth().gigabytes_per_second() * 1e9;
    report_.note("copy bandwidth, GB/s", {bandwidth / 1e9, 0});
    const double floor =
        static_cast<double>(vectors_.values.size()) * sizeof(float) / bandwidth * 1e3;
    for (const bool keeps_halves : {false, true}) {
      Resources resources;
      const vector::FlatVectors vectors{vector::Metric::kL2,
                                        {vectors_.values.data(), vector::Store::kFloat,
                                         vectors_.rows, vectors_.columns, vectors_.columns},
                                        {},
                                        norms_};
      const auto searcher = search_on_gpu(vectors, resources, {.keeps_halves = keeps_halves});
      for (const std::size_t count : settings_.counts) {
        for (const std::size_t k : settings_.ks) {
          measure(*searcher, keeps_halves, count, std::min(k, vectors_.rows), floor);
        }
      }
    }
    report_.write(settings_.json);
  }

 private:
  void measure(const vector::VectorSearcher& searcher, bool keeps_halves, std::size_t count,
               std::size_t k, double floor) {
    const Stream stream;
    DeviceArray<float> queries(count * vectors_.columns);
    DeviceArray<std::int32_t> rows(count * k);
    DeviceArray<float> distances(count * k);
    queries.upload(std::span(queries_.values).first(count * vectors_.columns), stream);
    stream.synchronize();
    const vector::GpuFigures before = searcher.figures();
    std::vector<double> times;
    for (int i = 0; i <= settings_.repetitions; ++i) {
      const auto start = std::chrono::steady_clock::now();
      searcher.nearest_on_gpu(queries.data(), count, k, rows.data(), distances.data());
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - start;
      if (i > 0) times.push_back(time.count());
    }
    const vector::GpuFigures after = searcher.figures();
    const std::uint64_t products = after.queries - before.queries;
    const double open = static_cast<double>(after.uncertified - before.uncertified);
    const double time = median(times);
    std::cerr << count << " queries, k " << k << ": " << time << " ms, " << open << " open of "
              << products << "\n";
    report_.add(
        {keeps_halves ? "yes" : "no",
         count,
         k,
         {time, 3},
         {floor, 3},
         {time / floor, 1},
         products == 0 ? Cell("scan") : Cell(100 - 100 * open / static_cast<double>(products), 2)});
  }

  Settings settings_;
  Report report_;
  vector::Matrix<float> vectors_;
  vector::Matrix<float> queries_;
  std::vector<float> norms_;
};

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  using namespace warpdex::tools;
  namespace po = boost::program_options;
  Settings settings;
  po::options_description options("Exact vector search on the GPU. Options");
  options.add_options()                                                                       //
      ("rows", po::value(&settings.rows)->default_value(settings.rows), "of random vectors")  //
      ("dimension", po::value(&settings.dimension)->default_value(settings.dimension),
       "of random vectors")                                                                   //
      ("vectors", po::value(&settings.vectors), "a file of vectors, instead of random ones")  //
      ("queries", po::value(&settings.queries), "a file of 10,000 queries, likewise")         //
      ("counts", po::value(&settings.counts)->multitoken(),
       "of queries that are searched together, instead of 1 to 10,000")                           //
      ("k,k", po::value(&settings.ks)->multitoken(), "neighbours, instead of 10, 100 and 1,000")  //
      ("repetitions", po::value(&settings.repetitions)->default_value(settings.repetitions),
       "timed calls of each kind")  //
      ("json", po::value(&settings.json), "also write the results to this file");
  return run_benchmark(argc, argv, options, [&] { Benchmark(settings).run(); });
}
