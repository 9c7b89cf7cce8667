// Codes to vectors.
#include "warpdex/vector/search/reconstructed_rows.hpp"

#include <algorithm>
#include <vector>

#include "pq/code_groups.hpp"
#include "search/row_places.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

/// The code of a vector, out of groups that begin with `group`; `in_group` is its number there.
std::vector<std::uint8_t> read_code(std::span<const std::uint8_t> codes, std::size_t code_bytes,
                                    std::size_t group, std::size_t in_group) {
  const CodeGroups layout{code_bytes};
  std::vector<std::uint8_t> code(code_bytes);
  layout.read(codes.data() + group * layout.group_bytes(), in_group, code.data());
  return code;
}

/// Undoes a rotation, whose rows are orthogonal: out = rotation^T * rotated. Copies where there is
/// none.
void rotate_back(std::span<const float> rotation, const std::vector<float>& rotated, float* out) {
  const std::size_t dimension = rotated.size();
  if (rotation.empty()) {
    std::copy(rotated.begin(), rotated.end(), out);
    return;
  }
  std::vector<double> sums(dimension);
  for (std::size_t row = 0; row < dimension; ++row) {
    for (std::size_t c = 0; c < dimension; ++c) {
      sums[c] += double{rotation[row * dimension + c]} * double{rotated[row]};
    }
  }
  std::transform(sums.begin(), sums.end(), out, [](double sum) { return static_cast<float>(sum); });
}

/// Where a vector lies among lists of codes.
struct ListPlace {
  std::size_t list;
  std::size_t group;
  std::size_t in_group;
};

ListPlace find_in_lists(const CodeLists& vectors, std::size_t position) {
  const auto after = std::upper_bound(vectors.begins.begin(), vectors.begins.end(), position);
  const auto list = static_cast<std::size_t>(after - vectors.begins.begin() - 1);
  const std::size_t in_list = position - vectors.begins[list];
  return {list, vectors.group_begins[list] + in_list / kGroupVectors, in_list % kGroupVectors};
}

void add_centroid(const FlatVectors& centroids, std::size_t list, float* out) {
  std::vector<float> centroid(centroids.vectors.dimension);
  copy_row(centroids.vectors, list, centroid.data());
  for (std::size_t c = 0; c < centroid.size(); ++c) out[c] += centroid[c];
}

void reconstruct(const Lists<PqCoding>& vectors, std::size_t position, float* out) {
  const ListPlace place = find_in_lists(vectors, position);
  const std::vector<std::uint8_t> code =
      read_code(vectors.codes, vectors.quantizer.bytes, place.group, place.in_group);
  std::vector<float> rotated(vectors.quantizer.dimension);
  decode(vectors.quantizer, code.data(), rotated.data());
  rotate_back(vectors.quantizer.rotation, rotated, out);
  add_centroid(vectors.centroids, place.list, out);
}

/// The number of a component's cell in a code as BinaryQuantizer has it.
std::uint32_t cell_of(const std::vector<std::uint8_t>& code, std::size_t bits,
                      std::size_t component) {
  std::uint32_t cell = 0;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    const std::size_t word = component / 32 * bits + bit;
    const std::uint32_t byte = code[word * sizeof(std::uint32_t) + component % 32 / 8];
    cell = cell << 1 | (byte >> component % 8 & 1);
  }
  return cell;
}

/// What a binary code stands for, without a centre. `factors` has that of each vector, or none.
void decode_bits(const BinaryQuantizer& quantizer, const std::vector<std::uint8_t>& code,
                 std::span<const float> factors, std::size_t position, float* out) {
  const int cells = 1 << quantizer.bits;
  const float factor =
      factors.empty() ? quantizer.scale / static_cast<float>(cells) : factors[position];
  std::vector<float> rotated(quantizer.dimension);
  for (std::size_t c = 0; c < rotated.size(); ++c) {
    const int cell = static_cast<int>(cell_of(code, quantizer.bits, c));
    rotated[c] = factor * static_cast<float>(2 * cell + 1 - cells);
  }
  rotate_back(quantizer.rotation, rotated, out);
}

void reconstruct(const BinaryVectors& vectors, std::size_t position, float* out) {
  const BinaryQuantizer& quantizer = vectors.quantizer;
  const std::vector<std::uint8_t> code = read_code(
      vectors.codes, quantizer.code_bytes(), position / kGroupVectors, position % kGroupVectors);
  decode_bits(quantizer, code, vectors.factors, position, out);
  for (std::size_t c = 0; c < quantizer.centre.size(); ++c) out[c] += quantizer.centre[c];
}

void reconstruct(const Lists<BinaryCoding>& vectors, std::size_t position, float* out) {
  const ListPlace place = find_in_lists(vectors, position);
  const std::vector<std::uint8_t> code =
      read_code(vectors.codes, vectors.quantizer.code_bytes(), place.group, place.in_group);
  decode_bits(vectors.quantizer, code, vectors.factors, position, out);
  add_centroid(vectors.centroids, place.list, out);
}

}  // namespace

ReconstructedRows::ReconstructedRows(const VectorIndex& index)
    : dimension_(index.settings().dimension), places_(std::make_shared<RowPlaces>()) {
  if (!has_codes(index.settings().index)) {
    throw UsageError("the index at '" + index.folder().string() +
                     "' has no codes; its vectors are there as they were given");
  }
  for (const VectorSegment& segment : index.segments()) {
    places_->add(segment, row_numbers_of(segment.vectors));
  }
}

void ReconstructedRows::copy(std::size_t row, float* out) const {
  const RowPlaces::Found found = places_->find_stored(row);
  const SearchedVectors& vectors = places_->segment(found.piece).vectors;
  if (const auto* const codes = std::get_if<Lists<PqCoding>>(&vectors)) {
    reconstruct(*codes, found.position, out);
  } else if (const auto* const bits = std::get_if<Lists<BinaryCoding>>(&vectors)) {
    reconstruct(*bits, found.position, out);
  } else {
    reconstruct(std::get<BinaryVectors>(vectors), found.position, out);
  }
}

}  // namespace warpdex::vector
