// WarpQueue and BlockQueue fed from registers by kernels of their own.
#include <algorithm>
#include <string>

#include "tests/core/select_reference.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/select/block_select.cuh"
#include "warpdex/core/select/warp_select.cuh"

#define WARPDEX_NEEDS_GPU() \
  if (warpdex::device_count() == 0) GTEST_SKIP() << warpdex::why_no_device()

namespace warpdex {
namespace {

using test::Keys;
using test::Selected;

template <typename Key, typename Id>
struct Fed {
  const Key* keys;
  const Id* ids;
  int size;
  int k;
  SelectOrder order;
  Key* keys_out;
  Id* ids_out;
};

// Work item: all entries, by one warp.
template <typename Key, typename Id, int kCapacity>
__global__ void feed_warp(const Fed<Key, Id> fed) {
  using Packed = PackedFor<Id>;
  const std::uint32_t flip = KeyRules<Key>::flip(fed.order);
  WarpQueue<Packed, kCapacity> queue(fed.k);
  for (int first = 0; first < fed.size; first += 32) {
    const int i = first + static_cast<int>(threadIdx.x);
    const Packed entry = i < fed.size ? pack<Packed>(code_of_key(fed.keys[i], flip), fed.ids[i])
                                      : missing_entry<Packed>();
    queue.add(entry);
  }
  queue.finish();
  queue.visit([&](int rank, Packed entry) {
    unpack<Key, Id>(entry, flip, fed.keys_out[rank], fed.ids_out[rank]);
  });
}

// Work item: all entries, by one block.
template <typename Key, typename Id>
__global__ void feed_block(const Fed<Key, Id> fed, int capacity) {
  using Packed = PackedFor<Id>;
  const std::uint32_t flip = KeyRules<Key>::flip(fed.order);
  extern __shared__ __align__(16) unsigned char dynamic_memory[];
  __shared__ BlockStorage<Packed> storage;
  BlockQueue<Packed> queue(reinterpret_cast<Packed*>(dynamic_memory), capacity, fed.k, storage);
  for (int first = 0; first < fed.size; first += static_cast<int>(blockDim.x)) {
    const int i = first + static_cast<int>(threadIdx.x);
    const Packed entry = i < fed.size ? pack<Packed>(code_of_key(fed.keys[i], flip), fed.ids[i])
                                      : missing_entry<Packed>();
    queue.add(entry < queue.limit() ? 1U : 0U, [&](int) { return entry; });
  }
  queue.finish();
  for (int rank = static_cast<int>(threadIdx.x); rank < fed.k;
       rank += static_cast<int>(blockDim.x)) {
    unpack<Key, Id>(queue.entries()[rank], flip, fed.keys_out[rank], fed.ids_out[rank]);
  }
}

template <typename Key, typename Id>
class Feeding {
 public:
  Feeding(int size, Keys kind, std::mt19937_64& random) : keys_(size), ids_(size) {
    std::vector<Key> keys(size);
    std::vector<Id> ids(size);
    for (int i = 0; i < size; ++i)
      ids[i] = static_cast<Id>(i) * (sizeof(Id) == 8 ? 0x300000007 : 1);
    std::shuffle(ids.begin(), ids.end(), random);
    for (int i = 0; i < size; ++i) {
      keys[i] = test::make_key<Key>(kind, i, size, random);
      entries_.push_back({test::value_of(keys[i]), ids[i]});
    }
    keys_.upload(keys, stream_);
    ids_.upload(ids, stream_);
    stream_.synchronize();
  }

