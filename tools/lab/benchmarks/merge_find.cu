// Parallel Merge Find with 0 to 4 levels of recursion, of two lists of equal length: Figure 6 of
// Ding et al.
//
// Time is of the GPU, from the first launch to the last one's end, by events; the median. The floor
// is the time to move both lists and the result at the bandwidth of a copy.
#include <algorithm>
#include <vector>

#include "benchmarks/copy_bandwidth.hpp"
#include "benchmarks/parallel_merge_find.hpp"
#include "benchmarks/report.hpp"
#include "search/timing.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::tools {
namespace {

// Work item: an element; grid-stride. Element i lies anywhere in its own stretch of `gap` values.
__global__ void make_list(std::uint32_t* list, std::uint32_t size, std::uint32_t gap,
                          std::uint32_t seed) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size;
       i += gridDim.x * blockDim.x) {
    std::uint32_t bits = (i + seed) * 0x9E3779B1U;
    bits = (bits ^ (bits >> 15)) * 0x85EBCA77U;
    list[i] = i * gap + (bits >> 8) % gap;
  }
}

class Benchmark {
 public:
  Benchmark(int repetitions, std::string json)
      : repetitions_(repetitions),
        json_(std::move(json)),
        report_("merge_find", {"elements", "levels", "matches", "microseconds", "ns/element",
                               "floor microseconds"}),
        first_(kLongest),
        second_(kLongest),
        out_(kLongest),
        out_size_(1) {}

  void run() {
    report_.note("device", device_info(0).to_string());
    copy_ = measure_copy_bandwidth().gigabytes_per_second();
    report_.note("copy GB/s", Cell(copy_, 0));
    for (const std::uint32_t size :
         {5'000U, 20'000U, 80'000U, 320'000U, 1'280'000U, 5'120'000U, kLongest}) {
      measure(size);
    }
    report_.write(json_);
  }

 private:
  static constexpr std::uint32_t kLongest = 16'000'000;
  static constexpr std::uint32_t kGap = 4;  // a quarter of all docIDs is in a list

  void measure(std::uint32_t size) {
    make_list<<<1024, 256, 0, stream_.handle()>>>(first_.data(), size, kGap, 1);
    make_list<<<1024, 256, 0, stream_.handle()>>>(second_.data(), size, kGap, 77);
    check_launch("make_list");
    ListIntersection intersection(size);
    for (int levels = 0; levels <= kMaxMergeLevels; ++levels) {
      std::vector<double> times;
      for (int i = 0; i <= repetitions_; ++i) {
        start_.record(stream_);
        intersection.run(first_.data(), size, second_.data(), size, levels, out_.data(),
                         out_size_.data(), stream_);
        end_.record(stream_);
        end_.synchronize();
        if (i > 0) times.push_back(end_.seconds_since(start_));
      }
      std::uint32_t matches = 0;
      out_size_.download({&matches, 1}, stream_);
      stream_.synchronize();
      add(size, levels, matches, median(times));
    }
  }

  void add(std::uint32_t size, int levels, std::uint32_t matches, double seconds) {
    const double bytes = 8.0 * size + 4.0 * matches;
    report_.add({std::uint64_t{size}, static_cast<std::uint64_t>(levels), std::uint64_t{matches},
                 Cell(seconds * 1e6, 1), Cell(seconds * 1e9 / size, 3),
                 Cell(bytes / copy_ / 1e3, 1)});
  }

  int repetitions_;
  std::string json_;
  Report report_;
  double copy_ = 0;
  Stream stream_;
  Event start_;
  Event end_;
  DeviceArray<std::uint32_t> first_;
  DeviceArray<std::uint32_t> second_;
  DeviceArray<std::uint32_t> out_;
  DeviceArray<std::uint32_t> out_size_;
};

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  namespace po = boost::program_options;
  int repetitions = 15;
  std::string json;
  po::options_description options("Parallel Merge Find on the GPU. Options");
  options.add_options()  //
      ("repetitions", po::value(&repetitions)->default_value(repetitions),
       "timed calls of each")  //
      ("json", po::value(&json), "also write the results to this file");
  return warpdex::tools::run_benchmark(argc, argv, options,
                                       [&] { warpdex::tools::Benchmark(repetitions, json).run(); });
}
