// An index on a GPU, as lanes use it. Internal.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpu/batch/short_lists.hpp"
#include "gpu/index/searched_index.hpp"
#include "gpu/layout/layout.hpp"
#include "gpu/layout/placed_index.hpp"
#include "gpu/lists/host_lists.hpp"
#include "gpu/lists/list_cache.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/query/gpu/gpu_index.hpp"

namespace warpdex {

/// Pointers to tables by docID point to the place where the entry of document 0 would be, although
/// the first document of a segment may be another.
struct GpuIndex::State : gpu::PlacedIndex, gpu::SearchedIndex {
  /// Its docIDs start at `first`, a multiple of kSpaceDocuments.
  State(const Index& uploaded, Resources& resources, const GpuIndexSettings& settings,
        std::uint32_t first = 0);

  /// If there is a cache, the list must belong to a batch under way.
  void place(const PostingsEntry& entry, gpu::ListSource& list) const override;
  gpu::RawList find_raw(const PostingsEntry& entry) const override;
  void prefetch(const PostingsEntry& entry) const override;
  /// GpuIndex::has_list().
  bool has_list(const PostingsEntry& list) const {
    return cache == nullptr || cache->is_resident(list);
  }
  /// Bytes of GPU memory that it takes, with its cache of lists.
  std::size_t memory() const {
    return bytes.size() + raw_lists.size() + (cache ? cache->capacity() : 0);
  }

  Reservation host_memory;                     ///< for host_sections and host_lists
  AccountedBuffer bytes;                       ///< the resident sections, each with slack behind it
  std::vector<PinnedBuffer> host_sections;     ///< the other sections, which kernels read over the
                                               ///< bus
  std::unique_ptr<gpu::HostLists> host_lists;  ///< lists, if not all are resident
  std::unique_ptr<gpu::ListCache> cache;       ///< with host_lists; null if all lists are resident
  /// Pointers to the docIDs or the frequencies of all lists: to sections and, for `pfor`, to the
  /// tables of exceptions.
  struct Values : gpu::ValueTables {
    const std::uint8_t* bytes = nullptr;                           ///< null if there is a cache
    std::unordered_map<std::uint32_t, std::uint64_t> flat_starts;  ///< ExceptionTable's
  };
  Values docids;
  Values frequencies;
  AccountedBuffer raw_lists;                       ///< those of ShortLists
  std::vector<gpu::ShortLists::Place> raw_places;  ///< likewise
  const std::uint32_t* last_docids = nullptr;
  const ScoreBound* bounds = nullptr;
  const ScoreBound* range_bounds = nullptr;
  std::size_t long_documents = 0;  ///< entries of lengths.long_lengths
  /// Kernels read the tails of lists from flat_tails, not from lists: `pfor` with several levels.
  bool has_flat_tails = false;

 private:
  struct Part;
  std::size_t take_memory(std::span<const Part> parts);
  void upload(std::span<const Part> parts);
  void upload_raw_lists();
  void shift_docids();
  void shift_tables();
  void set_list_tables();
  bool copy_to_host(std::span<const Part> parts, std::size_t& left);
};

}  // namespace warpdex
