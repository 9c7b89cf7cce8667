// Writes whole indexes for other programs: as CIFF, or as the binary collections of ds2i and PISA.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "warpdex/indexer/format/index.hpp"

namespace warpdex::exchange {

/// How far an export has come. What the callback throws ends it.
struct ExportProgress {
  std::uint64_t postings = 0;  ///< written
  std::uint64_t postings_total = 0;
};
using OnExportProgress = std::function<void(const ExportProgress&)>;

/// Writes the index as a CIFF file, once every section's checksum was checked: terms in the order
/// of their bytes, documents in the order of their docIDs. Impacts are written as tf. `description`
/// is for people. Memory: about 16 bytes a posting of the longest list. Throws InputError for what
/// CIFF cannot hold (text that is not UTF-8, more than 2^31 - 1 terms, a list of 2 GiB),
/// FormatError for a damaged index, and IoError if `out` fails. O(postings).
void export_ciff(const Index& index, const std::string& description, std::ostream& out,
                 const OnExportProgress& on_progress = {});

/// Where the parts of a binary collection go.
struct Ds2iStreams {
  std::ostream& docs;       ///< the number of documents, then each list's docIDs
  std::ostream& freqs;      ///< each list's frequencies, or impacts
  std::ostream& sizes;      ///< the documents' lengths
  std::ostream& terms;      ///< a term a line, in the order of the lists
  std::ostream& documents;  ///< a document's name a line
};

/// Writes the index as a binary collection. Throws InputError for a term or a name with a line
/// feed, FormatError and IoError as export_ciff() does. O(postings).
void export_ds2i(const Index& index, const Ds2iStreams& out,
                 const OnExportProgress& on_progress = {});

}  // namespace warpdex::exchange
