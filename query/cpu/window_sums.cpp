// Adds scores and marks their lines.
#include "cpu/window_sums.hpp"

#include <algorithm>

namespace warpdex {

WindowSums::WindowSums()
    : kernels_(kernels()), lines_(kMaxWindow / kLineSums), marks_(kMaxWindow / kLineSums) {
  clear();
}

void WindowSums::clear() {
  std::fill_n(sums(), kLineSums * lines_.size(), kUntouched);
  std::fill(marks_.begin(), marks_.end(), std::uint8_t{0});
}

void WindowSums::start(std::uint32_t begin, std::uint32_t width) {
  begin_ = begin;
  width_ = width;
}

void WindowSums::add(const std::uint32_t* docids, const float* scores, std::uint32_t count) {
  float* const sums = this->sums();
  const std::uint32_t begin = begin_;
  std::uint8_t* const marks = marks_.data();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t place = docids[i] - begin;
    sums[place] += scores[i];
    marks[place / kLineSums] = 1;
  }
}

std::size_t WindowSums::drain(float need, const Candidates& candidates) {
  return kernels_.drain_lines(sums(), marks_.data(), used_lines(), begin_, need, candidates);
}

}  // namespace warpdex
