// How thoroughly commands search an index of vectors, and where: on the CPU or on GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "options/at_most.hpp"
#include "options/device_options.hpp"
#include "options/options.hpp"
#include "warpdex/gpu.hpp"
#include "warpdex/vector_index.hpp"

namespace warpdex::tools {

/// How thoroughly lists and codes are searched: --probes, --refine, --query-bits and --extra.
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
void set_binary_depth(const CommandLine& command, const SearchDepth& depth, VectorDepth& settings);

/// Throws UsageError if one of these options was given that does not apply to this kind of index.
void check_depth_options(const VectorIndex& index, const CommandLine& command);

/// What --probes, a -k and --refine are of. `effect`: see Supply.
Supply lists_of(const VectorIndex& index);
Supply vectors_of(const VectorIndex& index, const std::string& effect);
Supply refined_of(const VectorIndex& index);

/// What `depth` means for the index: probes of as many lists as there are at most, with a note
/// where --probes or --refine asks for more. Throws as check_depth_options() does, and UsageError
/// for numbers out of range.
VectorDepth checked_depth(const VectorIndex& index, const CommandLine& command, SearchDepth depth);

/// What --gpu-memory means for commands that search vectors.
inline constexpr const char* kGpuMemoryOfVectors =
    "It holds for each GPU. What one does not hold of the index is read in the host's memory";

/// Takes the options of a search; throws where GPUs fail.
using UseOptions = std::function<void(const VectorIndexOptions&)>;

/// Starts the GPUs that the options name, if there are some, and returns the options of a search
/// there, or by the CPU. `use` gets them first; where it throws for the GPUs' sake, --device auto
/// takes the CPU, and `use` is called again. Later too, where GPUs have too little memory, the CPU
/// takes over. Throws UsageError where there are not as many GPUs as shards and replicas need, and
/// what DeviceOptions::start_gpus() and `use` do.
VectorIndexOptions search_options(const VectorDepth& depth, std::size_t threads,
                                  const DeviceOptions& device, const UseOptions& use = {});

/// Sets where and how thoroughly the index is searched from now on. Throws likewise, and
/// FormatError for damage.
void set_search(VectorIndex& index, const VectorDepth& depth, std::size_t threads,
                const DeviceOptions& device);

/// What the driver calls them, each once, with commas between them; empty for none.
std::string gpu_names(const std::vector<Gpu>& gpus);

}  // namespace warpdex::tools
