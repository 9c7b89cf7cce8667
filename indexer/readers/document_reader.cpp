// Finds formats by their names, and opens their readers.
#include "warpdex/indexer/readers/document_reader.hpp"

#include "readers/readers.hpp"

namespace warpdex {

DocumentFormat document_format_from_name(std::string_view name) {
  if (name == "jsonl") return DocumentFormat::kJsonl;
  if (name == "tsv") return DocumentFormat::kTsv;
  if (name == "trec") return DocumentFormat::kTrec;
  if (name == "text") return DocumentFormat::kText;
  if (name == "sparse") return DocumentFormat::kSparse;
  throw UsageError("there is no format '" + std::string(name) +
                   "'; choose jsonl, tsv, trec, text or sparse");
}

std::string Location::to_string() const { return file + ":" + std::to_string(line); }

std::unique_ptr<DocumentReader> open_documents(const ReaderOptions& options) {
  switch (options.format) {
    case DocumentFormat::kJsonl: return open_jsonl(options);
    case DocumentFormat::kTsv: return open_tsv(options);
    case DocumentFormat::kTrec: return open_trec(options);
    case DocumentFormat::kText: return open_text(options);
    case DocumentFormat::kSparse: return open_sparse(options);
  }
  throw UsageError("the format of the documents is none that Warpdex reads");
}

}  // namespace warpdex
