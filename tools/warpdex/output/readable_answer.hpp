// An answer as search prints it for people.
#pragma once

#include <ostream>

#include "warpdex/index_reader.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/result_writer.hpp"

namespace warpdex::tools {

/// Prints remarks on the query, then the documents with their ranks and scores, with `has_parts`
/// their fields and explanations, then with `count` how many matched. Scores over impacts are
/// printed as whole numbers where they are; those of words and vectors together (`is_hybrid`) never
/// are.
void print_readably(const IndexReader& index, const Query& query, const QueryAnswer& answer,
                    bool count, bool is_hybrid, bool has_parts, std::ostream& out);

}  // namespace warpdex::tools
