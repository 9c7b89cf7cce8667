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

  std::vector<SearchResult> search(std::span<const Query> queries, const SearchSettings& settings,
                                   const OnAnswered& on_answered) override {
    std::function<void()> after_each;
    if (on_answered) after_each = [&] { on_answered(1); };
    return search_batch(index_, queries, settings, threads_, after_each);
  }

 private:
  const Index& index_;
  std::size_t threads_;
};

class GpuEngine : public SearchEngine {
 public:
  explicit GpuEngine(const GpuIndex& index) : index_(index.index()), searcher_(index) {}

  std::vector<SearchResult> search(std::span<const Query> queries, const SearchSettings& settings,
                                   const OnAnswered& on_answered) override {
    std::vector<PlannedQuery> plans;
    plans.reserve(queries.size());
    for (const Query& query : queries) plans.push_back(plan_query(index_, query));
    const GpuAnswers answers = searcher_.run(plans, settings);
    std::vector<SearchResult> results;
    results.reserve(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) results.push_back(answers.result(i));
    if (on_answered) on_answered(queries.size());
    return results;
  }

 private:
  const Index& index_;
  GpuSearcher searcher_;
};

/// Why no GPU can answer; empty if one can.
std::string why_not_gpu() {
  if (device_count() == 0) return why_no_device();
  return why_gpu_unfit(device_info(GpuSettings{}.device));
}

}  // namespace

void EngineOptions::add_to(CommandLine& command) {
  po::options_description group = option_group("Engine");
  group.add_options()(
      "device", po::value(&device_)->value_name("WHICH")->default_value(device_),
      "cpu, gpu, or auto: the GPU if there is one that is fit and has memory enough, "
      "else the CPU, with a line that says why")(
      "gpu-memory", po::value(&gpu_memory_)->value_name("SIZE"),
      "GPU memory that index and scratch may take, as 20G or 500M. What it does not hold of the "
      "lists is read in the host's memory. Default: 90 % of what is free");
  command.add(group);
}

void EngineOptions::check(const CommandLine& command,
                          std::initializer_list<const char*> gpu_options) const {
  if (device_ != "cpu") return;
  std::vector<const char*> options(gpu_options);
  options.push_back("gpu-memory");
  for (const char* option : options) {
    if (command.given(option)) {
      throw UsageError("--" + std::string(option) +
                       " is an option of the GPU's engine; add --device gpu, or leave it out");
    }
  }
}

std::unique_ptr<GpuIndex> EngineOptions::make_gpu_index(const Index& index) const {
  if (device_ == "cpu") return nullptr;
  if (device_ != "gpu" && device_ != "auto") {
    throw UsageError("--device takes cpu, gpu or auto, not '" + device_ + "'");
  }
  const GpuSettings settings = gpu_settings();
  if (device_ == "gpu") {
    if (device_count() == 0) throw CudaError(why_no_device(), CudaError::kNoCudaInBuild);
    return std::make_unique<GpuIndex>(index, settings);
  }
  std::string why;
  try {
    why = why_not_gpu();
    if (why.empty()) return std::make_unique<GpuIndex>(index, settings);
  } catch (const UsageError& error) {  // not even what every query needs fits
    why = error.what();
  } catch (const CudaError& error) {
    why = error.what();
  }
  std::cerr << "warpdex: answering on the CPU: " << why << "\n";
  return nullptr;
}

GpuSettings EngineOptions::gpu_settings() const {
  GpuSettings settings;
  if (!gpu_memory_.empty()) settings.memory = parse_size("--gpu-memory", gpu_memory_);
  return settings;
}

std::unique_ptr<SearchEngine> make_engine(const Index& index, const GpuIndex* gpu,
                                          std::size_t threads) {
  if (gpu != nullptr) return std::make_unique<GpuEngine>(*gpu);
  return std::make_unique<CpuEngine>(index, threads);
}

}  // namespace warpdex::tools
