// Looks at each neighbour once.
#include "search/true_neighbors.hpp"

#include <algorithm>

#include "warpdex/core/error.hpp"

namespace warpdex::tools {

void check_truth(const std::string& name, const vector::Matrix<std::int32_t>& truth,
                 std::size_t rows) {
  const auto largest = std::max_element(truth.values.begin(), truth.values.end());
  if (largest == truth.values.end() || *largest < 0) {
    throw InputError("no query in '" + name +
                     "' has a true neighbour, so there is nothing to judge; is it the right file?");
  }
  if (static_cast<std::size_t>(*largest) < rows) return;
  const auto place = static_cast<std::size_t>(largest - truth.values.begin());
  throw InputError("row " + std::to_string(place / truth.columns) + " of '" + name +
                   "' has the neighbour " + std::to_string(*largest) +
                   ", but the index numbers its vectors below " + std::to_string(rows) +
                   "; give the truth of these vectors");
}

}  // namespace warpdex::tools
