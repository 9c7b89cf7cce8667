// Compares queries with rows panel by panel. What the errors of the products leave open is computed
// in the canonical order.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "flat/bounded_set.hpp"
#include "flat/flat_task.hpp"
#include "flat/query_block.hpp"
#include "flat/row_panels.hpp"
#include "product/product_kernels.hpp"

namespace warpdex::vector {
namespace {

/// Calls sink.add(query, sum, slack, position) for each sum that is not above limits[query], which
/// add() may lower.
template <class Sink>
void match_panels(const QueryBlock& block, const ProductKernels& kernels, std::size_t dimension,
                  const RowPanel& rows, std::vector<float>& limits, Sink& sink) {
  std::array<float, kMaxPanelQueries * kMaxPanelVectors> sums;
  std::array<std::uint32_t, kMaxPanelQueries> masks;
  for (std::size_t panel = 0; panel < block.panels(); ++panel) {
    const std::size_t first = panel * kernels.queries;
    if (!kernels.match(block.panel(panel), rows.components.data(), dimension, rows.offsets.data(),
                       limits.data() + first, sums.data(), masks.data())) {
      continue;
    }
    const std::size_t count = std::min(kernels.queries, block.count() - first);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::uint32_t mask = masks[i] & rows.present(); mask != 0; mask &= mask - 1) {
        const auto place = static_cast<std::size_t>(std::countr_zero(mask));
        const float sum = sums[i * kernels.vectors + place];
        if (sum > limits[first + i]) continue;
        sink.add(first + i, sum, rows.slacks[place] + block.slack(first + i),
                 rows.positions[place]);
      }
    }
  }
}

template <class Sink>
void multiply(const FlatTask& task, const QueryBlock& block, std::vector<float>& limits,
              Sink& sink) {
  const ProductKernels& kernels = product_kernels();
  RowPanels panels(task.vectors, kernels, task.filter, task.first_row, task.last_row);
  // Queries that only fill the last panel match nothing.
  limits.resize(block.panels() * kernels.queries, -std::numeric_limits<float>::infinity());
  while (const RowPanel* const rows = panels.next()) {
    match_panels(block, kernels, task.vectors.vectors.dimension, *rows, limits, sink);
  }
}

/// Keeps for each query what may be among its k nearest.
class NearestSink {
 public:
  NearestSink(const FlatTask& task, const QueryBlock& block, std::vector<float>& limits,
              std::size_t k)
      : task_(task), block_(block), limits_(limits), canonical_(task.vectors, distance_kernels()) {
    const std::size_t rows = task.last_row - task.first_row;
    for (std::size_t q = 0; q < task.count; ++q) sets_.emplace_back(k, rows);
  }

  void add(std::size_t query, float sum, float slack, std::uint32_t position) {
    BoundedSet& set = sets_[query];
    if (!set.add(sum, slack, position)) return;
    set.compact(block_, query, task_.query(query), canonical_, scratch_);
    limits_[query] = set.limit();
  }

  TaskAnswers take() {
    TaskAnswers answers;
    for (std::size_t q = 0; q < task_.count; ++q) {
      answers.push_back(sets_[q].take(task_.query(q), canonical_, scratch_));
    }
    return answers;
  }

 private:
  const FlatTask& task_;
  const QueryBlock& block_;
  std::vector<float>& limits_;
  CanonicalDistances canonical_;
  std::vector<BoundedSet> sets_;
  BoundedSetScratch scratch_;
};

/// Keeps what is within the radius.
class RangeSink {
 public:
  RangeSink(const FlatTask& task, float radius)
      : task_(task),
        last_(order_key(radius, ~std::uint32_t{0})),
        canonical_(task.vectors, distance_kernels()),
        answers_(task.count) {}

  void add(std::size_t query, float /*sum*/, float /*slack*/, std::uint32_t position) {
    const std::uint64_t key = canonical_.key(task_.query(query), position);
    if (key <= last_) answers_[query].push_back(key);
  }

  TaskAnswers take() {
    for (auto& keys : answers_) std::sort(keys.begin(), keys.end());
    return std::move(answers_);
  }

 private:
  const FlatTask& task_;
  std::uint64_t last_;
  CanonicalDistances canonical_;
  TaskAnswers answers_;
};

QueryBlock make_block(const FlatTask& task) {
  return {task.vectors, product_kernels(), task.queries, task.stride, task.count};
}

}  // namespace

TaskAnswers multiply_nearest(const FlatTask& task, std::size_t k) {
  const QueryBlock block = make_block(task);
  std::vector<float> limits;
  for (std::size_t q = 0; q < task.count; ++q) {
    limits.push_back(block.sum_limit(q, key_value(task.limit(q))));
  }
  NearestSink sink(task, block, limits, k);
  multiply(task, block, limits, sink);
  return sink.take();
}

TaskAnswers multiply_within(const FlatTask& task, float radius) {
  const QueryBlock block = make_block(task);
  std::vector<float> limits;
  for (std::size_t q = 0; q < task.count; ++q) limits.push_back(block.sum_limit(q, radius));
  RangeSink sink(task, radius);
  multiply(task, block, limits, sink);
  return sink.take();
}

std::size_t nearest_bytes(std::size_t dimension, std::size_t k, std::size_t rows) {
  return dimension * sizeof(float) + BoundedSet::bytes(k, rows);
}

std::size_t max_product_queries(const FlatVectors& vectors, std::size_t k) {
  constexpr std::size_t kMaxQueries = 768;
  constexpr std::size_t kMaxPanelBytes = 8 << 20;
  constexpr std::size_t kMaxBytes = 64 << 20;
  const std::size_t dimension = vectors.vectors.dimension;
  const std::size_t by_panels = kMaxPanelBytes / (dimension * sizeof(float));
  const std::size_t by_memory = kMaxBytes / nearest_bytes(dimension, k, vectors.vectors.rows);
  return std::clamp<std::size_t>(std::min(by_panels, by_memory), 1, kMaxQueries);
}

}  // namespace warpdex::vector
