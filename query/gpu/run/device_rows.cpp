// Uploads rows behind those that are there.
#include "gpu/run/device_rows.hpp"

#include <algorithm>

namespace warpdex::gpu {
namespace {

/// Of one engine.
constexpr std::size_t kMaxRowBytes = std::size_t{32} << 20;

}  // namespace

DeviceRows::DeviceRows(const SearchedIndex& index)
    : uploaded_(index.device, EventUse::kOrder), read_(index.device, EventUse::kOrder) {
  MemoryBudget& budget = *index.row_budget;
  memory_.allocate(std::min(kMaxRowBytes, budget.left()), budget, index.device);
}

void DeviceRows::upload(TermRows& rows, const Stream& stream) {
  uploaded_.make_wait(stream);
  if (rows.fresh().empty()) return;
  if (rows.starts_over()) {
    // Batches in other lanes may read what was there.
    for (const Stream* const lane : streams_) {
      read_.record(*lane);
      read_.make_wait(stream);
    }
  }
  memory_.buffer().upload(rows.fresh(), stream, rows.fresh_begin());
  uploaded_.record(stream);
  rows.set_uploaded();
}

}  // namespace warpdex::gpu
