// The manifest of an index of vectors, and the names of its sections.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/storage/folder.hpp"
#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::vector {

namespace section {
inline constexpr std::string_view kVectors = "vectors";
inline constexpr std::string_view kNorms = "norms";
inline constexpr std::string_view kCentre = "centre";
inline constexpr std::string_view kListVectors = "list_vectors";  ///< beside rows in their order
inline constexpr std::string_view kListNorms = "list_norms";      ///< likewise
inline constexpr std::string_view kRowNumbers = "row_numbers";
inline constexpr std::string_view kListBegins = "list_begins";
inline constexpr std::string_view kCentroids = "centroids";
inline constexpr std::string_view kCentroidNorms = "centroid_norms";
inline constexpr std::string_view kCodes = "codes";
inline constexpr std::string_view kTerms = "terms";
inline constexpr std::string_view kCodebooks = "codebooks";
inline constexpr std::string_view kRotation = "rotation";
inline constexpr std::string_view kCodeCentre = "code_centre";
inline constexpr std::string_view kCodeScale = "code_scale";
inline constexpr std::string_view kByteScales = "byte_scales";
inline constexpr std::string_view kFactors = "factors";
inline constexpr std::string_view kResiduals = "residuals";
inline constexpr std::string_view kIdNumbers = "id_numbers";
inline constexpr std::string_view kIdOffsets = "id_offsets";
inline constexpr std::string_view kIdTexts = "id_texts";
inline constexpr std::string_view kKeptRows = "kept_rows";
}  // namespace section

/// What VectorSegment says of rows.
struct SegmentRows {
  std::size_t rows = 0;
  std::size_t first_row = 0;
  std::size_t row_span = 0;
};

struct Manifest {
  VectorIndexSettings settings;
  std::uint64_t rows = 0;  ///< of all segments, those too that a merge left out
  IdKind ids = IdKind::kRows;
  StoredSegments stored;
  std::vector<SegmentRows> rows_of;  ///< each segment; row_span follows from the others
};

/// Components from one row to the next: rows start at multiples of 16 bytes.
constexpr std::size_t row_stride(const VectorIndexSettings& settings) {
  const std::size_t step = 16 / store_bytes(settings.store);
  return (settings.dimension + step - 1) / step * step;
}

/// The length of a vector that lists and codes take.
inline constexpr double kMaxTrainedLength = 1e17;

/// Whether there are sections of lists: of one list where all vectors of the coding are one.
bool stores_lists(const VectorKind& kind);

/// The settings of a new index, with defaults in the place of what was left open. Throws UsageError
/// for what is out of range.
VectorIndexSettings checked_settings(const VectorIndexSettings& settings);

/// Whether vectors are stored in the order of rows.
inline bool stores_rows_in_order(const VectorIndexSettings& settings) {
  return settings.index.has_codes() ? settings.pq.keeps_vectors : !settings.index.in_lists;
}

std::string manifest_to_json(const Manifest& manifest);

/// Throws FormatError for what is damaged, of another version, or another kind of index.
Manifest manifest_from_json(std::string_view text);

/// Throws as manifest_from_json() does, and IoError where there is none.
Manifest read_manifest(const Folder& folder);
/// Likewise; the caller holds the folder's lock.
Manifest read_manifest(const std::filesystem::path& folder);

}  // namespace warpdex::vector
