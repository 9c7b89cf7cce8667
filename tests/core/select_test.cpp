// k-selection over matrices, through its public header alone, against sorting on the host. The
// tests named Short and the like are small enough for compute-sanitizer.
#include "warpdex/core/select/select_k.hpp"

#include <numeric>
#include <thread>

#include "tests/core/select_reference.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"

#define WARPDEX_NEEDS_GPU() \
  if (warpdex::device_count() == 0) GTEST_SKIP() << warpdex::why_no_device()

namespace warpdex {
namespace {

using test::Keys;
using test::Selected;

template <typename KeyType, typename IdType>
struct Types {
  using Key = KeyType;
  using Id = IdType;
};

/// A matrix in GPU memory whose rows start at odd places, and what its rows hold.
template <typename Key, typename Id>
class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t columns, Keys kind, bool own_ids, std::mt19937_64& random)
      : rows_(rows), columns_(columns), own_ids_(own_ids) {
    std::vector<Key> keys(1 + rows * stride());
    std::vector<Id> ids(rows * stride());
    contents_.resize(rows);
    std::vector<Id> order(columns);
    std::iota(order.begin(), order.end(), Id{5});
    for (std::size_t row = 0; row < rows; ++row) {
      std::shuffle(order.begin(), order.end(), random);
      for (std::size_t i = 0; i < columns; ++i) {
        const Key key = test::make_key<Key>(kind, i, columns, random);
        const bool none = own_ids && random() % 16 == 0;
        const Id id = none ? kNoId<Id> : own_ids ? order[i] * high_part() : static_cast<Id>(i);
        keys[1 + row * stride() + i] = key;
        ids[row * stride() + i] = id;
        if (!none) contents_[row].push_back({test::value_of(key), id});
      }
    }
    keys_ = DeviceArray<Key>(keys.size());
    ids_ = DeviceArray<Id>(ids.size());
    keys_.upload(keys, stream_);
    ids_.upload(ids, stream_);
    stream_.synchronize();
  }

  /// Every row's best k, straight from the GPU.
  std::vector<Selected> select(std::size_t k, SelectOrder order, SelectScratch& scratch) const {
    DeviceArray<Key> keys_out(rows_ * k);
    DeviceArray<Id> ids_out(rows_ * k);
    keys_out.fill_bytes(0xA5, stream_);
    ids_out.fill_bytes(0xA5, stream_);
    const MatrixView<Key> keys{keys_.data() + 1, rows_, columns_, stride()};
    if (own_ids_) {
      select_k(keys, MatrixView<Id>{ids_.data(), rows_, columns_, stride()}, k, order,
               keys_out.data(), ids_out.data(), scratch, stream_);
    } else {
      select_k(keys, k, order, keys_out.data(), ids_out.data(), scratch, stream_);
    }
    std::vector<Key> keys_back(rows_ * k);
    std::vector<Id> ids_back(rows_ * k);
    keys_out.download(keys_back, stream_);
    ids_out.download(ids_back, stream_);
    stream_.synchronize();
    std::vector<Selected> selected;
    for (std::size_t i = 0; i < rows_ * k; ++i) {
      selected.push_back({test::value_of(keys_back[i]), ids_back[i]});
    }
    return selected;
  }

  /// Compares the selection with a sort, for each k.
  void check(const std::vector<std::size_t>& ks, SelectScratch& scratch, const std::string& what) {
    for (const SelectOrder order : {SelectOrder::kSmallest, SelectOrder::kLargest}) {
      for (auto& row : contents_) {
        std::sort(row.begin(), row.end(), [&](const Selected& a, const Selected& b) {
          return test::comes_before(a, b, order);
        });
      }
      for (const std::size_t k : ks) check_one(k, order, scratch, what);
    }
  }

 private:
  std::size_t stride() const { return columns_ + 3; }
  /// Spreads 64-bit ids over all their bits.
  static Id high_part() { return sizeof(Id) == 8 ? static_cast<Id>(0x0123456789ULL) : Id{1}; }

