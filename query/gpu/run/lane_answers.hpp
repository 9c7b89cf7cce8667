// The answers of a lane's batch, in memory that the GPU writes. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/layout/layout.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/query/engine/engine.hpp"

namespace warpdex::gpu {

/// The places of a batch's answers and hits in memory.
struct AnswerParts {
  AnswerParts(void* memory, std::size_t queries, std::size_t k) {
    Arena arena(memory);
    answers = arena.take<Answer>(queries);
    hits = arena.take<Hit>(queries * k);
    bytes = arena.used();
  }
  Answer* answers;
  Hit* hits;
  std::size_t bytes;
};

/// Answers of one batch; the next batch replaces them.
struct LaneAnswers {
  /// Makes room for a batch. `wanted` has one entry for all queries or one for each.
  void begin(std::size_t queries, std::span<const SearchSettings> wanted);
  /// The settings of a query.
  const SearchSettings& settings_of(std::size_t query) const {
    return settings[settings.size() == 1 ? 0 : query];
  }
  AnswerView view(std::size_t query) const;

  std::size_t queries = 0;
  std::vector<SearchSettings> settings;
  std::uint32_t k = 0;  ///< the largest of all queries: each has room for this many hits
  PinnedBuffer memory;  ///< an Answer for each query, then k hits for each
  Answer* list = nullptr;
  const Hit* hits = nullptr;
  std::vector<bool> is_unanswered;  ///< by query: the GPU could not answer it
};

}  // namespace warpdex::gpu
