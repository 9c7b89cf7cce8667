// The reader of each format; open_documents() chooses. Their rules stand in document_reader.hpp.
#pragma once

#include <memory>

#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex {

std::unique_ptr<DocumentReader> open_jsonl(const ReaderOptions& options);
std::unique_ptr<DocumentReader> open_tsv(const ReaderOptions& options);
std::unique_ptr<DocumentReader> open_trec(const ReaderOptions& options);
std::unique_ptr<DocumentReader> open_text(const ReaderOptions& options);
std::unique_ptr<DocumentReader> open_sparse(const ReaderOptions& options);

}  // namespace warpdex
