// Queries are encoded on the host, by a scale of their own.
#include "sq8/query_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpdex::vector {

QueryBytes encode_query_bytes(Metric metric, std::span<const float> centre, const float* query,
                              std::size_t dimension) {
  std::vector<double> moved(query, query + dimension);
  for (std::size_t c = 0; c < centre.size(); ++c) moved[c] -= double{centre[c]};
  double largest = 0;
  double sum = 0;
  for (const double component : moved) {
    largest = std::max(largest, std::abs(component));
    sum += component;
  }
  const double step = std::max(largest / 127, double{std::numeric_limits<float>::min()});
  QueryBytes result;
  result.bytes.assign((dimension + 15) / 16 * 16, 0);
  for (std::size_t c = 0; c < dimension; ++c) {
    result.bytes[c] = static_cast<std::int8_t>(std::lrint(moved[c] / step));
  }
  const double factor = metric == Metric::kL2 ? -2 : -1;
  result.weight = static_cast<float>(factor * step);
  result.shift = static_cast<float>(factor * sum);
  return result;
}

}  // namespace warpdex::vector
