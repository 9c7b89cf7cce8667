#include "services/services.hpp"

#include <utility>

#include "http/json_writer.hpp"
#include "routes/route.hpp"

namespace warpdex::server {
namespace {

/// A line of the slow log: what was asked for, but not by whom, and not what was found.
void write_slow(Services& services, const Exchange& exchange, const std::string& index,
                const SearchOutcome& outcome) {
  if (!services.slow_log.is_on() || outcome.waited + outcome.ran < services.options.slow) return;
  JsonWriter json;
  json.begin_object();
  json.member("request_id", exchange.request.id);
  json.member("index", index);
  json.member("waited_us", outcome.waited.count());
  json.member("ran_us", outcome.ran.count());
  json.member("batch", outcome.batch);
  json.member("matches", outcome.answer.matches);
  json.member("complete", outcome.answer.is_complete);
  json.end_object();
  services.slow_log.add(json.take());
}

/// Answers by words alone say which processor gave them. Vectors are searched where the index is.
bool is_of_gpu(const ServedIndex& index, const SearchOutcome& outcome) {
  return outcome.has_vector ? index.device() != Device::kCpu : outcome.answer.is_of_gpu;
}

/// Counts what was stopped, too.
HttpError told_error(const Services& services, const std::exception_ptr& failure) {
  const HttpError error = http_error_of(failure);
  if (error.status() == kClientGone) services.metrics.count_stopped();
  HttpError told(error.status(), error.type(), services.catalog.without_folders(error.what()));
  for (const auto& [name, value] : error.headers()) told.add_header(name, value);
  return told;
}

}  // namespace

void fail(const Services& services, Exchange& exchange, const std::exception_ptr& failure) {
  exchange.respond(
      render_error(*exchange.route->face, told_error(services, failure), exchange.request));
}

std::string error_line(const Services& services, const Exchange& exchange,
                       const std::exception_ptr& failure) {
  std::string text = exchange.route->face->render(told_error(services, failure), exchange.request);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

void run_on_work(Services& services, const ExchangePtr& exchange, std::function<void()> work) {
  const bool is_taken = services.work.try_post([&services, exchange, work = std::move(work)] {
    try {
      work();
    } catch (const ClientGone&) {
      // Nobody is left to be told.
    } catch (...) {
      fail(services, *exchange, std::current_exception());
    }
  });
  if (!is_taken) throw too_busy("too many requests wait; try again later");
}

void run_change(Services& services, const ExchangePtr& exchange, const IndexPtr& index,
                ServedIndex::Change change) {
  index->post_change(std::move(change), [&services, exchange](const std::exception_ptr& failure) {
    fail(services, *exchange, failure);
  });
}

void run_durable_change(Services& services, const ExchangePtr& exchange, const IndexPtr& index,
                        ServedIndex::Change change, std::function<void()> kept) {
  index->post_durable_change(std::move(change), std::move(kept),
                             [&services, exchange](const std::exception_ptr& failure) {
                               fail(services, *exchange, failure);
                             });
}

void take_outcome(Services& services, const Exchange& exchange, const ServedIndex& index,
                  const SearchOutcome& outcome) {
  if (outcome.failure) std::rethrow_exception(outcome.failure);
  services.metrics.count_search(is_of_gpu(index, outcome), outcome.waited, outcome.ran,
                                outcome.batch);
  write_slow(services, exchange, index.name(), outcome);
}

void run_search(Services& services, const ExchangePtr& exchange, SearchJob job,
                std::function<void(SearchOutcome&&)> done) {
  job.options.stop = exchange->gone.get_token();
  job.done = [&services, exchange, index = job.index,
              done = std::move(done)](SearchOutcome&& outcome) {
    try {
      take_outcome(services, *exchange, *index, outcome);
      done(std::move(outcome));
    } catch (...) {
      fail(services, *exchange, std::current_exception());
    }
  };
  services.dispatcher.submit(std::move(job));
}

}  // namespace warpdex::server
