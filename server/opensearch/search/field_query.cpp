#include "opensearch/search/field_query.hpp"

#include <algorithm>

#include "opensearch/search/field_groups.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex::server::opensearch {
void check_field(const std::string& name, const IndexFields& fields) {
  if ((fields.searched.size() == 1 || fields.are_separate) && fields.is_searched(name)) return;
  if (!fields.is_searched(name)) {
    throw illegal_argument("the field '" + name + "' is not searched; the index searches " +
                           fields.names());
  }
  throw illegal_argument("the field '" + name + "' is not searched by itself: the index searches " +
                         fields.names() +
                         " as one text; ask combined_fields, or multi_match of the type "
                         "cross_fields, over all of them");
}

float read_boost(Parameters& members) {
  const float boost = members.real("boost").value_or(1);
  if (boost > 0) return boost;
  throw illegal_argument("'boost' must be above 0");
}

void check_all_fields(const std::vector<std::string>& names, const IndexFields& fields) {
  if (fields.are_separate) {
    read_searched(names, fields);
    return;
  }
  if (names.size() == 1 && names[0] == "*") return;
  for (const std::string& name : names) {
    if (!fields.is_searched(name)) check_field(name, fields);
    if (std::count(names.begin(), names.end(), name) > 1) {
      throw illegal_argument("the field '" + name + "' is named twice");
    }
  }
  if (names.size() == fields.searched.size()) return;
  throw illegal_argument("the index searches " + fields.names() +
                         " as one text; name all of them, or none");
}

void check_text(const std::string& text, const QueryContext& context) {
  analysis::require_utf8(text);
  if (text.size() <= context.limits.query_bytes) return;
  throw illegal_argument("a query's text has " + std::to_string(text.size()) + " bytes; " +
                         std::to_string(context.limits.query_bytes) + " are allowed");
}

}  // namespace warpdex::server::opensearch
