// OR by brute force, as "Using Graphics Processors for High Performance IR Query Processing" (Ding,
// He, Yan, Suel) does it on a GPU: one accumulator in global memory for every document of the
// collection, into which all lists of a query are decoded, and a selection of the k best over all
// of them. Nothing is skipped. For comparison with the engine.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/gpu/exception_tables.hpp"
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

  /// The docIDs, or the values, of all lists in GPU memory.
  struct Values {
    const std::uint8_t* bytes = nullptr;
    const std::uint16_t* offsets = nullptr;
    const std::uint32_t* bases = nullptr;
    const std::uint8_t* codes = nullptr;
    const ExceptionEntry* exceptions = nullptr;
    const ExceptionBase* exception_bases = nullptr;
    const std::uint8_t* flat_tails = nullptr;
    std::unordered_map<std::uint32_t, std::uint64_t> flat_starts{};  ///< ExceptionTable's
  };

  template <typename T>
  const T* upload(std::span<const T> section);
  /// Adds the table to values whose sections have been uploaded.
  Values upload(Values values, const gpu::ExceptionTable& table);
  device::DeviceValues place(const Values& all, const PostingsEntry& entry, std::uint64_t offset,
                             std::uint32_t tail_offset, std::uint8_t parameter) const;
  Group make_group(std::span<const PlannedQuery> plans, const ScorerSettings& scorer) const;
  void add(const Group& group, float* sums);

  const Index& index_;
  Stream stream_;
  std::vector<DeviceBuffer> sections_;
  const std::uint32_t* lengths_ = nullptr;
  const std::uint32_t* last_docids_ = nullptr;
  Values docids_;
  Values frequencies_;
};

}  // namespace warpdex::tools
