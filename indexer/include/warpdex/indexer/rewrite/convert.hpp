// Writes an index under another codec, without its documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "warpdex/indexer/format/index_writer.hpp"

namespace warpdex {

/// How far the writing of an index from another has come.
struct RewriteProgress {
  std::string_view stage;   ///< "checking", "reading lists", "ordering" or "writing"
  std::uint64_t done = 0;   ///< of `total`: postings while writing, else parts of the work
  std::uint64_t total = 0;  ///< 1 or more
};

/// Which index is read, where the new one goes, and the memory and threads for it.
struct RewriteOptions {
  std::filesystem::path input;        ///< an index's folder
  std::filesystem::path output;       ///< the new one's; it may be `input`, which is then replaced
  std::uint64_t memory = 1ULL << 30;  ///< bytes; at least kMinBuildMemory
  std::size_t threads = 0;            ///< 0: one for each processor that the process may use
  /// Called from any thread, one call at a time, a few times a second or more often; what it throws
  /// ends the work, which then throws it.
  std::function<void(const RewriteProgress&)> on_progress;
};

struct ConvertOptions {
  RewriteOptions rewrite;
  CodecSettings codec;  ///< of the new index
  /// Quantises frequencies to impacts by these settings; none: lists hold what they held.
  std::optional<ImpactSettings> impacts = std::nullopt;
};

/// What a conversion wrote, and how long it took.
struct ConvertReport {
  std::uint64_t documents = 0;
  std::uint64_t terms = 0;
  std::uint64_t postings = 0;
  double seconds = 0;  ///< of wall-clock time
  /// A sentence for each thing beside the index that could not be cleared away.
  std::vector<std::string> notes{};
};

/// Writes the index at `rewrite.output`, with the same bytes that build_index() gives for the same
/// documents in the same order, this codec and these impacts, for any number of threads and any
/// budget. Checks every section's checksum first. Throws UsageError (too little memory, an output
/// within the input, impacts of an index that holds impacts already), InputError for a static score
/// too large for impacts, IoError if there is no index or nothing can be written, FormatError for a
/// damaged index; the output is then as it was. O(postings).
///
/// The process stays within `memory` plus 20 % and what is mapped of the input, which the system
/// takes back where memory is short, as long as 4 bytes a document and the longest list (about 36
/// bytes a posting) fit.
ConvertReport convert_index(const ConvertOptions& options);

}  // namespace warpdex
