// Messages of searches by vectors.
#include <cmath>

#include "shards/message_bytes.hpp"

namespace warpdex::shards {
namespace {

// The fewest bytes of each.
constexpr std::size_t kNearestBytes = 8;
constexpr std::size_t kNearHitBytes = 8;

NearestHits take_nearest(MessageReader& from) {
  NearestHits query;
  query.hits.resize(from.count(kNearHitBytes, kMaxK));
  for (Hit& hit : query.hits) {
    hit.document = from.number<std::uint32_t>();
    hit.score = from.number<float>();
    if (!std::isfinite(hit.score)) fail_message("a score is no number");
  }
  query.names.resize(from.count(sizeof(std::uint32_t), query.hits.size()));
  for (std::string& name : query.names) name = from.text();
  if (!query.names.empty() && query.names.size() != query.hits.size()) {
    fail_message("documents without names");
  }
  return query;
}

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
    to.count(query.hits.size());
    for (const Hit& hit : query.hits) {
      to.number(hit.document);
      to.number(hit.score);
    }
    to.count(query.names.size());
    for (const std::string& name : query.names) to.text(name);
  }
  return to.finish();
}

NearestAnswer read_nearest_answer(std::string_view message) {
  MessageReader from(message, MessageKind::kNearestAnswer);
  NearestAnswer answer;
  answer.queries.resize(from.count(kNearestBytes, kMaxBatch));
  for (NearestHits& query : answer.queries) query = take_nearest(from);
  from.finish();
  return answer;
}

}  // namespace warpdex::shards
