// Documents that a program already holds, read as if from files.
#pragma once

#include <memory>
#include <vector>

#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex {

/// A reader of `documents`, in their order, for build_index. Messages call the N-th of them
/// "<memory>:N", from 1. The same rules hold as for files: an id that is empty or holds white space
/// or control characters, and text that is not UTF-8 or holds NUL, make parse() throw BadDocument.
/// bytes_consumed() and bytes_total() count the bytes of ids and texts. Stored values are
/// Document::stored. Each document's memory goes on to the build as it is read.
std::unique_ptr<DocumentReader> documents_from_memory(std::vector<Document> documents);

/// The same of sparse vectors: Document::vector is read, not the text.
std::unique_ptr<DocumentReader> vectors_from_memory(std::vector<Document> documents);

}  // namespace warpdex
