// k-selection by the length of rows (Johnson et al., Figure 3): 10,000 rows of random keys at a
// time, k 100 and 1,000, beside the time in which the keys can be read once.
#include <cmath>
#include <fstream>
#include <map>

#include "benchmarks/copy_bandwidth.hpp"
#include "benchmarks/report.hpp"
#include "benchmarks/splitmix.hpp"
#include "output/plot.hpp"
#include "search/timing.hpp"
#include "warpdex/core/select/select_rows.cuh"

namespace warpdex::tools {
namespace {

struct Settings {
  std::size_t rows = 10'000;
  std::size_t longest = std::size_t{1} << 17;
  int repetitions = 7;
  std::string json;
  std::string plot;
};

// Work item: one key, uniform in [0, 1); grid-stride.
__global__ void make_keys(float* keys, std::size_t size) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const auto bits = static_cast<std::uint32_t>(splitmix(i * kSplitmixStep) >> 40);
    keys[i] = static_cast<float>(bits) * 0x1p-24F;
  }
}

class Benchmark {
 public:
  explicit Benchmark(const Settings& settings)
      : settings_(settings),
        report_("select_lengths", {"rows", "columns", "k", "method", "milliseconds", "of copy"}),
        keys_(settings.rows * settings.longest) {}

  void run() {
    report_.note("device", device_info(0).to_string());
    copy_ = measure_copy_bandwidth(0, std::size_t{2} << 30).gigabytes_per_second();
    report_.note("copy GB/s", Cell(copy_, 0));
    make_keys<<<4096, 256, 0, stream_.handle()>>>(keys_.data(), keys_.size());
    check_launch("make_keys");
    for (std::size_t columns = 256; columns <= settings_.longest; columns *= 2) {
      const double floor =
          static_cast<double>(settings_.rows * columns * sizeof(float)) / copy_ / 1e6;
      add(columns, 0, "read once at the rate of a copy", floor);
      for (const std::size_t k : {100, 1000}) {
        if (k <= columns) measure(columns, k);
      }
    }
    report_.write(settings_.json);
    if (!settings_.plot.empty()) std::ofstream(settings_.plot) << to_svg({panel()});
  }

 private:
  RowsTask<float, std::uint32_t> task(std::size_t columns, std::size_t k) {
    if (keys_out_.size() < settings_.rows * k) {
      keys_out_ = DeviceArray<float>(settings_.rows * k);
      ids_out_ = DeviceArray<std::uint32_t>(settings_.rows * k);
    }
    RowsTask<float, std::uint32_t> task{};
    task.keys = {keys_.data(), settings_.rows, columns, columns};
    task.keys_out = keys_out_.data();
    task.ids_out = ids_out_.data();
    task.k = static_cast<int>(k);
    task.flip = KeyRules<float>::flip(SelectOrder::kLargest);
    return task;
  }

  template <typename Call>
  double milliseconds(Call&& call) {
    std::vector<double> times;
    for (int i = 0; i <= settings_.repetitions; ++i) {
      start_.record(stream_);
      call();
      end_.record(stream_);
      end_.synchronize();
      if (i > 0) times.push_back(end_.seconds_since(start_) * 1e3);
    }
    return median(times);
  }

  void measure(std::size_t columns, std::size_t k) {
    const auto asked = task(columns, k);
    add(columns, k, "chosen", milliseconds([&] {
          select_k(asked.keys, k, SelectOrder::kLargest, asked.keys_out, asked.ids_out, scratch_,
                   stream_);
        }));
    if (k == 100) {
      add(columns, k, "WarpSelect",
          milliseconds([&] { launch_warps<float, Packed32>(asked, stream_, RowCapacities()); }));
    }
    add(columns, k, "radix",
        milliseconds([&] { select_by_radix<float, Packed32>(asked, scratch_, stream_); }));
  }

  void add(std::size_t columns, std::size_t k, const std::string& method, double time) {
    const double floor =
        static_cast<double>(settings_.rows * columns * sizeof(float)) / copy_ / 1e6;
    report_.add({std::uint64_t{settings_.rows}, std::uint64_t{columns}, std::uint64_t{k}, method,
                 Cell(time, 3), Cell(floor / time, 3)});
    const std::string name = k == 0 ? method : method + ", k " + std::to_string(k);
    if (lines_.find(name) == lines_.end()) order_.push_back(name);
    PlotSeries& line = lines_[name];
    line.name = name;
    line.places.push_back(std::log2(static_cast<double>(columns)));
    line.values.push_back(time);
  }

  PlotPanel panel() const {
    PlotPanel panel;
    panel.kind = PlotPanel::Kind::kCurves;
    panel.title = "k-selection of " + std::to_string(settings_.rows) + " rows";
    panel.x_label = "log2 of a row's length";
    panel.y_label = "ms";
    for (const std::string& name : order_) panel.series.push_back(lines_.at(name));
    return panel;
  }

  Settings settings_;
  Report report_;
  double copy_ = 0;
  Stream stream_;
  Event start_;
  Event end_;
  SelectScratch scratch_;
  DeviceArray<float> keys_;
  DeviceArray<float> keys_out_;
  DeviceArray<std::uint32_t> ids_out_;
  std::vector<std::string> order_;
  std::map<std::string, PlotSeries> lines_;
};

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  using namespace warpdex::tools;
  namespace po = boost::program_options;
  Settings settings;
  po::options_description options("k-selection on the GPU by the length of rows. Options");
  options.add_options()                                                                           //
      ("rows", po::value(&settings.rows)->default_value(settings.rows), "selected from at once")  //
      ("longest", po::value(&settings.longest)->default_value(settings.longest),
       "columns of the longest rows; the shortest have 256")  //
      ("repetitions", po::value(&settings.repetitions)->default_value(settings.repetitions),
       "timed calls of each kind")                                                //
      ("json", po::value(&settings.json), "also write the results to this file")  //
      ("plot", po::value(&settings.plot), "also draw them there, as SVG");
  return run_benchmark(argc, argv, options, [&] { Benchmark(settings).run(); });
}
