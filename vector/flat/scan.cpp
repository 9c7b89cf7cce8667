// Compares queries with rows one by one, in the canonical order.
#include <algorithm>
#include <array>

#include "flat/allowed.hpp"
#include "flat/flat_task.hpp"
#include "flat/nearest_keys.hpp"

namespace warpdex::vector {
namespace {

/// Rows that are compared with all queries while they are in the cache.
constexpr std::size_t kChunkRows = 128;

/// Calls work(first, count) for runs of allowed positions, of up to kChunkRows each, in order.
template <class Work>
void for_each_run(const FlatTask& task, const Work& work) {
  std::size_t position = task.first_row;
  for (;;) {
    position = next_allowed(task.vectors, task.filter, position, task.last_row);
    if (position == task.last_row) return;
    const std::size_t end = next_refused(task.vectors, task.filter, position, task.last_row);
    for (; position < end; position += std::min(kChunkRows, end - position)) {
      work(position, std::min(kChunkRows, end - position));
    }
  }
}

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
  scan_keys(
      task, [&](std::size_t q) { return kept[q].limit(); },
      [&](std::size_t q, std::span<const std::uint64_t> keys) {
        for (const std::uint64_t key : keys) {
          if (key <= kept[q].limit()) kept[q].add(key);
        }
      });
  TaskAnswers answers;
  for (Keys& keys : kept) answers.push_back(keys.take());
  return answers;
}

}  // namespace

void scan_keys(const FlatTask& task, const std::function<std::uint64_t(std::size_t)>& limit,
               const std::function<void(std::size_t, std::span<const std::uint64_t>)>& add) {
  const CanonicalDistances canonical(task.vectors, distance_kernels());
  std::array<float, kChunkRows> values;
  std::array<std::uint64_t, kChunkRows> keys;
  for_each_run(task, [&](std::size_t first, std::size_t count) {
    for (std::size_t q = 0; q < task.count; ++q) {
      canonical.distances(task.query(q), first, count, values.data());
      const std::uint64_t largest = limit(q);
      std::size_t found = 0;
      for (std::size_t i = 0; i < count; ++i) {
        keys[found] = order_key(values[i], task.vectors.row_number(first + i));
        found += keys[found] <= largest ? 1 : 0;
      }
      if (found > 0) add(q, std::span(keys).first(found));
    }
  });
}

TaskAnswers scan_nearest(const FlatTask& task, std::size_t k) {
  std::vector<NearestKeys> kept;
  for (std::size_t q = 0; q < task.count; ++q) {
    kept.emplace_back(k, task.last_row - task.first_row, task.limit(q));
  }
  return scan(task, std::move(kept));
}

TaskAnswers scan_within(const FlatTask& task, float radius) {
  return scan(task, std::vector<KeysWithin>(task.count, KeysWithin(radius)));
}

}  // namespace warpdex::vector
