// Clauses of trees for people. Internal.
#pragma once

#include <string>

#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// An analysed clause as the syntax `lucene` writes it, with its boost: title:sail*^2; of a group,
/// how it joins its clauses.
std::string clause_text(const Schema& schema, const QueryNode& node);

}  // namespace warpdex
