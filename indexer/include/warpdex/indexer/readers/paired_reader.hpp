// Documents and their vectors, which lie in files of their own in the same order.
#pragma once

#include <memory>

#include "warpdex/indexer/readers/document_reader.hpp"
#include "warpdex/vector/data/vector_reader.hpp"

namespace warpdex {

/// A reader of `documents` that gives the i-th of them, bad ones counted, row i of `vectors` as its
/// Document::embedding. Its next() throws InputError, which names the document and the file, where
/// there are fewer or more rows than documents.
std::unique_ptr<DocumentReader> pair_with_vectors(std::unique_ptr<DocumentReader> documents,
                                                  std::unique_ptr<vector::VectorReader> vectors);

}  // namespace warpdex
