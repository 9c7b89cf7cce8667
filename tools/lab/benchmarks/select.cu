// How fast k-selection is, beside the bandwidth of a copy: 10,000 long rows, one very long row,
// short rows; random keys and the orders that suit the method worst.
//
// Time is of the GPU, from the first launch to the last one's end, by events; the median of
// --repetitions calls. Bandwidth counts the bytes of the keys once.
#include <algorithm>
#include <vector>

#include "benchmarks/copy_bandwidth.hpp"
#include "benchmarks/report.hpp"
#include "benchmarks/splitmix.hpp"
#include "search/timing.hpp"
#include "warpdex/core/select/select_rows.cuh"

namespace warpdex::tools {
namespace {

struct Settings {
  std::size_t rows = 10'000;
  std::size_t columns = 131'072;
  std::size_t long_row = 5'000'000;
  int repetitions = 7;
  std::string json;
};

enum class Keys { kRandom, kRising, kFalling, kEqual, kFewDistinct };
constexpr const char* kKeysNames[] = {"random", "rising", "falling", "equal", "100 distinct"};

// Work item: one key; grid-stride. Random ones are uniform in [0, 1).
__global__ void make_keys(float* keys, std::size_t size, std::size_t columns, Keys kind) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const std::size_t column = i % columns;
    const auto bits = static_cast<std::uint32_t>(splitmix(i * kSplitmixStep) >> 40);
    float key = static_cast<float>(bits) * 0x1p-24F;
    if (kind == Keys::kRising) key = static_cast<float>(column);
    if (kind == Keys::kFalling) key = -static_cast<float>(column);
    if (kind == Keys::kEqual) key = 1.0F;
    if (kind == Keys::kFewDistinct) key = static_cast<float>(bits % 100);
    keys[i] = key;
  }
}

// Work item: one key; grid-stride.
template <typename Key>
__global__ void make_small_keys(Key* keys, std::size_t size) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const auto bits = static_cast<std::uint32_t>(splitmix(i * kSplitmixStep) >> 48);
    keys[i] = KeyRules<Key>::key(static_cast<typename KeyRules<Key>::Working>(bits), 0);
  }
}

// Work item: a share of the vectors; grid-stride. Reads all once: the floor of any selection.
__global__ void read_all(const uint4* in, std::size_t vectors, std::uint32_t* out) {
  std::uint32_t sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const uint4 v = in[i];
    sum ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 0x12345678U) *out = sum;
}

__global__ void do_nothing() {}

class Benchmark {
 public:
  explicit Benchmark(const Settings& settings)
      : settings_(settings),
        report_("select", {"keys", "type", "rows", "columns", "k", "method", "microseconds", "GB/s",
                           "of copy"}) {}

  void run() {
    report_.note("device", device_info(0).to_string());
    copy_ = measure_copy_bandwidth(0, std::size_t{2} << 30).gigabytes_per_second();
    report_.note("copy GB/s", Cell(copy_, 0));
    keys_ = DeviceArray<float>(
        std::max(settings_.rows * settings_.columns, kLongRows * settings_.long_row));
    long_rows();
    one_row();
    short_rows();
    small_types();
    report_.write(settings_.json);
  }

 private:
  static constexpr std::size_t kLongRows = 8;  // in turn, so that the L2 cache holds none of them

  void fill(std::size_t rows, std::size_t columns, Keys kind) {
    make_keys<<<4096, 256, 0, stream_.handle()>>>(keys_.data(), rows * columns, columns, kind);
    check_launch("make_keys");
    kind_ = kind;
  }

  template <typename Call>
  double seconds(Call&& call, int repetitions) {
    std::vector<double> times;
    for (int i = 0; i <= repetitions; ++i) {
      start_.record(stream_);
      call(i);
      end_.record(stream_);
      end_.synchronize();
      if (i > 0) times.push_back(end_.seconds_since(start_));
    }
    return median(times);
  }

  void add(const char* type, std::size_t rows, std::size_t columns, std::size_t key_bytes,
           std::size_t k, const char* method, double time) {
    const double rate = static_cast<double>(rows * columns * key_bytes) / time / 1e9;
    report_.add({kKeysNames[static_cast<int>(kind_)], type, std::uint64_t{rows},
                 std::uint64_t{columns}, std::uint64_t{k}, method, Cell(time * 1e6, 1),
                 Cell(rate, 1), Cell(rate / copy_, 3)});
  }

  template <typename Key>
  RowsTask<Key, std::uint32_t> task(const Key* keys, std::size_t rows, std::size_t columns,
                                    std::size_t k) {
    if (keys_out_.size() < rows * k * sizeof(Key)) keys_out_ = DeviceBuffer(rows * k * sizeof(Key));
    if (ids_out_.size() < rows * k) ids_out_ = DeviceArray<std::uint32_t>(rows * k);
    RowsTask<Key, std::uint32_t> task{};
    task.keys = {keys, rows, columns, columns};
    task.keys_out = static_cast<Key*>(keys_out_.data());
    task.ids_out = ids_out_.data();
    task.k = static_cast<int>(k);
    task.flip = KeyRules<Key>::flip(SelectOrder::kLargest);
    return task;
  }

  /// By what select_k() chooses.
  template <typename Key>
  void measure(const char* type, const Key* keys, std::size_t rows, std::size_t columns,
               std::size_t k) {
    const auto asked = task(keys, rows, columns, k);
    add(type, rows, columns, sizeof(Key), k, "chosen",
        seconds(
            [&](int) {
              select_k(asked.keys, k, SelectOrder::kLargest, asked.keys_out, asked.ids_out,
                       scratch_, stream_);
            },
            settings_.repetitions));
  }

