// How fast an inverted file is searched on a GPU, and how much it finds: queries and answers in its
// memory.
//
// Time is the host's, from the call to its return with the answers in GPU memory; the median of
// --repetitions calls, after one that is not timed. The truth is an exact search of the same
// vectors by exact search.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "benchmarks/code_way.hpp"
#include "benchmarks/report.hpp"
#include "search/timing.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/data/recall.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::tools {
namespace {

struct Settings {
  std::string index;
  std::string queries;
  std::vector<std::size_t> counts{1, 10, 100, 10'000};
  std::vector<std::size_t> probes{1, 4, 16, 32, 64, 256};
  std::size_t k = 100;
  int repetitions = 7;
  std::string way = "auto";
  std::string json;
};

class Benchmark {
 public:
  explicit Benchmark(const Settings& settings)
      : settings_(settings),
        report_("ivf", {"queries", "k", "probes", "milliseconds", "1@1", "1@10", "1@k", "k@k",
                        "certified"}),
        index_(vector::VectorIndex::open(settings.index)),
        queries_(vector::read_float_matrix(settings.queries, vector::Role::kQueries)) {
    find_truth();
  }

  void run() {
    {
      Resources resources;
      run(*search_on_gpu(searched(), resources, {.way = code_way(settings_.way)}));
    }
    report_.write(settings_.json);
  }

 private:
  /// Lists of rows or of product codes.
  const vector::SearchedVectors& searched() const { return index_.segments().front().vectors; }

  void run(const vector::VectorSearcher& searcher) {
    for (const std::size_t count : settings_.counts) {
      for (const std::size_t probes : settings_.probes) {
        if (count <= queries_.rows) measure(searcher, count, probes);
      }
    }
  }

  void find_truth() {
    Resources resources;
    const auto exact = search_on_gpu(flat_of(searched()), resources);
    vector::Neighbors found = exact->nearest(queries_.values, settings_.k);
    truth_ = {queries_.rows, settings_.k, std::move(found.rows)};
  }

  void measure(const vector::VectorSearcher& searcher, std::size_t count, std::size_t probes) {
    const Stream stream;
    const std::size_t k = settings_.k;
    DeviceArray<float> queries(count * queries_.columns);
    DeviceArray<std::int32_t> rows(count * k);
    DeviceArray<float> distances(count * k);
    queries.upload(std::span(queries_.values).first(count * queries_.columns), stream);
    stream.synchronize();
    const vector::GpuFigures before = searcher.figures();
    std::vector<double> times;
    for (int i = 0; i <= settings_.repetitions; ++i) {
      const auto start = std::chrono::steady_clock::now();
      searcher.nearest_on_gpu(queries.data(), count, k, rows.data(), distances.data(),
                              {.probes = probes});
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - start;
      if (i > 0) times.push_back(time.count());
    }
    const vector::GpuFigures after = searcher.figures();
    const std::uint64_t products = after.queries - before.queries;
    const double open = static_cast<double>(after.uncertified - before.uncertified);
    vector::Matrix<std::int32_t> found{count, k, std::vector<std::int32_t>(count * k)};
    rows.download(found.values, stream);
    stream.synchronize();
    const vector::Matrix<std::int32_t> truth{
        count, k, {truth_.values.begin(), truth_.values.begin() + count * k}};
    const auto share = [&](std::size_t first) {
      return Cell(vector::recall_at(truth, found, std::min(first, k)).nearest, 4);
    };
    const double time = median(times);
    std::cerr << count << " queries, " << probes << " probes: " << time << " ms\n";
    report_.add(
        {count,
         k,
         probes,
         {time, 3},
         share(1),
         share(10),
         share(k),
         {vector::recall_at(truth, found, k).intersection, 4},
         products == 0 ? Cell("scan") : Cell(100 - 100 * open / static_cast<double>(products), 2)});
  }

  Settings settings_;
  Report report_;
  vector::VectorIndex index_;
  vector::Matrix<float> queries_;
  vector::Matrix<std::int32_t> truth_;
};

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  using namespace warpdex::tools;
  namespace po = boost::program_options;
  Settings settings;
  po::options_description options("Search of an inverted file on the GPU. Options");
  options.add_options()                                                                         //
      ("index", po::value(&settings.index)->required(), "an index of kind ivf-flat or ivf-pq")  //
      ("queries", po::value(&settings.queries)->required(), "a file of queries")                //
      ("counts", po::value(&settings.counts)->multitoken(),
       "of queries that are searched together, instead of 1 to 10,000")  //
      ("probes", po::value(&settings.probes)->multitoken(),
       "lists of a query, instead of 1 to 256")                                 //
      ("k,k", po::value(&settings.k)->default_value(settings.k), "neighbours")  //
      ("repetitions", po::value(&settings.repetitions)->default_value(settings.repetitions),
       "timed calls of each kind")  //
      ("way", po::value(&settings.way)->default_value(settings.way),
       "ivf-pq: how queries are compared with codes: auto, queries, tables or products")  //
      ("json", po::value(&settings.json), "also write the results to this file");
  return run_benchmark(argc, argv, options, [&] { Benchmark(settings).run(); });
}
