// What handlers work with.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "catalog/catalog.hpp"
#include "dispatch/dispatcher.hpp"
#include "http/response.hpp"
#include "observe/log_file.hpp"
#include "observe/metrics.hpp"
#include "threads/work_pool.hpp"
#include "warpdex/server/server.hpp"

namespace warpdex::server {

namespace opensearch {
class Scrolls;
}

struct Services {
  const ServerOptions& options;
  Catalog& catalog;
  Dispatcher& dispatcher;
  WorkPool& work;  ///< of requests that may wait
  Metrics& metrics;
  LogFile& slow_log;
  opensearch::Scrolls& scrolls;
  const std::atomic<bool>& is_draining;
};

/// Answers with what an exception stands for, in the form of the route's face. Folders of the
/// server's are told by the names of their indexes.
void fail(const Services& services, Exchange& exchange, const std::exception_ptr& failure);
/// The same as one line of an answer of many, without a line feed.
std::string error_line(const Services& services, const Exchange& exchange,
                       const std::exception_ptr& failure);

/// Runs `work` on a thread that may wait, and answers with what it throws. Throws HttpError (429)
/// where too many wait.
void run_on_work(Services& services, const ExchangePtr& exchange, std::function<void()> work);

/// Runs a change of an index after those before it, and answers with what it throws. Throws as
/// ServedIndex::post_change() does.
void run_change(Services& services, const ExchangePtr& exchange, const IndexPtr& index,
                ServedIndex::Change change);

/// The same, and once the change is durable, together with others that waited, calls `kept`.
void run_durable_change(Services& services, const ExchangePtr& exchange, const IndexPtr& index,
                        ServedIndex::Change change, std::function<void()> kept);

/// Throws what a search failed with; else counts it, and writes a slow one into the slow log.
void take_outcome(Services& services, const Exchange& exchange, const ServedIndex& index,
                  const SearchOutcome& outcome);

/// Searches, and calls `done` on the thread that searched, where it may throw: that is answered as
/// other failures are. Counts the search, and writes a slow one into the slow log. Throws HttpError
/// (429).
void run_search(Services& services, const ExchangePtr& exchange, SearchJob job,
                std::function<void(SearchOutcome&&)> done);

}  // namespace warpdex::server
