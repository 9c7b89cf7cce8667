// Searches an index of vectors, of whichever kind, on the CPU or the GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "device_options.hpp"
#include "options.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/flat/gpu_flat_searcher.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/ivf/gpu_ivf_pq_searcher.hpp"
#include "warpdex/vector/ivf/gpu_ivf_searcher.hpp"
#include "warpdex/vector/ivf/ivf_pq_searcher.hpp"
#include "warpdex/vector/ivf/ivf_searcher.hpp"

namespace warpdex::tools {

/// How thoroughly lists are searched: the options --probes and --refine.
struct SearchDepth {
  std::int64_t probes = 16;
  std::int64_t refine = 0;
};

void add_depth_options(po::options_description& group, SearchDepth& depth);

/// By one thread at a time.
class VectorSearch {
 public:
  /// `depth` is what the options say, which `command` may have been given, as `device` is. Throws
  /// UsageError for numbers out of range, and for options that suit no index of that kind; with
  /// --device gpu what DeviceOptions::start_gpu() does, and FormatError for damage. The index must
  /// outlive this.
  VectorSearch(const vector::VectorIndex& index, const CommandLine& command, SearchDepth depth,
               std::size_t threads, const DeviceOptions& device = {});

  /// Where the GPU has too little memory for a search, --device auto goes on on the CPU.
  vector::Neighbors nearest(std::span<const float> queries, std::size_t k,
                            const vector::RowFilter* filter);
  vector::RangeNeighbors within(std::span<const float> queries, float radius,
                                const vector::RowFilter* filter);
  /// Lists that a query probes; 0: there are none.
  std::size_t probes() const { return probes_; }
  /// Answers by codes that are ranked anew; 0: none.
  std::size_t refine() const { return refine_; }
  /// Whether the GPU answers.
  bool is_on_gpu() const { return gpu_ != nullptr; }
  /// If it does: whether all that is searched lies in its memory, and what was certified there.
  bool is_resident() const;
  vector::GpuFlatFigures figures() const;
  /// What the driver calls the GPU; empty: the CPU answers.
  std::string gpu_name() const;

 private:
  struct Gpu {
    /// `refines`: answers by codes, by the vectors themselves.
    Gpu(const vector::VectorIndex& index, const ResourceSettings& settings, bool refines);

    Resources resources;
    std::optional<vector::GpuFlatSearcher> flat;
    std::optional<vector::GpuIvfSearcher> ivf;
    std::optional<vector::GpuIvfPqSearcher> ivf_pq;
  };

  template <class Answers, class Search>
  std::optional<Answers> try_gpu(const Search& search);

  std::size_t probes_ = 0;
  std::size_t refine_ = 0;
  DeviceOptions device_;
  std::unique_ptr<Gpu> gpu_;
  std::optional<vector::FlatSearcher> flat_;
  std::optional<vector::IvfSearcher> ivf_;
  std::optional<vector::IvfPqSearcher> ivf_pq_;
};

}  // namespace warpdex::tools
