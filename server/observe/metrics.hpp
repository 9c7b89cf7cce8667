// Counts and times of requests, in the text form of Prometheus.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "routes/route.hpp"

namespace warpdex::server {

/// Counts of times in classes. Any thread.
class Histogram {
 public:
  void add(std::chrono::microseconds time);
  /// The lines of one histogram; `labels` is empty or as `route="/v1"`.
  void write(std::string_view name, const std::string& labels, std::string& out) const;
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }

 private:
  static constexpr std::size_t kBounds = 16;
  static const std::array<std::uint64_t, kBounds> kMicros;  ///< upper bounds
  std::array<std::atomic<std::uint64_t>, kBounds + 1> counts_{};
  std::atomic<std::uint64_t> count_ = 0;
  std::atomic<std::uint64_t> micros_ = 0;
};

/// A figure that is written once: its name, help, type ("counter", "gauge") and value.
struct Figure {
  std::string_view name;
  std::string_view type;
  std::string_view help;
  struct Value {
    std::string labels{};  ///< empty or as `index="a"`
    double value = 0;
  };
  std::vector<Value> values{};
};

void write_figure(const Figure& figure, std::string& out);
/// `text` as a label's value: \ " and line feeds are escaped.
std::string label_text(std::string_view text);

/// Of requests, by their routes. Any thread.
class Metrics {
 public:
  explicit Metrics(std::span<const Route> routes);

  /// A request that was answered, from its last byte to its answer's last byte handed to the
  /// system. `route` is one of those of the constructor, or null.
  void count_request(const Route* route, int status, std::chrono::microseconds time,
                     std::uint64_t bytes_in, std::uint64_t bytes_out);
  /// A search: its time in the queue, and that of the call it was part of.
  void count_search(bool on_gpu, std::chrono::microseconds waited, std::chrono::microseconds ran,
                    std::uint32_t batch);

  /// A search that was stopped since its client had gone.
  void count_stopped() { stopped_.fetch_add(1, std::memory_order_relaxed); }

  void connection_opened() { connections_.fetch_add(1, std::memory_order_relaxed); }
  void connection_closed() { connections_.fetch_sub(1, std::memory_order_relaxed); }
  std::int64_t connections() const { return connections_.load(std::memory_order_relaxed); }

  void write(std::string& out) const;

 private:
  static constexpr std::size_t kClasses = 5;  ///< of statuses: 1xx to 5xx
  struct OfRoute {
    Histogram times;
    std::array<std::atomic<std::uint64_t>, kClasses> statuses{};
  };

  const std::span<const Route> routes_;
  std::unique_ptr<OfRoute[]> by_route_;  ///< the last one: of no route
  std::array<Histogram, 2> waited_;      ///< on the CPU; on a GPU
  std::array<Histogram, 2> ran_;
  std::array<std::atomic<std::uint64_t>, 2> searches_{};
  std::array<std::atomic<std::uint64_t>, 2> batches_{};  ///< in 1 / batch, times 2^20
  std::atomic<std::uint64_t> stopped_ = 0;
  std::atomic<std::uint64_t> bytes_in_ = 0;
  std::atomic<std::uint64_t> bytes_out_ = 0;
  std::atomic<std::int64_t> connections_ = 0;
};

}  // namespace warpdex::server
