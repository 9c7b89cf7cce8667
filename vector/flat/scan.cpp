// Compares queries with rows one by one, in the canonical order.
#include <algorithm>
#include <array>
#include <limits>

#include "flat/flat_task.hpp"

namespace warpdex::vector {
namespace {

/// Rows that are compared with all queries while they are in the cache.
constexpr std::size_t kChunkRows = 128;

/// Calls work(first, count) for runs of allowed rows, of up to kChunkRows each, in order.
template <class Work>
void for_each_run(const FlatTask& task, const Work& work) {
  std::size_t row = task.first_row;
  while (row < task.last_row) {
    std::size_t end = task.last_row;
    if (task.filter != nullptr) {
      row = task.filter->next_allowed(row);
      if (row >= task.last_row) return;
      end = std::min(end, task.filter->next_refused(row));
    }
    for (; row < end; row += std::min(kChunkRows, end - row)) {
      work(row, std::min(kChunkRows, end - row));
    }
  }
}

/// Keeps the k smallest of the keys that it is given.
class NearestKeys {
 public:
  NearestKeys(std::size_t k, std::size_t rows)
      : k_(k), capacity_(std::min(std::max(2 * k, k + 64), rows + 1)) {
    keys_.reserve(capacity_);
  }

  /// Larger keys are not needed.
  std::uint64_t limit() const { return limit_; }

  void add(std::uint64_t key) {
    keys_.push_back(key);
    if (keys_.size() < capacity_) return;
    const auto kth = keys_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(keys_.begin(), kth, keys_.end());
    limit_ = *kth;
    keys_.resize(k_);
  }

  std::vector<std::uint64_t> take() {
    keep_nearest(keys_, k_);
    return std::move(keys_);
  }

 private:
  std::size_t k_;
  std::size_t capacity_;
  std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> keys_;
};

/// Keeps all keys up to a radius.
class KeysWithin {
 public:
  explicit KeysWithin(float radius) : limit_(order_key(radius, ~std::uint32_t{0})) {}
  std::uint64_t limit() const { return limit_; }
  void add(std::uint64_t key) { keys_.push_back(key); }
  std::vector<std::uint64_t> take() {
    std::sort(keys_.begin(), keys_.end());
    return std::move(keys_);
  }

 private:
  std::uint64_t limit_;
  std::vector<std::uint64_t> keys_;
};

template <class Keys>
TaskAnswers scan(const FlatTask& task, std::vector<Keys> kept) {
  const Rescorer rescorer(task.vectors, distance_kernels());
  std::array<float, kChunkRows> values;
  for_each_run(task, [&](std::size_t first, std::size_t count) {
    for (std::size_t q = 0; q < task.count; ++q) {
      rescorer.distances(task.query(q), first, count, values.data());
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t key = order_key(values[i], static_cast<std::uint32_t>(first + i));
        if (key <= kept[q].limit()) kept[q].add(key);
      }
    }
  });
  TaskAnswers answers;
  for (Keys& keys : kept) answers.push_back(keys.take());
  return answers;
}

}  // namespace

TaskAnswers scan_nearest(const FlatTask& task, std::size_t k) {
  std::vector<NearestKeys> kept;
  for (std::size_t q = 0; q < task.count; ++q) {
    kept.emplace_back(k, task.last_row - task.first_row);
  }
  return scan(task, std::move(kept));
}

TaskAnswers scan_within(const FlatTask& task, float radius) {
  return scan(task, std::vector<KeysWithin>(task.count, KeysWithin(radius)));
}

}  // namespace warpdex::vector
