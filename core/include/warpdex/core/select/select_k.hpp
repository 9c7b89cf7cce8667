// k-selection on the GPU: the k best keys of every row of a matrix, with their ids. No CUDA syntax
// here; kernels that select what they compute use warp_select.cuh and block_select.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex {

/// A number in IEEE half precision, by its bits.
struct Half {
  std::uint16_t bits = 0;
};

/// Which keys are best.
enum class SelectOrder { kSmallest, kLargest };

/// Rows of values in GPU memory.
template <typename T>
struct MatrixView {
  const T* data = nullptr;  ///< device pointer, aligned as T is
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;  ///< values from one row's first to the next one's
};

/// The id of a place that no entry takes: −1 where ids are signed.
template <typename Id>
inline constexpr Id kNoId = static_cast<Id>(~Id{0});

/// GPU memory that calls of select_k() use, and that later calls use again: it grows to what the
/// largest call needed. For one stream at a time. Move-only.
class SelectScratch {
 public:
  /// With a budget, which must outlive it, its memory counts there.
  explicit SelectScratch(int device = 0, MemoryBudget* budget = nullptr)
      : device_(device), budget_(budget) {}

  int device() const { return device_; }
  /// Bytes held.
  std::size_t size() const { return counters_.size() + memory_.size(); }
  /// Bytes that memory() can give: what is held, or, where nothing is, what the budget has left.
  std::size_t limit() const;
  /// Makes memory() have at least `bytes` from now on; false if the budget has fewer.
  bool reserve(std::size_t bytes);
  /// Gives all memory back. No selection may be under way.
  void reset();

  /// At least `count` counters, which are 0 and must be 0 again after use.
  std::uint32_t* counters(std::size_t count, const Stream& stream);
  /// At least `bytes` bytes of any content, aligned to 256. Throws Error, which says how many are
  /// needed, where the budget or the GPU has fewer.
  void* memory(std::size_t bytes, const Stream& stream);

 private:
  int device_ = 0;
  MemoryBudget* budget_ = nullptr;
  DeviceBuffer counters_;  ///< small, so it does not count
  DeviceBuffer memory_;
  Reservation reserved_;  ///< memory_, in the budget
};

/// Queues the selection of each row's k best keys. `keys_out` and `ids_out` are device pointers to
/// rows × k values, without gaps between rows; a key's id is its column.
///
/// Best first; of equal keys the smaller id first; NaN after every number. Places beyond what a row
/// holds get kNoId and the worst value (an infinity, for whole numbers their end). -0 equals 0. A
/// key comes back as a value: -0 as 0, any NaN as the quiet one. The answer depends on nothing but
/// keys and ids. A row is read once for k up to 4096, else about four times.
///
/// Key: float, Half, std::uint16_t, std::uint32_t. Id: std::uint32_t, std::uint64_t. k from 1 to
/// 2^31 - 1, fewer than 2^31 columns, rows × k fewer than 2^40. Throws UsageError for others, what
/// SelectScratch::memory() throws, and CudaError where the GPU refuses.
template <typename Key, typename Id>
void select_k(const MatrixView<Key>& keys, std::size_t k, SelectOrder order, Key* keys_out,
              Id* ids_out, SelectScratch& scratch, const Stream& stream);

/// The same with ids of the caller's, a matrix as large as that of the keys; an entry whose id is
/// kNoId does not count. Rows may share ids by a stride of 0. Ids of a row should differ.
template <typename Key, typename Id>
void select_k(const MatrixView<Key>& keys, const MatrixView<Id>& ids, std::size_t k,
              SelectOrder order, Key* keys_out, Id* ids_out, SelectScratch& scratch,
              const Stream& stream);

}  // namespace warpdex
