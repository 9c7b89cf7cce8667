// The reader of each format; open_documents() chooses. Their rules stand in document_reader.hpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex {

std::unique_ptr<DocumentReader> open_jsonl(std::vector<std::string> inputs,
                                           std::vector<std::string> fields);
std::unique_ptr<DocumentReader> open_tsv(std::vector<std::string> inputs);
std::unique_ptr<DocumentReader> open_trec(std::vector<std::string> inputs);
std::unique_ptr<DocumentReader> open_text(std::vector<std::string> inputs);

}  // namespace warpdex
