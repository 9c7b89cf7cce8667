// Answers exact phrases on the GPU. Answers are those of TreeSearcher, to the bit.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "warpdex/query/gpu/gpu_positions.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex {

/// The words of a phrase that a GPU answers, at most.
inline constexpr std::size_t kMaxGpuPhraseWords = 16;

/// Whether a tree of terms (Query::tree) is one phrase of 2 to kMaxGpuPhraseWords words, without
/// slop and without alternatives, that scores.
bool is_exact_phrase(const QueryNode& tree);

/// Searches one commit. For one thread at a time.
class GpuPhrases {
 public:
  /// Shares `positions`. `threads` of the CPU look words up and write batches; 0:
  /// default_threads().
  GpuPhrases(const GpuPositions& positions, std::size_t threads);
  /// Likewise over the shards of `snapshot`, in the order of their docIDs.
  GpuPhrases(const Snapshot& snapshot, std::span<const GpuPositions> shards, std::size_t threads);
  ~GpuPhrases();
  GpuPhrases(GpuPhrases&&) noexcept;
  GpuPhrases& operator=(GpuPhrases&&) noexcept;

  /// The commit that is searched.
  const Snapshot& snapshot() const;

  /// The answers of TreeSearcher::search() to trees that are is_exact_phrase(). An answer is
  /// missing where the CPU must find it: if positions are not resident, k is above what the GPU
  /// selects (4,096, on small GPUs less), or memory does not suffice.
  /// `matches` is exact if it is counted. O(postings of each phrase's rarest word), and positions
  /// of documents that may enter the answer. Throws UsageError for settings out of range,
  /// FormatError for a damaged index, CudaError.
  std::vector<std::optional<SearchResult>> search(std::span<const QueryNode* const> trees,
                                                  const SearchSettings& settings);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
