// Runs and times searches.
#include "search/vector_bench.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "output/interrupt.hpp"
#include "search/timing.hpp"

namespace warpdex::tools {
namespace {

using Ids = vector::Matrix<std::int32_t>;

VectorGpuFigures operator-(VectorGpuFigures after, const VectorGpuFigures& before) {
  after.queries -= before.queries;
  after.uncertified -= before.uncertified;
  return after;
}

std::vector<float> take_queries(const vector::Matrix<float>& all, std::size_t count) {
  std::vector<float> queries;
  queries.reserve(count * all.columns);
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const float> row = all.row(i % all.rows);
    queries.insert(queries.end(), row.begin(), row.end());
  }
  return queries;
}

/// The first rows, or all.
Ids first_rows(const Ids& all, std::size_t count) {
  const std::size_t rows = std::min<std::size_t>(count, all.rows);
  const auto begin = all.values.begin();
  return {rows, all.columns, {begin, begin + static_cast<std::ptrdiff_t>(rows * all.columns)}};
}

class VectorBench {
 public:
  VectorBench(const VectorBenchPlan& plan, VectorIndex& index)
      : plan_(plan),
        index_(index),
        settings_(index.settings()),
        largest_(*std::max_element(plan.batches.begin(), plan.batches.end())) {}

  std::vector<MeasuredSearch> run(std::span<const VectorDepth> depths) {
    for (std::size_t i = 0; i < depths.size(); ++i) {
      depth_ = depths[i];
      if (i > 0) index_.set_depth(depth_);
      for (const std::size_t k : plan_.ks) measure_k(k);
    }
    return std::move(all_);
  }

 private:
  void measure_k(std::size_t k) {
    const std::size_t first = all_.size();
    std::optional<Ids> found;
    for (const std::size_t batch : plan_.batches) {
      const std::vector<float> queries = take_queries(plan_.queries, batch);
      vector::Neighbors answers = measure(queries, k);
      if (batch == largest_) found = Ids{batch, k, std::move(answers.rows)};
    }
    if (!plan_.truth) return;
    const Ids truth = first_rows(*plan_.truth, largest_);
    const vector::Recall recall = vector::recall_at(truth, first_rows(*found, truth.rows), k);
    for (std::size_t i = first; i < all_.size(); ++i) {
      all_[i].recall = recall;
      all_[i].judged = truth.rows;
    }
  }

  /// Adds a search's figures; its answers are those of the first one.
  vector::Neighbors measure(const std::vector<float>& queries, std::size_t k) {
    InterruptGuard::check();
    vector::Neighbors answers = index_.search(queries, k);
    const VectorGpuFigures before = index_.gpu_figures();
    std::vector<double> times;
    for (std::size_t i = 0; i < plan_.repetitions; ++i) {
      InterruptGuard::check();
      const auto begin = std::chrono::steady_clock::now();
      index_.search(queries, k);
      const std::chrono::duration<double, std::milli> passed =
          std::chrono::steady_clock::now() - begin;
      times.push_back(passed.count());
    }
    MeasuredSearch one;
    one.queries = answers.queries;
    one.k = k;
    one.probes = settings_.lists != 0 ? depth_.probes : 0;
    one.refine = depth_.refine;
    one.milliseconds = median(times);
    const bool is_exact = settings_.coding == VectorCoding::kRows && settings_.lists == 0;
    one.floor = is_exact ? floor_of(answers.queries) : 0;
    if (index_.device() == Device::kGpu) one.on_gpu = index_.gpu_figures() - before;
    all_.push_back(one);
    if (plan_.on_search) plan_.on_search();
    return answers;
  }

  double floor_of(std::size_t queries) const {
    const double components =
        static_cast<double>(index_.live_rows()) * static_cast<double>(settings_.dimension);
    const double bytes = components * static_cast<double>(vector::store_bytes(settings_.store));
    const double operations = 2 * components * static_cast<double>(queries);
    const double by_arithmetic = plan_.gflops > 0 ? operations / (plan_.gflops * 1e6) : 0;
    const double by_reading = plan_.bandwidth > 0 ? bytes / (plan_.bandwidth * 1e6) : 0;
    return std::max(by_arithmetic, by_reading);
  }

  const VectorBenchPlan& plan_;
  VectorIndex& index_;
  NewVectorIndex settings_;
  std::size_t largest_;
  VectorDepth depth_;
  std::vector<MeasuredSearch> all_;
};

}  // namespace

std::vector<MeasuredSearch> measure_searches(const VectorBenchPlan& plan,
                                             std::span<const VectorDepth> depths,
                                             VectorIndex& index) {
  return VectorBench(plan, index).run(depths);
}

}  // namespace warpdex::tools
