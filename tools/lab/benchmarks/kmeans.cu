// How fast k-means is on a GPU whose memory has the points: all of them in every iteration.
//
// Points come from a file or are made of its images: each is one of them, moved by up to two pixels
// and with noise. Time is the host's, of the whole call, downloads of the result included.
#include <chrono>
#include <string>
#include <vector>

#include "benchmarks/report.hpp"
#include "benchmarks/splitmix.hpp"
#include "search/timing.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/kmeans/gpu_kmeans.hpp"

namespace warpdex::tools {
namespace {

struct Settings {
  std::string vectors;
  std::size_t digits = 0;
  std::vector<std::size_t> clusters{4096};
  std::size_t iterations = 20;
  int repetitions = 3;
  std::string json;
};

constexpr std::uint32_t kSide = 28;  ///< of an image, in pixels

/// Work item: a made image, a CTA.
__global__ void make_digits(const float* images, std::uint32_t count, float* out) {
  const auto bits = static_cast<std::uint32_t>(splitmix(blockIdx.x * kSplitmixStep) >> 32);
  const float* const image = images + std::size_t{bits % count} * kSide * kSide;
  const int right = static_cast<int>(bits >> 16 & 0xFF) % 5 - 2;
  const int down = static_cast<int>(bits >> 24) % 5 - 2;
  float* const made = out + std::size_t{blockIdx.x} * kSide * kSide;
  for (std::uint32_t i = threadIdx.x; i < kSide * kSide; i += blockDim.x) {
    const int x = static_cast<int>(i % kSide) - right;
    const int y = static_cast<int>(i / kSide) - down;
    const bool is_inside = x >= 0 && y >= 0 && x < int{kSide} && y < int{kSide};
    const std::uint64_t place = std::uint64_t{blockIdx.x} << 20 | i;
    const float noise = static_cast<float>(splitmix(place * kSplitmixStep) >> 40) * 0x1p-24F;
    made[i] = (is_inside ? image[y * int{kSide} + x] : 0.0F) + 16 * noise;
  }
}

void run(const Settings& settings) {
  const vector::Matrix<float> given = vector::read_float_matrix(settings.vectors);
  const std::size_t rows = settings.digits == 0 ? given.rows : settings.digits;
  const Stream stream;
  DeviceArray<float> points(rows * given.columns);
  DeviceArray<float> images(settings.digits == 0 ? 0 : given.values.size());
  (settings.digits == 0 ? points : images).upload(given.values, stream);
  if (settings.digits != 0) {
    make_digits<<<static_cast<unsigned>(rows), 256, 0, stream.handle()>>>(
        images.data(), static_cast<std::uint32_t>(given.rows), points.data());
    check_launch("make_digits");
  }
  stream.synchronize();
  Resources resources;
  Report report("kmeans", {"rows", "dimension", "clusters", "iterations", "seconds", "TFLOP/s",
                           "mean squared distance"});
  for (const std::size_t clusters : settings.clusters) {
    std::vector<double> times;
    vector::KmeansResult result;
    for (int i = 0; i <= settings.repetitions; ++i) {
      vector::KmeansSettings wanted;
      wanted.clusters = clusters;
      wanted.iterations = settings.iterations;
      const auto start = std::chrono::steady_clock::now();
      result = vector::kmeans_on_gpu(points.data(), rows, given.columns, wanted, resources);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      if (i > 0) times.push_back(time.count());
    }
    const double time = median(times);
    const double operations = 2.0 * static_cast<double>(rows) *
                              static_cast<double>(clusters * given.columns) *
                              static_cast<double>(result.iterations + 1);
    report.add({rows,
                given.columns,
                clusters,
                result.iterations,
                {time, 4},
                {operations / time / 1e12, 0},
                {result.objective / static_cast<double>(rows), 6}});
  }
  report.write(settings.json);
}

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  using namespace warpdex::tools;
  namespace po = boost::program_options;
  Settings settings;
  po::options_description options("k-means on the GPU. Options");
  options.add_options()                                                           //
      ("vectors", po::value(&settings.vectors)->required(), "a file of vectors")  //
      ("digits", po::value(&settings.digits),
       "make so many points of the vectors, which are images of 28 x 28 pixels")               //
      ("clusters", po::value(&settings.clusters)->multitoken(), "instead of 4,096")            //
      ("iterations", po::value(&settings.iterations)->default_value(settings.iterations), "")  //
      ("repetitions", po::value(&settings.repetitions)->default_value(settings.repetitions),
       "timed calls, after one that is not")  //
      ("json", po::value(&settings.json), "also write the results to this file");
  return run_benchmark(argc, argv, options, [&] { run(settings); });
}
