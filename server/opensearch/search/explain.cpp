// _explain: why one document has its score for a query, or why it does not match.
#include <memory>
#include <utility>

#include "opensearch/search/explanation.hpp"
#include "opensearch/search/search_runs.hpp"
#include "warpdex/query/filter/filter.hpp"

namespace warpdex::server::opensearch {
namespace {

/// A query that can match the document of that id alone.
AskedQuery read_explained(const IndexPtr& index, const Services& services, Parameters& address,
                          const Request& request, const std::string& id) {
  const IndexFields fields = fields_of(index->reader()->settings());
  const QueryContext context{index->searcher(), fields, services.options.limits};
  const JsonText body(body_or_none(request), "the body");
  Parameters members(body.root(), "the body");
  const rapidjson::Value* const query = members.json("query");
  members.finish();
  if (query == nullptr && !address.has("q")) throw illegal_argument("'query' is missing");
  if (query != nullptr && address.has("q")) {
    throw illegal_argument("the address has 'q' and the body has 'query'; give one");
  }
  AskedQuery asked =
      query == nullptr ? read_address_query(address, context) : read_query(*query, context);
  if (!asked.vector.empty()) throw illegal_argument("a query by a vector cannot be explained");
  restrict_query(asked, filter_text({.kind = FilterNode::Kind::kIn, .field = "id", .values = {id}}),
                 context);
  return asked;
}

/// Of a document that does not match.
void write_why_not(const Explanation& explanation, JsonWriter& json) {
  Explanation none = explanation;
  none.score = 0;
  none.terms.clear();
  none.static_score = 0;
  if (none.tree && none.tree->matches) {
    none.tree.reset();
    none.tree.emplace().why_not = "the filter leaves the document out";
  } else if (!none.tree) {
    none.tree.emplace().why_not = "it has not the words, or words that are excluded";
  }
  write_explanation("explanation", none, json);
}

}  // namespace

void explain_one(Services& services, const ExchangePtr& exchange) {
  const Request& request = exchange->request;
  const IndexPtr index = find_index(services, request);
  const std::string id(request.arguments[1]);
  Parameters address(request);
  const AskedQuery query =
      read_body([&] { return read_explained(index, services, address, request, id); });
  finish(address);
  SearchAsk ask{.index = index, .query = query, .size = 1, .explain = true};
  ask.arrival = request.arrival;
  ask.source.is_shown = false;
  ask.counts = false;
  ask.deadline = services.options.limits.search_time;
  run_search(services, exchange, job_of(ask), [exchange, ask, id](SearchOutcome&& outcome) {
    const std::shared_ptr<const IndexReader> reader = ask.index->reader();
    const std::optional<std::uint32_t> document = reader->find(id);
    const Answer& answer = outcome.answer;
    if (!answer.is_complete) throw unavailable("the search was not ended in its time");
    JsonWriter json;
    json.begin_object();
    json.member("_index", ask.index->name());
    json.member("_id", id);
    json.member("matched", !answer.empty());
    if (!answer.empty()) {
      write_explanation("explanation", *answer[0].explanation(), json);
    } else if (document) {
      write_why_not(reader->explain(ask.query.words, *document), json);
    }
    json.end_object();
    respond(*exchange, json, answer.empty() && !document ? 404 : 200);
  });
}

}  // namespace warpdex::server::opensearch
