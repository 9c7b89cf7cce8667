// Writes indexes from indexes, without their documents: under another codec, or with the documents
// in another order, by recursive graph bisection (Dhulipala et al., KDD 2016): those with terms in
// common get docIDs near each other, so lists are smaller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

/// How far the writing of an index from another has come.
struct RewriteProgress {
  std::string_view stage;   ///< "checking", "reading lists", "ordering", "writing" or "splitting"
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

/// How an order is found.
struct OrderSettings {
  /// Lists of fewer postings do not count for the order; 2 or more.
  std::uint32_t min_list = 2;
  std::uint32_t leaf = 16;  ///< parts of so many documents are not divided any more; 1 or more
  std::uint32_t iterations = 20;  ///< maximum rounds of exchanges between two halves; 1 or more
};

/// What was reordered, and how long it took.
struct ReorderReport {
  std::uint64_t documents = 0;
  std::uint64_t terms = 0;
  std::uint64_t postings = 0;
  std::uint32_t min_list = 0;       ///< of the lists that counted
  std::uint64_t lists_used = 0;     ///< their number
  std::uint64_t postings_used = 0;  ///< their postings
  /// The budget, in bytes, with which all lists of OrderSettings::min_list postings count. With
  /// less, the rarest are left out, and `min_list` is larger than was asked for.
  std::uint64_t memory_for_all = 0;
  double order_seconds = 0;  ///< of wall-clock time, to find the order
  double seconds = 0;        ///< all in all
  /// A sentence for each thing beside the index that could not be cleared away.
  std::vector<std::string> notes{};
};

/// Writes the index of `options.input` to `options.output` with other docIDs: names, lengths,
/// static scores and postings follow their documents. A document's score for a query stays the same
/// to the bit; documents of one score rank by their new docIDs. Documents without terms come last,
/// in the order in which they were. The bytes do not depend on the number of threads; they depend
/// on the memory where that is too little for all lists (ReorderReport::memory_for_all). Checks
/// every section's checksum first. Throws as convert_index() does, and UsageError where the memory
/// does not hold even the tables of documents (about 37 bytes each). O(postings · log documents).
ReorderReport reorder_index(const RewriteOptions& options, const OrderSettings& settings);

/// Builds as build_index() does, then reorders the index as reorder_index() does; `reordering` gets
/// the progress of the second step. For a while, the index is on the disk twice, beside the target.
BuildReport build_reordered_index(DocumentReader& reader, const BuildOptions& options,
                                  const OrderSettings& settings,
                                  const std::function<void(const RewriteProgress&)>& reordering,
                                  ReorderReport& report);

/// The most parts that an index is split into.
inline constexpr std::uint32_t kMaxParts = 4096;

/// A part that was written.
struct SplitPart {
  std::filesystem::path folder;
  std::uint64_t documents = 0;
};

/// What split_index() wrote, and how long it took.
struct SplitReport {
  std::vector<SplitPart> parts;  ///< in the order of their documents
  double seconds = 0;            ///< of wall-clock time
  /// A sentence for each thing beside the parts that could not be cleared away.
  std::vector<std::string> notes{};
};

/// Writes the live documents of an index of any number of segments as `parts` indexes of one
/// segment each: ranges that follow each other, of sizes that differ by one document at most.
/// Impacts stay as they are, by the statistics of the whole; a part without them has the bytes that
/// build_index() gives for its documents. Parts appear one after the other, each whole, at
/// part_folder(options.output, i), in the place of an index of text there. Checks every section's
/// checksum first. Throws as convert_index() does, and UsageError for no parts, more than kMaxParts
/// or more than there are documents, and for an output that is an index. O(parts * postings).
SplitReport split_index(const RewriteOptions& options, std::uint32_t parts);

/// Builds as build_index() does, but the documents as parts in the folder `options.output`, as
/// split_index() writes them; `splitting` gets the progress of that. For a while, the documents are
/// on the disk twice. Throws as both do; parts that are there already stay as they are until all
/// documents were read.
BuildReport build_parts(DocumentReader& reader, const BuildOptions& options, std::uint32_t parts,
                        const std::function<void(const RewriteProgress&)>& splitting,
                        SplitReport& report);

/// What a merge of segments did (Writer::merge()).
struct MergeReport {
  std::uint64_t segments_before = 0;
  std::uint64_t segments = 0;
  std::uint64_t dropped_documents = 0;  ///< removed ones that are gone for good
  std::uint64_t removed_documents = 0;  ///< that are left
};

}  // namespace warpdex
