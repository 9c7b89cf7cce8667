// Checks what opening an index of vectors does not.
#include "warpdex/vector/format/verify.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "format/manifest.hpp"
#include "format/verify_codes.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/check_sections.hpp"
#include "warpdex/core/storage/manifest_json.hpp"

namespace warpdex::vector {
namespace {

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

void check_rows(const VectorIndex& index, const std::function<void(double)>& progress) {
  constexpr std::size_t kRowsBetweenTold = 65'536;
  if (!index.settings().pq.keeps_vectors) return;
  const FlatVectors& flat = index.flat();
  if (!all_finite(flat.centre)) throw FormatError("the centre is not finite");
  std::vector<float> row(flat.vectors.dimension);
  std::vector<bool> seen(index.rows());
  for (std::size_t i = 0; i < index.rows(); ++i) {
    copy_row(flat.vectors, i, row.data());
    const std::string name = "row " + std::to_string(flat.row_number(i));
    if (!all_finite(row)) throw FormatError(name + " is not finite");
    if (flat.norms[i] != row_norm(flat.metric, row, flat.centre)) {
      throw FormatError("the norm of " + name + " is not that of its vector");
    }
    if (seen[flat.row_number(i)]) throw FormatError(name + " is there twice");
    seen[flat.row_number(i)] = true;
    if (progress && i % kRowsBetweenTold == 0) {
      progress(0.5 + 0.5 * static_cast<double>(i) / static_cast<double>(index.rows()));
    }
  }
}

void check_ids(const VectorIndex& index) {
  for (std::size_t i = 0; i < index.rows(); ++i) {
    if (index.id(i).empty()) throw FormatError("the id of row " + std::to_string(i) + " is empty");
  }
}

void check_centroids(const VectorIndex& index) {
  if (index.settings().index == IndexKind::kFlat) return;
  const bool has_codes = index.settings().index == IndexKind::kIvfPq;
  const FlatVectors& centroids = has_codes ? index.ivf_pq().centroids : index.ivf().centroids;
  std::vector<float> row(centroids.vectors.dimension);
  for (std::size_t i = 0; i < centroids.vectors.rows; ++i) {
    copy_row(centroids.vectors, i, row.data());
    if (!all_finite(row) || centroids.norms[i] != row_norm(centroids.metric, row, {})) {
      throw FormatError("centroid " + std::to_string(i) + " is not finite or not of its norm");
    }
  }
}

}  // namespace

VectorVerifyReport verify_vectors(const std::filesystem::path& folder,
                                  const std::function<void(double)>& progress) {
  VectorVerifyReport report;
  try {
    const VectorIndex index = VectorIndex::open(folder);
    check_sections(index, report, progress);
    if (report.ok()) {
      check_ids(index);
      check_centroids(index);
      check_rows(index, progress);
      if (index.settings().index == IndexKind::kIvfPq) check_codes(index);
    }
    report.rows = index.rows();
  } catch (const FormatError& error) {
    report.problems.emplace_back(error.what());
  }
  return report;
}

void check_before_upload(const VectorIndex& index) {
  warpdex::check_before_upload(index, [](std::string_view name) {
    return name != section::kIdNumbers && name != section::kIdOffsets && name != section::kIdTexts;
  });
}

bool is_vector_index(const std::filesystem::path& folder) {
  return is_of_kind(folder, kVectorsKind);
}

}  // namespace warpdex::vector
