// Messages of facets.
#include <algorithm>
#include <functional>

#include "shards/message_bytes.hpp"
#include "shards/request_bytes.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::shards {
namespace {

// The fewest bytes of each.
constexpr std::size_t kWantedBytes = 8;
constexpr std::size_t kRangeBytes = 8;
constexpr std::size_t kCountedBytes = 12;
constexpr std::size_t kFacetBytes = 20;
constexpr std::size_t kTextBytes = 20;
constexpr std::size_t kNumberBytes = 24;

void put_wanted(MessageWriter& to, const FacetRequest& wanted) {
  to.text(wanted.column);
  to.count(wanted.ranges.size());
  for (const FacetRange& range : wanted.ranges) {
    to.text(range.from);
    to.text(range.to);
  }
}

FacetRequest take_wanted(MessageReader& from) {
  FacetRequest wanted{.column = std::string(from.text())};
  wanted.ranges.resize(from.count(kRangeBytes, kMaxFacetRanges));
  for (FacetRange& range : wanted.ranges) {
    range.from = from.text();
    range.to = from.text();
  }
  return wanted;
}

void put_count(MessageWriter& to, const KeyCount& count) {
  to.number(count.documents);
  to.number(count.values);
}

KeyCount take_count(MessageReader& from) {
  KeyCount count;
  count.documents = from.number<std::uint64_t>();
  count.values = from.number<std::uint64_t>();
  return count;
}

void put_facet(MessageWriter& to, const PartFacet& facet) {
  to.number(facet.documents);
  to.count(facet.texts.size());
  for (const auto& [text, count] : facet.texts) {
    to.text(text);
    put_count(to, count);
  }
  to.count(facet.numbers.size());
  for (const auto& [key, count] : facet.numbers) {
    to.number(key);
    put_count(to, count);
  }
  to.count(facet.ranges.size());
  for (const std::uint64_t documents : facet.ranges) to.number(documents);
}

template <class Value>
void check_order(const std::vector<std::pair<Value, KeyCount>>& values) {
  const auto follows = [](const auto& a, const auto& b) { return a.first >= b.first; };
  if (std::ranges::adjacent_find(values, follows) != values.end()) {
    fail_message("values are not in order");
  }
}

PartFacet take_facet(MessageReader& from) {
  PartFacet facet{.documents = from.number<std::uint64_t>()};
  facet.texts.resize(from.count(kTextBytes));
  for (auto& [text, count] : facet.texts) {
    text = from.text();
    count = take_count(from);
  }
  facet.numbers.resize(from.count(kNumberBytes));
  for (auto& [key, count] : facet.numbers) {
    key = from.number<std::uint64_t>();
    count = take_count(from);
  }
  facet.ranges.resize(from.count(sizeof(std::uint64_t), kMaxFacetRanges));
  for (std::uint64_t& documents : facet.ranges) documents = from.number<std::uint64_t>();
  check_order(facet.texts);
  check_order(facet.numbers);
  return facet;
}

}  // namespace

std::string write(const FacetsRequest& request) {
  check_queries(request.queries);
  if (request.modes.size() != request.queries.size()) {
    throw UsageError("each query has a mode of its own; give as many modes as queries");
  }
  MessageWriter to(MessageKind::kFacetsRequest);
  to.number(request.version);
  to.count(request.queries.size());
  for (std::size_t i = 0; i < request.queries.size(); ++i) {
    to.choice(request.modes[i]);
    put_query(to, request.queries[i]);
  }
  to.text(request.filter);
  to.count(request.wanted.size());
  for (const FacetRequest& wanted : request.wanted) put_wanted(to, wanted);
  return to.finish();
}

FacetsRequest read_facets_request(std::string_view message) {
  MessageReader from(message, MessageKind::kFacetsRequest);
  FacetsRequest request{.version = from.number<std::uint64_t>()};
  request.queries.resize(from.count(1 + kQueryBytes, kMaxBatch));
  for (Query& query : request.queries) {
    request.modes.push_back(from.choice(QueryMode::kOr));
    query = take_query(from);
  }
  request.filter = from.text();
  request.wanted.resize(from.count(kWantedBytes));
  for (FacetRequest& wanted : request.wanted) wanted = take_wanted(from);
  from.finish();
  return request;
}

std::string write(const FacetsAnswer& answer) {
  MessageWriter to(MessageKind::kFacetsAnswer);
  to.count(answer.queries.size());
  for (const CountedFacets& query : answer.queries) {
    to.number(query.matches);
    to.count(query.facets.size());
    for (const PartFacet& facet : query.facets) put_facet(to, facet);
  }
  return to.finish();
}

FacetsAnswer read_facets_answer(std::string_view message) {
  MessageReader from(message, MessageKind::kFacetsAnswer);
  FacetsAnswer answer;
  answer.queries.resize(from.count(kCountedBytes, kMaxBatch));
  for (CountedFacets& query : answer.queries) {
    query.matches = from.number<std::uint64_t>();
    query.facets.resize(from.count(kFacetBytes));
    for (PartFacet& facet : query.facets) facet = take_facet(from);
  }
  from.finish();
  return answer;
}

}  // namespace warpdex::shards
