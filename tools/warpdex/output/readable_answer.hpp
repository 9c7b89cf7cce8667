// An answer as search prints it for people.
#pragma once

#include <ostream>

#include "output/shown_fields.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::tools {

/// Prints remarks on the query, then the documents with their ranks and scores, then with `count`
/// how many matched. `shown`, if not null, prints fields of each document. Scores over impacts are
/// printed as whole numbers where they are; those of words and vectors together (`is_hybrid`) never
/// are. `are_distances`: scores are, and the table says so. `explained`, if not null, is what the
/// scores are explained by, in lines below each document.
void print_readably(const Snapshot& index, const Query& query, const SearchResult& result,
                    bool count, bool is_hybrid, ShownFields* shown, std::ostream& out,
                    bool are_distances = false, const ScorerSettings* explained = nullptr);

}  // namespace warpdex::tools
