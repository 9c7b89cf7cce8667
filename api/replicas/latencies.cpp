#include "replicas/latencies.hpp"

#include <algorithm>

namespace warpdex::replicas {
namespace {

/// Bytes of a message up to which ReplicaSettings::first_hedge holds; for longer ones it grows.
constexpr double kShort = 4096;

}  // namespace

void Latencies::add(double seconds) {
  in_order_.push_back(seconds);
  sorted_.insert(std::ranges::upper_bound(sorted_, seconds), seconds);
  if (sorted_.size() <= settings_.window) return;
  sorted_.erase(std::ranges::lower_bound(sorted_, in_order_.front()));
  in_order_.pop_front();
}

double Latencies::hedge_after(std::size_t bytes) const {
  const std::size_t count = sorted_.size();
  if (count == 0 || count < settings_.samples) {
    return settings_.first_hedge * std::max(1.0, static_cast<double>(bytes) / kShort);
  }
  const auto rank = static_cast<std::size_t>(settings_.hedge_rank * static_cast<double>(count));
  return sorted_[std::min(count - 1, rank)];
}

}  // namespace warpdex::replicas
