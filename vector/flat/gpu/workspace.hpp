// What a search on the GPU needs for itself: a stream and scratch memory. Searches of one index
// share a pool of them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/core/select/select_k.hpp"

namespace warpdex::vector {

/// Used by one search at a time.
struct Workspace {
  Workspace(MemoryBudget& memory, int device)
      : stream(device), copies(device), select(device, &memory) {}

  Stream stream;
  Stream copies;  ///< of pages
  SelectScratch select;
  AccountedBuffer scratch;
  PinnedBuffer pinned;   ///< for pages; grows as searches want
  PinnedBuffer flags;    ///< likewise, for what searches leave open
  PinnedBuffer answers;  ///< likewise, for what kernels write to the host

  /// At least so many bytes of `pinned`, of `flags` and of `answers`.
  void* pinned_bytes(std::size_t bytes);
  void* pinned_flags(std::size_t bytes);
  const PinnedBuffer& pinned_answers(std::size_t bytes);
};

/// Of `memory` bytes, those that a search for the k nearest leaves to Workspace::select.
std::size_t selection_room(std::size_t k, std::size_t memory);

/// The queries whose flag, in GPU memory, is set. Waits for the stream.
std::vector<std::uint32_t> find_open(const std::uint32_t* flags, std::uint32_t queries,
                                     Workspace& workspace);

class WorkspacePool {
 public:
  /// `memory` must outlive it.
  WorkspacePool(MemoryBudget& memory, int device) : memory_(memory), device_(device) {}

  /// Puts a workspace back when it goes.
  class Lease {
   public:
    Lease(WorkspacePool& pool, std::unique_ptr<Workspace> workspace)
        : pool_(pool), workspace_(std::move(workspace)) {}
    /// Waits for what a search that failed left under way.
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Workspace& operator*() const { return *workspace_; }
    Workspace* operator->() const { return workspace_.get(); }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> workspace_;
  };

  /// A workspace with `wanted` bytes of scratch memory or, where there are not so many, no fewer
  /// than `needed`, and with `selection` bytes for Workspace::select. Waits for other searches to
  /// end where these are not there either; throws Error, which says how many are needed, if there
  /// are none under way.
  Lease take(std::size_t needed, std::size_t wanted, std::size_t selection = 0);

  /// Bytes that a search may count on, if need be by waiting for all others to end.
  std::size_t memory() const;

 private:
  void put_back(std::unique_ptr<Workspace> workspace);
  void empty_idle();
  bool allocate(Workspace& workspace, std::size_t needed, std::size_t wanted,
                std::size_t selection);
  std::unique_ptr<Workspace> take_idle();

  MemoryBudget& memory_;
  int device_;
  mutable std::mutex mutex_;
  std::condition_variable put_back_;
  std::vector<std::unique_ptr<Workspace>> idle_;
  std::size_t in_use_ = 0;
  std::size_t lent_ = 0;  ///< bytes of workspaces in use
};

}  // namespace warpdex::vector
