#include "opensearch/search/search_ask.hpp"

#include <algorithm>
#include <utility>

#include "opensearch/search/column_query.hpp"
#include "opensearch/search/highlight.hpp"

namespace warpdex::server::opensearch {
namespace {

constexpr std::chrono::hours kMostKept{24};
constexpr std::chrono::hours kMostTime{24};

/// An address and a body, each of which may have a member, but not both.
class Members {
 public:
  Members(Parameters& address, const rapidjson::Value& body)
      : address_(address), body_(body, "the body") {}

  Parameters& with(std::string_view name) {
    const bool is_in_address = address_.has(name);
    if (is_in_address && body_.has(name)) {
      throw illegal_argument("the address and the body have '" + std::string(name) +
                             "'; give it once");
    }
    return is_in_address ? address_ : body_;
  }
  bool has(std::string_view name) const { return address_.has(name) || body_.has(name); }
  Parameters& address() { return address_; }
  Parameters& body() { return body_; }

 private:
  Parameters& address_;
  Parameters body_;
};

void read_page_of(Members& members, const ServerLimits& limits, SearchAsk& ask) {
  const auto from = members.with("from").whole("from", 0, 0xFFFFFFFF).value_or(0);
  const auto size = members.with("size").whole("size", 0, 0xFFFFFFFF).value_or(10);
  if (from + size > limits.k) {
    throw illegal_argument(
        "Result window is too large, from + size must be less than or equal to: [" +
        std::to_string(limits.k) + "] but was [" + std::to_string(from + size) +
        "]; take a scroll to see more");
  }
  ask.from = static_cast<std::uint32_t>(from);
  ask.size = static_cast<std::uint32_t>(size);
}

/// track_total_hits: true, false, or a number.
void read_total(Members& members, SearchAsk& ask) {
  constexpr std::string_view kName = "track_total_hits";
  Parameters& has = members.with(kName);
  if (!has.has(kName)) return;
  const rapidjson::Value* const json = members.body().json(kName);
  bool is_flag = json != nullptr && json->IsBool();
  if (json == nullptr) {
    const std::string text = members.address().text(kName).value_or("");
    is_flag = text.empty() || text == "true" || text == "false";
  }
  if (is_flag) {
    ask.counts = *has.flag(kName);
  } else {
    ask.counts_up_to = has.whole(kName, 1, 0x7FFFFFFF);
  }
}

void read_asked_query(Members& members, const QueryContext& context, SearchAsk& ask) {
  const rapidjson::Value* const query = members.body().json("query");
  if (query != nullptr && members.address().has("q")) {
    throw illegal_argument("the address has 'q' and the body has 'query'; give one");
  }
  if (query != nullptr) {
    ask.query = read_query(*query, context);
  } else {
    ask.query = read_address_query(members.address(), context);
  }
  if (const auto* filter = members.body().json("post_filter")) {
    const auto own = read_column_query(*filter, context);
    if (!own) throw parsing_error("'post_filter' is of columns and ids here");
    restrict_query(ask.query, *own, context);
    ask.has_post_filter = true;
  }
  if (const auto* pipeline = members.body().json("search_pipeline")) {
    read_pipeline(*pipeline, ask.query);
  }
}

void read_times(Members& members, const ServerLimits& limits, SearchAsk& ask) {
  ask.deadline = limits.search_time;
  if (const auto timeout = members.with("timeout").text("timeout")) {
    ask.deadline = std::min(ask.deadline, read_time(*timeout, "timeout", kMostTime));
    if (members.address().has("scroll")) {
      throw illegal_argument("'timeout' in a scroll is not supported");
    }
  }
  if (const auto kept = members.address().text("scroll")) {
    ask.scroll = read_time(*kept, "scroll", kMostKept);
  }
}

/// What does not go together.
void check_ask(const SearchAsk& ask) {
  const bool by_vector = !ask.query.vector.empty();
  if (ask.explain && ask.query.kind != QueryKind::kWords) {
    throw illegal_argument("'explain' is for searches by words alone");
  }
  if (!ask.scroll) return;
  if (by_vector) throw illegal_argument("a 'scroll' over vectors is not supported");
  if (ask.from > 0) throw illegal_argument("using 'from' is not allowed in a scroll context");
  if (ask.size == 0) throw illegal_argument("'size' cannot be 0 in a scroll context");
  if (ask.explain) throw illegal_argument("'explain' in a scroll is not supported");
  if (!ask.highlighted.empty()) {
    throw illegal_argument("'highlight' in a scroll is not supported");
  }
  if (!ask.counts || ask.counts_up_to) {
    throw illegal_argument("disabling 'track_total_hits' is not allowed in a scroll context");
  }
}

/// Pages that the engine does not answer in one call have neither highlights nor explanations.
void check_order(const SearchAsk& ask, Members& members) {
  const std::string name = ask.order.after ? "search_after" : "sort";
  if (!ask.query.vector.empty() && ask.order.is_told) {
    throw illegal_argument("'" + name + "' by _doc of a search by vectors is not supported");
  }
  if (ask.order.after && ask.scroll) {
    throw illegal_argument("'search_after' cannot be used in a scroll context");
  }
  if ((ask.order.after || !ask.order.cursor.empty()) && ask.from > 0) {
    throw illegal_argument("'from' must be 0 where 'search_after' is used");
  }
  if (ask.order.by_score && !ask.order.after) return;
  if (ask.explain) throw illegal_argument("'explain' with this '" + name + "' is not supported");
  if (!ask.highlighted.empty()) {
    throw illegal_argument("'highlight' with this '" + name + "' is not supported");
  }
  if (!ask.order.by_score && members.has("timeout")) {
    throw illegal_argument("'timeout' with a 'sort' by _doc is not supported");
  }
}

}  // namespace

/// Aggregations, and what these and an order of columns need: a search of the engine's.
void read_columns(Members& members, const QueryContext& context, SearchAsk& ask) {
  for (const std::string_view name : {"aggs", "aggregations"}) {
    const rapidjson::Value* const json = members.body().json(name);
    if (json != nullptr) ask.aggregations = read_aggregations(*json, context.fields);
  }
  const bool asks_columns = !ask.aggregations.empty() || !ask.order.columns.empty();
  if (!asks_columns) return;
  if (!ask.query.vector.empty() || ask.scroll) {
    throw illegal_argument(
        "'aggs' and 'sort' by a field are for searches by words and columns, without a scroll");
  }
  if (!ask.aggregations.empty() && !ask.order.by_score) {
    throw illegal_argument("'aggs' with a 'sort' by _doc are not supported");
  }
  if (!ask.aggregations.empty() && ask.has_post_filter) {
    throw illegal_argument("'aggs' with a 'post_filter' are not supported");
  }
  restrict_query(ask.query, "id EXISTS", context);
}

SearchAsk read_search(const Services& services, const IndexPtr& index, Parameters& address,
                      const rapidjson::Value& body, Request::Clock::time_point arrival) {
  const ServerLimits& limits = services.options.limits;
  const IndexFields fields = fields_of(index->reader()->settings());
  SearchAsk ask{.index = index, .arrival = arrival};
  Members members(address, body);
  read_times(members, limits, ask);
  read_page_of(members, limits, ask);
  read_asked_query(members, {index->searcher(), fields, limits}, ask);
  ask.order = read_order(address, members.body(), fields);
  read_total(members, ask);
  ask.source = read_source_filter(address, members.body().json("_source"), fields);
  ask.explain = members.with("explain").flag("explain").value_or(false);
  if (const auto* highlight = members.body().json("highlight")) {
    read_highlight(*highlight, fields, ask);
  }
  ask.has_typed_keys = address.flag("typed_keys").value_or(false);
  if (members.body().has("min_score")) throw illegal_argument("'min_score' is not supported");
  read_columns(members, {index->searcher(), fields, limits}, ask);
  members.body().finish();
  check_ask(ask);
  check_order(ask, members);
  return ask;
}

SearchJob job_of(const SearchAsk& ask) {
  const AskedQuery& query = ask.query;
  SearchJob job{.index = ask.index, .vector = query.vector, .arrival = ask.arrival};
  SearchOptions& options = job.options;
  job.query = query.words;
  options.filter = query.filter;
  options.vector_field = query.vector_field;
  options.sort = ask.order.columns;
  options.search_after = ask.order.cursor;
  for (const Aggregation& asked : ask.aggregations) options.facets.push_back(asked.request);
  options.k = std::max<std::uint32_t>(1, ask.from + ask.size);
  options.deadline = ask.deadline;
  options.explain = ask.explain;
  options.count = ask.counts && query.vector.empty();
  if (query.kind == QueryKind::kVector) {
    options.k = std::min(options.k, query.nearest);
    options.vectors_alone = !query.is_filtered;
    options.fusion = query.fusion;
    options.fusion.fusion = Fusion::kFilter;
  } else if (query.kind == QueryKind::kHybrid) {
    options.fusion = query.fusion;
  }
  options.fusion.depth = std::max(options.fusion.depth, options.k);
  options.fields = ask.source.is_shown ? ask.source.names : std::vector<std::string>();
  for (const std::string& name : ask.highlighted) {
    if (!ask.source.is_shown || !ask.source.has(name)) options.fields.push_back(name);
  }
  options.snippets = !ask.highlighted.empty();
  options.positions = options.snippets;
  options.snippet = ask.snippet;
  return job;
}

}  // namespace warpdex::server::opensearch
