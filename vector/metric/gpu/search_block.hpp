// A block of queries on its way through the GPU: ranked, compared with all permutations, and its
// candidates compared by the true distance.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/workspace.hpp"
#include "metric/gpu/gpu_objects.hpp"
#include "metric/gpu/kernels.hpp"
#include "metric/gpu/query_image.hpp"
#include "metric/search_arguments.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::metric {

/// What a search asks for.
struct MetricSearch {
  SearchArguments arguments;
  RankDistance compare;

  const DeviceRankCodes* codes = nullptr;  ///< for kBits

  bool is_range() const { return arguments.k == 0; }
};

/// The scratch memory of a block, and the steps over it. Its parts lie where lay_out() says.
class SearchBlock {
 public:
  /// For up to `queries` queries; `band_words` as for BandScratch.
  SearchBlock(const GpuObjects& objects, const MetricSearch& search, std::size_t queries,
              std::size_t band_words);

  void lay_out(Arena& arena);

  /// Queues the search of queries [first, first + count) of the image.
  void run(const QueryImage& image, std::size_t first, std::size_t count,
           vector::Workspace& workspace);
  /// Waits for the answers of what was run, and gives them.
  void fetch_nearest(vector::Workspace& workspace, std::vector<Match>* matches) const;
  void fetch_within(vector::Workspace& workspace, std::vector<Match>* matches) const;

 private:
  void choose_candidates(const PairTask& all, const Stream& stream);
  const std::uint32_t* list() const;
  std::size_t list_stride() const;
  PairDistances pair_distances() const;
  void fetch_unsorted(const Stream& stream, std::vector<Match>* matches) const;

  const GpuObjects& objects_;
  const MetricSearch& search_;
  std::size_t queries_;
  std::size_t count_ = 0;  ///< of those that were run
  std::size_t compared_;
  bool is_ranked_;
  std::uint32_t capacity_;  ///< entries
  std::size_t apart_stride_;
  BandScratch bands_;

  float* to_permutants_ = nullptr;
  DeviceQueryRanks ranks_;
  RankCodeQueries codes_;
  std::uint32_t* apart_ = nullptr;
  std::uint32_t* chosen_ = nullptr;
  float* distances_ = nullptr;
  float* best_values_ = nullptr;
  std::uint32_t* best_ids_ = nullptr;
  SelectedEntry* entries_ = nullptr;
  unsigned long long* total_ = nullptr;
  void* sort_scratch_ = nullptr;
};

}  // namespace warpdex::metric
