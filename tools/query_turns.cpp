#include "warpdex/tools/query_turns.hpp"

#include <thread>

namespace warpdex::tools {

QueryTurns::QueryTurns(std::size_t queries, std::size_t batch_size)
    : queries_(queries),
      batch_size_(batch_size),
      start_(Clock::now()),
      ends_((queries + batch_size - 1) / batch_size) {}

std::optional<std::size_t> QueryTurns::take() {
  if (has_failed_.load()) return std::nullopt;
  const std::size_t query = taken_.fetch_add(1);
  if (query >= queries_) return std::nullopt;
  const std::size_t before = query / batch_size_ * batch_size_;
  while (answered_.load() < before) {
    if (has_failed_.load()) return std::nullopt;
    std::this_thread::yield();
  }
  return query;
}

void QueryTurns::answered() {
  const Clock::time_point now = Clock::now();  // before others go on to the next batch
  const std::size_t count = answered_.fetch_add(1) + 1;
  if (count % batch_size_ == 0 || count == queries_) ends_[(count - 1) / batch_size_] = now;
}

void QueryTurns::write_times(std::uint64_t* nanoseconds) const {
  Clock::time_point before = start_;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    nanoseconds[i] = static_cast<std::uint64_t>((ends_[i] - before).count());
    before = ends_[i];
  }
}

}  // namespace warpdex::tools
