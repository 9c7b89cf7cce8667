#include "system/routes.hpp"

#include <set>

#include "routes/parameters.hpp"
#include "services/services.hpp"
#include "system/openapi.hpp"

namespace warpdex::server::system {
namespace {

constexpr std::string_view kPrometheus = "text/plain; version=0.0.4; charset=utf-8";

/// The process runs.
void show_health(Services&, const ExchangePtr& exchange) {
  Parameters(exchange->request).finish();
  exchange->respond({.body = "{\"status\":\"ok\"}\n"});
}

/// Requests are answered: it does not drain, and there is an index that is open.
void show_readiness(Services& services, const ExchangePtr& exchange) {
  Parameters(exchange->request).finish();
  if (services.is_draining) throw unavailable("the server is ending");
  if (services.catalog.all().empty() && !services.catalog.problems().empty()) {
    throw unavailable("no index could be opened");
  }
  exchange->respond({.body = "{\"status\":\"ready\"}\n"});
}

void show_description(Services&, const ExchangePtr& exchange) {
  Parameters(exchange->request).finish();
  exchange->respond({.body = std::string(kOpenApi)});
}

std::string of_index(const ServedIndex& index) {
  return "index=\"" + label_text(index.name()) + "\"";
}

void write_indexes(const Services& services, std::string& out) {
  Figure documents{"warpdex_index_documents", "gauge", "Live documents, or vectors."};
  Figure segments{"warpdex_index_segments", "gauge", "Segments."};
  Figure commit{"warpdex_index_commit", "gauge", "The number of the commit that is searched."};
  Figure commits{"warpdex_index_commits_total", "counter", "Commits that this server made."};
  Figure changes{"warpdex_index_uncommitted_changes", "gauge", "Changes since the last commit."};
  Figure failed{"warpdex_index_refreshes_failed_total", "counter",
                "Looks for a commit of another process that failed."};
  for (const IndexPtr& index : services.catalog.all()) {
    const std::string labels = of_index(*index);
    failed.values.push_back({labels, static_cast<double>(index->failed_refreshes())});
    commit.values.push_back({labels, static_cast<double>(index->commit())});
    if (index->is_vectors()) {
      documents.values.push_back({labels, static_cast<double>(index->vectors().live_rows())});
      continue;
    }
    const std::shared_ptr<const IndexReader> reader = index->reader();
    documents.values.push_back({labels, static_cast<double>(reader->documents())});
    segments.values.push_back({labels, static_cast<double>(reader->segments())});
    commits.values.push_back({labels, static_cast<double>(index->commits())});
    changes.values.push_back({labels, static_cast<double>(index->uncommitted())});
  }
  for (const Figure& figure : {documents, segments, commit, commits, changes, failed}) {
    write_figure(figure, out);
  }
}

/// One account a GPU, however often it is there.
void write_gpus(const std::vector<Gpu>& gpus, std::string& out) {
  if (gpus.empty()) return;
  Figure used{"warpdex_gpu_memory_used_bytes", "gauge",
              "GPU memory that indexes and searches take."};
  Figure limit{"warpdex_gpu_memory_limit_bytes", "gauge", "GPU memory that they may take."};
  std::set<int> known;
  for (const Gpu& gpu : gpus) {
    if (!known.insert(gpu.device()).second) continue;
    const std::string label = "gpu=\"" + std::to_string(gpu.device()) + "\"";
    used.values.push_back({label, static_cast<double>(gpu.memory_used())});
    limit.values.push_back({label, static_cast<double>(gpu.memory_limit())});
  }
  write_figure(used, out);
  write_figure(limit, out);
}

void show_metrics(Services& services, const ExchangePtr& exchange) {
  Parameters(exchange->request).finish();
  std::string out;
  services.metrics.write(out);
  const auto single = [&](std::string_view name, std::string_view type, std::string_view help,
                          double value) {
    write_figure({name, type, help, {{"", value}}}, out);
  };
  single("warpdex_search_queue_length", "gauge", "Searches that wait for a thread.",
         static_cast<double>(services.dispatcher.waiting()));
  single("warpdex_searches_refused_total", "counter", "Searches refused with 429.",
         static_cast<double>(services.dispatcher.refused()));
  single("warpdex_work_queue_length", "gauge", "Other requests that wait for a thread.",
         static_cast<double>(services.work.waiting()));
  write_indexes(services, out);
  write_gpus(services.options.gpus, out);
  exchange->respond({.content_type = kPrometheus, .body = std::move(out)});
}

}  // namespace

std::vector<Route> routes(const Face& face) {
  using enum BodyKind;
  return {
      {Method::kGet, "/healthz", Role::kNone, kEmpty, show_health, &face},
      {Method::kGet, "/readyz", Role::kNone, kEmpty, show_readiness, &face},
      {Method::kGet, "/openapi.json", Role::kNone, kEmpty, show_description, &face,
       RunsOn::kWorker},
      {Method::kGet, "/metrics", Role::kRead, kEmpty, show_metrics, &face, RunsOn::kWorker},
  };
}

}  // namespace warpdex::server::system
