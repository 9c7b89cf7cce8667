// The vectors of documents that index and add take beside them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "warpdex/indexer/readers/document_reader.hpp"
#include "warpdex/vector/rows/row_settings.hpp"

namespace warpdex::tools {

/// The values of --vectors and --vector-metric.
struct VectorInput {
  std::string path;  ///< empty: no vectors; field:NAME: a member of JSON documents
  std::string metric = "ip";
  vector::RowIndexSettings found_by{};  ///< of a new index

  /// The name of the member; empty if vectors are not in the documents. Throws UsageError for an
  /// empty name, and if documents are not in `format` jsonl.
  std::string field(DocumentFormat format) const;
  /// The file; empty if there is none.
  std::string file() const;
  /// What a new index is to hold of them. Throws UsageError for an unknown metric, and what
  /// open_vectors() or DocumentReader::embedding_dimension() does.
  vector::RowSettings settings(DocumentReader& documents) const;
  /// Throws UsageError unless there are vectors just where the index at `folder` holds some, and
  /// InputError for another dimension.
  void check(const std::optional<vector::RowSettings>& index, const std::string& folder) const;
  /// The documents with their vectors, if there are some.
  std::unique_ptr<DocumentReader> pair(std::unique_ptr<DocumentReader> documents) const;
};

}  // namespace warpdex::tools
