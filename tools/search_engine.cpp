// Chooses an engine, and lets the GPU's fall back to the CPU's where the user left the choice.
#include "search_engine.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

#include "text.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::tools {
namespace {

/// Queries between two reports of progress.
constexpr std::size_t kPieceQueries = 32;
/// Between two looks at whether a batch is done.
constexpr std::chrono::microseconds kLook{100};

/// Waits for a batch and lets `on_progress` end that.
BatchAnswers await(Engine& engine, Ticket ticket, const SearchEngine::OnProgress& on_progress) {
  while (on_progress && !engine.poll(ticket)) {
    on_progress(0);
    std::this_thread::sleep_for(kLook);
  }
  return engine.wait(ticket);
}

/// In pieces, all of which are under way at once.
std::vector<SearchResult> search_on_cpu(CpuEngine& engine, std::span<const PlannedQuery> plans,
                                        const SearchSettings& settings,
                                        const SearchEngine::OnProgress& on_progress) {
  std::vector<Ticket> tickets;
  for (std::size_t first = 0; first < plans.size(); first += kPieceQueries) {
    const std::size_t count = std::min(kPieceQueries, plans.size() - first);
    tickets.push_back(engine.submit(plans.subspan(first, count), std::span(&settings, 1)));
  }
  std::vector<SearchResult> results;
  for (const Ticket ticket : tickets) {
    const BatchAnswers answers = await(engine, ticket, on_progress);
    for (std::size_t i = 0; i < answers.size(); ++i) results.push_back(answers.result(i));
    if (on_progress) on_progress(answers.size());
  }
  return results;
}

/// Why no GPU can answer; empty if one can.
std::string why_not_gpu() {
  if (device_count() == 0) return why_no_device();
  return why_gpu_unfit(device_info(ResourceSettings{}.device));
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

std::unique_ptr<UploadedIndex> EngineOptions::upload(const Index& index) const {
  if (device_ == "cpu") return nullptr;
  if (device_ != "gpu" && device_ != "auto") {
    throw UsageError("--device takes cpu, gpu or auto, not '" + device_ + "'");
  }
  const ResourceSettings settings = resource_settings();
  if (device_ == "gpu") {
    if (device_count() == 0) throw CudaError(why_no_device(), CudaError::kNoCudaInBuild);
    return std::make_unique<UploadedIndex>(index, settings);
  }
  std::string why;
  try {
    why = why_not_gpu();
    if (why.empty()) return std::make_unique<UploadedIndex>(index, settings);
  } catch (const UsageError& error) {  // not even what every query needs fits
    why = error.what();
  } catch (const CudaError& error) {
    why = error.what();
  }
  std::cerr << "warpdex: answering on the CPU: " << why << "\n";
  return nullptr;
}

ResourceSettings EngineOptions::resource_settings() const {
  ResourceSettings settings;
  if (!gpu_memory_.empty()) settings.memory = parse_size("--gpu-memory", gpu_memory_);
  return settings;
}

SearchEngine::SearchEngine(const Index& index, const UploadedIndex* gpu, std::size_t threads)
    : index_(index), cpu_(index, {.threads = threads}) {
  if (gpu != nullptr) gpu_ = std::make_unique<GpuEngine>(gpu->index);
}

std::vector<SearchResult> SearchEngine::search(std::span<const Query> queries,
                                               const SearchSettings& settings,
                                               const OnProgress& on_progress) {
  plans_.resize(queries.size());
  parallel_for(0, queries.size(), [&](std::size_t thread, std::size_t i) {
    if (on_progress && thread == 0) on_progress(0);  // it may end the search here, too
    plans_[i] = plan_query(index_, queries[i]);
  });
  if (gpu_) return search_on_gpu(settings, on_progress);
  return search_on_cpu(cpu_, plans_, settings, on_progress);
}

/// One batch on the GPU; what it cannot answer, on the CPU.
std::vector<SearchResult> SearchEngine::search_on_gpu(const SearchSettings& settings,
                                                      const OnProgress& on_progress) {
  const Ticket ticket = gpu_->submit(plans_, std::span(&settings, 1));
  const BatchAnswers answers = await(*gpu_, ticket, on_progress);
  std::vector<SearchResult> results(plans_.size());
  std::vector<std::size_t> left;
  left_plans_.clear();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    results[i] = answers.result(i);
    if (answers[i].is_answered) continue;
    left.push_back(i);
    left_plans_.push_back(plans_[i]);
  }
  if (on_progress) on_progress(plans_.size() - left.size());
  std::vector<SearchResult> others = search_on_cpu(cpu_, left_plans_, settings, on_progress);
  for (std::size_t i = 0; i < left.size(); ++i) results[left[i]] = std::move(others[i]);
  return results;
}

}  // namespace warpdex::tools
