// Reads what is on the host, or copies it there.
#include "flat/gpu/fetched_answers.hpp"

#include <algorithm>
#include <cstdint>

#include "flat/order_key.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
namespace {

/// The bus takes some 20 us for so many.
constexpr std::size_t kMaxWritten = std::size_t{1} << 16;

}  // namespace

FetchedAnswers::FetchedAnswers(DeviceAnswers& answers, std::size_t queries, Workspace& workspace)
    : answers_(answers), stream_(workspace.stream) {
  const std::size_t size = queries * answers.k;
  if (size > kMaxWritten) return;
  const auto cut = [&](void* memory) {
    Arena arena(memory);
    answers.values = arena.take<float>(size);
    answers.ids = arena.take<std::uint32_t>(size);
    return arena.used();
  };
  const PinnedBuffer& pinned = workspace.pinned_answers(cut(nullptr));
  cut(pinned.data());
  values_ = answers.values;
  ids_ = answers.ids;
  cut(pinned.device_data());
}

bool FetchedAnswers::fetch(Metric metric, std::size_t first, std::size_t count,
                           Neighbors& result) const {
  const std::size_t size = count * answers_.k;
  float* const distances = result.distances.data() + first * answers_.k;
  std::int32_t* const rows = result.rows.data() + first * answers_.k;
  if (values_ == nullptr) {
    copy_to_host(distances, answers_.values, size, stream_);
    copy_to_host(reinterpret_cast<std::uint32_t*>(rows), answers_.ids, size, stream_);
  }
  stream_.synchronize();
  if (values_ != nullptr) {
    std::copy_n(values_, size, distances);
    std::copy_n(ids_, size, rows);
  }
  for (std::size_t i = 0; i < size; ++i) distances[i] = from_ascending(metric, distances[i]);
  for (std::size_t i = 0; i < size; i += answers_.k) {
    if (rows[i] < 0) return true;
  }
  return false;
}

}  // namespace warpdex::vector
