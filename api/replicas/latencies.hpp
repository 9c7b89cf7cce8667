// How long a part's last answers took, to messages that were about as long. Internal.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "warpdex/parts.hpp"

namespace warpdex::replicas {

class Latencies {
 public:
  explicit Latencies(const ReplicaSettings& settings) : settings_(settings) {}

  /// O(window).
  void add(double seconds);
  /// Seconds after which a second replica is asked for a message of so many bytes.
  double hedge_after(std::size_t bytes) const;

 private:
  ReplicaSettings settings_;
  std::deque<double> in_order_;
  std::vector<double> sorted_;
};

}  // namespace warpdex::replicas
