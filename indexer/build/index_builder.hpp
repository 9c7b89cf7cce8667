// Documents in, index out: parallel inversion within a memory budget.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "warpdex/indexer/format/index_writer.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex {

enum class OnBadDocument { kFail, kSkip };

struct BuildProgress {
  std::string stage;                 ///< "reading" or "writing"
  std::uint64_t documents = 0;       ///< read so far
  std::uint64_t bytes_consumed = 0;  ///< of input, as the reader counts them
  std::uint64_t bytes_total = 0;     ///< 0: not known
  std::uint64_t text_bytes = 0;      ///< analysed so far
  std::uint64_t terms_written = 0;
  std::uint64_t terms_total = 0;  ///< 0: not known
  std::uint64_t postings_written = 0;
  std::uint64_t postings_total = 0;  ///< 0 while reading; known before anything is written
};

struct BuildOptions {
  std::filesystem::path output;
  CodecSettings codec;
  std::string analyzer = "english";
  std::string fields;                   ///< for the manifest
  std::filesystem::path static_scores;  ///< id<TAB>value; empty: none
  OnBadDocument on_bad_document = OnBadDocument::kFail;
  std::uint64_t memory = 1ULL << 30;  ///< bytes; at least kMinBuildMemory
  std::size_t threads = 0;            ///< 0: all
  /// Both are called from the build's threads, one call at a time; what they throw ends the build,
  /// which then throws it. Progress comes a few times a second and at the end of each stage; a
  /// skipped document comes with its BadDocument message, in input order.
  std::function<void(const BuildProgress&)> on_progress;
  std::function<void(const std::string&)> on_skipped_document;
};

inline constexpr std::uint64_t kMinBuildMemory = 64ULL << 20;

struct BuildReport {
  std::uint64_t documents = 0;
  std::uint64_t skipped_documents = 0;
  std::uint64_t tokens = 0;
  std::uint64_t terms = 0;
  std::uint64_t postings = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t runs_spilled = 0;
  std::uint64_t static_scores_unused = 0;  ///< of ids that no document has
  double seconds = 0;
};

/// Builds the index at `options.output`, with the same bytes for any number of threads and any
/// budget. A duplicate id is a bad document (the first good one stays); so is text that analysis
/// refuses. Throws BadDocument for the first bad document in input order (kFail), UsageError,
/// InputError (a packed file cut short, a malformed line of static scores), IoError (a full disk);
/// the target is then as it was. Documents that a file of static scores does not name get 0.
///
/// The process stays within `memory` plus 20 %, as long as each of these fits into it: the tables
/// of documents (about 32 bytes a document, 27 bytes more a line of static scores), the longest
/// posting list (about 28 bytes a posting), and, per thread, the largest document (about 4 times
/// its bytes). Fewer threads run than were asked for where each would get less than 16 MiB.
BuildReport build_index(DocumentReader& reader, const BuildOptions& options);

}  // namespace warpdex
