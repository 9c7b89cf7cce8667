// How searches are counted, and stopped.
#include "services/services.hpp"

#include "searching.hpp"

namespace warpdex::server {
namespace {

std::string count_line(std::string_view processor, int count) {
  return "warpdex_search_duration_seconds_count{processor=\"" + std::string(processor) + "\"} " +
         std::to_string(count) + "\n";
}

TEST_F(Searching, CountsUnderTheProcessorThatAnswered) {
  SearchOutcome outcome;
  take_outcome(services, *exchange, *index, outcome);
  outcome.answer.is_of_gpu = true;
  take_outcome(services, *exchange, *index, outcome);
  take_outcome(services, *exchange, *index, outcome);
  EXPECT_NE(metrics_text().find(count_line("cpu", 1)), std::string::npos) << metrics_text();
  EXPECT_NE(metrics_text().find(count_line("gpu", 2)), std::string::npos) << metrics_text();
}

/// Its search waits while the only thread is busy. The next one is answered.
TEST_F(Searching, StopsASearchWhoseClientHasGone) {
  std::promise<void> goes_on;
  dispatcher.submit([waited = goes_on.get_future().share()] { waited.wait(); });
  exchange->gone = std::stop_source();
  const auto other = std::make_shared<KeptExchange>();
  other->route = &route;
  other->gone = std::stop_source();
  const auto search = [&](const std::shared_ptr<KeptExchange>& asked) {
    SearchJob job{.index = index, .query = index->searcher().parse("alpha")};
    job.arrival = Request::Clock::now();
    run_search(services, asked, std::move(job), [asked](SearchOutcome&& outcome) {
      asked->respond({.body = std::to_string(outcome.answer.size())});
    });
  };
  search(exchange);
  search(other);
  exchange->gone.request_stop();
  goes_on.set_value();
  EXPECT_EQ(exchange->wait().status, kClientGone);
  EXPECT_EQ(other->wait().body, "10");
  EXPECT_NE(metrics_text().find("warpdex_searches_stopped_total 1\n"), std::string::npos);
}

}  // namespace
}  // namespace warpdex::server
