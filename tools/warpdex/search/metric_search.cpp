// Searches on the GPU if one is to work, else on the CPU.
#include "search/metric_search.hpp"

#include "output/interrupt.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {

MetricSearch::MetricSearch(const metric::MetricIndex& index, const metric::Queries& queries,
                           const DeviceOptions& device)
    : index_(index), queries_(queries), device_(device), cpu_(index.searcher()) {
  device_.start_gpu([&](const ResourceSettings& settings) {
    metric::check_before_upload(index_);
    gpu_ = std::make_unique<Gpu>(index_, settings);
  });
}

std::string MetricSearch::gpu_name() const {
  return gpu_ ? device_info(gpu_->resources.device()).name : std::string();
}

/// What the GPU answers, or nothing if the CPU is to.
std::optional<metric::Matches> MetricSearch::try_gpu(const metric::QueryObjects& queries,
                                                     const MetricKind& kind,
                                                     const metric::MetricSearchSettings& settings) {
  try {
    return kind.k > 0 ? gpu_->searcher.nearest(queries, kind.k, settings)
                      : gpu_->searcher.within(queries, kind.radius, settings);
  } catch (const Error& error) {
    device_.take_cpu(error);
    gpu_.reset();
    return std::nullopt;
  }
}

metric::Matches MetricSearch::search(std::size_t first, std::size_t count, const MetricKind& kind,
                                     const metric::MetricSearchSettings& settings) {
  InterruptGuard::check();
  if (gpu_) {
    const metric::QueryObjects queries = queries_.objects(index_.space(), first, count);
    if (auto found = try_gpu(queries, kind, settings)) return std::move(*found);
  }
  const auto prepare = [&](std::size_t q) {
    InterruptGuard::check();
    return queries_.from(index_.space(), first + q);
  };
  return kind.k > 0 ? cpu_.nearest(count, prepare, kind.k, settings)
                    : cpu_.within(count, prepare, kind.radius, settings);
}

}  // namespace warpdex::tools
