// Writes the sections of rows and of their ids, and maps what was written of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/core/storage/segment_files.hpp"
#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::vector {

template <class T>
void append_all(SectionWriter& writer, std::span<const T> values) {
  writer.append({reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()});
}

/// The sections vectors, norms and centre. Holds the first rows back, up to 16 MiB, until it knows
/// a centre.
class RowWriter {
 public:
  /// Creates the sections' files in `folder`. Throws IoError.
  RowWriter(const std::filesystem::path& folder, const VectorIndexSettings& settings);
  /// Likewise for rows that are added to an index with that centre: then there is no section of it.
  RowWriter(const std::filesystem::path& folder, const VectorIndexSettings& settings,
            std::span<const float> centre);
  /// Likewise as the next sections of a segment, centre included, which must outlive it; their
  /// names begin with `prefix`. Ends with write_rest().
  RowWriter(SegmentFiles& files, const VectorIndexSettings& settings, std::string_view prefix);

  /// As VectorIndexWriter::add().
  void add(std::span<const float> rows);
  /// A row that has the form in which it was stored elsewhere with these settings.
  void add_as_stored(std::span<const float> row);
  std::size_t rows() const { return rows_; }
  /// Bytes of rows held.
  std::uint64_t memory() const { return held_back_.capacity() * sizeof(float); }
  /// Writes what is left to the sections of a segment, which ends them. Once, at the end.
  void write_rest();
  /// Writes what is left. Once, at the end.
  std::vector<SectionInfo> finish();

 private:
  std::span<const float> stored_form(std::span<const float> row);
  void check_length(std::span<const float> row) const;
  void write_first_rows();
  void write_row(std::span<const float> row);

  VectorIndexSettings settings_;
  std::filesystem::path folder_;
  SectionWriter vectors_;
  SectionWriter norms_;
  std::optional<SectionWriter> centre_section_;  ///< of a segment's files
  std::size_t rows_ = 0;
  bool writes_centre_ = true;
  bool has_centre_ = false;       ///< until then the first rows are held back
  std::vector<float> held_back_;  ///< the first rows
  std::vector<float> centre_;     ///< for kL2
  std::vector<float> floats_;     ///< of one row
  std::vector<std::uint16_t> halves_;
};

struct WrittenRows {
  /// `sections` are what RowWriter::finish() returned; `centre` is what it was given, if it was,
  /// and must outlive this. Throws FormatError, IoError.
  WrittenRows(const std::filesystem::path& folder, const std::vector<SectionInfo>& sections,
              const VectorIndexSettings& settings, std::size_t count,
              std::span<const float> centre = {});

  SectionView vectors_section;
  SectionView norms_section;
  SectionView centre_section;
  FlatVectors flat;
};

/// The sections of ids, in the order of rows; none where there are no ids. Throws IoError.
void write_ids(const VectorIds& ids, const std::filesystem::path& folder,
               std::vector<SectionInfo>& sections);

}  // namespace warpdex::vector
