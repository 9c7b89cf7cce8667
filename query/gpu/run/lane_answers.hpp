// The answers of a lane's batch, where the GPU wrote them. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/layout/layout.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/query/engine/engine.hpp"

namespace warpdex::gpu {

/// Answers and hits of a batch in `memory`.
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

/// One batch's at a time; the next takes its place.
struct LaneAnswers {
  /// Makes room for a batch with these settings: one for all queries or one for each.
  void begin(std::size_t queries, std::span<const SearchSettings> wanted);
  /// How a query is to be answered.
  const SearchSettings& settings_of(std::size_t query) const {
    return settings[settings.size() == 1 ? 0 : query];
  }
  AnswerView view(std::size_t query) const;

  std::size_t queries = 0;
  std::vector<SearchSettings> settings;
  std::uint32_t k = 0;  ///< the largest: each query has room for so many hits
  PinnedBuffer memory;  ///< an Answer a query, then k hits a query
  Answer* list = nullptr;
  const Hit* hits = nullptr;
  std::vector<bool> is_unanswered;  ///< by query: the GPU cannot answer it
};

}  // namespace warpdex::gpu
