// Recall, by sorted rows.
#include "warpdex/vector/data/recall.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

using Ids = std::span<const std::int32_t>;

template <class A, class B>
void check_shapes(const Matrix<A>& a, const Matrix<B>& b, std::size_t k) {
  if (a.rows != b.rows) {
    throw InputError("one file has " + std::to_string(a.rows) + " rows and the other " +
                     std::to_string(b.rows) + "; give files of the same queries");
  }
  const std::size_t columns = std::min(a.columns, b.columns);
  if (k < 1 || k > columns) {
    throw InputError("k is " + std::to_string(k) + ", but each row has " + std::to_string(columns) +
                     " neighbours; choose a k from 1 to that");
  }
}

/// The ids of neighbours, ascending, each once.
void sort_distinct(Ids row, std::vector<std::int32_t>* out) {
  out->clear();
  std::copy_if(row.begin(), row.end(), std::back_inserter(*out), [](auto id) { return id >= 0; });
  std::sort(out->begin(), out->end());
  out->erase(std::unique(out->begin(), out->end()), out->end());
}

std::size_t count_shared(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  std::size_t shared = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    shared += a[i] == b[j] ? 1 : 0;
    const std::int32_t id = a[i];
    i += a[i] <= b[j] ? 1 : 0;
    j += b[j] <= id ? 1 : 0;
  }
  return shared;
}

double mean(double sum, std::uint64_t count) {
  return count == 0 ? 1 : sum / static_cast<double>(count);
}

/// How many of the first k found are as near as `limit` says, each id once.
template <class IsNear>
std::size_t count_near(Ids found, std::span<const float> distances, const IsNear& is_near) {
  std::unordered_set<std::int32_t> seen;
  std::size_t count = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] >= 0 && is_near(distances[i]) && seen.insert(found[i]).second) ++count;
  }
  return count;
}

}  // namespace

Recall recall_at(const Matrix<std::int32_t>& truth, const Matrix<std::int32_t>& result,
                 std::size_t k) {
  check_shapes(truth, result, k);
  std::vector<std::int32_t> wanted;
  std::vector<std::int32_t> found;
  double shares = 0;
  std::uint64_t judged = 0;
  std::uint64_t nearest_found = 0;
  for (std::uint64_t row = 0; row < truth.rows; ++row) {
    const Ids true_ids = truth.row(row).first(k);
    sort_distinct(true_ids, &wanted);
    if (wanted.empty()) continue;
    sort_distinct(result.row(row).first(k), &found);
    ++judged;
    shares += static_cast<double>(count_shared(wanted, found)) / static_cast<double>(wanted.size());
    const auto nearest =
        std::find_if(true_ids.begin(), true_ids.end(), [](auto id) { return id >= 0; });
    if (std::binary_search(found.begin(), found.end(), *nearest)) ++nearest_found;
  }
  return {mean(shares, judged), mean(static_cast<double>(nearest_found), judged)};
}

double recall_with_ties(const Matrix<std::int32_t>& truth, const Matrix<float>& truth_distances,
                        const Matrix<std::int32_t>& result, const Matrix<float>& result_distances,
                        std::size_t k, const TieRule& rule) {
  check_shapes(truth, result, k);
  check_shapes(truth, truth_distances, k);
  check_shapes(result, result_distances, k);
  const bool larger = larger_is_nearer(rule.metric);
  double shares = 0;
  std::uint64_t judged = 0;
  for (std::uint64_t row = 0; row < truth.rows; ++row) {
    const Ids true_ids = truth.row(row).first(k);
    std::size_t wanted = 0;
    double last = 0;
    for (std::size_t i = 0; i < k; ++i) {
      if (true_ids[i] < 0) continue;
      last = truth_distances.row(row)[i];
      ++wanted;
    }
    if (wanted == 0) continue;
    ++judged;
    const double slack = rule.epsilon * std::abs(last);
    const std::size_t near =
        count_near(result.row(row).first(k), result_distances.row(row), [&](float distance) {
          return larger ? distance >= last - slack : distance <= last + slack;
        });
    shares += static_cast<double>(std::min(near, wanted)) / static_cast<double>(wanted);
  }
  return mean(shares, judged);
}

ResultDefects defects_of(const Matrix<std::int32_t>& result, std::size_t k) {
  check_shapes(result, result, k);
  ResultDefects defects;
  std::vector<std::int32_t> distinct;
  for (std::uint64_t row = 0; row < result.rows; ++row) {
    const Ids ids = result.row(row).first(k);
    const auto missing = std::count_if(ids.begin(), ids.end(), [](auto id) { return id < 0; });
    sort_distinct(ids, &distinct);
    if (missing > 0) ++defects.rows_with_missing;
    if (distinct.size() + static_cast<std::size_t>(missing) < k) ++defects.rows_with_repeats;
  }
  return defects;
}

}  // namespace warpdex::vector
