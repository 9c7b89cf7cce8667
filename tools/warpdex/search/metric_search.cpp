// Searches on the GPU if one is to work, else on the CPU.
#include "search/metric_search.hpp"

#include <memory>

#include "output/interrupt.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {

void set_search(MetricIndex& index, const DeviceOptions& device) {
  const auto is_in_use = std::make_shared<bool>(false);
  device.start_gpu([&](const auto& gpu) {
    MetricIndexOptions options;
    options.device = device.is_auto() ? Device::kAuto : Device::kGpu;
    options.gpu.emplace(gpu.device, gpu.memory);
    options.on_cpu = [device, is_in_use](const Error& error) {
      if (!*is_in_use) throw;  // start_gpu() says that the CPU works
      device.take_cpu(error);
    };
    index.set_options(options);
  });
  *is_in_use = true;
}

metric::Matches search_metric(const MetricIndex& index, const MetricQueries& queries,
                              std::size_t first, std::size_t count, const MetricKind& kind,
                              const metric::MetricSearchSettings& settings) {
  MetricSearchOptions options;
  options.settings = settings;
  options.first = first;
  options.count = count;
  options.on_query = InterruptGuard::check;
  InterruptGuard::check();
  return kind.k > 0 ? index.search(queries, kind.k, options)
                    : index.search_radius(queries, kind.radius, options);
}

}  // namespace warpdex::tools
