// Finishes by full scans what rounds leave open.
#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "binary/check_depth.hpp"
#include "binary/gpu/block_search.hpp"
#include "binary/gpu/full_scan.hpp"
#include "binary/searchers.hpp"
#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/product_search.hpp"
#include "flat/gpu/workspace.hpp"
#include "flat/order_key.hpp"
#include "flat/search_input.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::vector {

namespace {

/// *XOR-Friendly Binary Quantization*, section 4. What rounds leave open is finished by full scans.
class GpuBinarySearcher final : public VectorSearcher {
 public:
  GpuBinarySearcher(const BinaryVectors& given, Resources& resources,
                    const GpuSearchSettings& settings)
      : codes_(given, resources, settings.memory),
        is_to_refine_(settings.keeps_vectors && given.keeps_vectors()) {
    if (is_to_refine_) copy_if_they_fit(given.vectors, resources, codes_.memory(), vectors_);
    pool_.emplace(vectors_ ? vectors_->memory() : codes_.memory(), codes_.device());
  }

  Metric metric() const override { return codes_.host().metric; }
  std::size_t dimension() const override { return codes_.host().quantizer.dimension; }
  std::size_t rows() const override { return codes_.host().rows; }
  GpuFigures figures() const override { return {searched_.load(), uncertified_.load()}; }
  bool is_resident() const override { return !is_to_refine_ || vectors_.has_value(); }

  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const SearchOptions& options) const override;
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const SearchOptions& options) const override;

 private:
  /// Answers by rounds; returns the queries that are left open.
  std::vector<std::uint32_t> search_in_rounds(const PreparedQueries& queries,
                                              const WantedCodes& wanted, Neighbors& result) const {
    return BlockSearch(codes_, vectors_ ? &*vectors_ : nullptr, *pool_)
        .run(queries, wanted, result);
  }
  /// Calls answer(scan, workspace) with what full scans of single queries need.
  template <class Answer>
  void with_full_scan(std::size_t candidates, std::size_t query_bits, const RowFilter* filter,
                      const Answer& answer) const;

  GpuBinaryCodes codes_;
  bool is_to_refine_;
  std::optional<GpuRows> vectors_;
  mutable std::optional<WorkspacePool> pool_;
  mutable std::atomic<std::uint64_t> searched_{0};
  mutable std::atomic<std::uint64_t> uncertified_{0};
};

template <class Answer>
void GpuBinarySearcher::with_full_scan(std::size_t candidates, std::size_t query_bits,
                                       const RowFilter* filter, const Answer& answer) const {
  FullScan scan(codes_, candidates, query_bits, filter != nullptr);
  Arena measure(nullptr);
  scan.lay_out(measure);
  const std::size_t selection = selection_room(candidates, pool_->memory());
  const auto workspace = pool_->take(measure.used(), measure.used(), selection);
  Arena arena(workspace->scratch.data());
  scan.lay_out(arena);
  scan.set_filter(filter, workspace->stream);
  answer(scan, *workspace);
}

Neighbors GpuBinarySearcher::nearest(std::span<const float> queries, std::size_t k,
                                     const SearchOptions& options) const {
  const BinaryVectors& host = codes_.host();
  check_k(k, host.rows);
  check_filter(options.filter, host.rows);
  WantedCodes wanted{k, options, candidate_count(options, k, host.rows),
                     options.refine > 0 && vectors_.has_value()};
  wanted.options.query_bits = check_depth(host, options);
  const PreparedQueries prepared = prepare_queries(metric(), dimension(), queries);
  Neighbors result = make_neighbors(metric(), prepared.count, k);
  if (prepared.count == 0) return result;
  const CurrentDevice current(codes_.device());
  std::vector<std::uint32_t> open(prepared.count);
  if (wanted.candidates <= kMaxProductNeighbors) {
    open = search_in_rounds(prepared, wanted, result);
    searched_ += prepared.count;
    uncertified_ += open.size();
  } else {
    for (std::uint32_t q = 0; q < prepared.count; ++q) open[q] = q;
  }
  if (open.empty()) return result;
  with_full_scan(
      wanted.candidates, wanted.options.query_bits, options.filter,
      [&](FullScan& scan, Workspace& workspace) {
        for (const std::uint32_t query : open) {
          scan.set_query(prepared, query, workspace);
          const float margin = candidate_margin(
              options, encode_query(host, wanted.options.query_bits, prepared.query(query)));
          std::vector<std::uint64_t> keys = scan.nearest(wanted.candidates, margin, workspace);
          finish_query(host, prepared, wanted, query, keys, result);
        }
      });
  return result;
}

RangeNeighbors GpuBinarySearcher::within(std::span<const float> queries, float radius,
                                         const SearchOptions& options) const {
  const BinaryVectors& host = codes_.host();
  check_radius(radius);
  check_filter(options.filter, host.rows);
  const std::size_t query_bits = check_depth(host, options);
  const PreparedQueries prepared = prepare_queries(metric(), dimension(), queries);
  RangeNeighbors result{{0}, {}, {}};
  if (host.rows == 0) result.offsets.resize(prepared.count + 1);
  if (host.rows == 0 || prepared.count == 0) return result;
  const CurrentDevice current(codes_.device());
  const float limit = ascending(metric(), radius);
  with_full_scan(1, query_bits, options.filter, [&](FullScan& scan, Workspace& workspace) {
    for (std::size_t query = 0; query < prepared.count; ++query) {
      scan.set_query(prepared, query, workspace);
      std::vector<std::uint64_t> keys = scan.within(limit, workspace);
      std::sort(keys.begin(), keys.end());
      add_answers(metric(), keys, result);
    }
  });
  return result;
}

}  // namespace

std::unique_ptr<VectorSearcher> make_gpu_searcher(const BinaryVectors& codes, Resources& resources,
                                                  const GpuSearchSettings& settings) {
  return std::make_unique<GpuBinarySearcher>(codes, resources, settings);
}

}  // namespace warpdex::vector
