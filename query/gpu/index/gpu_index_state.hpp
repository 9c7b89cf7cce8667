// What the engine's lanes see of an index on a GPU. Internal.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpu/layout/layout.hpp"
#include "gpu/layout/placed_index.hpp"
#include "gpu/lists/host_lists.hpp"
#include "gpu/lists/list_cache.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/query/gpu/gpu_index.hpp"

namespace warpdex {

struct GpuIndex::State : gpu::PlacedIndex {
  State(const Index& uploaded, Resources& resources, const GpuIndexSettings& settings);

  /// Fills in a long list's counts and pointers for kernels. If there is a cache, the list must
  /// belong to a batch under way.
  void place(const PostingsEntry& entry, gpu::List& list) const override;
  /// Whether kernels read the tails of lists from flat_tails, not from lists: `pfor` with several
  /// levels.
  bool has_flat_tails() const;
  /// GPU memory that one of the lanes may take.
  std::size_t scratch_share() const;

  int device;
  std::unique_ptr<MemoryBudget> budget;        ///< of the index and its engines
  Reservation host_memory;                     ///< for host_sections and host_lists
  AccountedBuffer bytes;                       ///< the resident sections, each with slack behind it
  std::vector<PinnedBuffer> host_sections;     ///< the other sections, which kernels read over the
                                               ///< bus
  std::unique_ptr<gpu::HostLists> host_lists;  ///< lists, if not all are resident
  std::unique_ptr<gpu::ListCache> cache;       ///< with host_lists; null if all lists are resident
  std::size_t scratch = 0;                     ///< bytes for all lanes together
  mutable std::atomic<std::size_t> lanes = 0;
  /// Where the docIDs or the frequencies of all lists are. Pointers to sections, and for `pfor` to
  /// the tables of exceptions.
  struct Values {
    const std::uint32_t* bases = nullptr;
    const std::uint16_t* offsets = nullptr;
    const std::uint8_t* codes = nullptr;
    const std::uint8_t* bytes = nullptr;  ///< null if there is a cache
    const ExceptionEntry* exceptions = nullptr;
    const ExceptionBase* exception_bases = nullptr;
    const std::uint8_t* flat_tails = nullptr;
    std::unordered_map<std::uint32_t, std::uint64_t> flat_starts;  ///< ExceptionTable's
  };
  Values docids;
  Values frequencies;
  const std::uint32_t* last_docids = nullptr;
  const ScoreBound* bounds = nullptr;
  const ScoreBound* range_bounds = nullptr;
  // Always resident:
  gpu::Lengths lengths{};
  const float* static_scores = nullptr;
  const float* static_bounds = nullptr;

 private:
  struct Part;
  std::size_t take_memory(std::span<const Part> parts);
  void upload(std::span<const Part> parts);
  bool copy_to_host(std::span<const Part> parts, std::size_t& left);
};

}  // namespace warpdex
