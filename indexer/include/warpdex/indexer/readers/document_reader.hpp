// Document collections: files of JSONL, TSV, CSV, TREC SGML, plain text, HTML or sparse vectors, to
// documents.
//
// Reading has two halves, so that it scales: next() cuts the input into raw records and is called
// by one thread at a time; parse() turns a raw record into a document and is called from any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

/// The most that a document may take in its file, unpacked, unless ReaderOptions say otherwise.
inline constexpr std::uint64_t kMaxDocumentBytes = std::uint64_t{1} << 30;

/// Lines end with "\n" or "\r\n"; blank lines and byte order marks at the start of a line are
/// skipped. Ids hold no white space, no control characters and no characters without width
/// (id_fault()), since runs and qrels could not name them. Inputs whose names end in .gz, .zst or
/// .xz are unpacked, and so is any other that starts like one of these.
enum class DocumentFormat {
  /// One JSON object a line, up to 4 GiB. The id is the first of the members "id", "_id", "docno"
  /// that is there and not null: a string or an integer. The fields are strings; the text is made
  /// of those that are there and not null. Other members are ignored, whatever they hold.
  kJsonl,
  /// id<TAB>text, one document a line; further tabs belong to the text.
  kTsv,
  /// <DOC> ... <DOCNO> id </DOCNO> ... </DOC>, tags in any case of letters, nothing but white space
  /// between documents. The text is all in <DOC> but DOCNO and DOCHDR, each other tag and comment
  /// replaced by a space; &amp; &lt; &gt; &quot; &apos; &#N; &#xN; are decoded, other entities
  /// stay. A '<' that starts no tag is text.
  kTrec,
  /// One JSON object a line, as Anserini and Pyserini write learned weights. The id is as in
  /// kJsonl; the member "vector" is an object of terms with their weights: {"id": "7", "vector":
  /// {"sea": 1.32, "##ing": 0.5}}. Other members are ignored.
  kSparse,
  /// Each file is a document, of a folder all below it in the order of their paths' bytes, without
  /// files and folders whose names start with a dot. Links are followed, to each folder once. The
  /// id
  /// is the path below the folder (of a file that was named itself, its name; of standard input,
  /// "stdin") with '/', the suffix of its packing kept; what an id cannot hold, '%', and where the
  /// path is not UTF-8 all bytes above 127, are written %XX.
  kText,
  /// The first record of each file names the columns; each other one is a document. The id is the
  /// first of the columns "id", "_id", "docno" that is there; the text is made of the fields, which
  /// are columns. Cells are as RFC 4180 has them: in quotes they may hold commas, line feeds, and
  /// quotes, written twice.
  kCsv,
  /// As kText, of HTML in UTF-8. The text is the title and all text but that of scripts and styles,
  /// entities decoded, white space as a browser shows it, a line feed between blocks.
  kHtml,
};

/// The format of that name (jsonl, tsv, csv, trec, text, html, sparse); UsageError for any other.
DocumentFormat document_format_from_name(std::string_view name);

/// Where a record starts.
struct Location {
  std::string file;               ///< as given, "<stdin>" for standard input
  std::uint64_t line = 0;         ///< from 1; 0: the file says all
  std::string to_string() const;  ///< "FILE:LINE"
};

/// A document as it lies in its file.
struct RawRecord {
  std::string bytes;  ///< unpacked
  Location location;  ///< for messages
  /// Document::embedding, where it comes from elsewhere.
  std::vector<float> embedding{};
  std::vector<std::vector<float>> embeddings{};  ///< likewise Document::embeddings
  /// Why this is a bad document, which is not parsed: it was too long to be kept. Else empty.
  std::string problem{};
};

/// A term of a document's sparse vector, as a learned model weighs it.
struct TermWeight {
  std::string term;  ///< taken as it is, not analysed; UTF-8; past kMaxTermBytes left out
  float weight = 0;  ///< finite, 0 or more; of 0: as if it were not there
  bool operator==(const TermWeight&) const = default;
};

/// What is indexed of a record.
struct Document {
  std::string id;      ///< not empty; without an id_fault()
  std::string text{};  ///< UTF-8; the chosen fields, joined by a line feed
  /// Of an index with text fields: the text of each, in their order. Where there is one, it may be
  /// `text`.
  std::vector<std::string> texts{};
  /// Of a reader that has_vectors(), in the place of the text: each term once.
  std::vector<TermWeight> vector{};
  /// Texts to be stored, in the order of ReaderOptions::stored; none where the document has no such
  /// field.
  std::vector<std::optional<std::string>> stored{};
  /// A list for each column of ReaderOptions::columns, arranged; empty where there are no columns.
  FieldValues values{};
  /// A dense vector, for an index of BuildOptions::vectors: its dimension, of finite numbers.
  std::vector<float> embedding{};
  /// Likewise one for each of ReaderOptions::vectors; empty where there are no such fields.
  std::vector<std::vector<float>> embeddings{};
};

