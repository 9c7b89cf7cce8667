// Uploads rows behind those that are there.
#include "gpu/run/device_rows.hpp"

#include <algorithm>

namespace warpdex::gpu {
namespace {

constexpr std::size_t kMaxRowBytes = std::size_t{32} << 20;
/// This share of the scratch memory, at most.
constexpr std::size_t kRowShares = 16;

}  // namespace

DeviceRows::DeviceRows(const SearchedIndex& index)
    : index_(index),
      uploaded_(index.device, EventUse::kOrder),
      read_(index.device, EventUse::kOrder) {
  memory_.allocate(std::min(kMaxRowBytes, index.scratch / kRowShares), *index.budget, index.device);
  index_.row_memory += memory_.size();
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