  void measure_warp(std::size_t rows, std::size_t columns, std::size_t k) {
    const auto asked = task(keys_.data(), rows, columns, k);
    add("float", rows, columns, sizeof(float), k, "warp",
        seconds([&](int) { launch_warps<float, Packed32>(asked, stream_, RowCapacities()); },
                settings_.repetitions));
  }
  void measure_block(std::size_t rows, std::size_t columns, std::size_t k) {
    auto asked = task(keys_.data(), rows, columns, k);
    asked.parts = 1;
    add("float", rows, columns, sizeof(float), k, "block",
        seconds([&](int) { launch_blocks<float, Packed32>(asked, scratch_, stream_); },
                settings_.repetitions));
  }
  void measure_radix(std::size_t rows, std::size_t columns, std::size_t k) {
    const auto asked = task(keys_.data(), rows, columns, k);
    add("float", rows, columns, sizeof(float), k, "radix",
        seconds([&](int) { select_by_radix<float, Packed32>(asked, scratch_, stream_); },
                settings_.repetitions));
  }

  void long_rows() {
    const std::size_t rows = settings_.rows;
    const std::size_t columns = settings_.columns;
    fill(rows, columns, Keys::kRandom);
    for (const std::size_t k : {1, 10, 32, 100, 256, 1000, 2048, 4096}) {
      measure("float", keys_.data(), rows, columns, k);
    }
    for (const std::size_t k : {10, 100}) measure_warp(rows, columns, k);
    for (const std::size_t k : {1000, 4096}) measure_radix(rows / 10, columns, k);
    measure("float", keys_.data(), rows / 10, columns, 10'000);
    for (const Keys kind : {Keys::kRising, Keys::kFalling, Keys::kEqual, Keys::kFewDistinct}) {
      fill(rows, columns, kind);
      for (const std::size_t k : {10, 100, 1000}) measure("float", keys_.data(), rows, columns, k);
    }
  }

  /// Each call takes the next of several rows.
  void one_row() {
    const std::size_t columns = settings_.long_row;
    const int repetitions = 5 * static_cast<int>(kLongRows);
    for (const Keys kind : {Keys::kRandom, Keys::kRising}) {
      fill(kLongRows, columns, kind);
      const auto row = [&](int i) { return keys_.data() + i % kLongRows * columns; };
      add("float", 1, columns, sizeof(float), 0, "launch only",
          seconds([&](int) { do_nothing<<<1, 32, 0, stream_.handle()>>>(); }, repetitions));
      add("float", 1, columns, sizeof(float), 0, "read only",
          seconds(
              [&](int i) {
                read_all<<<1056, 256, 0, stream_.handle()>>>(reinterpret_cast<const uint4*>(row(i)),
                                                             columns / 4, ids_out_.data());
              },
              repetitions));
      for (const std::size_t k : {10, 100, 1000, 4096, 10'000, 1'000'000}) {
        const auto asked = task(keys_.data(), 1, columns, k);
        add("float", 1, columns, sizeof(float), k, "chosen",
            seconds(
                [&](int i) {
                  select_k(MatrixView<float>{row(i), 1, columns, columns}, k, SelectOrder::kLargest,
                           asked.keys_out, asked.ids_out, scratch_, stream_);
                },
                k < 5000 ? repetitions : 3));
      }
      for (const std::size_t k : {1000, 4096}) measure_radix(1, columns, k);
    }
  }

  void short_rows() {
    for (const std::size_t columns : {64, 256, 1024, 2048, 4096, 16'384}) {
      const std::size_t rows = (std::size_t{1} << 28) / columns;
      fill(rows, columns, Keys::kRandom);
      for (const std::size_t k : {1, 10, 32, 100}) {
        if (k > columns) continue;
        measure_warp(rows, columns, k);
        measure_block(rows, columns, k);
      }
    }
  }

  template <typename Key>
  void small_type(const char* type) {
    auto* const keys = reinterpret_cast<Key*>(keys_.data());
    make_small_keys<<<4096, 256, 0, stream_.handle()>>>(keys, settings_.rows * settings_.columns);
    check_launch("make_small_keys");
    for (const std::size_t k : {10, 100, 1000}) {
      measure(type, keys, settings_.rows, settings_.columns, k);
    }
  }

  void small_types() {
    kind_ = Keys::kRandom;
    small_type<Half>("half");
    small_type<std::uint16_t>("uint16");
    small_type<std::uint32_t>("uint32");
  }

  Settings settings_;
  Report report_;
  double copy_ = 0;
  Keys kind_ = Keys::kRandom;
  Stream stream_;
  Event start_;
  Event end_;
  SelectScratch scratch_;
  DeviceArray<float> keys_;
  DeviceBuffer keys_out_;
  DeviceArray<std::uint32_t> ids_out_;
};

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  using namespace warpdex::tools;
  namespace po = boost::program_options;
  Settings settings;
  po::options_description options("k-selection on the GPU. Options");
  options.add_options()                                                                         //
      ("rows", po::value(&settings.rows)->default_value(settings.rows), "of the large matrix")  //
      ("columns", po::value(&settings.columns)->default_value(settings.columns),
       "of the large matrix")  //
      ("long-row", po::value(&settings.long_row)->default_value(settings.long_row),
       "columns of the single row")  //
      ("repetitions", po::value(&settings.repetitions)->default_value(settings.repetitions),
       "timed calls of each kind")  //
      ("json", po::value(&settings.json), "also write the results to this file");
  return run_benchmark(argc, argv, options, [&] { Benchmark(settings).run(); });
}
