#include "observe/metrics.hpp"

#include <algorithm>

#include "warpdex/core/number_text.hpp"

namespace warpdex::server {
namespace {

std::string seconds_text(std::uint64_t micros) {
  return shortest(static_cast<double>(micros) / 1e6);
}

void write_head(std::string_view name, std::string_view type, std::string_view help,
                std::string& out) {
  ((((out += "# HELP ") += name) += ' ') += help) += '\n';
  ((((out += "# TYPE ") += name) += ' ') += type) += '\n';
}

void write_line(std::string_view name, std::string_view suffix, const std::string& labels,
                const std::string& value, std::string& out) {
  (out += name) += suffix;
  if (!labels.empty()) ((out += '{') += labels) += '}';
  ((out += ' ') += value) += '\n';
}

constexpr std::array<std::string_view, 2> kProcessors{"cpu", "gpu"};

}  // namespace

const std::array<std::uint64_t, Histogram::kBounds> Histogram::kMicros{
    50,     100,    250,     500,     1'000,   2'500,     5'000,     10'000,
    25'000, 50'000, 100'000, 250'000, 500'000, 1'000'000, 5'000'000, 30'000'000};

void Histogram::add(std::chrono::microseconds time) {
  const auto micros = static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.count()));
  const auto bound = std::lower_bound(kMicros.begin(), kMicros.end(), micros);
  counts_[static_cast<std::size_t>(bound - kMicros.begin())].fetch_add(1,
                                                                       std::memory_order_relaxed);
  count_.fetch_add(1, std::memory_order_relaxed);
  micros_.fetch_add(micros, std::memory_order_relaxed);
}

void Histogram::write(std::string_view name, const std::string& labels, std::string& out) const {
  const std::string before = labels.empty() ? "" : labels + ",";
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i <= kBounds; ++i) {
    sum += counts_[i].load(std::memory_order_relaxed);
    const std::string bound = i < kBounds ? seconds_text(kMicros[i]) : "+Inf";
    write_line(name, "_bucket", before + "le=\"" + bound + "\"", std::to_string(sum), out);
  }
  write_line(name, "_sum", labels, seconds_text(micros_.load(std::memory_order_relaxed)), out);
  write_line(name, "_count", labels, std::to_string(sum), out);
}

std::string label_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return escaped;
}

void write_figure(const Figure& figure, std::string& out) {
  if (figure.values.empty()) return;
  write_head(figure.name, figure.type, figure.help, out);
  for (const Figure::Value& value : figure.values) {
    write_line(figure.name, "", value.labels, shortest(value.value), out);
  }
}

Metrics::Metrics(std::span<const Route> routes)
    : routes_(routes), by_route_(std::make_unique<OfRoute[]>(routes.size() + 1)) {}

void Metrics::count_request(const Route* route, int status, std::chrono::microseconds time,
                            std::uint64_t bytes_in, std::uint64_t bytes_out) {
  const std::size_t place =
      route == nullptr ? routes_.size() : static_cast<std::size_t>(route - routes_.data());
  OfRoute& counts = by_route_[place];
  counts.times.add(time);
  const std::size_t kind = static_cast<std::size_t>(std::clamp(status / 100, 1, 5)) - 1;
  counts.statuses[kind].fetch_add(1, std::memory_order_relaxed);
  bytes_in_.fetch_add(bytes_in, std::memory_order_relaxed);
  bytes_out_.fetch_add(bytes_out, std::memory_order_relaxed);
}

void Metrics::count_search(bool on_gpu, std::chrono::microseconds waited,
                           std::chrono::microseconds ran, std::uint32_t batch) {
  const std::size_t processor = on_gpu ? 1 : 0;
  waited_[processor].add(waited);
  ran_[processor].add(ran);
  searches_[processor].fetch_add(1, std::memory_order_relaxed);
  batches_[processor].fetch_add((std::uint64_t{1} << 20) / batch, std::memory_order_relaxed);
}

void Metrics::write(std::string& out) const {
  write_head("warpdex_request_duration_seconds", "histogram",
             "From a request's last byte to its answer's last byte.", out);
  Figure statuses{"warpdex_requests_total", "counter", "Requests that were answered."};
  for (std::size_t i = 0; i <= routes_.size(); ++i) {
    const OfRoute& counts = by_route_[i];
    if (counts.times.is_empty()) continue;
    const std::string labels = i == routes_.size()
                                   ? std::string("method=\"\",route=\"none\"")
                                   : "method=\"" + std::string(method_name(routes_[i].method)) +
                                         "\",route=\"" + label_text(routes_[i].pattern) + "\"";
    counts.times.write("warpdex_request_duration_seconds", labels, out);
    for (std::size_t kind = 0; kind < kClasses; ++kind) {
      const std::uint64_t count = counts.statuses[kind].load(std::memory_order_relaxed);
      if (count == 0) continue;
      statuses.values.push_back(
          {labels + ",status=\"" + std::to_string(kind + 1) + "xx\"", static_cast<double>(count)});
    }
  }
  write_figure(statuses, out);
  write_head("warpdex_search_wait_seconds", "histogram", "Searches, waiting for a thread.", out);
  for (std::size_t i = 0; i < 2; ++i) {
    waited_[i].write("warpdex_search_wait_seconds",
                     "processor=\"" + std::string(kProcessors[i]) + "\"", out);
  }
  write_head("warpdex_search_duration_seconds", "histogram",
             "Searches, in the call that they were part of.", out);
  for (std::size_t i = 0; i < 2; ++i) {
    ran_[i].write("warpdex_search_duration_seconds",
                  "processor=\"" + std::string(kProcessors[i]) + "\"", out);
  }
  Figure batches{"warpdex_search_batches_total", "counter", "Calls that searches were part of."};
  for (std::size_t i = 0; i < 2; ++i) {
    batches.values.push_back(
        {"processor=\"" + std::string(kProcessors[i]) + "\"",
         static_cast<double>(batches_[i].load(std::memory_order_relaxed)) / (1 << 20)});
  }
  write_figure(batches, out);
  const auto single = [&](std::string_view name, std::string_view type, std::string_view help,
                          double value) {
    write_figure({name, type, help, {{"", value}}}, out);
  };
  single("warpdex_searches_stopped_total", "counter", "Searches whose clients had gone.",
         static_cast<double>(stopped_.load(std::memory_order_relaxed)));
  single("warpdex_received_bytes_total", "counter", "Bodies of requests.",
         static_cast<double>(bytes_in_.load(std::memory_order_relaxed)));
  single("warpdex_sent_bytes_total", "counter", "Bodies of answers.",
         static_cast<double>(bytes_out_.load(std::memory_order_relaxed)));
  single("warpdex_connections", "gauge", "Open connections.", static_cast<double>(connections()));
}

}  // namespace warpdex::server
