// Binary codes on a GPU: how long quantising takes, how near scans are to their floors, what is
// found for how much refining, one query at a time and in batches, all beside exact search. With
// --lists also of codes in lists.
//
// Vectors and queries come from files, or are drawn (mixture.hpp). Times are the host's,
// medians, queries and answers in the host's memory; but those of "scan" and "products", which are
// of the kernels alone, between events. The floors of a scan are reading the codes (and terms) at
// the speed of a copy, and counting bits at 16 counts a clock and multiprocessor at the GPU's
// highest clock; that of products is their arithmetic, which is told as operations a second.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cfloat>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/copy_bandwidth.hpp"
#include "benchmarks/mixture.hpp"
#include "benchmarks/report.hpp"
#include "timing.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/data/recall.hpp"
#include "warpdex/vector/flat/gpu_flat_searcher.hpp"
#include "warpdex/vector/format/xfbq_builder.hpp"
#include "warpdex/vector/ivf/gpu_ivf_xfbq_searcher.hpp"
#include "warpdex/vector/ivf/ivf_xfbq_builder.hpp"
#include "warpdex/vector/xfbq/gpu_xfbq_searcher.hpp"
#include "xfbq/gpu/code_rounds.hpp"
#include "xfbq/gpu/scan_bits.hpp"

namespace warpdex::tools {
namespace {

struct Settings {
  std::string vectors;
  std::string generate;
  std::string queries;
  std::string metric = "l2";
  std::size_t query_count = 1000;
  vector::XfbqSettings xfbq;
  std::size_t query_bits = 4;
  std::vector<std::size_t> ks{1, 10, 100, 1000};
  std::vector<std::size_t> refines{10, 20, 50, 100, 200, 500, 1000};
  std::vector<std::size_t> extras;
  std::vector<std::size_t> batches{16, 100, 1000, 10'000};
  std::size_t batch_refine = 100;
  std::size_t lists = 0;
  std::vector<std::size_t> probes{16, 64};
  int repetitions = 7;
  std::uint64_t seed = 1;
  bool on_cpu = false;
  std::string json;
};

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return time.count();
}

/// The first rows of a result, with their first k columns.
vector::Matrix<std::int32_t> first_columns(const std::vector<std::int32_t>& rows,
                                           std::size_t columns, std::size_t count, std::size_t k) {
  vector::Matrix<std::int32_t> part{count, k, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(i * columns);
    part.values.insert(part.values.end(), begin, begin + static_cast<std::ptrdiff_t>(k));
  }
  return part;
}

class Benchmark {
 public:
  explicit Benchmark(const Settings& settings)
      : settings_(settings),
        report_("xfbq", {"what", "queries", "k", "refine", "extra", "milliseconds", "floor",
                         "times floor", "k@k", "exact", "times faster"}),
        metric_(vector::metric_from_name(settings.metric)),
        vectors_(settings.generate.empty() ? vector::read_float_matrix(settings.vectors)
                                           : draw_vectors(settings.generate, settings.seed)),
        queries_(settings.queries.empty()
                     ? Mixture(vectors_.columns, settings.seed)
                           .draw(settings.query_count, std::size_t{1} << 40)
                     : vector::read_float_matrix(settings.queries, vector::Role::kQueries)) {
    if (metric_ == vector::Metric::kL2) centre_ = mean_of_first(vectors_);
    norms_.resize(vectors_.rows);
    constexpr std::size_t kPart = 4096;
    parallel_for(0, (vectors_.rows + kPart - 1) / kPart, [&](std::size_t, std::size_t part) {
      for (std::size_t i = part * kPart; i < std::min(norms_.size(), (part + 1) * kPart); ++i) {
        if (metric_ == vector::Metric::kCosine) vector::normalize(vectors_.row(i));
        norms_[i] = vector::row_norm(metric_, vectors_.row(i), centre_);
      }
    });
    std::erase_if(settings_.ks, [&](std::size_t k) { return k > vectors_.rows; });
    if (settings_.extras.empty()) settings_.extras = {0};
  }

  void run() {
    note_settings();
    measure_quantising();
    try_part("kernels", [&] { measure_kernels(); });
    try_part("searches", [&] { measure_searches(); });
    report_.write(settings_.json);
  }

