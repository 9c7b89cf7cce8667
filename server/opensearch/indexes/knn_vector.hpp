// The field of vectors, as mappings describe it.
#pragma once

#include <string>

#include "http/error.hpp"
#include "http/json_writer.hpp"
#include "routes/parameters.hpp"
#include "warpdex/vector/rows/row_settings.hpp"

namespace warpdex::server::opensearch {

/// Of a mapping that cannot be.
inline HttpError mapper_error(const std::string& reason) {
  return {400, "mapper_parsing_exception", reason};
}

/// Reads what the field `name` of the type knn_vector has beside its type. Throws HttpError (400)
/// for what an index cannot have.
vector::RowSettings read_knn_vector(const std::string& name, Parameters& members);
/// The same back: members of an object.
void write_knn_vector(const vector::RowSettings& settings, JsonWriter& json);

}  // namespace warpdex::server::opensearch
