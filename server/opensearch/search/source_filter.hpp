// Which stored fields and columns an answer has in _source.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "opensearch/indexes/index_fields.hpp"

namespace warpdex::server::opensearch {

/// Fields of the index, in its order.
struct SourceFilter {
  bool is_shown = true;              ///< there is a member _source
  std::vector<std::string> names{};  ///< stored fields in it
  std::vector<Field> columns{};      ///< columns in it

  bool has(std::string_view name) const;
};

/// From _source, _source_includes and _source_excludes of an address, or _source of a body (null:
/// there is none). Names may have *. Throws HttpError (400) for others, for a name without * that
/// is not stored, and where both say something.
SourceFilter read_source_filter(Parameters& address, const rapidjson::Value* body,
                                const IndexFields& fields);

/// A value, or an array of several.
void write_values(const Field& field, const std::vector<FieldValue>& values, JsonWriter& json);

/// The member _source, if there is to be one.
void write_source(const std::map<std::string, std::string>& stored,
                  const std::map<std::string, std::vector<FieldValue>>& values,
                  const SourceFilter& filter, JsonWriter& json);

}  // namespace warpdex::server::opensearch
