// The answers of a batch where the GPU wrote them. Internal.
#pragma once

#include <map>

#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/query/gpu/arena.hpp"
#include "warpdex/query/gpu/gpu_searcher.hpp"
#include "warpdex/query/gpu/layout.hpp"

namespace warpdex {
namespace gpu {

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

}  // namespace gpu

struct GpuAnswers::State {
  std::size_t queries = 0;
  SearchSettings settings;
  PinnedBuffer memory;  ///< an Answer a query, then k hits a query
  gpu::Answer* list = nullptr;
  const Hit* hits = nullptr;
  std::map<std::size_t, SearchResult> by_cpu;  ///< what the CPU answered, by query
};

}  // namespace warpdex
