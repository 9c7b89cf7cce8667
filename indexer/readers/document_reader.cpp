// Finds formats by their names, and opens their readers.
#include "warpdex/indexer/readers/document_reader.hpp"

#include <algorithm>

#include "readers/readers.hpp"

namespace warpdex {
namespace {

/// The only field of formats without fields.
constexpr std::string_view kText = "text";

void check_stored(const ReaderOptions& options) {
  const bool has_fields = options.format == DocumentFormat::kJsonl ||
                          options.format == DocumentFormat::kCsv ||
                          options.format == DocumentFormat::kSparse;
  const auto& stored = options.stored;
  if (!has_fields && !options.columns.empty()) {
    throw UsageError("documents of this format have no fields, as '" + options.columns[0].name +
                     "' of the schema; give JSON lines (jsonl) or csv");
  }
  if (has_fields || stored.empty()) return;
  const bool has_title = options.format == DocumentFormat::kHtml &&
                         std::find(stored.begin(), stored.end(), "title") != stored.end();
  if (!has_title && std::find(stored.begin(), stored.end(), kText) == stored.end()) {
    throw UsageError("documents of this format have no field '" + stored[0] +
                     "' to be stored; give JSON lines (jsonl), or store 'text', which is all that "
                     "other formats have");
  }
}

void check_vectors(const ReaderOptions& options) {
  if (options.vectors.empty() || options.format == DocumentFormat::kJsonl) return;
  throw UsageError("documents of this format have no vectors, as '" + options.vectors[0].name +
                   "' of the schema; give JSON lines (jsonl)");
}

void check_texts(const ReaderOptions& options) {
  const bool has_fields =
      options.format == DocumentFormat::kJsonl || options.format == DocumentFormat::kCsv;
  if (has_fields || options.text_fields.empty()) return;
  if (options.format != DocumentFormat::kSparse && options.text_fields.size() == 1) return;
  throw UsageError(
      "documents of this format do not have the text fields '" + options.text_fields.front() + "'" +
      (options.text_fields.size() > 1 ? " and others" : "") + "; give JSON lines (jsonl) or CSV");
}

}  // namespace

std::vector<std::optional<std::string>> stored_text(const std::vector<std::string>& fields,
                                                    const std::string& text) {
  std::vector<std::optional<std::string>> values(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] == kText) values[i] = text;
  }
  return values;
}

DocumentFormat document_format_from_name(std::string_view name) {
  if (name == "jsonl") return DocumentFormat::kJsonl;
  if (name == "tsv") return DocumentFormat::kTsv;
  if (name == "csv") return DocumentFormat::kCsv;
  if (name == "html") return DocumentFormat::kHtml;
  if (name == "trec") return DocumentFormat::kTrec;
  if (name == "text") return DocumentFormat::kText;
  if (name == "sparse") return DocumentFormat::kSparse;
  throw UsageError("there is no format '" + std::string(name) +
                   "'; choose jsonl, tsv, csv, trec, text, html or sparse");
}

std::string Location::to_string() const {
  return line == 0 ? file : file + ":" + std::to_string(line);
}

std::unique_ptr<DocumentReader> open_documents(const ReaderOptions& options) {
  check_stored(options);
  check_texts(options);
  check_vectors(options);
  switch (options.format) {
    case DocumentFormat::kJsonl: return open_jsonl(options);
    case DocumentFormat::kTsv: return open_tsv(options);
    case DocumentFormat::kCsv: return open_csv(options);
    case DocumentFormat::kHtml: return open_html(options);
    case DocumentFormat::kTrec: return open_trec(options);
    case DocumentFormat::kText: return open_text(options);
    case DocumentFormat::kSparse: return open_sparse(options);
  }
  throw UsageError("the format of the documents is none that Warpdex reads");
}

}  // namespace warpdex