 private:
  void note_settings() {
    bandwidth_ = measure_copy_bandwidth().gigabytes_per_second() * 1e9;
    int clock = 0;
    check_cuda(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0), "cudaDeviceGetAttribute");
    counts_a_second_ = 16.0 * device_info(0).multiprocessors * clock * 1e3;
    report_.note("device", device_info(0).name);
    report_.note("copy bandwidth, GB/s", {bandwidth_ / 1e9, 0});
    report_.note("counts of 32 bits, 10^12/s", {counts_a_second_ / 1e12, 2});
    report_.note("rows", vectors_.rows);
    report_.note("dimension", vectors_.columns);
    report_.note("metric", settings_.metric);
    report_.note("bits", settings_.xfbq.bits);
    report_.note("query bits", settings_.query_bits);
    report_.note("rotated", settings_.xfbq.is_rotated ? "yes" : "no");
    report_.note("corrected", settings_.xfbq.is_corrected ? "yes" : "no");
  }

  /// What fails is told; the other parts go on.
  static void try_part(const char* name, const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      std::cerr << name << ": " << error.what() << "\n";
    }
  }

  vector::FlatVectors flat() const {
    return {metric_,
            {vectors_.values.data(), vector::Store::kFloat, vectors_.rows, vectors_.columns,
             vectors_.columns},
            centre_,
            norms_};
  }

  void measure_quantising() {
    Resources gpu;
    for (const bool on_gpu : {false, true}) {
      if (!on_gpu && !settings_.on_cpu) continue;
      std::vector<double> times;
      for (int i = 0; i < std::min(3, settings_.repetitions); ++i) {
        codes_ = {};
        times.push_back(milliseconds_of([&] {
          codes_ = vector::build_xfbq(flat(), settings_.xfbq, {}, {.gpu = on_gpu ? &gpu : nullptr});
        }));
      }
      add(on_gpu ? "quantising, GPU" : "quantising, CPU", 0, 0, 0, 0, median(times));
    }
    report_.note("bytes of codes", codes_.codes.size());
  }

  void add(const std::string& what, std::size_t queries, std::size_t k, std::size_t refine,
           std::size_t extra, double time, double floor = 0, double found = -1, double exact = 0) {
    std::cerr << what << ", " << queries << " queries, k " << k << ", refine " << refine
              << ", extra " << extra << ": " << time << " ms\n";
    report_.add({what,
                 queries,
                 k,
                 refine,
                 extra,
                 {time, 3},
                 floor > 0 ? Cell(floor, 3) : Cell(""),
                 floor > 0 ? Cell(time / floor, 2) : Cell(""),
                 found >= 0 ? Cell(found, 4) : Cell(""),
                 exact > 0 ? Cell(exact, 3) : Cell(""),
                 exact > 0 ? Cell(exact / time, 2) : Cell("")});
  }

  /// The larger of the floors of a scan for so many queries, in milliseconds.
  double scan_floor(std::size_t queries) const {
    const double rows = static_cast<double>(vectors_.rows);
    const double words = static_cast<double>(codes_.view().quantizer.code_words());
    const double terms =
        (metric_ == vector::Metric::kL2 ? 4 : 0) + (settings_.xfbq.is_corrected ? 4 : 0);
    const double reading = rows * (4 * words + terms) / bandwidth_;
    const double counting = rows * words * static_cast<double>(settings_.query_bits) *
                            static_cast<double>(queries) / counts_a_second_;
    return std::max(reading, counting) * 1e3;
  }

