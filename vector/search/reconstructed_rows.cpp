// Codes to vectors.
#include "warpdex/vector/search/reconstructed_rows.hpp"

#include <algorithm>
#include <vector>

#include "format/segments/codings.hpp"
#include "pq/code_groups.hpp"
#include "search/row_places.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

/// The code of a vector, out of groups that begin with `group`; `in_group` is its number there.
std::vector<std::uint8_t> code_at(std::span<const std::uint8_t> codes, std::size_t code_bytes,
                                  std::size_t group, std::size_t in_group) {
  const CodeGroups layout{code_bytes};
  std::vector<std::uint8_t> code(code_bytes);
  layout.read(codes.data() + group * layout.group_bytes(), in_group, code.data());
  return code;
}

void reconstruct(const BinaryVectors& vectors, std::size_t position, float* out) {
  const BinaryQuantizer& quantizer = vectors.quantizer;
  const std::vector<std::uint8_t> code = code_at(
      vectors.codes, quantizer.code_bytes(), position / kGroupVectors, position % kGroupVectors);
  CodingFormat<BinaryCoding>::decode(
      quantizer, code, vectors.factors.empty() ? nullptr : &vectors.factors[position], out);
  for (std::size_t c = 0; c < quantizer.centre.size(); ++c) out[c] += quantizer.centre[c];
}

/// The quantizer of the vectors of a list.
template <class Quantizer>
Quantizer of_list(const Quantizer& quantizer, std::size_t list) {
  if constexpr (requires { quantizer.of_list(list); }) return quantizer.of_list(list);
  return quantizer;
}

template <class Coding>
void reconstruct(const Lists<Coding>& vectors, std::size_t position, float* out) {
  const auto after = std::upper_bound(vectors.begins.begin(), vectors.begins.end(), position);
  const auto list = static_cast<std::size_t>(after - vectors.begins.begin() - 1);
  const std::size_t in_list = position - vectors.begins[list];
  const std::vector<std::uint8_t> code =
      code_at(vectors.codes, vectors.quantizer.code_bytes(),
              vectors.group_begins[list] + in_list / kGroupVectors, in_list % kGroupVectors);
  CodingFormat<Coding>::decode(of_list(vectors.quantizer, list), code,
                               vectors.factors.empty() ? nullptr : &vectors.factors[position], out);
  std::vector<float> centroid(vectors.quantizer.dimension);
  copy_row(vectors.centroids.vectors, list, centroid.data());
  for (std::size_t c = 0; c < centroid.size(); ++c) out[c] += centroid[c];
  if constexpr (requires { CodingFormat<Coding>::length_ratio(vectors, position); }) {
    const float ratio = CodingFormat<Coding>::length_ratio(vectors, position);
    for (std::size_t c = 0; c < centroid.size(); ++c) out[c] *= ratio;
  }
}

}  // namespace

ReconstructedRows::ReconstructedRows(const VectorIndex& index)
    : dimension_(index.settings().dimension), places_(std::make_shared<RowPlaces>()) {
  if (!index.settings().index.has_codes()) {
    throw UsageError("the index at '" + index.folder().string() +
                     "' has no codes; its vectors are there as they were given");
  }
  for (const VectorSegment& segment : index.segments()) {
    places_->add(segment, row_numbers_of(segment.vectors));
  }
}

void ReconstructedRows::copy(std::size_t row, float* out) const {
  const RowPlaces::Found found = places_->find_stored(row);
  std::visit(
      [&](const auto& vectors) {
        if constexpr (requires { vectors.quantizer; }) reconstruct(vectors, found.position, out);
      },
      places_->segment(found.piece).vectors);
}

}  // namespace warpdex::vector
