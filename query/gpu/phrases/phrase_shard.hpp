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

/// Used by one thread at a time. Two batches of phrases are under way at a time: while the GPU
/// answers them, the host describes the next.
class PhraseShard {
 public:
  /// Shares `positions`; keeps a reference to the threads.
  PhraseShard(const GpuPositions& positions, QueryThreads& threads);

  /// Whether positions are there, and so many hits can be selected.
  bool can_search(std::uint32_t k) const { return table_.size() > 0 && k <= most_hits_; }

  // A search: begin(), start() for some phrases after the other, and finish(). Where one throws,
  // abandon() must follow. They throw CudaError.

  /// For `k` documents a phrase.
  void begin(const SearchSettings& settings, std::uint32_t k);
  /// Queues phrases, prepared for state(), as many at a time as memory has room for. `results`, by
  /// phrase, are there after finish(); one is missing where memory does not suffice.
  void start(std::span<PreparedPhrases> prepared, std::span<std::optional<SearchResult>> results);
  void finish();
  /// Waits for what is under way; its answers are lost.
  void abandon() noexcept;

  const GpuPositions& positions() const { return positions_; }
  const GpuPositions::State& state() const { return state_; }

 private:
  /// A batch that may be under way.
  struct Run {
    Stream stream;
    PhraseImage image;
    PhraseBatch batch{};
    std::optional<SearchResult>* results = nullptr;  ///< null: it is not
  };

  Resources& resources() const { return state_.snapshot.state().resources; }
  bool filter(const DocumentFilter& documents);
  void launch(std::span<PreparedPhrases> prepared, std::optional<SearchResult>* results);
  void take(Run& run);

  GpuPositions positions_;
  const GpuPositions::State& state_;
  QueryThreads& threads_;
  std::vector<Run> runs_;
  std::size_t next_ = 0;  ///< of them
  std::vector<HybridSegment> segments_;
  AccountedBuffer table_;  ///< of them, and behind it as a filter leaves them
  std::vector<FilterSets::Set> sets_;
  std::uint32_t most_hits_ = 0;
  // Of the search:
  PhraseBatch search_{};  ///< what all batches have alike
  CodecKind codec_{};
  bool has_room_ = true;
};

}  // namespace warpdex::gpu
