// Clauses over several text fields, of an index that searches each by itself.
#pragma once

#include <string>
#include <vector>

#include "opensearch/search/asked_query.hpp"

namespace warpdex::server::opensearch {

/// The field of a clause: none where the searched ones are one text.
std::string clause_field(const std::string& name, const IndexFields& fields);

/// Fields as queries name them: "title^2", and "*" for all that are searched. Throws HttpError
/// (400) for what is not searched.
std::vector<SearchedField> read_searched(const std::vector<std::string>& names,
                                         const IndexFields& fields);

/// Gives clauses below `node` that name no field these: the best one's score counts, word by word.
void give_fields(QueryNode& node, const std::vector<SearchedField>& fields);

}  // namespace warpdex::server::opensearch
