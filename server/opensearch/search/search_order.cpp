#include "opensearch/search/search_order.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "opensearch/face.hpp"

namespace warpdex::server::opensearch {
namespace {

constexpr std::string_view kBoth =
    "there are _score, descending, _doc, [_score, _doc], and fields of values, before these";

std::string usual_order(std::string_view name) { return name == "_score" ? "desc" : "asc"; }

/// The key's name, if it is one that there is; a column with ":desc" where it falls.
std::string checked_key(const std::string& name, const std::string& order,
                        const IndexFields& fields) {
  if (fields.column(name) != nullptr && (order == "asc" || order == "desc")) {
    return name + (order == "desc" ? ":desc" : "");
  }
  if ((name == "_score" || name == "_doc") && order == usual_order(name)) return name;
  throw illegal_argument("'sort' by [" + name + (order == usual_order(name) ? "" : " " + order) +
                         "] is not supported; " + std::string(kBoth));
}

/// "_score", {"_score": "desc"}, {"_score": {"order": "desc"}}.
std::string read_key(const rapidjson::Value& json, const IndexFields& fields) {
  if (json.IsString()) {
    const std::string name(json.GetString(), json.GetStringLength());
    return checked_key(name, usual_order(name), fields);
  }
  if (!json.IsObject() || json.MemberCount() != 1) {
    throw parsing_error("'sort' holds what is neither a name nor an object with one member");
  }
  const auto& member = *json.MemberBegin();
  const std::string name(member.name.GetString(), member.name.GetStringLength());
  if (member.value.IsString()) {
    return checked_key(name, {member.value.GetString(), member.value.GetStringLength()}, fields);
  }
  Parameters members(member.value, "'sort' by '" + name + "'");
  const std::string order = members.text("order").value_or(usual_order(name));
  if (members.text("missing").value_or("_last") != "_last") {
    throw illegal_argument("'missing' can only be _last");
  }
  members.finish();
  return checked_key(name, order, fields);
}

std::vector<std::string> read_keys(Parameters& address, Parameters& body,
                                   const IndexFields& fields) {
  std::vector<std::string> keys;
  if (address.has("sort") && body.has("sort")) {
    throw illegal_argument("the address and the body have 'sort'; give it once");
  }
  for (const std::string& key : address.texts("sort").value_or(std::vector<std::string>())) {
    const std::size_t colon = std::min(key.find(':'), key.size());
    const std::string name = key.substr(0, colon);
    keys.push_back(
        checked_key(name, colon < key.size() ? key.substr(colon + 1) : usual_order(name), fields));
  }
  const rapidjson::Value* const json = body.json("sort");
  if (json == nullptr) return keys;
  if (!json->IsArray()) return {read_key(*json, fields)};
  for (const auto& key : json->GetArray()) keys.push_back(read_key(key, fields));
  return keys;
}

/// The place of the last hit of the page before, as its member `sort` had it.
ScoredDocument read_after(const rapidjson::Value& json, const SearchOrder& order) {
  if (!order.is_told) {
    throw illegal_argument(
        "'search_after' needs a 'sort' that gives each hit a place of its own: [_score, _doc] or "
        "_doc");
  }
  const unsigned wanted = order.by_score ? 2 : 1;
  if (!json.IsArray() || json.Size() != wanted) {
    throw illegal_argument("'search_after' must have " + std::to_string(wanted) +
                           " values, those of 'sort' of a hit");
  }
  const auto& document = json[wanted - 1];
  if (!document.IsUint() || (order.by_score && !json[0].IsNumber())) {
    throw illegal_argument("'search_after' holds what is no value of 'sort' of a hit");
  }
  ScoredDocument after{.document = document.GetUint()};
  if (order.by_score) after.score = static_cast<float>(json[0].GetDouble());
  return after;
}

/// Of a search sorted by columns: the last of the values that `sort` of a hit had.
std::string read_cursor(const rapidjson::Value& json, const SearchOrder& order) {
  if (json.IsArray() && json.Size() == order.columns.size() + 1) {
    const auto& last = json[json.Size() - 1];
    if (last.IsString()) return last.GetString();
  }
  throw illegal_argument("'search_after' must have the values of 'sort' of a hit, all of them");
}

}  // namespace

bool SearchOrder::is_behind(const ScoredDocument& hit) const {
  if (!after) return true;
  if (by_score && hit.score != after->score) return hit.score < after->score;
  return hit.document > after->document;
}

std::uint64_t SearchOrder::first_document(float score) const {
  if (!after || (by_score && score < *after->score)) return 0;
  if (by_score && score > *after->score) return std::numeric_limits<std::uint64_t>::max();
  return std::uint64_t{after->document} + 1;
}

SearchOrder read_order(Parameters& address, Parameters& body, const IndexFields& fields) {
  std::vector<std::string> keys = read_keys(address, body, fields);
  SearchOrder order;
  while (!keys.empty() && !keys[0].starts_with('_')) {
    const std::vector<SortKey> column = parse_sort(keys[0]);
    order.columns.push_back(column[0]);
    keys.erase(keys.begin());
  }
  if (!order.columns.empty()) {  // then by score and _doc, whether these are told or not
    for (const std::string& key : keys) {
      if (key.starts_with('_')) continue;
      throw illegal_argument("'sort' has a field behind _score or _doc; put it before these");
    }
    if (const auto* json = body.json("search_after")) order.cursor = read_cursor(*json, order);
    return order;
  }
  if (keys == std::vector<std::string>{"_doc"}) {
    order = {.by_score = false, .is_told = true};
  } else if (keys == std::vector<std::string>{"_score", "_doc"}) {
    order.is_told = true;
  } else if (!keys.empty() && keys != std::vector<std::string>{"_score"}) {
    throw illegal_argument("'sort' by these keys together is not supported; " + std::string(kBoth));
  }
  if (const auto* json = body.json("search_after")) order.after = read_after(*json, order);
  return order;
}

void write_place(const SearchOrder& order, const ScoredDocument& hit, JsonWriter& json) {
  if (!order.is_told) return;
  json.begin_array("sort");
  if (order.by_score) json.value(*hit.score);
  json.value(hit.document);
  json.end_array();
}

}  // namespace warpdex::server::opensearch
