// Ranking the permutants for all objects, on a GPU and on the CPU: generated words under
// Levenshtein's distance, and generated vectors under Euclidean distance.
//
// Times are the host's, from objects in its memory to ranks there, milliseconds, medians. "copied"
// is what goes to the GPU and comes back: at some 50 GB/s each way no GPU is faster than that.
// Every byte of the GPU's ranks is compared with the CPU's.
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/report.hpp"
#include "benchmarks/splitmix.hpp"
#include "search/timing.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/metric/gpu_permutation_builder.hpp"
#include "warpdex/vector/metric/objects.hpp"

namespace warpdex::tools {
namespace {

struct Settings {
  std::size_t words = 2'000'000;
  std::size_t vectors = 8'800'000;
  std::size_t dimension = 200;
  std::vector<std::size_t> permutants{64, 128, 512};
  std::size_t threads = 0;
  std::size_t memory_mib = 0;
  int repetitions = 3;
  std::uint64_t seed = 1;
  std::string json;
};

/// Of 3 to 15 letters.
metric::Objects draw_words(const Settings& settings) {
  constexpr std::uint64_t kLetters = 26;
  std::vector<std::string> words(settings.words);
  std::uint64_t state = settings.seed;
  for (std::string& word : words) {
    std::uint64_t bits = splitmix(state += kSplitmixStep);
    std::size_t length = 3 + bits % 13;
    for (bits >>= 4; length > 0; --length) {
      if (bits < kLetters) bits = splitmix(state += kSplitmixStep);
      word += static_cast<char>('a' + bits % kLetters);
      bits /= kLetters;
    }
  }
  return {metric::ObjectSettings{}, words, "the words"};
}

/// Components from -1 to 1.
metric::Objects draw_vectors(const Settings& settings) {
  std::vector<float> rows(settings.vectors * settings.dimension);
  parallel_for(settings.threads, settings.vectors, [&](std::size_t /*thread*/, std::size_t row) {
    for (std::size_t c = row * settings.dimension; c < (row + 1) * settings.dimension; ++c) {
      const std::uint64_t bits = splitmix(settings.seed + c * kSplitmixStep);
      rows[c] = static_cast<float>(bits >> 40) / static_cast<float>(1 << 23) - 1;
    }
  });
  return {{.distance = metric::DistanceKind::kL2, .dimension = settings.dimension},
          std::move(rows),
          "the vectors"};
}

class Benchmark {
 public:
  explicit Benchmark(const Settings& settings)
      : settings_(settings),
        resources_({.memory = settings.memory_mib << 20}),
        report_("metric_build", {"objects", "distance", "permutants", "copied MB", "cpu ms",
                                 "gpu ms", "cpu / gpu", "bytes that differ"}) {}

  void run() {
    report_.note("device", device_info(0).to_string());
    report_.note("threads",
                 std::uint64_t{settings_.threads == 0 ? default_threads() : settings_.threads});
    if (settings_.words > 0) measure(draw_words(settings_), "levenshtein");
    if (settings_.vectors > 0) measure(draw_vectors(settings_), "l2");
    report_.write(settings_.json);
  }

 private:
  void measure(const metric::Objects& objects, const std::string& distance) {
    const metric::ObjectsView view = objects.view();
    const auto space = metric::make_space(view);
    for (const std::size_t permutants : settings_.permutants) {
      const auto chosen =
          metric::choose_permutants(*space, {.permutants = permutants, .seed = settings_.seed});
      std::vector<std::uint8_t> right;
      std::unique_ptr<std::uint8_t[]> found;
      const double cpu =
          time([&] { right = metric::rank_permutants(*space, chosen, settings_.threads); });
      const double gpu = time([&] {
        found = metric::rank_permutants_on_gpu(view, chosen, resources_, settings_.threads);
      });
      std::uint64_t different = 0;
      for (std::size_t i = 0; i < right.size(); ++i) different += right[i] != found[i] ? 1 : 0;
      const std::size_t copied = view.vectors.size_bytes() + view.texts.bytes.size() + right.size();
      report_.add({std::uint64_t{view.objects}, distance, std::uint64_t{permutants},
                   Cell(static_cast<double>(copied) / 1e6, 0), Cell(cpu, 0), Cell(gpu, 1),
                   Cell(cpu / gpu, 1), different});
    }
  }

  /// Milliseconds.
  double time(const std::function<void()>& rank) const {
    std::vector<double> times;
    for (int i = 0; i < settings_.repetitions; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      rank();
      const std::chrono::duration<double, std::milli> passed =
          std::chrono::steady_clock::now() - begin;
      times.push_back(passed.count());
    }
    return median(times);
  }

  Settings settings_;
  Resources resources_;
  Report report_;
};

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  using namespace warpdex::tools;
  namespace po = boost::program_options;
  Settings settings;
  po::options_description options("Building a permutation index on the GPU. Options");
  options.add_options()                                                                      //
      ("words", po::value(&settings.words)->default_value(settings.words), "0: none")        //
      ("vectors", po::value(&settings.vectors)->default_value(settings.vectors), "0: none")  //
      ("dimension", po::value(&settings.dimension)->default_value(settings.dimension),
       "of vectors")  //
      ("permutants", po::value(&settings.permutants)->multitoken(),
       "instead of 64, 128 and 512")                                                        //
      ("threads", po::value(&settings.threads)->default_value(settings.threads), "0: all")  //
      ("gpu-memory-mib", po::value(&settings.memory_mib)->default_value(settings.memory_mib),
       "to take at most; 0: 90 % of what is free")  //
      ("repetitions", po::value(&settings.repetitions)->default_value(settings.repetitions),
       "timed builds of each kind")                                                //
      ("seed", po::value(&settings.seed)->default_value(settings.seed), "of all")  //
      ("json", po::value(&settings.json), "also write the results to this file");
  return run_benchmark(argc, argv, options, [&] { Benchmark(settings).run(); });
}
