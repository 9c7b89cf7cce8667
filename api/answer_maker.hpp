// Makes answers of what engines found: fields, snippets and explanations by request. Internal.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "open_index.hpp"
#include "warpdex/answer.hpp"
#include "warpdex/query/snippet.hpp"
#include "warpdex/search_options.hpp"

namespace warpdex {

/// Says which search has answered the explained query.
void set_searched_by(bool is_of_gpu, Explanation& why);

/// For the answers of one call.
class AnswerMaker {
 public:
  /// Throws UsageError for a field that the index does not store.
  AnswerMaker(std::shared_ptr<const OpenIndex> index, const SearchOptions& options,
              bool scores_are_distances);

  Answer make(const Query& query, TextAnswer&& found);

 private:
  Query query_in(const Query& query, std::optional<std::size_t> field) const;
  std::vector<ShownField> fields_of(std::uint32_t document, std::span<const Query> queries);

  std::shared_ptr<const OpenIndex> index_;
  const SearchOptions& options_;
  bool scores_are_distances_;
  std::vector<std::size_t> places_;  ///< of the wanted fields among the stored ones
  std::optional<Pool<StoredReader>::Lease> stored_;
  /// By wanted field: the maker for its analyzer, and the text field that it is.
  struct FieldSnippets {
    SnippetMaker maker;
    std::optional<std::size_t> field;
  };
  std::vector<FieldSnippets> snippets_;
};

}  // namespace warpdex
