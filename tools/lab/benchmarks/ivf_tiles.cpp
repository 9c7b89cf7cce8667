// An inverted file of codes over more vectors than memory holds: they come in tiles.
//
// Row r is a combination of two of some million vectors that are drawn from a mixture
// (mixture.hpp), x + 0.3 y, where x and y depend on r alone; so any tile can be made again, at the
// speed of memory. Lists and codebooks are trained on a sample. While a tile is there, it is also
// searched exactly for some of the queries, whose nearest rows are the truth. Queries are rows past
// the last one.
//
// Time is the host's: of each step of the build, and of a search from the call to its return with
// queries and answers in GPU memory; the median of --repetitions, after one that is not timed.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/code_way.hpp"
#include "benchmarks/mixture.hpp"
#include "benchmarks/report.hpp"
#include "benchmarks/splitmix.hpp"
#include "search/timing.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/data/recall.hpp"
#include "warpdex/vector/lists/owned/list_builder.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::tools {
namespace {

constexpr std::size_t kPartRows = 4096;

struct Settings {
  std::size_t rows = 1'000'000'000;
  std::size_t dimension = 96;
  std::size_t tile = 20'000'000;
  std::size_t pool = 4'000'000;
  std::size_t lists = 65'536;
  std::vector<std::size_t> bytes{8, 16};
  std::size_t queries = 10'000;
  std::size_t judged = 1'000;
  std::vector<std::size_t> probes{1, 4, 16, 64, 256};
  std::size_t k = 100;
  int repetitions = 3;
  std::uint64_t seed = 1;
  std::vector<std::string> ways{"auto"};
  std::string json;
};

/// Rows of any number, made of a pool of vectors.
class Rows {
 public:
  Rows(const Settings& settings)
      : pool_(Mixture(settings.dimension, settings.seed).draw(settings.pool)) {}

  std::size_t dimension() const { return pool_.columns; }

  /// Rows [first, first + count).
  void make(std::size_t first, std::size_t count, float* rows) const {
    parallel_for(0, (count + kPartRows - 1) / kPartRows, [&](std::size_t, std::size_t part) {
      for (std::size_t i = part * kPartRows; i < std::min(count, (part + 1) * kPartRows); ++i) {
        make_row(first + i, rows + i * dimension());
      }
    });
  }
  vector::Matrix<float> make(std::size_t first, std::size_t count) const {
    vector::Matrix<float> made{count, dimension(), std::vector<float>(count * dimension())};
    make(first, count, made.values.data());
    return made;
  }

 private:
  void make_row(std::uint64_t row, float* to) const {
    constexpr float kShare = 0.3F;
    const float* const x = pool_.row(splitmix(2 * row) % pool_.rows).data();
    const float* const y = pool_.row(splitmix(2 * row + 1) % pool_.rows).data();
    for (std::size_t c = 0; c < dimension(); ++c) to[c] = x[c] + kShare * y[c];
  }

  vector::Matrix<float> pool_;
};

/// The nearest row of each query, among the tiles so far.
class Truth {
 public:
  explicit Truth(std::size_t queries)
      : rows_{queries, 1, std::vector<std::int32_t>(queries, -1)},
        distances_(queries, std::numeric_limits<float>::infinity()) {}

  void add(const vector::Neighbors& found, std::size_t first_row) {
    for (std::size_t q = 0; q < rows_.rows; ++q) {
      if (found.distances[q] >= distances_[q]) continue;
      distances_[q] = found.distances[q];
      rows_.values[q] = static_cast<std::int32_t>(first_row) + found.rows[q];
    }
  }
  const vector::Matrix<std::int32_t>& rows() const { return rows_; }

 private:
  vector::Matrix<std::int32_t> rows_;
  std::vector<float> distances_;
};

class Benchmark {
 public:
  explicit Benchmark(const Settings& settings)
      : settings_(settings),
        report_("ivf_tiles",
                {"bytes", "way", "queries", "k", "probes", "milliseconds", "1@1", "1@10", "1@100"}),
        rows_(settings),
        queries_(rows_.make(settings.rows, settings.queries)),
        truth_(settings.judged) {}

