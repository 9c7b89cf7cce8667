// Gains by term, keys by row, and the exchange of rows between the two halves.
#include "reorder/splitter.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "warpdex/core/parallel.hpp"

namespace warpdex::reorder {
namespace {

constexpr std::uint32_t kTableSize = 4096;
constexpr std::uint32_t kRightBit = 1U << 31;
constexpr std::size_t kRowsPerItem = 2048;
constexpr std::size_t kTermsPerItem = 1 << 14;

// With f(d) = d · log2(d + 1), f(d + 1) - f(d). A half of n rows, d of them with a term, costs
// d · log2(n) - f(d), so this is all that the gain of moving one row depends on.
double step(std::uint32_t degree) {
  const auto d = static_cast<double>(degree);
  return (d + 1) * std::log2(d + 2) - d * std::log2(d + 1);
}

std::array<double, kTableSize> make_steps() {
  std::array<double, kTableSize> steps{};
  for (std::uint32_t d = 0; d < kTableSize; ++d) steps[d] = step(d);
  return steps;
}

double table_step(std::uint32_t degree) {
  static const std::array<double, kTableSize> kSteps = make_steps();
  return degree < kTableSize ? kSteps[degree] : step(degree);
}

std::size_t items_of(std::size_t count, std::size_t per_item) {
  return (count + per_item - 1) / per_item;
}

}  // namespace

std::span<const std::uint8_t> Splitter::split(const Rows& rows, std::uint32_t terms) {
  const std::size_t count = rows.count;
  left_.assign(terms, 0);
  right_.assign(terms, 0);
  leaving_left_.resize(terms);
  leaving_right_.resize(terms);
  keys_.resize(count);
  selected_.resize(count);
  side_.assign(count, 1);
  std::fill_n(side_.begin(), left_half(count), std::uint8_t{0});
  count_degrees(rows);
  for (std::uint32_t iteration = 0; iteration < iterations_; ++iteration) {
    find_term_gains(count);
    find_keys(rows, static_cast<float>(iteration));
    if (exchange(rows) == 0) break;
  }
  return side_;
}

// Each half by a thread of its own: no two add to one number.
void Splitter::count_degrees(const Rows& rows) {
  const std::size_t middle = left_half(rows.count);
  parallel_for(threads_, 2, [&](std::size_t, std::size_t half) {
    std::vector<std::uint32_t>& degrees = half == 0 ? left_ : right_;
    const std::size_t end = half == 0 ? middle : rows.count;
    for (std::size_t i = half == 0 ? 0 : middle; i < end; ++i) {
      if (i % kRowsPerItem == 0) check_();
      for (const std::uint32_t term : rows[i]) ++degrees[term];
    }
  });
}

// A term that one row has, or all rows, gains nothing wherever its rows are. Such terms count 0, so
// that rounding cannot make a useless exchange look useful.
void Splitter::find_term_gains(std::size_t rows) {
  const std::size_t on_left = left_half(rows);
  const double sizes =
      std::log2(static_cast<double>(on_left)) - std::log2(static_cast<double>(rows - on_left));
  parallel_for(threads_, items_of(left_.size(), kTermsPerItem), [&](std::size_t, std::size_t item) {
    const std::size_t end = std::min(left_.size(), (item + 1) * kTermsPerItem);
    for (std::size_t term = item * kTermsPerItem; term < end; ++term) {
      const std::uint32_t left = left_[term];
      const std::uint32_t right = right_[term];
      const std::size_t all = std::size_t{left} + right;
      const bool counts = all > 1 && all < rows;
      leaving_left_[term] =
          counts && left > 0
              ? static_cast<float>(sizes + (table_step(right) - table_step(left - 1)))
              : 0.0F;
      leaving_right_[term] =
          counts && right > 0
              ? static_cast<float>((table_step(left) - table_step(right - 1)) - sizes)
              : 0.0F;
    }
  });
}

// Sort keys: the smallest stay on, or go to, the left. A row of the left has its gain from leaving
// as its key, a row of the right `min_gain` less its gain. So a pair changes places if both
// together gain more than `min_gain`, which grows with the iterations: late exchanges that save
// next to nothing cost time.
void Splitter::find_keys(const Rows& rows, float min_gain) {
  parallel_for(threads_, items_of(rows.count, kRowsPerItem), [&](std::size_t, std::size_t item) {
    check_();
    const std::size_t end = std::min(rows.count, (item + 1) * kRowsPerItem);
    for (std::size_t i = item * kRowsPerItem; i < end; ++i) {
      const bool is_right = side_[i] != 0;
      const float* const gains = is_right ? leaving_right_.data() : leaving_left_.data();
      float gain = 0;
      for (const std::uint32_t term : rows[i]) gain += gains[term];
      const auto place = static_cast<std::uint32_t>(i);
      keys_[i] = is_right ? Key{min_gain - gain, place | kRightBit} : Key{gain, place};
    }
  });
}

// Selecting the best of all rows for the left is the same as exchanging the rows of both sides in
// pairs, those with the highest gains first, while a pair gains. Returns how many rows moved.
std::size_t Splitter::exchange(const Rows& rows) {
  std::copy(keys_.begin(), keys_.end(), selected_.begin());
  const auto middle = selected_.begin() + static_cast<std::ptrdiff_t>(left_half(rows.count));
  std::nth_element(selected_.begin(), middle, selected_.end());
  const Key first_right = *middle;
  selected_.clear();
  for (const Key& key : keys_) {
    const bool goes_right = !(key < first_right);
    if (goes_right != ((key.place & kRightBit) != 0)) selected_.push_back(key);
  }
  const std::vector<Key>& moved = selected_;
  for (const Key& key : moved) side_[key.place & ~kRightBit] ^= 1;
  parallel_for(threads_, 2, [&](std::size_t, std::size_t half) {
    std::vector<std::uint32_t>& degrees = half == 0 ? left_ : right_;
    std::size_t done = 0;
    for (const Key& key : moved) {
      if (done++ % kRowsPerItem == 0) check_();
      const bool came_from_here = ((key.place & kRightBit) != 0) == (half == 1);
      const std::uint32_t change = came_from_here ? ~std::uint32_t{0} : 1;  // minus one, or one
      for (const std::uint32_t term : rows[key.place & ~kRightBit]) degrees[term] += change;
    }
  });
  const std::size_t count = moved.size();
  selected_.resize(rows.count);
  return count;
}

}  // namespace warpdex::reorder
