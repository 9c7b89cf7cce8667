// The nearest of an index of vectors.
#include <chrono>
#include <stop_token>
#include <utility>

#include "routes/parameters.hpp"
#include "v1/face.hpp"

namespace warpdex::server::v1 {
namespace {

constexpr std::size_t kMaxQueries = 10'000;

struct NearestCall {
  IndexPtr index{};
  std::vector<float> queries{};
  std::size_t count = 1;
  std::size_t k = 10;
  std::optional<std::vector<std::string>> among{};
};

/// The rows of `vectors`, one after the other.
void read_rows(const rapidjson::Value& rows, NearestCall& call) {
  const auto refuse = [] {
    throw bad_request("the body has 'vectors' that are no arrays of finite numbers, 1 to " +
                      std::to_string(kMaxQueries));
  };
  if (!rows.IsArray() || rows.Empty() || rows.Size() > kMaxQueries) refuse();
  call.count = rows.Size();
  for (const auto& row : rows.GetArray()) {
    if (!row.IsArray() || row.Size() != call.index->vectors().dimension()) {
      throw bad_request("each of 'vectors' must have " +
                        std::to_string(call.index->vectors().dimension()) + " components");
    }
    for (const auto& component : row.GetArray()) {
      const float number = component.IsNumber() ? static_cast<float>(component.GetDouble()) : NAN;
      if (!std::isfinite(number)) refuse();
      call.queries.push_back(number);
    }
  }
}

NearestCall read_call(const Services& services, const Request& request) {
  NearestCall call;
  call.index = services.catalog.find(request.arguments[0]);
  const std::size_t dimension = call.index->vectors().dimension();
  Parameters(request).finish();
  const JsonText body(request.body, "the body");
  Parameters parameters(body.root(), "the body");
  const auto single = parameters.reals("vector");
  const rapidjson::Value* const several = parameters.json("vectors");
  call.k = parameters.whole("k", 1, services.options.limits.k).value_or(10);
  call.among = parameters.ids("among");
  parameters.finish();
  if (single.has_value() == (several != nullptr)) {
    throw bad_request("the body needs one of 'vector' and 'vectors'");
  }
  if (several != nullptr) {
    read_rows(*several, call);
  } else if (single->size() == dimension) {
    call.queries = *single;
  } else {
    throw bad_request("'vector' has " + std::to_string(single->size()) +
                      " components, and those of the index have " + std::to_string(dimension));
  }
  return call;
}

void write_neighbors(const NearestCall& call, const vector::Neighbors& found,
                     const std::vector<std::string>& ids, JsonWriter& json) {
  const bool has_ids = call.index->vectors().id_kind() != vector::IdKind::kRows;
  json.begin_array("queries");
  for (std::size_t query = 0; query < call.count; ++query) {
    json.begin_object();
    json.member("query", query);
    json.member("distance_is", call.index->has_estimates() ? "estimate" : "exact");
    json.begin_array("neighbors");
    for (std::size_t i = query * found.k; i < (query + 1) * found.k && found.rows[i] >= 0; ++i) {
      json.begin_object();
      json.member("row", found.rows[i]);
      if (has_ids) json.member("id", ids[i]);
      json.member("distance", found.distances[i]);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

std::string answer_of(const NearestCall& call, std::stop_token stop) {
  const auto begin = Request::Clock::now();
  const VectorIndex& index = call.index->vectors();
  std::optional<vector::RowFilter> filter;
  if (call.among) filter = index.filter_of(vector::VectorIds(*call.among, "'among'"));
  const std::uint64_t commit = index.commit();
  const NamedNeighbors found = index.search_named(
      call.queries, call.k, {.filter = filter ? &*filter : nullptr, .stop = std::move(stop)});
  JsonWriter json;
  json.begin_object();
  json.member(
      "took_us",
      std::chrono::duration_cast<std::chrono::microseconds>(Request::Clock::now() - begin).count());
  json.member("commit", commit);
  write_neighbors(call, found.neighbors, found.ids, json);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace

void find_nearest(Services& services, const ExchangePtr& exchange) {
  NearestCall call = read_call(services, exchange->request);
  services.dispatcher.submit([&services, exchange, call = std::move(call)] {
    try {
      exchange->respond({.body = answer_of(call, exchange->gone.get_token())});
    } catch (...) {
      fail(services, *exchange, std::current_exception());
    }
  });
}

}  // namespace warpdex::server::v1
