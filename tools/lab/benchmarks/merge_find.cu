// Parallel Merge Find with 0 to 4 levels of recursion: Figure 6 of Ding et al. (two lists of equal
// length), the experiment beside it (200,000 elements against ever longer lists), and the search
// for the blocks of a longer list that are worth decoding, among their last docIDs.
//
// Time is of the GPU, from the first launch to the last one's end, by events; the median. The floor
// is the time to move the bytes that no method avoids at the bandwidth of a copy: the shorter list,
// the longer one or a sector of 32 bytes for each element of the shorter, and the result.
#include <algorithm>
#include <vector>

#include "benchmarks/copy_bandwidth.hpp"
#include "benchmarks/parallel_merge_find.hpp"
#include "benchmarks/report.hpp"
#include "search/timing.hpp"
#include "warpdex/codecs/codec.hpp"
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
        report_("merge_find", {"found", "shorter", "longer", "levels", "matches", "microseconds",
                               "ns/element", "floor microseconds"}),
        shorter_(kLongest),
        longer_(kLongest),
        out_(kLongest),
        out_size_(1) {}

  void run() {
    report_.note("device", device_info(0).to_string());
    copy_ = measure_copy_bandwidth().gigabytes_per_second();
    report_.note("copy GB/s", Cell(copy_, 0));
    for (const std::uint32_t size :
         {5'000U, 20'000U, 80'000U, 320'000U, 1'280'000U, 5'120'000U, kLongest}) {
      measure(size, size);
    }
    for (std::uint32_t size = 200'000; size <= 12'800'000; size *= 4) measure(200'000, size);
    for (const std::uint32_t documents : {5'000U, 200'000U, 1'280'000U}) {
      for (const std::uint32_t blocks : {12'500U, 100'000U, 800'000U}) {
        measure(documents, blocks, Found::kBlocks);
      }
    }
    report_.write(json_);
  }

 private:
  static constexpr std::uint32_t kLongest = 16'000'000;

  /// Elements of both lists, or blocks of kBlockSize documents that some of the shorter are in.
  enum class Found { kCommon, kBlocks };

  void measure(std::uint32_t shorter_size, std::uint32_t longer_size,
               Found found = Found::kCommon) {
    // A quarter of all docIDs is in the longer list.
    const std::uint32_t gap = found == Found::kCommon ? 4 : 4 * kBlockSize;
    const std::uint32_t range = gap * longer_size;
    make_list<<<1024, 256, 0, stream_.handle()>>>(shorter_.data(), shorter_size,
                                                  range / shorter_size, 1);
    make_list<<<1024, 256, 0, stream_.handle()>>>(longer_.data(), longer_size, gap, 77);
    check_launch("make_list");
    ListIntersection intersection(shorter_size);
    for (int levels = 0; levels <= kMaxMergeLevels; ++levels) {
      std::vector<double> times;
      for (int i = 0; i <= repetitions_; ++i) {
        start_.record(stream_);
        if (found == Found::kCommon) {
          intersection.run(shorter_.data(), shorter_size, longer_.data(), longer_size, levels,
                           out_.data(), out_size_.data(), stream_);
        } else {
          intersection.find_blocks(shorter_.data(), shorter_size, longer_.data(), longer_size,
                                   levels, out_.data(), out_size_.data(), stream_);
        }
        end_.record(stream_);
        end_.synchronize();
        if (i > 0) times.push_back(end_.seconds_since(start_));
      }
      std::uint32_t matches = 0;
      out_size_.download({&matches, 1}, stream_);
      stream_.synchronize();
      add(found, shorter_size, longer_size, levels, matches, median(times));
    }
  }

  void add(Found found, std::uint32_t shorter_size, std::uint32_t longer_size, int levels,
           std::uint32_t matches, double seconds) {
    const double sectors = std::min(4.0 * longer_size, 32.0 * shorter_size);
    const double bytes = 4.0 * shorter_size + sectors + 4.0 * matches;
    report_.add({std::string(found == Found::kCommon ? "elements" : "blocks"),
                 std::uint64_t{shorter_size}, std::uint64_t{longer_size},
                 static_cast<std::uint64_t>(levels), std::uint64_t{matches}, Cell(seconds * 1e6, 1),
                 Cell(seconds * 1e9 / shorter_size, 3), Cell(bytes / copy_ / 1e3, 1)});
  }

  int repetitions_;
  std::string json_;
  Report report_;
  double copy_ = 0;
  Stream stream_;
  Event start_;
  Event end_;
  DeviceArray<std::uint32_t> shorter_;
  DeviceArray<std::uint32_t> longer_;
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
