// Documents as OpenSearch's clients send them: an object of fields.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "opensearch/indexes/index_fields.hpp"

namespace warpdex::server::opensearch {

/// Values by fields; a field that is null has none.
struct SourceDocument {
  std::map<std::string, std::optional<std::string>> texts{};
  std::map<std::string, std::vector<float>> vectors{};
  std::vector<TermWeight> weights{};
  /// Of columns, as they are; empty: null.
  std::map<std::string, std::vector<FieldValue>> values{};

  bool operator==(const SourceDocument&) const = default;
};

/// `what` names the document in messages. Throws HttpError (400): strict_dynamic_mapping_exception
/// for a field that the index has not, mapper_parsing_exception for a value of another kind.
SourceDocument read_source_document(const rapidjson::Value& json, const IndexFields& fields,
                                    const std::string& what);

/// As the index takes it: its searched text is made as `warpdex index` makes it of JSON documents,
/// by line feeds between the fields.
NewDocument new_document(std::string id, const SourceDocument& source, const IndexFields& fields);

/// What an index has of a live document. Its fields must be rebuildable.
SourceDocument stored_document(const IndexReader& reader, std::uint32_t document,
                               const IndexFields& fields);

/// `part`'s fields take the places of `whole`'s.
void merge_document(const SourceDocument& part, SourceDocument& whole);

}  // namespace warpdex::server::opensearch
