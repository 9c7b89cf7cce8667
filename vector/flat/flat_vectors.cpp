// Norms, in double precision and in the order of the components.
#include "warpdex/vector/flat/flat_vectors.hpp"

#include <cmath>

namespace warpdex::vector {
namespace {

double squared_length(std::span<const float> vector) {
  double sum = 0;
  for (const float component : vector) sum += double{component} * double{component};
  return sum;
}

}  // namespace

float row_norm(Metric metric, std::span<const float> row, std::span<const float> centre) {
  if (metric != Metric::kL2) return static_cast<float>(std::sqrt(squared_length(row)));
  if (centre.empty()) return static_cast<float>(squared_length(row));
  double sum = 0;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const float left = row[c] - centre[c];
    sum += double{left} * double{left};
  }
  return static_cast<float>(sum);
}

void normalize(std::span<float> vector) {
  const double length = std::sqrt(squared_length(vector));
  if (length == 0) return;
  for (float& component : vector) component = static_cast<float>(double{component} / length);
}

}  // namespace warpdex::vector
