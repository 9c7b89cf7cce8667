// Makes answers of what engines found: fields, snippets and explanations by request. Internal.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "open_index.hpp"
#include "warpdex/answer.hpp"
#include "warpdex/query/snippet.hpp"
#include "warpdex/search_options.hpp"

namespace warpdex {

/// For the answers of one call.
class AnswerMaker {
 public:
  /// Throws UsageError for a field that the index does not store.
  AnswerMaker(std::shared_ptr<const OpenIndex> index, const SearchOptions& options,
              bool scores_are_distances);

  Answer make(const Query& query, TextAnswer&& found);

 private:
  std::vector<ShownField> fields_of(std::uint32_t document, const Query& query);

  std::shared_ptr<const OpenIndex> index_;
  const SearchOptions& options_;
  bool scores_are_distances_;
  std::vector<std::size_t> places_;  ///< of the wanted fields among the stored ones
  std::optional<Pool<StoredReader>::Lease> stored_;
  std::optional<SnippetMaker> snippets_;
};

}  // namespace warpdex
