// Pinned host copies of lists, so that a list's second upload needs no staging. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/query/gpu/list_space.hpp"

namespace warpdex::gpu {

/// Shared by the searchers of an index: any thread, but a list is filled by one at a time, as the
/// list cache sees to. Grows with the lists that are uploaded, to a quarter of the host's memory;
/// what comes later has no copy here.
class PinnedListStore {
 public:
  PinnedListStore();

  /// A list's copy, or room for one; null where there is none.
  struct Copy {
    std::uint8_t* memory = nullptr;
    bool is_filled = false;
  };
  Copy find_or_take(ListSpace::Id list, std::size_t bytes);
  /// The caller has written the list's bytes.
  void filled(ListSpace::Id list);

 private:
  std::mutex mutex_;
  std::size_t left_;  ///< bytes that may still be pinned
  std::vector<PinnedBuffer> blocks_;
  std::size_t used_ = 0;  ///< of the last block
  std::unordered_map<ListSpace::Id, Copy> copies_;
};

}  // namespace warpdex::gpu
