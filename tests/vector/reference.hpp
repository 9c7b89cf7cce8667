// Distances and ranks of vectors, written apart from those under test, from the words of
// docs/vector.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "warpdex/vector/metric.hpp"
#include "warpdex/vector/neighbors.hpp"

namespace warpdex::vector::reference {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Answer {
  float distance;
  std::size_t row;
  bool operator==(const Answer&) const = default;
};

/// The squared distance or the inner product, in the canonical order of arithmetic.
inline float canonical(std::span<const float> x, std::span<const float> y, bool squared) {
  float lanes[32] = {};
  for (std::size_t c = 0; c < x.size(); ++c) {
    const float a = squared ? x[c] - y[c] : x[c];
    const float b = squared ? x[c] - y[c] : y[c];
    lanes[c % 32] = std::fma(a, b, lanes[c % 32]);
  }
  for (int width : {16, 8, 4, 2, 1}) {
    for (int lane = 0; lane < width; ++lane) lanes[lane] = lanes[lane] + lanes[lane + width];
  }
  return lanes[0];
}

/// By the metric; for kCosine both have length 1.
inline float distance(Metric metric, std::span<const float> x, std::span<const float> y) {
  return canonical(x, y, metric == Metric::kL2);
}

/// Sorts: nearest first, equal distances by rows.
inline void rank(Metric metric, std::vector<Answer>& answers) {
  std::sort(answers.begin(), answers.end(), [metric](const Answer& a, const Answer& b) {
    if (a.distance == b.distance) return a.row < b.row;
    return metric == Metric::kL2 ? a.distance < b.distance : a.distance > b.distance;
  });
}

/// The answers that a search found for a query, in this form.
inline std::vector<Answer> answers_to(const Neighbors& found, std::size_t query) {
  std::vector<Answer> answers;
  for (std::size_t i = query * found.k; i < (query + 1) * found.k && found.rows[i] >= 0; ++i) {
    answers.push_back({found.distances[i], static_cast<std::size_t>(found.rows[i])});
  }
  return answers;
}

}  // namespace warpdex::vector::reference
