#include "search/open_searcher.hpp"

#include <iostream>
#include <optional>

#include "warpdex/core/error.hpp"

namespace warpdex::tools {

Searcher open_searcher(const std::string& folder, const DeviceOptions& device, std::size_t threads,
                       bool document_blocks) {
  std::optional<Searcher> searcher;
  const std::size_t shards = device.shards();
  device.start_gpus([&](std::span<const GpuChoice> gpus) {
    searcher.emplace(folder,
                     SearcherOptions{.device = device.is_auto() ? Device::kAuto : Device::kGpu,
                                     .gpus = open_gpus(gpus),
                                     .shards = shards,
                                     .threads = threads,
                                     .document_blocks = document_blocks});
    if (searcher->device() == Device::kCpu) {  // start_gpu() says so
      throw Error(searcher->problem());
    }
  });
  if (!searcher)
    searcher.emplace(folder,
                     SearcherOptions{.threads = threads, .document_blocks = document_blocks});
  return std::move(*searcher);
}

warpdex::SearchOptions searcher_options(const SearchSettings& settings) {
  return {.k = settings.k,
          .mode = settings.mode,
          .and_or_min = settings.and_or_min,
          .count = settings.count,
          .scorer = settings.scorer};
}

void print_problem(const Searcher& searcher) {
  if (searcher.device() == Device::kCpu || searcher.problem().empty()) return;
  std::cerr << "warpdex: note: " << searcher.problem() << "\n";
}

}  // namespace warpdex::tools