  template <typename Launch>
  void check(int k, SelectOrder order, const std::string& what, Launch&& launch) {
    DeviceArray<Key> keys_out(k);
    DeviceArray<Id> ids_out(k);
    const Fed<Key, Id> fed{
        keys_.data(),    ids_.data(),   static_cast<int>(entries_.size()), k, order,
        keys_out.data(), ids_out.data()};
    launch(fed, stream_.handle());
    check_launch("feed");
    std::vector<Key> keys(k);
    std::vector<Id> ids(k);
    keys_out.download(keys, stream_);
    ids_out.download(ids, stream_);
    stream_.synchronize();
    std::sort(entries_.begin(), entries_.end(), [&](const Selected& a, const Selected& b) {
      return test::comes_before(a, b, order);
    });
    for (int rank = 0; rank < k; ++rank) {
      const Selected should = rank < static_cast<int>(entries_.size())
                                  ? entries_[rank]
                                  : Selected{test::missing_value<Key>(order), kNoId<Id>};
      const Selected is{test::value_of(keys[rank]), ids[rank]};
      ASSERT_TRUE(is == should) << what << ", k " << k << " of " << entries_.size() << ": rank "
                                << rank << " is (" << is.value << ", " << is.id << "), not ("
                                << should.value << ", " << should.id << ")";
    }
  }

 private:
  Stream stream_;
  DeviceArray<Key> keys_;
  DeviceArray<Id> ids_;
  std::vector<Selected> entries_;
};

template <typename Key, typename Id, int kCapacity>
void check_warp(Feeding<Key, Id>& feeding, int k, SelectOrder order) {
  if (k > kCapacity) return;
  feeding.check(k, order, "warp of capacity " + std::to_string(kCapacity),
                [&](const Fed<Key, Id>& fed, cudaStream_t stream) {
                  feed_warp<Key, Id, kCapacity><<<1, 32, 0, stream>>>(fed);
                });
}

template <typename Key, typename Id>
void check_block(Feeding<Key, Id>& feeding, int k, SelectOrder order, int threads) {
  const int capacity = block_capacity(static_cast<std::size_t>(k));
  const std::size_t bytes = static_cast<std::size_t>(capacity) * sizeof(PackedFor<Id>);
  check_cuda(cudaFuncSetAttribute(feed_block<Key, Id>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "cudaFuncSetAttribute");
  feeding.check(k, order, "block of " + std::to_string(threads),
                [&](const Fed<Key, Id>& fed, cudaStream_t stream) {
                  feed_block<Key, Id><<<1, threads, bytes, stream>>>(fed, capacity);
                });
}

template <typename Key, typename Id>
void check_fused(std::uint64_t stream, std::initializer_list<int> sizes) {
  auto random = test::generator(stream);
  for (const int size : sizes) {
    for (const Keys kind : {Keys::kUniform, Keys::kFewDistinct, Keys::kSpecial, Keys::kRising}) {
      Feeding<Key, Id> feeding(size, kind, random);
      const auto order = random() % 2 == 0 ? SelectOrder::kSmallest : SelectOrder::kLargest;
      for (const int k : {1, 10, 32, 33, 96, 100, 160, 1000, 1024}) {
        check_warp<Key, Id, 32>(feeding, k, order);
        check_warp<Key, Id, 96>(feeding, k, order);  // odd numbers of registers
        check_warp<Key, Id, 160>(feeding, k, order);
        check_warp<Key, Id, 1024>(feeding, k, order);
        check_block<Key, Id>(feeding, k, order, 64);
        check_block<Key, Id>(feeding, k, order, 1024);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(SelectFused, FewEntries) {  // few enough for compute-sanitizer's racecheck
  WARPDEX_NEEDS_GPU();
  check_fused<float, std::uint32_t>(1, {0, 1, 33, 700});
  check_fused<float, std::uint64_t>(2, {31, 300});
}

TEST(SelectFused, ManyEntries) {
  WARPDEX_NEEDS_GPU();
  check_fused<float, std::uint32_t>(3, {1000, 5000, 20'000});
  check_fused<float, std::uint64_t>(4, {1000, 5000, 20'000});
  check_fused<Half, std::uint32_t>(5, {1000, 5000});
  check_fused<std::uint16_t, std::uint32_t>(6, {1000, 5000});
}

}  // namespace
}  // namespace warpdex