/// A field that was asked for, and how many documents have it.
struct FieldCount {
  std::string name;
  std::uint64_t documents = 0;  ///< parsed ones in which it is there, if empty, and not null
};

/// How many documents have the fields that were asked for.
struct FieldUse {
  std::vector<FieldCount> fields;  ///< as they were asked for; empty: the format has no fields
  std::vector<FieldCount> stored;  ///< likewise of ReaderOptions::stored
  std::string known;               ///< names of the first documents' fields, "id, text, title"
};

/// What a folder holds that is not read.
struct LeftOut {
  std::uint64_t hidden = 0;            ///< files and folders whose names start with a dot
  std::uint64_t dangling_links = 0;    ///< which lead nowhere
  std::uint64_t repeated_folders = 0;  ///< links to folders that are read elsewhere
  std::uint64_t others = 0;            ///< pipes, sockets, devices
  std::vector<std::string> first;      ///< paths of some of them, those met first

  std::uint64_t total() const { return hidden + dangling_links + repeated_folders + others; }
};

/// A document that cannot be indexed; the message starts with its location.
class BadDocument : public InputError {
 public:
  using InputError::InputError;
};

/// What open_documents() reads.
struct ReaderOptions {
  DocumentFormat format = DocumentFormat::kJsonl;  ///< of all inputs
  std::vector<std::string> inputs{};  ///< files; folders for kText, kHtml; "-" is standard input
  /// JSONL members, or columns of CSV, to index, in this order.
  std::vector<std::string> fields{"contents"};
  /// The text fields of a schema: Document::texts are these members or columns, `text` is empty,
  /// and `fields` are not read. A member that is null or missing is an empty text. Other formats
  /// have one text. Empty: there are none.
  std::vector<std::string> text_fields{};
  /// Fields to store. JSONL and sparse vectors: members, which are strings or numbers; CSV:
  /// columns. Other formats have one field, "text": all that is indexed; HTML has "title", too.
  std::vector<std::string> stored{};
  /// Columns (columns_of()) whose values documents have. JSONL and sparse vectors: members of their
  /// names, which are strings, numbers, true, false, null, or arrays of these; CSV: columns of the
  /// file, where an empty cell is no value. Other formats have none.
  std::vector<Field> columns{};
  /// JSONL: the member that is each document's dense vector, an array of numbers; empty: they have
  /// none.
  std::string embedding{};
  /// Vectors (vector_fields()) that documents have. JSONL: members of their names, arrays of
  /// numbers; other formats have none.
  std::vector<Field> vectors{};
  /// A document that takes more, in bytes, is a bad one, and is not held in memory.
  std::uint64_t max_document_bytes = kMaxDocumentBytes;
  /// The memory of the build, in bytes. A packed input that needs more than half of it to be
  /// unpacked is refused.
  std::uint64_t memory = std::uint64_t{1} << 30;
  /// Called before each read of an input, and ten times a second while a pipe or terminal gives
  /// nothing. What it throws ends next(), so that a program can stop a reader that waits.
  std::function<void()> on_read{};
};

/// A collection, record by record. The build reads any that implements it.
class DocumentReader {
 public:
  virtual ~DocumentReader() = default;

  /// The next record; false at the end. Records are never split. One that is too long comes as soon
  /// as that is known; the next call passes over the rest of it. Throws
  /// IoError for a file that cannot be read and InputError for one that cannot be unpacked or is
  /// cut short (both name the file): these end the build.
  virtual bool next(RawRecord& record) = 0;

  /// The document in a record. Throws BadDocument: malformed, without an id, without any of the
  /// fields, or not UTF-8. Safe from many threads.
  virtual Document parse(const RawRecord& record) const = 0;

  /// Whether documents are sparse vectors, which make an index of impacts, and not texts. The build
  /// checks what is in them.
  virtual bool has_vectors() const { return false; }

  /// Components of the first document's Document::embedding, where ReaderOptions::embedding is set;
  /// else 0. Reads that document ahead; before the first next(). Throws as next() and parse() do,
  /// and InputError where there is no document.
  virtual std::size_t embedding_dimension() { return 0; }

  /// Of the documents parsed so far. Not while another thread reads or parses.
  virtual FieldUse field_use() const { return {}; }

  /// The bytes that unpacking the input takes in memory now: a build leaves room for them. Callable
  /// while another thread is in next().
  virtual std::uint64_t unpacking_memory() const { return 0; }

  /// What the inputs' folders hold beside documents.
  virtual LeftOut left_out() const { return {}; }

  /// Bytes of input files consumed so far (packed, where they are packed) and in all; the total
  /// is 0 where it cannot be known. For progress; callable while another thread is in next().
  virtual std::uint64_t bytes_consumed() const = 0;
  virtual std::uint64_t bytes_total() const = 0;
};

/// Opens the inputs in their order. Throws UsageError for an empty list of inputs and for fields to
/// store that the format has not, IoError for a file that does not exist.
std::unique_ptr<DocumentReader> open_documents(const ReaderOptions& options);

}  // namespace warpdex
