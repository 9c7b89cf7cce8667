// Messages of searches by vectors.
#include "shards/hit_bytes.hpp"
#include "shards/message_bytes.hpp"

namespace warpdex::shards {
namespace {

/// The fewest bytes of a query's hits.
constexpr std::size_t kNearestBytes = 8;

}  // namespace

std::string write(const NearestRequest& request) {
  MessageWriter to(MessageKind::kNearestRequest);
  to.number(request.version);
  to.number(request.k);
  to.number(request.queries);
  to.count(request.rows.size());
  for (const float component : request.rows) to.number(component);
  to.text(request.filter);
  to.flag(request.wants_names);
  return to.finish();
}

NearestRequest read_nearest_request(std::string_view message) {
  MessageReader from(message, MessageKind::kNearestRequest);
  NearestRequest request;
  request.version = from.number<std::uint64_t>();
  request.k = from.number<std::uint32_t>();
  request.queries = from.number<std::uint32_t>();
  request.rows.resize(from.count(sizeof(float)));
  for (float& component : request.rows) component = from.number<float>();
  request.filter = from.text();
  request.wants_names = from.flag();
  from.finish();
  return request;
}

std::string write(const NearestAnswer& answer) {
  MessageWriter to(MessageKind::kNearestAnswer);
  to.count(answer.queries.size());
  for (const NearestHits& query : answer.queries) {
    put_hits(to, query.hits, query.names);
  }
  return to.finish();
}

NearestAnswer read_nearest_answer(std::string_view message) {
  MessageReader from(message, MessageKind::kNearestAnswer);
  NearestAnswer answer;
  answer.queries.resize(from.count(kNearestBytes, kMaxBatch));
  for (NearestHits& query : answer.queries) take_hits(from, query.hits, query.names);
  from.finish();
  return answer;
}

}  // namespace warpdex::shards
