// What a search asks for: the parameters of its address and the members of its body.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "opensearch/search/aggregations.hpp"
#include "opensearch/search/asked_query.hpp"
#include "opensearch/search/search_order.hpp"
#include "opensearch/search/source_filter.hpp"

namespace warpdex::server::opensearch {

struct SearchAsk {
  IndexPtr index{};
  AskedQuery query{};
  std::uint32_t from = 0;
  std::uint32_t size = 10;
  SourceFilter source{};
  std::vector<std::string> highlighted{};  ///< fields
  SnippetSettings snippet{};               ///< of these
  bool explain = false;
  bool counts = true;                           ///< the total is told
  std::optional<std::uint64_t> counts_up_to{};  ///< a larger total is told as more than this
  std::chrono::microseconds deadline{};
  std::optional<std::chrono::microseconds> scroll{};  ///< how long it is kept
  SearchOrder order{};
  std::vector<Aggregation> aggregations{};
  bool has_typed_keys = false;  ///< names of aggregations begin with their types
  bool has_post_filter = false;
  Request::Clock::time_point arrival{};
};

/// Reads all of a search. `body` is an object. The parameters of the address are read, but not
/// finish()ed. Throws HttpError (400) for what is unknown, and names it.
SearchAsk read_search(const Services& services, const IndexPtr& index, Parameters& address,
                      const rapidjson::Value& body, Request::Clock::time_point arrival);

/// As the dispatcher takes it. Of a query by words or vectors.
SearchJob job_of(const SearchAsk& ask);

}  // namespace warpdex::server::opensearch
