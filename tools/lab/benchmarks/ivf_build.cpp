// How fast inverted files are built from vectors in the host's memory, step by step.
//
// Vectors come from a file, or are drawn from a mixture (mixture.hpp). Time is the host's: of the
// whole call and of each step, medians over --repetitions.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/mixture.hpp"
#include "benchmarks/report.hpp"
#include "search/timing.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/lists/owned/list_builder.hpp"

namespace warpdex::tools {
namespace {

struct Settings {
  std::string vectors;
  std::string generate;
  std::string index = "ivf-pq";
  std::string device = "gpu";
  std::string gpu_memory;
  std::size_t lists = 4096;
  std::size_t train = 0;
  std::size_t bytes = 32;
  std::size_t bits = 8;
  bool opq = false;
  std::uint64_t seed = 1;
  int repetitions = 3;
  std::string json;
};

class Benchmark {
 public:
  explicit Benchmark(const Settings& settings)
      : settings_(settings),
        report_("ivf_build", {"step", "seconds", "device"}),
        vectors_(settings.generate.empty() ? vector::read_float_matrix(settings.vectors)
                                           : draw_vectors(settings.generate, settings.seed)),
        centre_(mean_of_first(vectors_)),
        norms_(settings.index == "ivf-flat" ? vectors_.rows : 0) {
    constexpr std::size_t kPart = 4096;
    parallel_for(0, (norms_.size() + kPart - 1) / kPart, [&](std::size_t, std::size_t part) {
      for (std::size_t i = part * kPart; i < std::min(norms_.size(), (part + 1) * kPart); ++i) {
        norms_[i] = vector::row_norm(vector::Metric::kL2, vectors_.row(i), centre_);
      }
    });
  }

  void run() {
    report_.note("device", settings_.device == "gpu" ? device_info(0).name : "cpu");
    report_.note("index", settings_.index);
    report_.note("rows", vectors_.rows);
    report_.note("dimension", vectors_.columns);
    report_.note("lists", settings_.lists);
    if (settings_.index == "ivf-pq") {
      report_.note("bytes", settings_.bytes);
      report_.note("bits", settings_.bits);
      report_.note("rotated", settings_.opq ? "yes" : "no");
    }
    for (int i = 0; i < settings_.repetitions; ++i) build();
    for (const vector::BuildStep& step : steps_) {
      report_.add({step.name, {median(times_[step.name]), 4}, step.is_on_gpu ? "gpu" : "cpu"});
    }
    report_.add({"all", {median(all_), 4}, ""});
    report_.write(settings_.json);
  }

 private:
  void build() {
    Resources* gpu = nullptr;
    std::unique_ptr<Resources> resources;
    if (settings_.device == "gpu") {
      ResourceSettings memory;
      if (!settings_.gpu_memory.empty()) {
        memory.memory = std::stoull(settings_.gpu_memory) << 20;
      }
      resources = std::make_unique<Resources>(memory);
      gpu = resources.get();
    }
    steps_.clear();
    vector::BuildDevice device{.gpu = gpu};
    device.on_step = [&](const vector::BuildStep& step) {
      steps_.push_back(step);
      times_[step.name].push_back(step.seconds);
      std::cerr << step.name << ": " << step.seconds << " s\n";
    };
    const vector::FlatVectors rows{vector::Metric::kL2,
                                   {vectors_.values.data(), vector::Store::kFloat, vectors_.rows,
                                    vectors_.columns, vectors_.columns},
                                   centre_,
                                   norms_};
    const vector::IvfSettings ivf{
        .lists = settings_.lists, .train = settings_.train, .seed = settings_.seed};
    vector::OwnedRowLists flat;  // that freeing them is not timed
    vector::OwnedCodeLists<vector::PqCoding> codes;
    const auto start = std::chrono::steady_clock::now();
    if (settings_.index == "ivf-flat") {
      flat = vector::build_row_lists(rows, ivf, {}, device);
    } else {
      const vector::PqSettings pq{
          .bytes = settings_.bytes, .bits = settings_.bits, .is_rotated = settings_.opq};
      codes = vector::build_pq_lists(rows, ivf, pq, {}, device);
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    all_.push_back(passed.count());
  }

  Settings settings_;
  Report report_;
  vector::Matrix<float> vectors_;
  std::vector<float> centre_;
  std::vector<float> norms_;
  std::vector<vector::BuildStep> steps_;
  std::map<std::string, std::vector<double>> times_;
  std::vector<double> all_;
};

void check(const Settings& settings) {
  if (settings.vectors.empty() == settings.generate.empty()) {
    throw UsageError("give either --vectors or --generate");
  }
  if (settings.index != "ivf-pq" && settings.index != "ivf-flat") {
    throw UsageError("--index takes ivf-flat or ivf-pq, not '" + settings.index + "'");
  }
  if (settings.device != "cpu" && settings.device != "gpu") {
    throw UsageError("--device takes cpu or gpu, not '" + settings.device + "'");
  }
}

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  using namespace warpdex::tools;
  namespace po = boost::program_options;
  Settings settings;
  po::options_description options("Inverted files from vectors in memory. Options");
  options.add_options()                                               //
      ("vectors", po::value(&settings.vectors), "a file of vectors")  //
      ("generate", po::value(&settings.generate),
       "ROWS,DIM: draw vectors instead, from clusters")  //
      ("index", po::value(&settings.index)->default_value(settings.index),
       "ivf-flat or ivf-pq")                                                                 //
      ("device", po::value(&settings.device)->default_value(settings.device), "cpu or gpu")  //
      ("gpu-memory", po::value(&settings.gpu_memory), "MiB to take at most")                 //
      ("lists", po::value(&settings.lists)->default_value(settings.lists), "")               //
      ("train", po::value(&settings.train)->default_value(settings.train),
       "vectors that lists are trained on; 0: 256 a list")                               //
      ("bytes", po::value(&settings.bytes)->default_value(settings.bytes), "of a code")  //
      ("bits", po::value(&settings.bits)->default_value(settings.bits), "8 or 4")        //
      ("opq", po::bool_switch(&settings.opq), "rotate residuals")                        //
      ("seed", po::value(&settings.seed)->default_value(settings.seed),
       "of the vectors and the training")  //
      ("repetitions", po::value(&settings.repetitions)->default_value(settings.repetitions),
       "builds that are timed")  //
      ("json", po::value(&settings.json), "also write the results to this file");
  return run_benchmark(argc, argv, options, [&] {
    check(settings);
    Benchmark(settings).run();
  });
}