  void run() {
    report_.note("device", device_info(0).name);
    report_.note("rows", settings_.rows);
    report_.note("dimension", settings_.dimension);
    report_.note("lists", settings_.lists);
    std::vector<vector::OwnedCodeLists<vector::PqCoding>> built;
    {
      Resources gpu;
      built = build(gpu);
    }
    for (const vector::OwnedCodeLists<vector::PqCoding>& each : built) search(each);
    for (const auto& [name, seconds] : steps_) report_.note(name + ", s", {seconds, 2});
    report_.write(settings_.json);
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Adds the time of work() to a step's.
  template <class Work>
  void timed(const std::string& name, const Work& work) {
    const auto start = Clock::now();
    work();
    steps_[name] += std::chrono::duration<double>(Clock::now() - start).count();
  }

  std::vector<vector::OwnedCodeLists<vector::PqCoding>> build(Resources& gpu) {
    std::vector<std::unique_ptr<vector::IvfPqTiles>> indexes;
    {
      const std::size_t wanted = std::min(settings_.rows, 256 * settings_.lists);
      const vector::Matrix<float> sample = rows_.make(0, wanted);
      centre_ = mean_of_first(sample);
      const vector::FlatVectors flat{vector::Metric::kL2, view(sample, wanted), centre_, {}};
      for (const std::size_t bytes : settings_.bytes) indexes.push_back(train(flat, bytes, gpu));
    }
    vector::Matrix<float> tile{settings_.tile, settings_.dimension,
                               std::vector<float>(settings_.tile * settings_.dimension)};
    for (std::size_t first = 0; first < settings_.rows; first += settings_.tile) {
      const std::size_t count = std::min(settings_.tile, settings_.rows - first);
      timed("generating", [&] { rows_.make(first, count, tile.values.data()); });
      timed("truth", [&] { judge(tile, first, count, gpu); });
      for (auto& index : indexes) index->add(view(tile, count));
      std::cerr << first + count << " of " << settings_.rows << " rows\n";
    }
    std::vector<vector::OwnedCodeLists<vector::PqCoding>> built;
    for (auto& index : indexes) {
      built.push_back(index->finish());
      index.reset();
    }
    return built;
  }

  static vector::VectorView view(const vector::Matrix<float>& rows, std::size_t count) {
    return {rows.values.data(), vector::Store::kFloat, count, rows.columns, rows.columns};
  }

  std::unique_ptr<vector::IvfPqTiles> train(const vector::FlatVectors& sample, std::size_t bytes,
                                            Resources& gpu) {
    vector::BuildDevice device{.gpu = &gpu};
    device.on_step = [this, bytes](const vector::BuildStep& step) {
      steps_[std::to_string(bytes) + " bytes: " + step.name] += step.seconds;
    };
    const vector::IvfSettings ivf{.lists = settings_.lists, .seed = settings_.seed};
    const vector::PqSettings pq{.bytes = bytes, .keeps_vectors = false};
    return std::make_unique<vector::IvfPqTiles>(sample, ivf, pq, vector::BuildProgress{}, device);
  }

  /// Searches a tile exactly for the judged queries.
  void judge(const vector::Matrix<float>& tile, std::size_t first, std::size_t count,
             Resources& gpu) {
    std::vector<float> norms(count);
    parallel_for(0, (count + kPartRows - 1) / kPartRows, [&](std::size_t, std::size_t part) {
      for (std::size_t i = part * kPartRows; i < std::min(count, (part + 1) * kPartRows); ++i) {
        norms[i] = vector::row_norm(vector::Metric::kL2, tile.row(i), centre_);
      }
    });
    const vector::FlatVectors flat{vector::Metric::kL2, view(tile, count), centre_, norms};
    const auto exact = search_on_gpu(flat, gpu);
    const std::size_t some = settings_.judged * settings_.dimension;
    truth_.add(exact->nearest(std::span(queries_.values).first(some), 1), first);
  }

  void search(const vector::OwnedCodeLists<vector::PqCoding>& index) {
    Resources gpu;
    for (const std::string& way : settings_.ways) {
      const auto searcher = search_on_gpu(index.view(), gpu, {.way = code_way(way)});
      for (const std::size_t probes : settings_.probes)
        measure(*searcher, index.trained.bytes, way, probes);
    }
  }

  void measure(const vector::VectorSearcher& searcher, std::size_t bytes, const std::string& way,
               std::size_t probes) {
    const Stream stream;
    const std::size_t count = queries_.rows;
    const std::size_t k = settings_.k;
    DeviceArray<float> queries(queries_.values.size());
    DeviceArray<std::int32_t> rows(count * k);
    DeviceArray<float> distances(count * k);
    queries.upload(queries_.values, stream);
    stream.synchronize();
    std::vector<double> times;
    for (int i = 0; i <= settings_.repetitions; ++i) {
      const auto start = Clock::now();
      searcher.nearest_on_gpu(queries.data(), count, k, rows.data(), distances.data(),
                              {.probes = probes});
      const std::chrono::duration<double, std::milli> time = Clock::now() - start;
      if (i > 0) times.push_back(time.count());
    }
    vector::Matrix<std::int32_t> found{count, k, std::vector<std::int32_t>(count * k)};
    rows.download(found.values, stream);
    stream.synchronize();
    found.rows = settings_.judged;
    found.values.resize(settings_.judged * k);
    std::vector<Cell> cells{bytes, way, count, k, probes, {median(times), 3}};
    for (const std::size_t first : {1, 10, 100}) cells.push_back({share_within(found, first), 4});
    report_.add(cells);
    std::cerr << bytes << " bytes, " << probes << " probes: " << median(times) << " ms\n";
  }

  /// Of the judged queries, those whose nearest row is among the first ones found.
  double share_within(const vector::Matrix<std::int32_t>& found, std::size_t first) const {
    std::size_t hits = 0;
    for (std::size_t q = 0; q < found.rows; ++q) {
      const auto own = found.row(q).first(std::min(first, found.columns));
      hits += std::find(own.begin(), own.end(), truth_.rows().values[q]) != own.end() ? 1 : 0;
    }
    return static_cast<double>(hits) / static_cast<double>(found.rows);
  }

  Settings settings_;
  Report report_;
  Rows rows_;
  vector::Matrix<float> queries_;
  Truth truth_;
  std::vector<float> centre_;
  std::map<std::string, double> steps_;
};

void check(const Settings& settings) {
  if (settings.rows == 0 || settings.tile == 0 || settings.dimension == 0 || settings.pool == 0) {
    throw UsageError("--rows, --tile, --dimension and --pool are 1 or more");
  }
  if (settings.judged == 0 || settings.judged > settings.queries) {
    throw UsageError("--judged takes 1 to the number of --queries");
  }
  if (settings.rows + settings.queries > vector::kMaxRows) {
    throw UsageError("--rows and --queries are below 2^31 together");
  }
}

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  using namespace warpdex::tools;
  namespace po = boost::program_options;
  Settings settings;
  po::options_description options("Inverted files of more vectors than memory holds. Options");
  options.add_options()                                                                       //
      ("rows", po::value(&settings.rows)->default_value(settings.rows), "vectors")            //
      ("dimension", po::value(&settings.dimension)->default_value(settings.dimension), "")    //
      ("tile", po::value(&settings.tile)->default_value(settings.tile), "vectors of a tile")  //
      ("pool", po::value(&settings.pool)->default_value(settings.pool),
       "vectors that others are made of")                                             //
      ("lists", po::value(&settings.lists)->default_value(settings.lists), "")        //
      ("bytes", po::value(&settings.bytes)->multitoken(), "of codes; an index each")  //
      ("queries", po::value(&settings.queries)->default_value(settings.queries),
       "that are searched together")  //
      ("judged", po::value(&settings.judged)->default_value(settings.judged),
       "queries whose nearest vector is found by exact search")                  //
      ("probes", po::value(&settings.probes)->multitoken(), "lists of a query")  //
      ("k,k", po::value(&settings.k)->default_value(settings.k), "neighbours")   //
      ("repetitions", po::value(&settings.repetitions)->default_value(settings.repetitions),
       "timed searches of each kind")                                                      //
      ("seed", po::value(&settings.seed)->default_value(settings.seed), "of all vectors")  //
      ("ways", po::value(&settings.ways)->multitoken(),
       "how queries are compared with codes: auto, queries, tables, products")  //
      ("json", po::value(&settings.json), "also write the results to this file");
  return run_benchmark(argc, argv, options, [&] {
    check(settings);
    Benchmark(settings).run();
  });
}
