// Copies what a column's view shows, one part behind the other.
#include "gpu/facets/column_store.hpp"

#include <string_view>

#include "columns/value_counts.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/storage/check_sections.hpp"

namespace warpdex::gpu {
namespace {

/// The places of a column's parts.
struct Parts {
  Parts(const ColumnView& column, void* begin) {
    Arena arena(begin);
    packed = arena.take<std::uint8_t>(column.packed_bytes().size());
    present = arena.take<std::uint64_t>(column.present().size());
    begins = arena.take<std::uint32_t>(column.begins().size());
    bytes = arena.used();
  }
  std::uint8_t* packed;
  std::uint64_t* present;
  std::uint32_t* begins;
  std::size_t bytes;
};

template <class T>
void copy_all(T* to, std::span<const T> from, const Stream& stream) {
  if (!from.empty()) copy_to_gpu(to, from.data(), from.size(), stream);
}

}  // namespace

std::optional<PlacedColumn> ColumnStore::find(std::size_t segment, std::size_t column) {
  const auto known = entries_.find({segment, column});
  if (known != entries_.end()) return known->second.column;
  const Index& index = *snapshot_.segments()[segment].index;
  const ColumnView& view = index.columns()[column];
  if (ValueCounts::table_size(view) == 0) return std::nullopt;
  check_before_upload(index, [&](std::string_view name) { return name == column_name(column); });
  Entry entry;
  if (!upload(view, entry)) return std::nullopt;
  return entries_.emplace(std::pair{segment, column}, std::move(entry)).first->second.column;
}

bool ColumnStore::upload(const ColumnView& column, Entry& entry) const {
  const std::size_t bytes = Parts(column, nullptr).bytes;
  if (bytes > 0 && !entry.memory.allocate(bytes, memory_, device_)) return false;
  const Parts parts(column, entry.memory.data());
  const CurrentDevice current(device_);
  const Stream stream(device_);
  copy_all(parts.packed, column.packed_bytes(), stream);
  copy_all(parts.present, column.present(), stream);
  copy_all(parts.begins, column.begins(), stream);
  stream.synchronize();
  const bool has_present = column.form() == ColumnForm::kSome;
  const bool has_begins = column.form() == ColumnForm::kSeveral;
  entry.column = {
      .packed = parts.packed,
      .present = has_present ? reinterpret_cast<const std::uint32_t*>(parts.present) : nullptr,
      .begins = has_begins ? parts.begins : nullptr,
      .slots = static_cast<std::uint32_t>(column.header().values),
      .width = column.header().width,
      .entries = static_cast<std::uint32_t>(ValueCounts::table_size(column))};
  return true;
}

}  // namespace warpdex::gpu
