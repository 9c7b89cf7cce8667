// The benchmark of binary codes on a GPU: what it is asked for, and what its parts share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/report.hpp"
#include "binary/gpu/gpu_binary_codes.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/format/binary_builder.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::tools {

struct BinaryOptions {
  std::string vectors;
  std::string generate;
  std::string queries;
  std::string metric = "l2";
  std::size_t query_count = 1000;
  vector::BinarySettings binary;
  std::size_t query_bits = 4;
  std::vector<std::size_t> ks{1, 10, 100, 1000};
  std::vector<std::size_t> refines{10, 20, 50, 100, 200, 500, 1000};
  std::vector<std::size_t> extras;
  std::vector<std::size_t> batches{16, 100, 1000, 10'000};
  std::size_t batch_refine = 100;
  std::size_t lists = 0;
  std::vector<std::size_t> probes{16, 64};
  std::vector<int> devices;
  int repetitions = 7;
  std::uint64_t seed = 1;
  bool on_cpu = false;
  std::string json;
};

/// The wall time of work().
double milliseconds_of(const std::function<void()>& work);

class BinaryBenchmark {
 public:
  /// Reads or draws vectors and queries. Throws as read_float_matrix() does.
  explicit BinaryBenchmark(const BinaryOptions& settings);

  /// Measures all parts and writes the report.
  void run();

 private:
  void note_settings();
  static void try_part(const char* name, const std::function<void()>& work);
  void measure_quantising();

  // In binary_kernels.cpp.
  double scan_floor(std::size_t queries) const;
  struct KernelQueries;
  void measure_kernels();
  void measure_scans(const std::deque<vector::GpuBinaryCodes>& codes, const KernelQueries& queries);
  void measure_products(const vector::GpuBinaryCodes& codes, const KernelQueries& queries);
  double time_on_gpu(const Stream& stream, const std::function<void()>& work) const;

  // In binary_searches.cpp.
  void measure_searches();
  void measure_sweep(const vector::VectorSearcher& searcher, std::size_t k,
                     const vector::Neighbors& truth, double exact);
  double share_found(const vector::VectorSearcher& searcher, std::size_t k,
                     const vector::Neighbors& truth, const vector::SearchOptions& depth) const;
  static double share_of(const vector::Neighbors& found, const vector::Neighbors& truth);
  double time_single(const std::function<void(std::span<const float>)>& search) const;
  double time_batch(const std::function<void()>& search) const;
  std::vector<float> take_batch(std::size_t count) const;

  // In binary_lists.cpp.
  void measure_lists(const vector::Neighbors& truth);
  using SearchLists =
      std::function<vector::Neighbors(std::span<const float>, std::size_t, std::size_t)>;
  void measure_probes(const std::string& what, const std::vector<std::size_t>& refines,
                      const vector::Neighbors& truth, const SearchLists& search);

  // In binary_devices.cpp.
  void measure_devices();

  vector::FlatVectors flat() const;
  void add(const std::string& what, std::size_t queries, std::size_t k, std::size_t refine,
           std::size_t extra, double time, double floor = 0, double found = -1, double exact = 0);

  BinaryOptions settings_;
  Report report_;
  vector::Metric metric_;
  vector::Matrix<float> vectors_;
  vector::Matrix<float> queries_;
  std::vector<float> centre_;
  std::vector<float> norms_;
  vector::OwnedBinaryVectors codes_;
  double bandwidth_ = 0;        ///< bytes a second
  double counts_a_second_ = 0;  ///< of 32 bits each
};

}  // namespace warpdex::tools