  /// All codes against some queries that keep nothing.
  void measure_kernels() {
    Resources resources;
    const vector::XfbqVectors view = codes_.view();
    const vector::GpuBinaryCodes codes(view, resources, 0);
    for (const std::size_t count : {1, 4, 16, 128, 1024}) {
      const std::size_t queries = std::min(count, queries_.rows);
      vector::QueryImage image(codes, queries, settings_.query_bits);
      vector::CodeRounds rounds(codes, queries, 10, settings_.query_bits);
      Arena measure(nullptr);
      image.lay_out(measure);
      rounds.lay_out(measure);
      const DeviceBuffer memory(measure.used() + 2 * queries * 10 * sizeof(float) + 4096);
      Arena arena(memory.data());
      image.lay_out(arena);
      rounds.lay_out(arena);
      vector::DeviceAnswers nearest{arena.take<float>(queries * 10),
                                    arena.take<std::uint32_t>(queries * 10), 10};
      const PinnedBuffer pinned(image.bytes());
      const Stream stream;
      const vector::PreparedQueries prepared = vector::prepare_queries(
          metric_, vectors_.columns, std::span(queries_.values).first(queries * vectors_.columns));
      image.send(prepared, 0, queries, {}, pinned.data(), stream);
      if (count <= 16) {
        const vector::ScanBitsTask task{
            codes.on_gpu(), image.codes(), nullptr, rounds.order(), 0, rounds.order().panels()};
        add("scan", queries, 0, 0, 0,
            time_on_gpu(stream,
                        [&] {
                          check_cuda(cudaMemsetAsync(image.panels().limits, 0xFF,
                                                     queries * sizeof(float), stream.handle()),
                                     "cudaMemsetAsync");  // NaN: nothing is within
                          scan_to_lists(task, rounds.lists(image), image.panels().limits, false,
                                        stream);
                        }),
            scan_floor(queries));
      }
      add(count < 16 ? "rounds of scans" : "rounds of products", queries, 10, 0, 0,
          time_on_gpu(stream,
                      [&] {
                        image.send(prepared, 0, queries, {}, pinned.data(), stream);
                        rounds.run(image, nullptr, false, nearest, stream);
                      }),
          count < 16 ? scan_floor(queries) : 0);
    }
  }

  /// The median of several runs, in milliseconds between events.
  double time_on_gpu(const Stream& stream, const std::function<void()>& work) const {
    std::vector<double> times;
    for (int i = 0; i <= settings_.repetitions; ++i) {
      Event begin;
      Event end;
      begin.record(stream);
      work();
      end.record(stream);
      stream.synchronize();
      if (i > 0) times.push_back(end.seconds_since(begin) * 1e3);
    }
    return median(times);
  }

  void measure_searches() {
    const std::size_t most = *std::max_element(settings_.ks.begin(), settings_.ks.end());
    vector::Neighbors truth;
    std::vector<double> exact_single(settings_.ks.size());
    std::vector<double> exact_batch(settings_.batches.size());
    {
      Resources resources;
      const vector::GpuFlatSearcher exact(flat(), resources);
      truth = exact.nearest(queries_.values, most);
      for (std::size_t i = 0; i < settings_.ks.size(); ++i) {
        exact_single[i] = time_single(
            [&](std::span<const float> query) { exact.nearest(query, settings_.ks[i]); });
      }
      for (std::size_t i = 0; i < settings_.batches.size(); ++i) {
        const std::vector<float> batch = take_batch(settings_.batches[i]);
        exact_batch[i] = time_batch([&] { exact.nearest(batch, 10); });
      }
    }
    Resources resources;
    const vector::XfbqVectors view = codes_.view();
    const vector::GpuXfbqSearcher searcher(view, resources);
    report_.note("refined on", searcher.has_vectors() ? "gpu" : "host");
    for (std::size_t i = 0; i < settings_.ks.size(); ++i) {
      measure_sweep(searcher, settings_.ks[i], most, truth, exact_single[i]);
    }
    for (std::size_t i = 0; i < settings_.batches.size(); ++i) {
      const std::vector<float> batch = take_batch(settings_.batches[i]);
      for (const std::size_t refine : {std::size_t{0}, settings_.batch_refine}) {
        const vector::XfbqDepth depth{settings_.query_bits, refine, 0};
        const double time = time_batch([&] { searcher.nearest(batch, 10, depth); });
        add("batch", settings_.batches[i], 10, refine, 0, time, 0,
            share_found(searcher, 10, most, truth, depth), exact_batch[i]);
      }
    }
    if (settings_.xfbq.is_corrected) measure_bounds(searcher, most, truth);
    const vector::GpuFlatFigures figures = searcher.figures();
    report_.note("open queries", figures.uncertified);
    if (settings_.lists > 0) measure_lists(truth, most);
  }

