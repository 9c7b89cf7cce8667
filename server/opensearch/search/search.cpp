// _search, _count, and the pages of scrolls.
#include <algorithm>
#include <memory>
#include <utility>

#include "opensearch/search/matching.hpp"
#include "opensearch/search/scrolls.hpp"
#include "opensearch/search/search_runs.hpp"

namespace warpdex::server::opensearch {
namespace {

constexpr std::chrono::hours kMostKeptOpen{24};

/// The first page of documents that are kept.
void respond_first_page(Services& services, Exchange& exchange, const ScrollPtr& scroll) {
  const std::size_t shown = std::min<std::size_t>(scroll->ask.size, scroll->documents.size());
  scroll->position = shown;
  const std::string id = services.scrolls.add(scroll);
  JsonWriter json;
  write_documents(scroll->ask, *scroll->reader, std::span(scroll->documents).first(shown),
                  scroll->total, scroll->ask.arrival, id, json);
  end_answer(json);
  respond(exchange, json);
}

/// What is kept of a search for its pages.
SearchAsk for_pages(SearchAsk ask) {
  ask.query = {};
  return ask;
}

ScrollPtr scroll_of_matching(const SearchAsk& ask) {
  auto scroll = std::make_shared<Scroll>();
  scroll->reader = ask.index->reader();
  for (const std::uint32_t document : matching(*scroll->reader, ask.query)) {
    scroll->documents.push_back(
        {document, ask.order.by_score ? std::optional(ask.query.score) : std::nullopt});
  }
  scroll->ask = for_pages(ask);
  scroll->total.value = scroll->documents.size();
  return scroll;
}

/// By scores, as many as one search reaches.
void begin_scored_scroll(Services& services, const ExchangePtr& exchange, const SearchAsk& ask) {
  search_far(services, exchange, ask,
             [&services, exchange, ask](const std::shared_ptr<const IndexReader>& reader,
                                        const Answer& answer) {
               if (answer.matches > answer.size() && !ask.query.has_no_words()) {
                 throw illegal_argument("a scroll by _score reaches " +
                                        std::to_string(answer.size()) + " documents, and " +
                                        std::to_string(answer.matches) +
                                        " match; sort by _doc to see all of them");
               }
               auto scroll = std::make_shared<Scroll>();
               scroll->reader = reader;
               for (const AnswerHit hit : answer) {
                 scroll->documents.push_back({hit.document(), hit.score()});
               }
               scroll->total = {answer.size(), !answer.terms_cut};
               scroll->ask = for_pages(ask);
               respond_first_page(services, *exchange, scroll);
             });
}

std::chrono::microseconds read_kept(Parameters& address, Parameters& members) {
  auto kept = address.text("scroll");
  if (const auto also = members.text("scroll")) {
    if (kept) throw illegal_argument("'scroll' is given twice; give it once");
    kept = also;
  }
  if (!kept) throw illegal_argument("'scroll' must say how long the scroll is kept, as 1m");
  return read_time(*kept, "scroll", kMostKeptOpen);
}

std::string read_scroll_id(Parameters& address, Parameters& members) {
  auto id = address.text("scroll_id");
  if (const auto also = members.text("scroll_id")) {
    if (id) throw illegal_argument("'scroll_id' is given twice; give it once");
    id = also;
  }
  if (!id) throw illegal_argument("scrollId is missing");
  return *id;
}

void respond_cleared(Exchange& exchange, std::size_t count, int status) {
  JsonWriter json;
  json.begin_object();
  json.member("succeeded", true);
  json.member("num_freed", count);
  json.end_object();
  respond(exchange, json, status);
}

AskedQuery read_counted(const IndexPtr& index, const Services& services, Parameters& address,
                        const Request& request) {
  const IndexFields fields = fields_of(index->reader()->settings());
  const QueryContext context{index->searcher(), fields, services.options.limits};
  const JsonText body(body_or_none(request), "the body");
  Parameters members(body.root(), "the body");
  const rapidjson::Value* const query = members.json("query");
  members.finish();
  if (query != nullptr && address.has("q")) {
    throw illegal_argument("the address has 'q' and the body has 'query'; give one");
  }
  AskedQuery asked =
      query == nullptr ? read_address_query(address, context) : read_query(*query, context);
  if (!asked.vector.empty()) throw illegal_argument("a query by a vector cannot be counted");
  return asked;
}

void respond_count(Exchange& exchange, std::uint64_t number) {
  JsonWriter json;
  json.begin_object();
  json.member("count", number);
  write_shards(json);
  json.end_object();
  respond(exchange, json);
}

}  // namespace

void search(Services& services, const ExchangePtr& exchange) {
  const Request& request = exchange->request;
  const IndexPtr index = find_index(services, request);
  Parameters address(request);
  const SearchAsk ask = read_body([&] {
    const JsonText body(body_or_none(request), "the body");
    return read_search(services, index, address, body.root(), request.arrival);
  });
  finish(address);
  if (is_scored(ask) && ask.scroll) return begin_scored_scroll(services, exchange, ask);
  if (is_scored(ask) && ask.order.after) return search_behind(services, exchange, ask);
  if (is_scored(ask)) {
    return run_search(services, exchange, job_of(ask), [exchange, ask](SearchOutcome&& outcome) {
      JsonWriter json;
      write_answer(ask, outcome, json);
      end_answer(json);
      respond(*exchange, json);
    });
  }
  services.dispatcher.submit([&services, exchange, ask] {
    try {
      if (ask.scroll) return respond_first_page(services, *exchange, scroll_of_matching(ask));
      JsonWriter json;
      write_page_of_documents(ask, json);
      end_answer(json);
      respond(*exchange, json);
    } catch (...) {
      fail(services, *exchange, std::current_exception());
    }
  });
}

void next_page(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  const JsonText body(body_or_none(exchange->request), "the body");
  Parameters members(body.root(), "the body");
  const std::chrono::microseconds kept = read_kept(address, members);
  const std::string id = read_scroll_id(address, members);
  members.finish();
  finish(address);
  const ScrollPtr scroll = services.scrolls.find(id, kept);
  const std::lock_guard lock(scroll->mutex);
  const std::size_t shown =
      std::min<std::size_t>(scroll->ask.size, scroll->documents.size() - scroll->position);
  JsonWriter json;
  write_documents(scroll->ask, *scroll->reader,
                  std::span(scroll->documents).subspan(scroll->position, shown), scroll->total,
                  exchange->request.arrival, id, json);
  end_answer(json);
  scroll->position += shown;
  respond(*exchange, json);
}

void clear_scrolls(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  auto ids = address.texts("scroll_id").value_or(std::vector<std::string>());
  finish(address);
  const JsonText body(body_or_none(exchange->request), "the body");
  Parameters members(body.root(), "the body");
  if (const auto* given = members.json("scroll_id")) {
    if (given->IsString()) {
      ids.push_back(*members.text("scroll_id"));
    } else {
      const auto texts = members.texts("scroll_id").value_or(std::vector<std::string>());
      ids.insert(ids.end(), texts.begin(), texts.end());
    }
  }
  members.finish();
  if (ids.empty()) throw illegal_argument("no scroll ids specified");
  if (ids == std::vector<std::string>{"_all"}) {
    if (exchange->request.role < Role::kAdmin) {
      throw HttpError(403, "forbidden", "clearing all scrolls needs a key with the role admin");
    }
    return respond_cleared(*exchange, services.scrolls.remove_all(), 200);
  }
  std::size_t count = 0;
  for (const std::string& id : ids) count += services.scrolls.remove(id) ? 1 : 0;
  respond_cleared(*exchange, count, count == 0 ? 404 : 200);
}

void clear_all_scrolls(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  finish(address);
  respond_cleared(*exchange, services.scrolls.remove_all(), 200);
}

void count(Services& services, const ExchangePtr& exchange) {
  const Request& request = exchange->request;
  const IndexPtr index = find_index(services, request);
  Parameters address(request);
  const AskedQuery query =
      read_body([&] { return read_counted(index, services, address, request); });
  finish(address);
  if (!is_by_engine(query)) {
    const std::shared_ptr<const IndexReader> reader = index->reader();
    return respond_count(*exchange, query.kind == QueryKind::kAll
                                        ? reader->documents()
                                        : matching(*reader, query).size());
  }
  SearchAsk ask{.index = index, .query = query, .size = 1, .arrival = request.arrival};
  ask.source.is_shown = false;
  ask.deadline = services.options.limits.search_time;
  run_search(services, exchange, job_of(ask), [exchange](SearchOutcome&& outcome) {
    if (!outcome.answer.is_complete) throw unavailable("the count was not ended in its time");
    respond_count(*exchange, outcome.answer.matches);
  });
}

}  // namespace warpdex::server::opensearch
