// Search of an inverted file of codes as *Billion-scale similarity search with GPUs*, section 5.3,
// does it ("multi-pass kernels"): all distances of the probed lists go to GPU memory, parts of each
// query's distances are reduced to their k best, and these to the k best of all. For comparison
// with GpuIvfPqSearcher, whose scan keeps the k best as it goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/select/select_k.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/flat/gpu_flat_searcher.hpp"
#include "warpdex/vector/ivf/ivf_pq_searcher.hpp"

namespace warpdex::tools {

/// Where the time of a search goes, on the GPU, in seconds.
struct TwoPassTimes {
  double tables = 0;
  double scan = 0;
  double first_pass = 0;
  double second_pass = 0;
};

/// Queries in GPU memory.
struct TwoPassQueries {
  std::size_t count = 0;
  DeviceArray<float> values;   ///< count * dimension
  DeviceArray<float> vectors;  ///< what tables are made of, of the same shape
};

/// The codes in GPU memory. The second term of a distance comes with each vector and not from
/// tables, as in GpuIvfPqSearcher, so that one set of tables of a query serves all lists. For one
/// thread at a time.
class TwoPassSearch {
 public:
  /// `parts`: into how many the distances of a query are cut. `memory`: bytes that tables,
  /// distances and results of the first pass may take; as many queries as fit are searched at a
  /// time, or one. What `vectors` refers to, and `resources`, must outlive it. Throws UsageError
  /// for cosine and for codes of more than 200 bytes; CudaError.
  TwoPassSearch(const vector::IvfPqVectors& vectors, Resources& resources, std::size_t parts,
                std::size_t memory);
  ~TwoPassSearch();

  /// Takes the centre from the queries and rotates them, on the host.
  TwoPassQueries upload(const vector::Matrix<float>& queries) const;

  /// Sets `rows` and `distances`, count * k in GPU memory, to the answers of
  /// GpuIvfPqSearcher::nearest(), but for the order of rows at one distance. Adds to `times`.
  /// Returns when the answers are there. Throws UsageError for k of 0 and probes that are not from
  /// 1 to the number of lists; CudaError. O(vectors of the lists) memory traffic for each query,
  /// three times.
  void nearest_on_gpu(const TwoPassQueries& queries, std::size_t k, std::size_t probes,
                      std::int32_t* rows, float* distances, TwoPassTimes& times);

 private:
  struct Batch;

  void choose_lists(const TwoPassQueries& queries, std::size_t probes);
  void search_tile(std::size_t first, std::size_t count, TwoPassTimes& times);

  vector::IvfPqVectors vectors_;
  std::size_t parts_;
  std::size_t memory_;
  Stream stream_;
  vector::GpuFlatSearcher coarse_;
  SelectScratch scratch_;
  std::unique_ptr<Batch> batch_;
  DeviceArray<std::uint8_t> codes_;
  DeviceArray<float> terms_;
  DeviceArray<float> codebooks_;
  DeviceArray<std::uint32_t> row_numbers_;
  DeviceArray<std::uint64_t> begins_;
  DeviceArray<std::uint64_t> group_begins_;
};

}  // namespace warpdex::tools
