// The query of a search body.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opensearch/indexes/index_fields.hpp"
#include "warpdex/searcher.hpp"

namespace warpdex::server::opensearch {

enum class QueryKind {
  kAll,     ///< every document, with one score
  kIds,     ///< documents by their ids, with one score
  kWords,   ///< by words
  kVector,  ///< the nearest, among documents that match the words if there are any
  kHybrid,  ///< words and a vector, joined by a fusion
};

struct AskedQuery {
  QueryKind kind = QueryKind::kAll;
  float score = 1;                 ///< of kAll and kIds
  std::vector<std::string> ids{};  ///< of kIds
  Query words{};                   ///< of kWords, kHybrid, and of a filtered kVector
  bool is_filtered = false;        ///< of kVector
  std::vector<float> vector{};     ///< of kVector and kHybrid
  std::string vector_field{};      ///< SearchOptions::vector_field
  std::uint32_t nearest = 0;       ///< documents that the vector finds at most
  std::string filter{};     ///< SearchOptions::filter, of columns and ids; not of kAll and kIds
  FusionSettings fusion{};  ///< of kHybrid; its depth is `nearest`. `probes` of kVector, too

  /// Whether no word can match.
  bool has_no_words() const { return words.terms.empty() && words.tree == nullptr; }
};

/// What queries are read for.
struct QueryContext {
  const Searcher& searcher;
  const IndexFields& fields;
  const ServerLimits& limits;
};

/// {"match": …}. Throws HttpError (400) for what is unknown or cannot be done, and names it.
AskedQuery read_query(const rapidjson::Value& json, const QueryContext& context);
/// The parameters q, df, default_operator of an address.
AskedQuery read_address_query(Parameters& address, const QueryContext& context);
/// Lets only documents of a filter through; it may be empty.
void restrict_query(AskedQuery& query, const std::string& filter, const QueryContext& context);
/// The member search_pipeline of a search, into a query of kind kHybrid.
void read_pipeline(const rapidjson::Value& json, AskedQuery& query);

}  // namespace warpdex::server::opensearch
