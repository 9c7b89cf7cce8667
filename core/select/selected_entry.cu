// Sorts what the radix path collected, by CUB's merge sort: the only code that needs it, compiled
// once for all types of keys and ids.
#include "warpdex/core/select/selected_entry.hpp"

#include <cub/device/device_merge_sort.cuh>

#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex {
namespace {

struct Before {
  __device__ bool operator()(const SelectedEntry& a, const SelectedEntry& b) const {
    if (a.row != b.row) return a.row < b.row;
    return a.code != b.code ? a.code < b.code : a.id < b.id;
  }
};

void sort(void* scratch, std::size_t& bytes, SelectedEntry* entries, std::size_t size,
          cudaStream_t stream) {
  check_cuda(cub::DeviceMergeSort::SortKeys(scratch, bytes, entries, size, Before(), stream),
             "cub::DeviceMergeSort::SortKeys");
}

}  // namespace

std::size_t sort_selected_bytes(std::size_t size) {
  std::size_t bytes = 0;
  sort(nullptr, bytes, nullptr, size, nullptr);
  return bytes;
}

void sort_selected(SelectedEntry* entries, std::size_t size, void* scratch, const Stream& stream) {
  std::size_t bytes = sort_selected_bytes(size);
  sort(scratch, bytes, entries, size, stream.handle());
}

}  // namespace warpdex
