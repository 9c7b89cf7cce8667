// The reader of each format; open_documents() chooses. Their rules stand in document_reader.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex {

/// Document::stored of a format whose documents are one text: that is the field "text".
std::vector<std::optional<std::string>> stored_text(const std::vector<std::string>& fields,
                                                    const std::string& text);

std::unique_ptr<DocumentReader> open_jsonl(const ReaderOptions& options);
std::unique_ptr<DocumentReader> open_tsv(const ReaderOptions& options);
std::unique_ptr<DocumentReader> open_csv(const ReaderOptions& options);
std::unique_ptr<DocumentReader> open_html(const ReaderOptions& options);
std::unique_ptr<DocumentReader> open_trec(const ReaderOptions& options);
std::unique_ptr<DocumentReader> open_text(const ReaderOptions& options);
std::unique_ptr<DocumentReader> open_sparse(const ReaderOptions& options);

}  // namespace warpdex
