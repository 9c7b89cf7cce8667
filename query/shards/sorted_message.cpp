// Messages of searches that are sorted by columns.
#include "shards/hit_bytes.hpp"
#include "shards/message_bytes.hpp"
#include "shards/request_bytes.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::shards {
namespace {

// The fewest bytes of each.
constexpr std::size_t kKeyBytes = 5;
constexpr std::size_t kValueBytes = 13;
constexpr std::size_t kValuesBytes = 4;
constexpr std::size_t kPlaceBytes = 8;
constexpr std::size_t kSortedBytes = 33;

void put_values(MessageWriter& to, const SortValues& values) {
  to.count(values.size());
  for (const SortValue& value : values) {
    to.flag(value.is_missing);
    to.number(value.number);
    to.text(value.text);
  }
}

SortValues take_values(MessageReader& from) {
  SortValues values(from.count(kValueBytes, kMaxSortKeys));
  for (SortValue& value : values) {
    value.is_missing = from.flag();
    value.number = from.number<std::uint64_t>();
    value.text = from.text();
  }
  return values;
}

void check_request(const SortedRequest& request) {
  if (request.keys.empty() || request.keys.size() > kMaxSortKeys) {
    throw UsageError("hits are sorted by 1 to " + std::to_string(kMaxSortKeys) + " columns");
  }
  if (!request.behind.empty() && request.behind.size() != request.search.queries.size()) {
    throw UsageError("each query begins behind a place of its own; give one for each");
  }
  for (const SortPlace& place : request.behind) {
    if (place.values.size() != request.keys.size()) {
      throw UsageError("a place has a value for each column that hits are sorted by");
    }
  }
}

void put_part(MessageWriter& to, const SortedPart& part) {
  put_hits(to, part.page.hits, part.names);
  to.count(part.values.size());
  for (const SortValues& values : part.values) put_values(to, values);
  to.flag(part.page.score.has_value());
  if (part.page.score) to.number(*part.page.score);
  put_values(to, part.values_of_start);
  to.number(part.page.equal);
  to.number(part.matches);
  to.number(part.most_terms);
}

SortedPart take_part(MessageReader& from) {
  SortedPart part;
  take_hits(from, part.page.hits, part.names);
  part.values.resize(from.count(kValuesBytes, part.page.hits.size()));
  if (part.values.size() != part.page.hits.size()) fail_message("documents without values");
  for (SortValues& values : part.values) values = take_values(from);
  if (from.flag()) part.page.score = from.score();
  part.values_of_start = take_values(from);
  part.page.equal = from.number<std::uint64_t>();
  part.matches = from.number<std::uint64_t>();
  part.most_terms = from.number<std::uint32_t>();
  return part;
}

}  // namespace

std::string write(const SortedRequest& request) {
  check_request(request);
  MessageWriter to(MessageKind::kSortedRequest);
  put_search(to, request.search);
  to.count(request.keys.size());
  for (const SortKey& key : request.keys) {
    to.text(key.column);
    to.flag(key.descending);
  }
  to.flag(request.behind_document.has_value());
  if (request.behind_document) to.number(*request.behind_document);
  to.count(request.behind.size());
  for (const SortPlace& place : request.behind) {
    put_values(to, place.values);
    to.number(place.score);
  }
  to.flag(request.with_ties);
  return to.finish();
}

SortedRequest read_sorted_request(std::string_view message) {
  MessageReader from(message, MessageKind::kSortedRequest);
  SortedRequest request{.search = take_search(from)};
  request.keys.resize(from.count(kKeyBytes, kMaxSortKeys));
  for (SortKey& key : request.keys) {
    key.column = from.text();
    key.descending = from.flag();
  }
  if (from.flag()) request.behind_document = from.number<std::uint32_t>();
  request.behind.resize(from.count(kPlaceBytes, kMaxBatch));
  for (SortPlace& place : request.behind) {
    place.values = take_values(from);
    place.score = from.score();
  }
  request.with_ties = from.flag();
  from.finish();
  check_request(request);
  return request;
}

std::string write(const SortedAnswer& answer) {
  MessageWriter to(MessageKind::kSortedAnswer);
  to.count(answer.queries.size());
  for (const SortedPart& part : answer.queries) put_part(to, part);
  return to.finish();
}

SortedAnswer read_sorted_answer(std::string_view message) {
  MessageReader from(message, MessageKind::kSortedAnswer);
  SortedAnswer answer;
  answer.queries.resize(from.count(kSortedBytes, kMaxBatch));
  for (SortedPart& part : answer.queries) part = take_part(from);
  from.finish();
  return answer;
}

}  // namespace warpdex::shards
