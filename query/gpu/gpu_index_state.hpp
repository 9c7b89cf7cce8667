// What searchers see of an index on a GPU. Internal.
#pragma once

#include <atomic>
#include <memory>

#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/query/gpu/gpu_index.hpp"
#include "warpdex/query/gpu/layout.hpp"
#include "warpdex/query/gpu/list_cache.hpp"
#include "warpdex/query/gpu/pinned_lists.hpp"

namespace warpdex {

struct GpuIndex::State {
  State(const Index& uploaded, const GpuSettings& settings);

  /// Fills in where a long list's blocks are; pointers are the GPU's. With a cache, the list is
  /// pinned.
  void place(const PostingsEntry& entry, gpu::List& list) const;
  /// GPU memory that one searcher may take, of those that there are.
  std::size_t scratch_share() const;

  const Index& index;
  int device;
  std::unique_ptr<MemoryBudget> budget;
  AccountedBuffer bytes;                         ///< the resident sections, each with its slack
  std::unique_ptr<gpu::ListCache> cache;         ///< null if all lists are resident
  std::unique_ptr<gpu::PinnedListStore> pinned;  ///< with the cache
  std::size_t scratch = 0;                       ///< for the searchers, all of them together
  mutable std::atomic<std::size_t> searchers = 0;
  // Of the sections of lists, which are resident if there is no cache.
  const std::uint32_t* last_docids = nullptr;
  const std::uint32_t* docid_bases = nullptr;
  const std::uint16_t* docid_offsets = nullptr;
  const std::uint8_t* docid_codes = nullptr;
  const std::uint8_t* docids = nullptr;
  const std::uint32_t* frequency_bases = nullptr;
  const std::uint16_t* frequency_offsets = nullptr;
  const std::uint8_t* frequency_codes = nullptr;
  const std::uint8_t* frequencies = nullptr;
  const ScoreBound* bounds = nullptr;
  const ScoreBound* range_bounds = nullptr;
  // Always resident.
  const std::uint32_t* lengths = nullptr;
  const std::uint8_t* length_codes = nullptr;
  const float* static_scores = nullptr;
  const float* static_bounds = nullptr;
  const ExceptionEntry* docid_exceptions = nullptr;
  const ExceptionBase* docid_exception_bases = nullptr;
  const ExceptionEntry* frequency_exceptions = nullptr;
  const ExceptionBase* frequency_exception_bases = nullptr;
  float largest_static = 0;
  std::uint32_t longest_document = 0;

 private:
  struct Part;
  void upload(const std::vector<Part>& parts);
};

}  // namespace warpdex
