// Whole indexes of other programs in and out: CIFF, and the binary collections of ds2i and PISA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/index_settings.hpp"

namespace warpdex::exchange {

/// Where the lengths of documents come from.
enum class LengthSource {
  kFile,      ///< as the file has them; none may be less than its document's postings add up to
  kPostings,  ///< what each document's postings add up to
};

/// What an import makes, and the memory and threads that it may use.
struct ImportOptions {
  std::filesystem::path output;  ///< the index's folder; an index of text there is replaced
  CodecSettings codec;           ///< of the posting lists
  AnalyzerSettings analyzer = "whitespace";  ///< of queries: the terms are taken as they are
  LengthSource lengths = LengthSource::kFile;
  /// Lists hold 8-bit impacts in the place of frequencies: of BM25 with these settings; or, of
  /// kWholeWeights, the frequencies are weights of a learned model below 2^20, which have nothing
  /// to do with lengths. They stay as they are if none is past 255; else they become 255 equal
  /// steps up to the largest, as those of sparse vectors do. Not kQuantisedWeights.
  std::optional<ImpactSettings> impacts = std::nullopt;
  std::uint64_t memory = 1ULL << 30;  ///< bytes; at least kMinBuildMemory
  std::size_t threads = 0;            ///< 0: one for each processor that the process may use
  /// Called a few times a second, one call at a time; what it throws ends the import, which throws
  /// it on. The stages are "reading" (bytes_consumed of bytes_total), "checking" and "writing"
  /// (both postings_written of postings_total).
  std::function<void(const BuildProgress&)> on_progress = {};
};

/// What an import made, and how long it took.
struct ImportReport {
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;       ///< the documents' lengths, added
  std::uint64_t terms = 0;        ///< with postings
  std::uint64_t empty_lists = 0;  ///< of terms without postings, which are left out
  std::uint64_t long_terms = 0;   ///< longer than kMaxTermBytes: left out with their postings
  std::uint64_t postings = 0;
  std::optional<ImpactSettings> weights = std::nullopt;  ///< how learned weights became impacts
  std::string description;         ///< what the file says of itself; may be empty
  std::vector<std::string> notes;  ///< sentences on what may be wrong
  double seconds = 0;              ///< of wall-clock time, all in all
};

/// Imports a CIFF file: plain, or packed by gzip, zstd or xz; "-" is standard input. A packed file,
/// or a pipe, is first copied, unpacked, beside the target. DocIDs stay as they are; the file's
/// records may come in any order, as may its terms.
///
/// Throws InputError for a file that is cut short, damaged or not CIFF, for docIDs that do not
/// ascend, for names and terms that occur twice or are not UTF-8, for counts that contradict the
/// header, and for a posting list too long for the memory; UsageError; IoError. The target is then
/// as it was.
///
/// The process stays within `memory` plus 20 %, if its tables (32 bytes a list, 48 bytes a
/// document) fit into that. Mapped pages of the file do not count, since the system can take them
/// back. Only the encoding of lists uses several threads. O(file).
ImportReport import_ciff(const std::filesystem::path& file, const ImportOptions& options);

/// The files of a binary collection.
struct Ds2iFiles {
  std::filesystem::path prefix;     ///< PREFIX.docs, PREFIX.freqs and PREFIX.sizes
  std::filesystem::path terms;      ///< a term a line; empty: PREFIX.terms, if it is there
  std::filesystem::path documents;  ///< a name a line; empty: PREFIX.documents, if it is there
};

/// Imports a binary collection, whose files are plain. If there are no terms or no names, numbers
/// from 0 on take their place. Otherwise as import_ciff().
ImportReport import_ds2i(const Ds2iFiles& files, const ImportOptions& options);

/// How far an export has come. What the callback throws ends it.
struct ExportProgress {
  std::uint64_t postings = 0;  ///< written
  std::uint64_t postings_total = 0;
};
using OnExportProgress = std::function<void(const ExportProgress&)>;

/// What an export wrote.
struct ExportReport {
  std::uint64_t documents = 0;
  std::uint64_t postings = 0;
};

/// Writes the index of a folder as a CIFF file, once every section's checksum was checked: terms in
/// the order of their bytes, documents in the order of their docIDs. Impacts are written as tf.
/// `description` is for people. Memory: about 16 bytes a posting of the longest list. Throws
/// InputError for what CIFF cannot hold (text that is not UTF-8, more than 2^31 - 1 terms, a list
/// of 2 GiB), UsageError for an index of several segments or with removed documents, FormatError
/// for a damaged one, and IoError if there is none or `out` fails. O(postings).
ExportReport export_ciff(const std::filesystem::path& folder, const std::string& description,
                         std::ostream& out, const OnExportProgress& on_progress = {});

/// Where the parts of a binary collection go.
struct Ds2iStreams {
  std::ostream& docs;       ///< the number of documents, then each list's docIDs
  std::ostream& freqs;      ///< each list's frequencies, or impacts
  std::ostream& sizes;      ///< the documents' lengths
  std::ostream& terms;      ///< a term a line, in the order of the lists
  std::ostream& documents;  ///< a document's name a line
};

/// Writes the index of a folder as a binary collection. Throws InputError for a term or a name with
/// a line feed, and otherwise as export_ciff() does. O(postings).
ExportReport export_ds2i(const std::filesystem::path& folder, const Ds2iStreams& out,
                         const OnExportProgress& on_progress = {});

}  // namespace warpdex::exchange
