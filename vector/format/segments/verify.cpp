// Checks what opening an index of vectors does not.
#include "warpdex/vector/format/verify.hpp"

#include "format/manifest.hpp"
#include "format/segments/codings.hpp"
#include "format/verify_lists.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/check_sections.hpp"
#include "warpdex/core/storage/manifest_json.hpp"

namespace warpdex::vector {
namespace {

/// Tells how many rows of all segments were checked.
using RowProgress = std::function<void(std::size_t rows)>;

std::string name_row(const VectorSegment& segment, std::size_t place) {
  return "row " + std::to_string(segment.row(place));
}

void check_rows(const VectorSegment& segment, const RowProgress& progress) {
  constexpr std::size_t kRowsBetweenTold = 65'536;
  const FlatVectors& flat = flat_of(segment.vectors);
  if (flat.vectors.data == nullptr) return;
  if (!all_finite(flat.centre)) throw FormatError("the centre is not finite");
  std::vector<float> row(flat.vectors.dimension);
  std::vector<bool> seen(segment.rows);
  for (std::size_t i = 0; i < segment.rows; ++i) {
    copy_row(flat.vectors, i, row.data());
    const std::size_t place = flat.row_number(i);
    if (!all_finite(row)) throw FormatError(name_row(segment, place) + " is not finite");
    if (flat.norms[i] != row_norm(flat.metric, row, flat.centre)) {
      throw FormatError("the norm of " + name_row(segment, place) + " is not that of its vector");
    }
    if (seen[place]) throw FormatError(name_row(segment, place) + " is there twice");
    seen[place] = true;
    if (i % kRowsBetweenTold == 0) progress(i);
  }
}

void check_ids(const VectorIndex& index, const VectorSegment& segment) {
  for (std::size_t place = 0; place < segment.rows; ++place) {
    if (!index.id(segment.row(place)).empty()) continue;
    throw FormatError("the id of " + name_row(segment, place) + " is empty");
  }
}

void check(const VectorSegment& /*segment*/, const FlatVectors& /*vectors*/) {}

void check(const VectorSegment& segment, const BinaryVectors& codes) {
  CodingFormat<BinaryCoding>::verify(segment, codes);
}

template <class Coding>
void check(const VectorSegment& segment, const Lists<Coding>& lists) {
  if constexpr (HasCodes<Coding>) CodingFormat<Coding>::verify(segment, lists);
}

void check_segments(const VectorIndex& index, const std::function<void(double)>& progress) {
  const SearchedVectors& first = index.segments().front().vectors;
  if (stores_lists(index.settings().index)) check_centroids(centroids_of(first));
  std::size_t done = 0;
  for (const VectorSegment& segment : index.segments()) {
    check_ids(index, segment);
    check_rows(segment, [&](std::size_t rows) {
      if (!progress) return;
      progress(0.5 + 0.5 * static_cast<double>(done + rows) / static_cast<double>(index.rows()));
    });
    check_codes(segment);
    done += segment.rows;
  }
}

}  // namespace

void check_centroids(const FlatVectors& centroids) {
  std::vector<float> row(centroids.vectors.dimension);
  for (std::size_t i = 0; i < centroids.vectors.rows; ++i) {
    copy_row(centroids.vectors, i, row.data());
    if (!all_finite(row) || centroids.norms[i] != row_norm(centroids.metric, row, {})) {
      throw FormatError("centroid " + std::to_string(i) + " is not finite or not of its norm");
    }
  }
}

void check_codes(const VectorSegment& segment) {
  std::visit([&](const auto& vectors) { check(segment, vectors); }, segment.vectors);
}

void check_row_numbers(const VectorSegment& segment) {
  std::vector<bool> seen(segment.rows);
  for (const std::uint32_t place : row_numbers_of(segment.vectors)) {
    if (seen[place]) {
      throw FormatError("row " + std::to_string(segment.row(place)) + " is there twice");
    }
    seen[place] = true;
  }
}

VectorVerifyReport verify_vectors(const std::filesystem::path& folder,
                                  const std::function<void(double)>& progress) {
  VectorVerifyReport report;
  try {
    const VectorIndex index = VectorIndex::open(folder);
    check_sections(index, report, progress);
    if (report.ok()) check_segments(index, progress);
    report.rows = index.live_rows();
  } catch (const FormatError& error) {
    report.problems.emplace_back(error.what());
  }
  return report;
}

void check_before_upload(const VectorIndex& index) {
  warpdex::check_before_upload(index, [](std::string_view name) {
    return !name.ends_with(section::kIdNumbers) && !name.ends_with(section::kIdOffsets) &&
           !name.ends_with(section::kIdTexts);
  });
}

void check_before_copy(const VectorIndex& index, const std::function<void(double)>& progress) {
  warpdex::check_before_copy(index, progress);
}

bool is_vector_index(const std::filesystem::path& folder) {
  return is_of_kind(folder, kVectorsKind);
}

}  // namespace warpdex::vector
