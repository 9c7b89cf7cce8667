// The searcher that the options of a command ask for.
#pragma once

#include <string>

#include "options/device_options.hpp"
#include "options/search_options.hpp"
#include "warpdex/searcher.hpp"

namespace warpdex::tools {

/// What --gpu-memory means for commands that search text.
inline constexpr const char* kGpuMemoryOfText =
    "It holds for each GPU. What one does not hold of the index is read in the host's memory";

/// Opens the index on the device that the options say. Where `auto` finds no usable GPU, a line on
/// standard error says why the CPU works.
Searcher open_searcher(const std::string& folder, const DeviceOptions& device, std::size_t threads,
                       bool document_blocks = false);

/// What SearcherOptions::document_blocks does, for --help.
inline constexpr const char* kDocumentBlocks =
    "hold an index of impacts in memory (with --device gpu, the GPU's too) by blocks of documents "
    "as well, for OR over many terms";

/// What the options of a command say, as a Searcher takes it.
warpdex::SearchOptions searcher_options(const SearchSettings& settings);

/// Says on standard error what stands in the way of the GPU, if something does.
void print_problem(const Searcher& searcher);

}  // namespace warpdex::tools
