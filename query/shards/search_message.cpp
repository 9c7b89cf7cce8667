// Messages of searches.
#include <algorithm>
#include <cmath>

#include "shards/hit_bytes.hpp"
#include "shards/message_bytes.hpp"
#include "shards/request_bytes.hpp"

namespace warpdex::shards {
namespace {

/// The fewest bytes of an answer to a query.
constexpr std::size_t kAnswerBytes = 25;

/// Score descending, then docID ascending.
bool is_before(const Hit& a, const Hit& b) {
  return a.score > b.score || (a.score == b.score && a.document < b.document);
}

PartAnswer take_answer(MessageReader& from) {
  PartAnswer answer;
  answer.left_out = from.number<float>();
  if (!(answer.left_out >= -1)) fail_message("a bound of scores is none");
  answer.matches = from.number<std::uint64_t>();
  answer.matches_are_exact = from.flag();
  answer.most_terms = from.number<std::uint32_t>();
  take_hits(from, answer.hits, answer.names);
  const auto is_negative = [](const Hit& hit) { return std::signbit(hit.score); };
  if (std::ranges::any_of(answer.hits, is_negative)) fail_message("a score is no score");
  if (!std::is_sorted(answer.hits.begin(), answer.hits.end(), is_before)) {
    fail_message("documents are not in order");
  }
  return answer;
}

}  // namespace

std::string write(const SearchRequest& request) {
  MessageWriter to(MessageKind::kSearchRequest);
  put_search(to, request);
  return to.finish();
}

SearchRequest read_search_request(std::string_view message) {
  MessageReader from(message, MessageKind::kSearchRequest);
  SearchRequest request = take_search(from);
  from.finish();
  return request;
}

std::string write(const SearchAnswer& answer) {
  MessageWriter to(MessageKind::kSearchAnswer);
  to.count(answer.queries.size());
  for (const PartAnswer& query : answer.queries) {
    to.number(query.left_out);
    to.number(query.matches);
    to.flag(query.matches_are_exact);
    to.number(query.most_terms);
    put_hits(to, query.hits, query.names);
  }
  return to.finish();
}

SearchAnswer read_search_answer(std::string_view message) {
  MessageReader from(message, MessageKind::kSearchAnswer);
  SearchAnswer answer;
  answer.queries.resize(from.count(kAnswerBytes, kMaxBatch));
  for (PartAnswer& query : answer.queries) query = take_answer(from);
  from.finish();
  return answer;
}

}  // namespace warpdex::shards
