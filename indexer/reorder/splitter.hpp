// One step of the bisection: parts documents into two halves that share as few terms as can be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace warpdex::reorder {

/// The documents of a part as rows of term numbers: row i is that of `ids[i]`, or of i where there
/// are no ids.
struct Rows {
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* terms = nullptr;
  std::span<const std::uint32_t> ids;  ///< empty: the rows are 0, 1, ...
  std::size_t count = 0;

  std::span<const std::uint32_t> operator[](std::size_t i) const {
    const std::size_t id = ids.empty() ? i : ids[i];
    return {terms + offsets[id], terms + offsets[id + 1]};
  }
};

/// Documents of the left half of a part of `count`.
inline std::size_t left_half(std::size_t count) { return (count + 1) / 2; }

/// Parts rows; keeps its memory for the next part: 16 bytes a term and 9 a row.
class Splitter {
 public:
  /// `check` is called now and then, from any of the threads; what it throws ends a split.
  Splitter(std::size_t threads, std::uint32_t iterations, std::function<void()> check)
      : threads_(threads), iterations_(iterations), check_(std::move(check)) {}

  /// Says for each row whether it goes right (1); left_half() of them go left. Starts with the
  /// first half of the rows on the left, and exchanges rows while that lowers the sum of
  /// d · log2(n / (d + 1)) over both halves and all terms, where the half has n rows, d of them
  /// with the term. Two rows or more; term numbers are below `terms`. Valid until the next call.
  std::span<const std::uint8_t> split(const Rows& rows, std::uint32_t terms);

 private:
  struct Key {
    float gain;           ///< of being on the left: the smaller, the better
    std::uint32_t place;  ///< the row, past 2^31 for one that is on the right
    bool operator<(const Key& other) const {
      return gain != other.gain ? gain < other.gain : place < other.place;
    }
  };

  void count_degrees(const Rows& rows);
  void find_term_gains(std::size_t rows);
  void find_keys(const Rows& rows, float min_gain);
  std::size_t exchange(const Rows& rows);

  std::size_t threads_;
  std::uint32_t iterations_;
  std::function<void()> check_;
  std::vector<std::uint32_t> left_;   ///< by term: rows with it on the left
  std::vector<std::uint32_t> right_;  ///< and on the right
  std::vector<float> leaving_left_;   ///< by term: what a row saves that leaves the left half
  std::vector<float> leaving_right_;
  std::vector<Key> keys_;
  std::vector<Key> selected_;
  std::vector<std::uint8_t> side_;
};

}  // namespace warpdex::reorder
