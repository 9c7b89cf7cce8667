// Aggregations: facets as OpenSearch asks for them and answers.
#pragma once

#include <string>
#include <vector>

#include "opensearch/indexes/index_fields.hpp"
#include "warpdex/answer.hpp"

namespace warpdex::server::opensearch {

enum class AggregationKind {
  kTerms,
  kRange,  ///< date_range, too
  kStats,
  kMin,
  kMax,
  kAverage,
  kSum,
  kCardinality,
  kValueCount,
};

struct Aggregation {
  std::string name{};
  std::string type{};  ///< as it was asked for: "date_range"
  AggregationKind kind = AggregationKind::kTerms;
  Field field{};
  FacetRequest request{};
  std::vector<std::string> keys{};  ///< of ranges; empty: made of their limits
};

/// {"langs": {"terms": {"field": "lang"}}}. Throws HttpError (400) for what is unknown.
std::vector<Aggregation> read_aggregations(const rapidjson::Value& json, const IndexFields& fields);

/// The member aggregations, if there are some. `facets` are in their order. With typed keys a name
/// begins with its type: "sterms#langs".
void write_aggregations(const std::vector<Aggregation>& asked, const std::vector<Facet>& facets,
                        bool has_typed_keys, JsonWriter& json);

}  // namespace warpdex::server::opensearch
