// Makes searchers, and decides when the CPU takes over.
#include "vectors/stored_vectors.hpp"

#include <typeinfo>
#include <utility>

#include "usable_gpu.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/search_options.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/graph/row_search.hpp"
#include "warpdex/vector/search/index_searcher.hpp"

namespace warpdex {

void StoredVectors::check() const {
  const std::lock_guard lock(mutex_);
  if (!is_checked_) vector::check_before_upload(index);
  is_checked_ = true;
}

vector::SearchOptions search_options(const VectorDepth& depth) {
  return {.probes = depth.probes,
          .refine = depth.refine,
          .query_bits = depth.query_bits,
          .extra = depth.extra};
}

OpenVectors OpenVectors::of_rows(std::shared_ptr<const StoredVectors> stored,
                                 VectorIndexOptions options) {
  OpenVectors open(std::move(stored), std::move(options));
  const vector::RowSearchMethod method =
      vector::row_search_method(open.index(), search_options(open.options().depth));
  open.rows_ = Rows{method.metric, method.depth};
  return open;
}

std::unique_ptr<vector::VectorSearcher> OpenVectors::make_searcher() const {
  const vector::Metric metric = rows_ ? rows_->metric : index().settings().metric;
  if (!is_on_gpu()) return vector::search_index_on_cpu(index(), options_.threads, metric);
  stored_->check();
  std::vector<Resources*> gpus;
  for (const Gpu& gpu : options_.gpus) gpus.push_back(&gpu.resources());
  return vector::search_index_on_gpus(index(), gpus, options_.shards,
                                      {.keeps_vectors = depth().refine > 0}, metric);
}

vector::SearchOptions OpenVectors::depth(const vector::RowFilter* filter) const {
  return (rows_ ? rows_->depth : search_options(options_.depth)).among(filter);
}

const vector::VectorSearcher& OpenVectors::searcher() const {
  const std::lock_guard lock(*mutex_);
  if (!searcher_) searcher_ = make_searcher();
  return *searcher_;
}

OpenVectors OpenVectors::on_cpu() const {
  OpenVectors open(stored_, options_);
  open.options_.device = Device::kCpu;
  open.options_.gpus.clear();
  open.rows_ = rows_;
  return open;
}

std::optional<OpenVectors> OpenVectors::at(const VectorDepth& depth) const {
  const std::lock_guard lock(*mutex_);
  const bool lacks_vectors = is_on_gpu() && depth.refine > 0 && !has_vectors_;
  if (!searcher_ || rows_ || lacks_vectors) return std::nullopt;
  OpenVectors open(stored_, options_);
  open.options_.depth = depth;
  open.has_vectors_ = has_vectors_;
  open.searcher_ = searcher_;
  return open;
}

VectorIndexOptions with_usable_gpus(VectorIndexOptions options) {
  if (options.device == Device::kCpu) {
    options.gpus.clear();
    return options;
  }
  if (options.gpus.empty()) {
    options.gpus.push_back(usable_gpu(std::nullopt));
  } else {
    for (const Gpu& gpu : options.gpus) usable_gpu(gpu);
  }
  return options;
}

void let_cpu_take_over(const VectorIndexOptions& options, const Error& error) {
  const bool is_of_gpus =
      typeid(error) == typeid(Error) || dynamic_cast<const CudaError*>(&error) != nullptr;
  if (options.device != Device::kAuto || !is_of_gpus) throw;
  if (options.on_cpu) options.on_cpu(error);
}

void check_stop(const std::stop_token& stop) {
  if (stop.stop_requested()) throw CancelledError("the work was stopped by its caller");
}

vector::BuildProgress progress_of(const VectorWork& work) {
  return [work](const char* stage, std::uint64_t done, std::uint64_t total) {
    check_stop(work.stop);
    if (work.progress) work.progress(stage, done, total);
  };
}

}  // namespace warpdex
