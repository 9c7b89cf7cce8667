// Searches an index of vectors, of whichever kind, on the CPU or on GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "options/at_most.hpp"
#include "options/device_options.hpp"
#include "options/options.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/search/index_searcher.hpp"
#include "warpdex/vector/search/vector_searcher.hpp"

namespace warpdex::tools {

/// How thoroughly lists and codes are searched: --probes, --refine, --query-bits
/// and --extra.
struct SearchDepth {
  std::int64_t probes = 16;
  std::int64_t refine = 0;
  std::int64_t query_bits = 0;
  std::int64_t extra = 0;
};

void add_depth_options(po::options_description& group, SearchDepth& depth);
/// Adds the options of those that are for binary codes only.
void add_binary_depth_options(po::options_description& group, SearchDepth& depth);

/// Sets what they say. Throws UsageError for numbers out of range, and for --extra without
/// --refine.
void set_binary_depth(const CommandLine& command, const SearchDepth& depth,
                      vector::ProbeSettings& settings);

/// Throws UsageError if one of these options was given that does not apply to this kind of index.
void check_depth_options(const vector::VectorIndex& index, const CommandLine& command);

/// What --probes, a -k and --refine are of. `effect`: see Supply.
Supply lists_of(const vector::VectorIndex& index);
Supply vectors_of(const vector::VectorIndex& index, const std::string& effect);
Supply refined_of(const vector::VectorIndex& index);

/// What `depth` means for the index: probes of as many lists as there are at most, with a note
/// where
/// --probes or --refine asks for more. Throws as check_depth_options() does, and UsageError for
/// numbers out of range.
vector::ProbeSettings checked_depth(const vector::VectorIndex& index, const CommandLine& command,
                                    SearchDepth depth);

/// How several GPUs share an index: the options --shards and --replicas. 0: not given.
struct GpuLayout {
  std::int64_t shards = 0;
  std::int64_t replicas = 0;
};

/// The options of GPUs for commands that search: those of `device`, and those of the layout.
void add_search_device_options(CommandLine& command, DeviceOptions& device, GpuLayout& layout);
/// Of what add_search_device_options() added. Throws as DeviceOptions::check() does.
void check_search_device_options(const CommandLine& command, DeviceOptions& device);

/// What a search is for.
enum class SearchFor { kQueries, kStoredRows };

/// By one thread at a time.
class VectorSearch {
 public:
  /// `device` and `layout` are what the options say, which `command` may have been given. Throws
  /// UsageError where there are not as many GPUs as shards and replicas need; with --device gpu
  /// what DeviceOptions::start_gpu() does, and FormatError for damage. The index must outlive this.
  /// For stored rows it is a vector::RowSearch, and throws what vector::row_search() does.
  VectorSearch(const vector::VectorIndex& index, const CommandLine& command,
               const vector::ProbeSettings& depth, std::size_t threads,
               const DeviceOptions& device = DeviceOptions(), const GpuLayout& layout = {},
               SearchFor what = SearchFor::kQueries);

  /// Sets how many lists are probed and how many answers refined from now on. Copies the index to
  /// the GPUs again. Only for SearchFor::kQueries.
  void set_depth(const vector::ProbeSettings& depth);

  /// Where the GPU has too little memory for a search, --device auto goes on on the CPU.
  vector::Neighbors nearest(std::span<const float> queries, std::size_t k,
                            const vector::RowFilter* filter);
  vector::RangeNeighbors within(std::span<const float> queries, float radius,
                                const vector::RowFilter* filter);
  /// Whether GPUs answer, in how many shards, and in how many replicas of these.
  bool is_on_gpu() const { return gpu_ != nullptr; }
  std::size_t shards() const { return gpu_ ? gpu_->shards : 0; }
  std::size_t replicas() const { return gpu_ ? gpu_->replicas : 0; }
  /// If they do: whether all that is searched lies in their memory, and what was certified there.
  bool is_resident() const { return gpu_->searcher->is_resident(); }
  vector::GpuFlatFigures figures() const { return gpu_->searcher->figures(); }
  /// What the driver calls the GPUs, with commas between them; empty: the CPU answers.
  std::string gpu_name() const;

 private:
  struct Gpu {
    /// Each GPU once.
    std::vector<std::unique_ptr<Resources>> resources;
    /// In the order of --devices, which may name one several times.
    std::vector<Resources*> order;
    std::size_t shards;
    std::size_t replicas;
    std::unique_ptr<vector::VectorSearcher> searcher;
  };

  void start_gpus(std::size_t shards, std::span<const ResourceSettings> gpus);
  void upload(Gpu& gpu) const;
  template <class Answers, class Search>
  std::optional<Answers> try_gpu(const Search& search);

  const vector::VectorIndex& index_;
  vector::Metric metric_;
  vector::ProbeSettings settings_;
  std::size_t threads_;
  DeviceOptions device_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<vector::VectorSearcher> cpu_;
};

}  // namespace warpdex::tools
