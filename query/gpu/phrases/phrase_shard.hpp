// Answers prepared phrases over the documents of one shard. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/hybrid/hybrid_batch.hpp"
#include "gpu/lists/filter_sets.hpp"
#include "gpu/phrases/gpu_positions_state.hpp"
#include "gpu/phrases/phrase_image.hpp"
#include "gpu/phrases/prepared_phrases.hpp"
#include "query_threads.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::gpu {

/// Used by one thread at a time.
class PhraseShard {
 public:
  /// Shares `positions`; keeps a reference to the threads.
  PhraseShard(const GpuPositions& positions, QueryThreads& threads);

  /// Whether positions are there, and so many hits can be selected.
  bool can_search(std::uint32_t k) const { return table_.size() > 0 && k <= most_hits_; }
  /// Answers phrases, prepared for state(), as many at a time as memory has room for. An answer is
  /// missing where it has none. Throws CudaError.
  void search(std::span<PreparedPhrases> prepared, const SearchSettings& settings, std::uint32_t k,
              std::span<std::optional<SearchResult>> results);

  const GpuPositions& positions() const { return positions_; }
  const GpuPositions::State& state() const { return state_; }

 private:
  Resources& resources() const { return state_.snapshot.state().resources; }
  bool filter(const DocumentFilter& documents);
  bool run(std::span<PreparedPhrases> prepared, const SearchSettings& settings, std::uint32_t k,
           std::optional<SearchResult>* results);

  GpuPositions positions_;
  const GpuPositions::State& state_;
  QueryThreads& threads_;
  Stream stream_;
  PhraseImage image_;
  std::vector<HybridSegment> segments_;
  AccountedBuffer table_;  ///< of them, and behind it as a filter leaves them
  std::vector<FilterSets::Set> sets_;
  std::uint32_t most_hits_ = 0;
};

}  // namespace warpdex::gpu
