// Sets up the benchmark of binary codes, runs its parts, and times quantising.
#include "benchmarks/binary/binary.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <iostream>

#include "benchmarks/copy_bandwidth.hpp"
#include "benchmarks/mixture.hpp"
#include "search/timing.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::tools {

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return time.count();
}

BinaryBenchmark::BinaryBenchmark(const BinaryOptions& settings)
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

void BinaryBenchmark::run() {
  note_settings();
  measure_quantising();
  if (settings_.devices.empty()) {
    try_part("kernels", [&] { measure_kernels(); });
    try_part("searches", [&] { measure_searches(); });
  } else {
    try_part("devices", [&] { measure_devices(); });
  }
  report_.write(settings_.json);
}

void BinaryBenchmark::note_settings() {
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
  report_.note("bits", settings_.binary.bits);
  report_.note("query bits", settings_.query_bits);
  report_.note("rotated", settings_.binary.is_rotated ? "yes" : "no");
  report_.note("corrected", settings_.binary.is_corrected ? "yes" : "no");
}

/// Prints the error of a part that fails; the other parts go on.
void BinaryBenchmark::try_part(const char* name, const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    std::cerr << name << ": " << error.what() << "\n";
  }
}

vector::FlatVectors BinaryBenchmark::flat() const {
  return {metric_,
          {vectors_.values.data(), vector::Store::kFloat, vectors_.rows, vectors_.columns,
           vectors_.columns},
          centre_,
          norms_};
}

void BinaryBenchmark::measure_quantising() {
  Resources gpu;
  for (const bool on_gpu : {false, true}) {
    if (!on_gpu && !settings_.on_cpu) continue;
    std::vector<double> times;
    for (int i = 0; i < std::min(3, settings_.repetitions); ++i) {
      codes_ = {};
      times.push_back(milliseconds_of([&] {
        codes_ =
            vector::build_binary(flat(), settings_.binary, {}, {.gpu = on_gpu ? &gpu : nullptr});
      }));
    }
    add(on_gpu ? "quantising, GPU" : "quantising, CPU", 0, 0, 0, 0, median(times));
  }
  report_.note("bytes of codes", codes_.codes.size());
}

void BinaryBenchmark::add(const std::string& what, std::size_t queries, std::size_t k,
                          std::size_t refine, std::size_t extra, double time, double floor,
                          double found, double exact) {
  std::cerr << what << ", " << queries << " queries, k " << k << ", refine " << refine << ", extra "
            << extra << ": " << time << " ms\n";
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

}  // namespace warpdex::tools
