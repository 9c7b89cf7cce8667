// OR by brute force, as "Using Graphics Processors for High Performance IR Query Processing" (Ding,
// He, Yan, Suel) does it on a GPU: one accumulator in global memory for every document of the
// collection, into which all lists of a query are decoded, and a selection of the k best over all
// of them. Nothing is skipped. For comparison with the engine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::tools {

/// Where the time of a run goes, on the GPU, in seconds.
struct BruteForceTimes {
  double clear = 0;   ///< setting all accumulators to 0
  double add = 0;     ///< decoding all lists, and adding scores to accumulators
  double select = 0;  ///< the k best of all accumulators
};

/// An index's lists and lengths in GPU memory. Answers queries of optional terms, by BM25 or
/// impacts, for one stream at a time.
class BruteForceOr {
 public:
  /// Uploads the sections that hold long lists; the index outlives this. Throws CudaError, and
  /// UsageError for an index with static scores.
  explicit BruteForceOr(const Index& index, int device = 0);

  /// The k best documents of each query, `at_once` queries at a time: score descending, then docID
  /// ascending. Scores are added in any order, so they may differ from an engine's by roundings.
  /// Takes 4 bytes of GPU memory for each document of the collection and each query at once. Adds
  /// to `times`. Throws CudaError, and UsageError for signs and for query likelihood.
  /// O(postings + queries * documents).
  std::vector<std::vector<Hit>> run(std::span<const PlannedQuery> plans,
                                    const ScorerSettings& scorer, std::uint32_t k,
                                    std::size_t at_once, BruteForceTimes& times);

 private:
  struct Group;

  template <typename T>
  const T* upload(std::span<const T> section);
  device::DeviceValues docids_of(const PostingsEntry& entry) const;
  device::DeviceValues frequencies_of(const PostingsEntry& entry) const;
  Group make_group(std::span<const PlannedQuery> plans, const ScorerSettings& scorer) const;
  void add(const Group& group, float* sums);

  const Index& index_;
  Stream stream_;
  std::vector<DeviceBuffer> sections_;
  const std::uint32_t* lengths_ = nullptr;
  const std::uint32_t* last_docids_ = nullptr;
  const std::uint32_t* docid_bases_ = nullptr;
  const std::uint16_t* docid_offsets_ = nullptr;
  const std::uint8_t* docid_codes_ = nullptr;
  const std::uint8_t* docids_ = nullptr;
  const std::uint32_t* frequency_bases_ = nullptr;
  const std::uint16_t* frequency_offsets_ = nullptr;
  const std::uint8_t* frequency_codes_ = nullptr;
  const std::uint8_t* frequencies_ = nullptr;
};

}  // namespace warpdex::tools