  void check_one(std::size_t k, SelectOrder order, SelectScratch& scratch,
                 const std::string& what) const {
    const std::vector<Selected> selected = select(k, order, scratch);
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t rank = 0; rank < k; ++rank) {
        const Selected should = rank < contents_[row].size()
                                    ? contents_[row][rank]
                                    : Selected{test::missing_value<Key>(order), kNoId<Id>};
        const Selected& is = selected[row * k + rank];
        ASSERT_TRUE(is == should) << what << ", k " << k << ", rows " << rows_ << ", columns "
                                  << columns_
                                  << (order == SelectOrder::kSmallest ? ", smallest" : ", largest")
                                  << (own_ids_ ? ", ids given" : "") << ": row " << row << " rank "
                                  << rank << " is (" << is.value << ", " << is.id << "), not ("
                                  << should.value << ", " << should.id << ")";
      }
    }
  }

  std::size_t rows_;
  std::size_t columns_;
  bool own_ids_;
  Stream stream_;
  DeviceArray<Key> keys_;
  DeviceArray<Id> ids_;
  std::vector<std::vector<Selected>> contents_;
};

template <typename T>
class SelectK : public testing::Test {
 protected:
  using Key = typename T::Key;
  using Id = typename T::Id;

  void check(std::size_t rows, std::size_t columns, const std::vector<std::size_t>& ks,
             const std::vector<Keys>& kinds) {
    auto random = test::generator(columns);
    for (const Keys kind : kinds) {
      for (const bool own_ids : {false, true}) {
        Matrix<Key, Id> matrix(rows, columns, kind, own_ids, random);
        matrix.check(ks, scratch_, "kind " + std::to_string(static_cast<int>(kind)));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }

  SelectScratch scratch_;
};

const std::vector<Keys> kAll{std::begin(test::kAllKeys), std::end(test::kAllKeys)};
const std::vector<Keys> kHard{Keys::kUniform, Keys::kFewDistinct, Keys::kSpecial};

using AllTypes =
    testing::Types<Types<float, std::uint32_t>, Types<float, std::uint64_t>,
                   Types<Half, std::uint32_t>, Types<Half, std::uint64_t>,
                   Types<std::uint16_t, std::uint32_t>, Types<std::uint16_t, std::uint64_t>,
                   Types<std::uint32_t, std::uint32_t>, Types<std::uint32_t, std::uint64_t>>;
TYPED_TEST_SUITE(SelectK, AllTypes);

TYPED_TEST(SelectK, ShortRows) {
  WARPDEX_NEEDS_GPU();
  for (const std::size_t columns : {0, 1, 31, 32, 33, 127, 128, 129, 1000}) {
    this->check(5, columns, {1, 2, 31, 32, 33, 100, 127, 128, 129, 1000, 1024}, kHard);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(SelectK, RowsOfABlock) {
  WARPDEX_NEEDS_GPU();
  this->check(140, 5001, {1, 10, 100, 129, 1000}, {Keys::kUniform});  // as many rows as processors
  this->check(3, 9000, {1, 33, 128, 1000, 2048, 4096}, kAll);
}

TYPED_TEST(SelectK, RowsInParts) {
  WARPDEX_NEEDS_GPU();
  this->check(1, 50'001, {1, 10, 100, 1000}, kHard);
  this->check(2, 33'000, {1, 10, 100, 1000, 4096}, {Keys::kUniform, Keys::kRising});
}

TYPED_TEST(SelectK, RowsByRadix) {
  WARPDEX_NEEDS_GPU();
  this->check(2, 6001, {4097, 5000, 6001, 7000}, kHard);
  this->check(1, 60'000, {10'000}, {Keys::kUniform, Keys::kEqual});
}

TYPED_TEST(SelectK, LongRows) {
  WARPDEX_NEEDS_GPU();
  constexpr std::size_t kColumns = 100'003;
  this->check(3, kColumns, {1, 2, 31, 32, 33, 100, 127, 128, 129, 1000, 1024, 2048, 10'000}, kHard);
  this->check(2, kColumns, {1, 100, 2048, 10'000, kColumns}, kAll);
}

TYPED_TEST(SelectK, ManyRows) {
  WARPDEX_NEEDS_GPU();
  this->check(5000, 100, {1, 10, 100}, {Keys::kUniform, Keys::kFewDistinct});
  this->check(500, 3000, {10, 100, 1000}, {Keys::kUniform, Keys::kSpecial});
  this->check(300, 5000, {4500}, {Keys::kUniform});
}

TYPED_TEST(SelectK, TheAnswerIsTheSameEveryTime) {
  WARPDEX_NEEDS_GPU();
  auto random = test::generator(7);
  for (const std::size_t columns : {500, 20'000, 100'003}) {
    const Matrix<typename TypeParam::Key, typename TypeParam::Id> matrix(
        2, columns, Keys::kFewDistinct, true, random);
    for (const std::size_t k : {10, 1000, 6000}) {
      const auto first = matrix.select(k, SelectOrder::kLargest, this->scratch_);
      for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(matrix.select(k, SelectOrder::kLargest, this->scratch_), first);
      }
    }
  }
}

TYPED_TEST(SelectK, ThreadsWithDifferentK) {
  WARPDEX_NEEDS_GPU();
  auto random = test::generator(8);
  const Matrix<typename TypeParam::Key, typename TypeParam::Id> matrix(2, 9000, Keys::kUniform,
                                                                       true, random);
  const std::vector<std::size_t> sizes{1024, 1500, 2048, 2100,
                                       4096};  // of three amounts of shared memory
  std::vector<std::vector<Selected>> expected;
  for (const std::size_t k : sizes) {
    expected.push_back(matrix.select(k, SelectOrder::kLargest, this->scratch_));
  }
  std::vector<std::size_t> wrong(sizes.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    threads.emplace_back([&, i] {
      SelectScratch scratch;
      for (int turn = 0; turn < 50; ++turn) {
        try {
          wrong[i] +=
              matrix.select(sizes[i], SelectOrder::kLargest, scratch) == expected[i] ? 0 : 1;
        } catch (const CudaError&) {
          ++wrong[i];
        }
      }
    });
  }
  threads.clear();  // joins them
  EXPECT_EQ(wrong, std::vector<std::size_t>(sizes.size()));
}

TEST(SelectKRefuses, WhatItCannotTake) {
  WARPDEX_NEEDS_GPU();
  const Stream stream;
  SelectScratch scratch;
  DeviceArray<float> keys(100);
  DeviceArray<std::uint32_t> ids(100);
  const auto select = [&](const MatrixView<float>& matrix, std::size_t k) {
    select_k(matrix, k, SelectOrder::kLargest, keys.data(), ids.data(), scratch, stream);
  };
  EXPECT_THROW(select({keys.data(), 1, 100, 100}, 0), UsageError);
  EXPECT_THROW(select({keys.data(), 1, 100, 100}, std::size_t{1} << 31), UsageError);
  EXPECT_THROW(select({keys.data(), 1, std::size_t{1} << 31, 100}, 1), UsageError);
  EXPECT_THROW(select({keys.data(), 3, 30, 20}, 1), UsageError);
  EXPECT_THROW(select_k(MatrixView<float>{keys.data(), 1, 100, 100},
                        MatrixView<std::uint32_t>{ids.data(), 1, 99, 99}, 1, SelectOrder::kLargest,
                        keys.data(), ids.data(), scratch, stream),
               UsageError);
  EXPECT_NO_THROW(select({keys.data(), 0, 100, 100}, 1));
  stream.synchronize();
}

}  // namespace
}  // namespace warpdex
