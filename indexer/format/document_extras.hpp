// What a segment keeps of documents beside their terms: stored fields, values of columns and
// vectors. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>

#include "columns/column_writer.hpp"
#include "format/stored_blocks.hpp"
#include "warpdex/core/storage/segment_files.hpp"
#include "warpdex/indexer/format/index_writer.hpp"
#include "warpdex/vector/format/row_sections.hpp"

namespace warpdex {

/// Each of them is added once for each document, after the document. `documents`, below, is
/// how many documents were added so far, the last one included. All functions throw UsageError if
/// one was added too often or not at all.
class DocumentExtras {
 public:
  /// The next sections of `files`, which must outlive it, as the settings ask for.
  DocumentExtras(SegmentFiles& files, const IndexSettings& settings);

  void set_threads(std::size_t threads);
  /// As IndexWriter's functions of these names. Throw IoError, too.
  void add_stored(std::string_view record, std::uint64_t documents);
  void add_values(const FieldValues& values, std::uint64_t documents);
  void add_vector(std::span<const float> vector, std::size_t set, std::uint64_t documents);
  void copy_vector(const vector::VectorView& from, std::size_t row, std::size_t set,
                   std::uint64_t documents);
  /// Writes what is left. Once, at the end. Throws IoError, too.
  void finish(std::uint64_t documents);

  /// Bytes held at the moment.
  std::uint64_t memory() const;

 private:
  vector::RowSections& next_vector(std::size_t set, std::uint64_t documents);

  std::optional<StoredWriter> stored_;
  std::optional<ColumnsWriter> columns_;
  std::deque<vector::RowSections> vectors_;  ///< by set
};

}  // namespace warpdex