  /// The 10 nearest by a bound, a query at a time; the mean count of distances is told as what is
  /// refined.
  void measure_bounds(const vector::GpuXfbqSearcher& searcher, std::size_t most,
                      const vector::Neighbors& truth) {
    for (const bool is_certain : {true, false}) {
      const vector::XfbqDepth depth{
          settings_.query_bits, settings_.batch_refine, 0,
          is_certain ? vector::XfbqBound::kCertain : vector::XfbqBound::kLikely};
      const double time =
          time_single([&](std::span<const float> query) { searcher.nearest(query, 10, depth); });
      const vector::BoundedNeighbors found = searcher.nearest_by_bound(queries_.values, 10, depth);
      double refined = 0;
      for (const std::uint32_t count : found.refined) refined += count;
      const double recall =
          vector::recall_at(first_columns(truth.rows, most, queries_.rows, 10),
                            first_columns(found.answers.rows, 10, queries_.rows, 10), 10)
              .intersection;
      add(is_certain ? "bound, certain" : "bound, likely", 1, 10,
          static_cast<std::size_t>(refined / static_cast<double>(queries_.rows)), 0, time,
          scan_floor(1), recall);
    }
  }

  /// An inverted file of the same codes: building, and searches of one query and of batches.
  void measure_lists(const vector::Neighbors& truth, std::size_t most) {
    Resources resources;
    vector::OwnedIvfXfbqVectors built;
    const double time = milliseconds_of([&] {
      built = vector::build_ivf_xfbq(flat(), {.lists = settings_.lists}, settings_.xfbq, {},
                                     {.gpu = &resources});
    });
    add("building " + std::to_string(settings_.lists) + " lists", 0, 0, 0, 0, time);
    const vector::IvfXfbqVectors view = built.view();
    const vector::GpuIvfXfbqSearcher searcher(view, resources);
    for (const std::size_t probes : settings_.probes) {
      for (const std::size_t refine : {std::size_t{0}, settings_.batch_refine}) {
        const vector::XfbqDepth depth{settings_.query_bits, refine};
        const std::string what = std::to_string(probes) + " probes";
        const vector::Neighbors found = searcher.nearest(queries_.values, 10, probes, depth);
        const double share = vector::recall_at(first_columns(truth.rows, most, queries_.rows, 10),
                                               first_columns(found.rows, 10, queries_.rows, 10), 10)
                                 .intersection;
        add(what, 1, 10, refine, 0, time_single([&](std::span<const float> query) {
              searcher.nearest(query, 10, probes, depth);
            }),
            0, share);
        for (const std::size_t count : settings_.batches) {
          const std::vector<float> batch = take_batch(count);
          add(what, count, 10, refine, 0,
              time_batch([&] { searcher.nearest(batch, 10, probes, depth); }), 0, share);
        }
      }
    }
  }

  void measure_sweep(const vector::GpuXfbqSearcher& searcher, std::size_t k, std::size_t most,
                     const vector::Neighbors& truth, double exact) {
    std::vector<std::size_t> refines{0};
    for (const std::size_t refine : settings_.refines) {
      if (refine >= k) refines.push_back(refine);
    }
    for (const std::size_t refine : refines) {
      for (const std::size_t extra : settings_.extras) {
        if (refine == 0 && extra > 0) continue;
        const vector::XfbqDepth depth{settings_.query_bits, refine, extra};
        const double time =
            time_single([&](std::span<const float> query) { searcher.nearest(query, k, depth); });
        add("single", 1, k, refine, extra, time, scan_floor(1),
            share_found(searcher, k, most, truth, depth), exact);
      }
    }
  }

  double share_found(const vector::GpuXfbqSearcher& searcher, std::size_t k, std::size_t most,
                     const vector::Neighbors& truth, const vector::XfbqDepth& depth) const {
    const vector::Neighbors found = searcher.nearest(queries_.values, k, depth);
    return vector::recall_at(first_columns(truth.rows, most, queries_.rows, k),
                             first_columns(found.rows, k, queries_.rows, k), k)
        .intersection;
  }

