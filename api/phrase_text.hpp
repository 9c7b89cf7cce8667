// Phrases of an index that is on a GPU. Internal.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "text_engine.hpp"
#include "warpdex/gpu.hpp"
#include "warpdex/query/gpu/gpu_phrases.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// Any thread; one at a time searches.
class PhraseText {
 public:
  /// `shards` are those of `snapshot`. Shares what it can with that of an earlier snapshot on the
  /// same GPUs, which may be null. Positions are uploaded
  /// with the first phrase, or here if those of the earlier one were. `threads`: of the CPU. With
  /// kAuto, phrases at which the GPU fails are left to the CPU.
  PhraseText(const Snapshot& snapshot, std::span<const GpuSnapshot> shards, std::size_t threads,
             Device device, const PhraseText* before);

  /// Answers those of the trees that are exact phrases, if the GPU can, and says which are left.
  /// Throws CancelledError, and what GpuPhrases throws.
  std::vector<std::size_t> search(std::span<const Query> queries, const SearchSettings& settings,
                                  const SearchLimits& limits, std::span<TextAnswer> answers);

  /// A sentence if positions were to be uploaded, and the GPU's memory does not hold them; or
  /// empty.
  std::string note() const;

 private:
  bool has_positions() const;
  std::vector<std::optional<SearchResult>> find(std::span<const QueryNode* const> trees,
                                                const SearchSettings& settings);

  const Snapshot snapshot_;
  const std::vector<GpuSnapshot> shards_;
  const std::size_t threads_;
  const Device device_;
  mutable std::mutex mutex_;             ///< protects the next
  std::vector<GpuPositions> positions_;  ///< by shard, once a phrase was searched
  std::optional<GpuPhrases> phrases_;
};

}  // namespace warpdex
