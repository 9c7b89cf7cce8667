// The engine that search and bench answer with, chosen by --device: the CPU's or the GPU's.
#pragma once

#include <cstddef>
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

  /// Whether the GPU is to answer. `gpu` without one throws CudaError that says why there is none;
  /// `auto` then takes the CPU, and a line on standard error says why.
  bool use_gpu() const;
  GpuSettings gpu_settings() const;

 private:
  std::string device_ = "cpu";
  std::string gpu_memory_;
};

/// Answers batches of queries; each is planned first.
class SearchEngine {
 public:
  virtual ~SearchEngine() = default;
  /// In their order. Throws what the engines throw.
  virtual std::vector<SearchResult> search(std::span<const Query> queries,
                                           const SearchSettings& settings) = 0;
};

/// `threads` are the CPU engine's (0: all). The index must outlive the engine.
std::unique_ptr<SearchEngine> make_engine(const Index& index, const EngineOptions& options,
                                          std::size_t threads);

}  // namespace warpdex::tools
