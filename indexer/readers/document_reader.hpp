// Document collections: files of JSONL, TSV, TREC SGML or plain text, to documents.
//
// Reading has two halves, so that it scales: next() cuts the input into raw records and is called
// by one thread at a time; parse() turns a raw record into a document and is called from any.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/error.hpp"

namespace warpdex {

enum class DocumentFormat { kJsonl, kTsv, kTrec, kText };

/// The format of that name (jsonl, tsv, trec, text); UsageError for any other.
DocumentFormat document_format_from_name(std::string_view name);

/// Where a record starts.
struct Location {
  std::string file;         ///< as given, "<stdin>" for standard input
  std::uint64_t line = 0;   ///< from 1
  std::string to_string() const;  ///< "FILE:LINE"
};

/// A document as it lies in its file.
struct RawRecord {
  std::string bytes;
  Location location;
};

struct Document {
  std::string id;
  std::string text;  ///< the chosen fields, joined by a line feed
};

/// A document that cannot be indexed; the message starts with its location.
class BadDocument : public InputError {
 public:
  using InputError::InputError;
};

struct ReaderOptions {
  DocumentFormat format = DocumentFormat::kJsonl;
  std::vector<std::string> inputs;            ///< files; folders for kText; "-" is standard input
  std::vector<std::string> fields{"contents"};  ///< JSONL members to index, in this order
};

class DocumentReader {
 public:
  virtual ~DocumentReader() = default;

  /// The next record; false at the end. Records are never split, whatever their length. Throws
  /// IoError for a file that cannot be read and InputError for one that cannot be unpacked or is
  /// cut short (both name the file): these end the build.
  virtual bool next(RawRecord& record) = 0;

  /// The document in a record. Throws BadDocument: malformed, without an id, without any of the
  /// fields, or not UTF-8. Safe from many threads.
  virtual Document parse(const RawRecord& record) const = 0;

  /// Bytes of input files consumed so far (packed, where they are packed) and in all; the total
  /// is 0 where it cannot be known. For progress; callable while another thread is in next().
  virtual std::uint64_t bytes_consumed() const = 0;
  virtual std::uint64_t bytes_total() const = 0;
};

/// Opens the inputs in their order. Throws UsageError for an empty list of inputs, IoError for a
/// file that does not exist.
std::unique_ptr<DocumentReader> open_documents(const ReaderOptions& options);

}  // namespace warpdex
