// Clauses of trees on columns: what they are as filters, and which documents match. Internal.
#pragma once

#include <memory>
#include <optional>

#include "tree/tree_clause.hpp"
#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// A clause whose field is this column as one of kind kColumns. None for what columns cannot
/// answer: parts of words, near words and phrases. Throws InputError for values of another type.
std::optional<QueryNode> column_node(const QueryNode& node, const Field& column);

/// Documents that a filter lets through, in the segment of that number.
std::unique_ptr<TreeClause> make_column_clause(std::shared_ptr<const DocumentFilter> filter,
                                               std::size_t segment, float score,
                                               std::uint32_t documents);

}  // namespace warpdex
