// Columns in GPU memory. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "gpu/facets/count_values.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/indexer/columns/column_view.hpp"
#include "warpdex/indexer/format/snapshot.hpp"

namespace warpdex::gpu {

/// Uploads columns when they are first asked for, and keeps them. Used by one thread at a time.
class ColumnStore {
 public:
  /// Keeps references.
  ColumnStore(const Snapshot& snapshot, MemoryBudget& memory, int device)
      : snapshot_(snapshot), memory_(memory), device_(device) {}

  /// A column of a segment, by their numbers; none where memory lacks, or where its values are not
  /// counted in a table. Throws FormatError for damage, CudaError.
  std::optional<PlacedColumn> find(std::size_t segment, std::size_t column);

 private:
  struct Entry {
    AccountedBuffer memory;
    PlacedColumn column{};
  };

  bool upload(const ColumnView& column, Entry& entry) const;

  const Snapshot& snapshot_;
  MemoryBudget& memory_;
  int device_;
  std::map<std::pair<std::size_t, std::size_t>, Entry> entries_;  ///< by segment and column
};

}  // namespace warpdex::gpu