  /// The median over some queries, one at a time.
  double time_single(const std::function<void(std::span<const float>)>& search) const {
    const std::size_t count = std::min<std::size_t>(queries_.rows, 100);
    std::vector<double> times;
    for (std::size_t q = 0; q < count; ++q) {
      const double time = milliseconds_of([&] { search(queries_.row(q)); });
      if (q >= count / 10) times.push_back(time);
    }
    return median(times);
  }

  double time_batch(const std::function<void()>& search) const {
    search();
    std::vector<double> times;
    for (int i = 0; i < settings_.repetitions; ++i) times.push_back(milliseconds_of(search));
    return median(times);
  }

  /// Queries in turn, as many as there are to be.
  std::vector<float> take_batch(std::size_t count) const {
    std::vector<float> batch;
    batch.reserve(count * queries_.columns);
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const float> row = queries_.row(i % queries_.rows);
      batch.insert(batch.end(), row.begin(), row.end());
    }
    return batch;
  }

  Settings settings_;
  Report report_;
  vector::Metric metric_;
  vector::Matrix<float> vectors_;
  vector::Matrix<float> queries_;
  std::vector<float> centre_;
  std::vector<float> norms_;
  vector::OwnedXfbqVectors codes_;
  double bandwidth_ = 0;        ///< bytes a second
  double counts_a_second_ = 0;  ///< of 32 bits each
};

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  using namespace warpdex::tools;
  namespace po = boost::program_options;
  Settings settings;
  po::options_description options("Search of binary codes on the GPU. Options");
  options.add_options()                                               //
      ("vectors", po::value(&settings.vectors), "a file of vectors")  //
      ("generate", po::value(&settings.generate),
       "ROWS,DIM: draw vectors instead, from clusters")                                      //
      ("queries", po::value(&settings.queries), "a file of queries, instead of drawn ones")  //
      ("query-count", po::value(&settings.query_count)->default_value(settings.query_count),
       "queries that are drawn")                                                                 //
      ("metric", po::value(&settings.metric)->default_value(settings.metric), "l2, ip, cosine")  //
      ("bits", po::value(&settings.xfbq.bits)->default_value(settings.xfbq.bits), "1 to 8")      //
      ("query-bits", po::value(&settings.query_bits)->default_value(settings.query_bits),
       "1 to 8")                                                                      //
      ("rotate", po::bool_switch(&settings.xfbq.is_rotated), "rotate vectors first")  //
      ("correct", po::bool_switch(&settings.xfbq.is_corrected),
       "keep a scale and a correction of each vector")  //
      ("clip", po::value(&settings.xfbq.clip)->default_value(settings.xfbq.clip),
       "share of components that are clipped; negative: what suits the bits")                   //
      ("k,k", po::value(&settings.ks)->multitoken(), "neighbours, instead of 1 to 1,000")       //
      ("refine", po::value(&settings.refines)->multitoken(), "counts, instead of 10 to 1,000")  //
      ("extra", po::value(&settings.extras)->multitoken(), "distances, instead of 0")           //
      ("batches", po::value(&settings.batches)->multitoken(), "instead of 16 to 10,000")        //
      ("batch-refine", po::value(&settings.batch_refine)->default_value(settings.batch_refine),
       "of batches, beside none")  //
      ("lists", po::value(&settings.lists)->default_value(settings.lists),
       "also of an inverted file of so many")                                               //
      ("probes", po::value(&settings.probes)->multitoken(), "of it, instead of 16 and 64")  //
      ("repetitions", po::value(&settings.repetitions)->default_value(settings.repetitions),
       "timed calls of each kind")                                                     //
      ("seed", po::value(&settings.seed)->default_value(settings.seed), "of vectors")  //
      ("cpu", po::bool_switch(&settings.on_cpu), "also quantise on the CPU")           //
      ("json", po::value(&settings.json), "also write the results to this file");
  return run_benchmark(argc, argv, options, [&] {
    if (settings.vectors.empty() == settings.generate.empty()) {
      throw warpdex::UsageError("give either --vectors or --generate");
    }
    Benchmark(settings).run();
  });
}
