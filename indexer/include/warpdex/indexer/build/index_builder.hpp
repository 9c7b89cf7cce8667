// Documents in, index out: parallel inversion within a memory budget.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex {

/// What a build does with a document that cannot be indexed.
enum class OnBadDocument {
  kFail,  ///< it ends the build; the target stays as it was
  kSkip,  ///< it is left out, counted and passed to on_skipped_document
};

/// How far a build has come.
struct BuildProgress {
  std::string stage;                   ///< "reading" or "writing"
  std::uint64_t documents = 0;         ///< read so far
  std::uint64_t bytes_consumed = 0;    ///< of input, as the reader counts them
  std::uint64_t bytes_total = 0;       ///< 0: not known
  std::uint64_t text_bytes = 0;        ///< analysed so far
  std::uint64_t terms_written = 0;     ///< with their lists, so far
  std::uint64_t terms_total = 0;       ///< 0: not known
  std::uint64_t postings_written = 0;  ///< so far
  std::uint64_t postings_total = 0;    ///< 0 while reading; known before anything is written
};

/// What a build makes, and the memory and threads that it may use.
struct BuildOptions {
  std::filesystem::path output;  ///< the index's folder; an index of text there is replaced
  CodecSettings codec;           ///< of the posting lists
  /// A name alone is its newest version. Sparse vectors are not analysed, and queries for them only
  /// split: an index of them records "whitespace".
  AnalyzerSettings analyzer = "english";
  std::string fields;  ///< for the manifest: which fields the texts are made of
  /// Names of the fields that the index is to store; the reader gives their values, one each.
  std::vector<std::string> stored_fields{};
  /// The fields of documents; the reader gives their values and texts (ReaderOptions::columns and
  /// text_fields). Without text fields, Document::text is searched. Checked as parse_schema()
  /// checks.
  Schema schema{};
  /// The index holds a vector for each document, its Document::embedding, beside its text.
  std::optional<vector::RowSettings> vectors = std::nullopt;
  /// A file of id<TAB>value lines, values finite and not negative, each id once; empty: none.
  std::filesystem::path static_scores;
  /// Lists hold 8-bit impacts of BM25 with these settings in the place of frequencies. Not for
  /// sparse vectors, whose weights become impacts.
  std::optional<ImpactSettings> impacts = std::nullopt;
  /// Keeps each document's terms, so that statistics stay exact when documents are removed. Without
  /// it, they count removed documents until these are merged away. An index of BM25's impacts has
  /// no forward index.
  bool forward = true;
  /// All lists hold the positions of words, which phrases ask for; else those of text fields with
  /// Field::positions do. Not beside impacts, nor of sparse vectors.
  bool positions = false;
  OnBadDocument on_bad_document = OnBadDocument::kFail;
  std::uint64_t memory = 1ULL << 30;  ///< bytes; at least kMinBuildMemory
  std::size_t threads = 0;            ///< 0: one for each processor that the process may use
  /// Both are called from the build's threads, one call at a time; what they throw ends the build,
  /// which then throws it. Progress comes a few times a second and at the end of each stage, but
  /// not while the reader waits for input (ReaderOptions::on_read is called then); a skipped
  /// document comes with its BadDocument message, in input order.
  std::function<void(const BuildProgress&)> on_progress;
  std::function<void(const std::string&)> on_skipped_document;
};

/// The minimum of BuildOptions::memory, in bytes.
inline constexpr std::uint64_t kMinBuildMemory = 64ULL << 20;

/// What a build made, or an addition added, and how long it took.
struct BuildReport {
  std::uint64_t documents = 0;             ///< in the index; of an addition, the new ones
  std::uint64_t updated = 0;               ///< of an addition: in the place of live ones
  std::uint64_t skipped_documents = 0;     ///< left out as bad
  std::uint64_t tokens = 0;                ///< the documents' lengths, added
  std::uint64_t terms = 0;                 ///< distinct
  std::uint64_t postings = 0;              ///< pairs of a term and a document
  std::uint64_t text_bytes = 0;            ///< of the documents' texts, in UTF-8
  std::uint64_t runs_spilled = 0;          ///< to temporary files, for want of memory
  std::uint64_t static_scores_unused = 0;  ///< of ids that no document has
  std::uint64_t zero_weights = 0;          ///< of sparse vectors: left out
  /// Of sparse vectors: below half of a step of impacts, and counted as one step all the same.
  std::uint64_t raised_weights = 0;
  std::uint64_t long_words = 0;  ///< left out, since a term has at most kMaxTermBytes
  /// Of sparse vectors: how their weights became impacts, which depends on all of them.
  std::optional<ImpactSettings> weights = std::nullopt;
  std::vector<FieldCount> fields;  ///< as the reader was asked for them, and how common
  LeftOut left_out;                ///< of folders
  double seconds = 0;              ///< of wall-clock time, all in all
  /// A sentence for each thing beside the index that could not be cleared away.
  std::vector<std::string> notes{};
};

/// Builds the index at `options.output`, with the same bytes for any number of threads and any
/// budget. A duplicate id is a bad document (the first good one stays); so is text that analysis
/// refuses. Throws BadDocument for the first bad document in input order (kFail), UsageError,
/// InputError (a packed file cut short, a malformed line of static scores, one too large for
/// impacts, a field that no document has), IoError (a full disk); the target is then as it was.
/// Documents that a file of static scores does not name get 0.
///
/// If the reader has_vectors(), their weights become impacts: as they are if all that are not 0 are
/// whole numbers from 1 to 255; otherwise 255 times their share of the largest, rounded to the
/// nearest and to 1 at least. A document's length is the number of its terms, those of weight 0
/// apart. A vector without a term, with one term twice or with a weight that is not a finite number
/// of 0 or more is a bad document.
///
/// The process stays within `memory` plus 20 %, as long as each of these fits into it: the tables
/// of documents (about 36 bytes a document, 27 bytes more a line of static scores) and the longest
/// posting list (about 28 bytes a posting). Single documents are not in the budget, since they are
/// read whole: a huge one may take 4 to 7 times its bytes beyond it, on each thread that holds one.
/// Fewer threads run than were asked for where each would get less than 16 MiB. Lists of vectors
/// are trained last, on floats of up to RowIndexSettings::train vectors beyond the budget.
BuildReport build_index(DocumentReader& reader, const BuildOptions& options);

}  // namespace warpdex
