// Chooses an engine, and lets the GPU's fall back to the CPU's where the user left the choice.
#include "warpdex/tools/search_engine.hpp"

#include <iostream>

#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/batch.hpp"
#include "warpdex/tools/text.hpp"

namespace warpdex::tools {
namespace {

class CpuEngine : public SearchEngine {
 public:
  CpuEngine(const Index& index, std::size_t threads) : index_(index), threads_(threads) {}

  std::vector<SearchResult> search(std::span<const Query> queries,
                                   const SearchSettings& settings) override {
    return search_batch(index_, queries, settings, threads_);
  }

 private:
  const Index& index_;
  std::size_t threads_;
};

class GpuEngine : public SearchEngine {
 public:
  GpuEngine(const Index& index, const GpuSettings& settings)
      : gpu_index_(index, settings), searcher_(gpu_index_) {}

  std::vector<SearchResult> search(std::span<const Query> queries,
                                   const SearchSettings& settings) override {
    std::vector<PlannedQuery> plans;
    plans.reserve(queries.size());
    for (const Query& query : queries) plans.push_back(plan_query(gpu_index_.index(), query));
    const GpuAnswers answers = searcher_.run(plans, settings);
    std::vector<SearchResult> results;
    results.reserve(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) results.push_back(answers.result(i));
    return results;
  }

 private:
  GpuIndex gpu_index_;
  GpuSearcher searcher_;
};

}  // namespace

void EngineOptions::add_to(CommandLine& command) {
  po::options_description group = option_group("Engine");
  group.add_options()("device", po::value(&device_)->value_name("WHICH")->default_value(device_),
                      "cpu, gpu, or auto: the GPU if there is one that is fit, else the CPU, with "
                      "a line that says why")(
      "gpu-memory", po::value(&gpu_memory_)->value_name("SIZE"),
      "GPU memory that index and scratch may take, as 20G or 500M. What it does not hold of the "
      "lists is read in the host's memory. Default: 90 % of what is free");
  command.add(group);
}

bool EngineOptions::use_gpu() const {
  if (device_ == "cpu") return false;
  if (device_ != "gpu" && device_ != "auto") {
    throw UsageError("--device takes cpu, gpu or auto, not '" + device_ + "'");
  }
  const bool has_gpu = device_count() > 0;
  if (device_ == "gpu") {
    if (!has_gpu) throw CudaError(why_no_device(), CudaError::kNoCudaInBuild);
    return true;  // the index refuses a GPU that is unfit
  }
  const std::string why =
      has_gpu ? why_gpu_unfit(device_info(GpuSettings{}.device)) : why_no_device();
  if (why.empty()) return true;
  std::cerr << "warpdex: answering on the CPU: " << why << "\n";
  return false;
}

GpuSettings EngineOptions::gpu_settings() const {
  GpuSettings settings;
  if (!gpu_memory_.empty()) settings.memory = parse_size("--gpu-memory", gpu_memory_);
  return settings;
}

std::unique_ptr<SearchEngine> make_engine(const Index& index, const EngineOptions& options,
                                          std::size_t threads) {
  if (options.use_gpu()) return std::make_unique<GpuEngine>(index, options.gpu_settings());
  return std::make_unique<CpuEngine>(index, threads);
}

}  // namespace warpdex::tools
