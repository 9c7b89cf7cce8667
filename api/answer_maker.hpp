// Makes answers of what engines found: fields, snippets and explanations by request. Internal.
#pragma once

#include <memory>
#include <optional>

#include "open_index.hpp"
#include "warpdex/answer.hpp"
#include "warpdex/query/fields/field_maker.hpp"
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
  std::shared_ptr<const OpenIndex> index_;
  const SearchOptions& options_;
  bool scores_are_distances_;
  ShownSettings shown_;
  std::optional<Pool<StoredReader>::Lease> stored_;
  std::optional<FieldMaker> fields_;  ///< where hits carry fields
};

}  // namespace warpdex
