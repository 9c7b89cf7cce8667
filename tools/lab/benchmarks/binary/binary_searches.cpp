// Times whole searches of binary codes, and counts what they find, beside exact search.
#include <algorithm>

#include "benchmarks/binary/binary.hpp"
#include "search/timing.hpp"
#include "warpdex/vector/data/recall.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::tools {

void BinaryBenchmark::measure_searches() {
  const std::size_t most = *std::max_element(settings_.ks.begin(), settings_.ks.end());
  vector::Neighbors truth;
  std::vector<double> exact_single(settings_.ks.size());
  std::vector<double> exact_batch(settings_.batches.size());
  {
    Resources resources;
    const auto exact = search_on_gpu(flat(), resources);
    truth = exact->nearest(queries_.values, most);
    for (std::size_t i = 0; i < settings_.ks.size(); ++i) {
      exact_single[i] = time_single(
          [&](std::span<const float> query) { exact->nearest(query, settings_.ks[i]); });
    }
    for (std::size_t i = 0; i < settings_.batches.size(); ++i) {
      const std::vector<float> batch = take_batch(settings_.batches[i]);
      exact_batch[i] = time_batch([&] { exact->nearest(batch, 10); });
    }
  }
  Resources resources;
  const vector::BinaryVectors view = codes_.view();
  const auto all = search_on_gpu(view, resources);
  const vector::VectorSearcher& searcher = *all;
  report_.note("refined on", searcher.is_resident() ? "gpu" : "host");
  const auto without = search_on_gpu(view, resources, {.keeps_vectors = false});
  const vector::VectorSearcher& by_codes = *without;
  for (std::size_t i = 0; i < settings_.ks.size(); ++i) {
    measure_sweep(searcher, settings_.ks[i], truth, exact_single[i]);
  }
  for (std::size_t i = 0; i < settings_.batches.size(); ++i) {
    const std::vector<float> batch = take_batch(settings_.batches[i]);
    for (const std::size_t refine : {std::size_t{0}, settings_.batch_refine}) {
      const vector::SearchOptions depth{.refine = refine, .query_bits = settings_.query_bits};
      const double time = time_batch([&] { searcher.nearest(batch, 10, depth); });
      add("batch", settings_.batches[i], 10, refine, 0, time, 0,
          share_found(searcher, 10, truth, depth), exact_batch[i]);
      if (refine == 0) continue;
      add("batch, vectors on the host", settings_.batches[i], 10, refine, 0,
          time_batch([&] { by_codes.nearest(batch, 10, depth); }), 0,
          share_found(by_codes, 10, truth, depth), exact_batch[i]);
    }
  }
  const vector::GpuFigures figures = searcher.figures();
  report_.note("open queries", figures.uncertified);
  if (settings_.lists > 0) measure_lists(truth);
}

void BinaryBenchmark::measure_sweep(const vector::VectorSearcher& searcher, std::size_t k,
                                    const vector::Neighbors& truth, double exact) {
  std::vector<std::size_t> refines{0};
  for (const std::size_t refine : settings_.refines) {
    if (refine >= k) refines.push_back(refine);
  }
  for (const std::size_t refine : refines) {
    for (const std::size_t extra : settings_.extras) {
      if (refine == 0 && extra > 0) continue;
      const vector::SearchOptions depth{
          .refine = refine, .query_bits = settings_.query_bits, .extra = extra};
      const double time =
          time_single([&](std::span<const float> query) { searcher.nearest(query, k, depth); });
      add("single", 1, k, refine, extra, time, scan_floor(1),
          share_found(searcher, k, truth, depth), exact);
    }
  }
}

double BinaryBenchmark::share_found(const vector::VectorSearcher& searcher, std::size_t k,
                                    const vector::Neighbors& truth,
                                    const vector::SearchOptions& depth) const {
  return share_of(searcher.nearest(queries_.values, k, depth), truth);
}

/// k@k of what was found. The truth may have more columns.
double BinaryBenchmark::share_of(const vector::Neighbors& found, const vector::Neighbors& truth) {
  const std::size_t k = found.k;
  vector::Matrix<std::int32_t> nearest{found.queries, k, {}};
  for (std::size_t i = 0; i < found.queries; ++i) {
    const auto begin = truth.rows.begin() + static_cast<std::ptrdiff_t>(i * truth.k);
    nearest.values.insert(nearest.values.end(), begin, begin + static_cast<std::ptrdiff_t>(k));
  }
  return vector::recall_at(nearest, {found.queries, k, found.rows}, k).intersection;
}

/// The median over some queries, one at a time.
double BinaryBenchmark::time_single(
    const std::function<void(std::span<const float>)>& search) const {
  const std::size_t count = std::min<std::size_t>(queries_.rows, 100);
  std::vector<double> times;
  for (std::size_t q = 0; q < count; ++q) {
    const double time = milliseconds_of([&] { search(queries_.row(q)); });
    if (q >= count / 10) times.push_back(time);
  }
  return median(times);
}

double BinaryBenchmark::time_batch(const std::function<void()>& search) const {
  search();
  std::vector<double> times;
  for (int i = 0; i < settings_.repetitions; ++i) times.push_back(milliseconds_of(search));
  return median(times);
}

/// Queries in turn, as many as there are to be.
std::vector<float> BinaryBenchmark::take_batch(std::size_t count) const {
  std::vector<float> batch;
  batch.reserve(count * queries_.columns);
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const float> row = queries_.row(i % queries_.rows);
    batch.insert(batch.end(), row.begin(), row.end());
  }
  return batch;
}

}  // namespace warpdex::tools
