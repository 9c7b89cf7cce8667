// The engine that search and bench answer with, chosen by --device: the CPU's or the GPU's.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warpdex/query/engine.hpp"
#include "warpdex/query/gpu/gpu_searcher.hpp"
#include "warpdex/tools/options.hpp"

namespace warpdex::tools {

/// The options on where queries are answered. Declared once, read after CommandLine::parse().
class EngineOptions {
 public:
  /// Adds the group "Engine".
  void add_to(CommandLine& command);

  /// Throws UsageError where the CPU is to answer and an option was given that is the GPU's: one of
  /// this group, or of `gpu_options`. `command` is the one that they were added to.
  void check(const CommandLine& command, std::initializer_list<const char*> gpu_options = {}) const;

  /// The index in GPU memory, or none if the CPU is to answer. Where the GPU cannot, `gpu` throws
  /// what GpuIndex does, or CudaError that says why there is no GPU; `auto` takes the CPU, and a
  /// line on standard error says why. Throws UsageError for what is no device or no size.
  std::unique_ptr<GpuIndex> make_gpu_index(const Index& index) const;

 private:
  GpuSettings gpu_settings() const;

  std::string device_ = "cpu";
  std::string gpu_memory_;
};

/// Answers batches of queries; each is planned first.
class SearchEngine {
 public:
  /// Is told that so many more queries are answered, from any thread.
  using OnAnswered = std::function<void(std::size_t queries)>;

  virtual ~SearchEngine() = default;
  /// In their order. `on_answered`, if any, is called by the CPU's engine after each query, by the
  /// GPU's after the batch; what it throws ends the search. Throws what the engines throw.
  virtual std::vector<SearchResult> search(std::span<const Query> queries,
                                           const SearchSettings& settings,
                                           const OnAnswered& on_answered = {}) = 0;
};

/// The GPU's engine if the index is there, `gpu`, else the CPU's, of so many threads (0: all).
/// `index` and `gpu` must outlive the engine.
std::unique_ptr<SearchEngine> make_engine(const Index& index, const GpuIndex* gpu,
                                          std::size_t threads);

}  // namespace warpdex::tools
