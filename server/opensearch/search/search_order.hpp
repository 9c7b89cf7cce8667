// The order of hits: by score and then docID, which is the engine's, by docID alone, or by columns
// first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http/json_writer.hpp"
#include "opensearch/indexes/index_fields.hpp"
#include "routes/parameters.hpp"
#include "warpdex/query/shown_field.hpp"

namespace warpdex::server::opensearch {

/// A document with the score that it is shown with; none in the order of documents.
struct ScoredDocument {
  std::uint32_t document = 0;
  std::optional<float> score{};
};

struct SearchOrder {
  bool by_score = true;                   ///< equal scores by docID; else all by docID
  bool is_told = false;                   ///< hits say their places, which `search_after` takes
  std::optional<ScoredDocument> after{};  ///< the place behind which the page begins
  std::vector<SortKey> columns{};         ///< before all that; then `cursor` is that place
  std::string cursor{};

  /// Whether a hit stands behind `after`.
  bool is_behind(const ScoredDocument& hit) const;
  /// Of documents that all have this score: the first docID behind `after`.
  std::uint64_t first_document(float score) const;
};

/// The members `sort` and `search_after`; `sort` may be in the address. Throws HttpError (400).
SearchOrder read_order(Parameters& address, Parameters& body, const IndexFields& fields);
/// The member `sort` of a hit, if places are told.
void write_place(const SearchOrder& order, const ScoredDocument& hit, JsonWriter& json);

}  // namespace warpdex::server::opensearch
