// Searches as parts of requests that have several, and those that reach further than their page.
#pragma once

#include <functional>
#include <memory>

#include "opensearch/search/hits.hpp"

namespace warpdex::server::opensearch {

/// Whether the engine answers it, and not a look at ids.
inline bool is_by_engine(const AskedQuery& query) {
  return query.kind != QueryKind::kAll && query.kind != QueryKind::kIds;
}
/// The same of a search in its order: by docID needs no scores.
inline bool is_scored(const SearchAsk& ask) {
  return is_by_engine(ask.query) && ask.order.by_score;
}

/// The answer to another, an object that is left open.
void write_page_of_documents(const SearchAsk& ask, JsonWriter& json);

using UseAnswer = std::function<void(const std::shared_ptr<const IndexReader>&, const Answer&)>;
/// Finds as many documents as a search reaches, with their exact number, and calls `use` with these
/// and a reader of the commit that was searched, on the thread that searched. Of a search by words.
void search_far(Services& services, const ExchangePtr& exchange, const SearchAsk& ask,
                UseAnswer use);
/// Answers with the page behind ask.order.after.
void search_behind(Services& services, const ExchangePtr& exchange, const SearchAsk& ask);

}  // namespace warpdex::server::opensearch
