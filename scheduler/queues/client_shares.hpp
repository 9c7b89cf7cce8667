// Counts the work done for each client from one queue, by its weight. Internal.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpdex {

/// Stride scheduling: of the clients that have jobs, the one with the smallest pass() is served
/// next. For several threads. With a single client, as in most schedulers, nothing is written.
class ClientShares {
 public:
  explicit ClientShares(const std::vector<double>& weights) : clients_(weights.size()) {
    for (std::size_t i = 0; i < weights.size(); ++i) clients_[i].weight = weights[i];
  }

  std::size_t size() const { return clients_.size(); }
  /// Work done for the client, over its weight.
  double pass(std::size_t client) const {
    return clients_[client].pass.load(std::memory_order_relaxed);
  }

  /// A job of the client waits now. A client that had none gets no credit for the time before.
  void add(std::size_t client) {
    if (size() == 1 || clients_[client].jobs.fetch_add(1, std::memory_order_relaxed) > 0) return;
    const double now = served_last_.load(std::memory_order_relaxed);
    if (pass(client) < now) clients_[client].pass.store(now, std::memory_order_relaxed);
  }
  /// A job of the client no longer waits.
  void remove(std::size_t client) {
    if (size() > 1) clients_[client].jobs.fetch_sub(1, std::memory_order_relaxed);
  }
  /// Adds work that is done for the client, in microseconds; negative: takes it back.
  void serve(std::size_t client, double work) {
    if (size() == 1) return;
    const double before =
        clients_[client].pass.fetch_add(work / clients_[client].weight, std::memory_order_relaxed);
    if (work > 0) served_last_.store(before, std::memory_order_relaxed);
  }

 private:
  struct Client {
    double weight = 1;
    std::atomic<double> pass = 0;
    std::atomic<std::int64_t> jobs = 0;
  };

  std::vector<Client> clients_;
  std::atomic<double> served_last_ = 0;  ///< the pass that the client served last had until then
};

}  // namespace warpdex
