#include "replicas/latencies.hpp"

#include <algorithm>

namespace warpdex::replicas {

void Latencies::add(double seconds) {
  in_order_.push_back(seconds);
  sorted_.insert(std::ranges::upper_bound(sorted_, seconds), seconds);
  if (sorted_.size() <= settings_.window) return;
  sorted_.erase(std::ranges::lower_bound(sorted_, in_order_.front()));
  in_order_.pop_front();
}

double Latencies::hedge_after() const {
  const std::size_t count = sorted_.size();
  if (count == 0 || count < settings_.samples) return settings_.first_hedge;
  const auto rank = static_cast<std::size_t>(settings_.hedge_rank * static_cast<double>(count));
  return sorted_[std::min(count - 1, rank)];
}

}  // namespace warpdex::replicas
