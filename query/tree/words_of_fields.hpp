// One word in several fields. Internal.
#pragma once

#include <span>

#include "warpdex/query/query.hpp"
#include "warpdex/query/text_analyzers.hpp"

namespace warpdex {

/// What stands for one word in each of some fields, as one clause of `kind`, with the terms for its
/// clauses, by field. Where one of them is no word, but the phrase of a synonym, the best of them
/// counts (kBest).
QueryNode join_fields(QueryNode::Kind kind, std::span<QueryNode> words,
                      std::span<const TextAnalyzers::Searched> fields);

}  // namespace warpdex
