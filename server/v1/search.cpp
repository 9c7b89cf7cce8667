// Searches of one query.
#include <utility>

#include "v1/face.hpp"
#include "v1/search_call.hpp"

namespace warpdex::server::v1 {
namespace {

void search(Services& services, const ExchangePtr& exchange, Parameters& parameters) {
  const Request& request = exchange->request;
  const IndexPtr index = services.catalog.find(request.arguments[0]);
  SearchCall call = read_search(parameters, index, services.options.limits, request.arrival);
  SearchJob job = std::move(call.job);
  run_search(services, exchange, std::move(job),
             [exchange, call = std::move(call)](SearchOutcome&& outcome) {
               exchange->respond({.body = search_json(call, outcome) += '\n'});
             });
}

}  // namespace

void search_by_address(Services& services, const ExchangePtr& exchange) {
  Parameters parameters(exchange->request);
  search(services, exchange, parameters);
}

void search_by_body(Services& services, const ExchangePtr& exchange) {
  Parameters(exchange->request).finish();
  const JsonText body(exchange->request.body, "the body");
  Parameters parameters(body.root(), "the body");
  search(services, exchange, parameters);
}

}  // namespace warpdex::server::v1
