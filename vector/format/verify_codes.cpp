// Encodes the vectors again.
#include "format/verify_codes.hpp"

#include <string>
#include <vector>

#include "binary/list_codes.hpp"
#include "binary/row_encoder.hpp"
#include "kmeans/parallel_parts.hpp"
#include "pq/code_groups.hpp"
#include "pq/residual_encoder.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kPartLists = 16;
constexpr std::size_t kPartGroups = 64;

void check_row_numbers(const VectorSegment& segment) {
  std::vector<bool> seen(segment.rows);
  for (const std::uint32_t place : row_numbers_of(segment.vectors)) {
    if (seen[place]) {
      throw FormatError("row " + std::to_string(segment.row(place)) + " is there twice");
    }
    seen[place] = true;
  }
}

/// The code at position `p`, which is in the list.
void read_code(const CodeLists& codes, std::size_t list, std::uint64_t p,
               std::vector<std::uint8_t>& code) {
  const CodeGroups layout{code.size()};
  const std::uint64_t place = p - codes.begins[list];
  const std::uint64_t group = codes.group_begins[list] + place / kGroupVectors;
  layout.read(codes.codes.data() + group * layout.group_bytes(), place % kGroupVectors,
              code.data());
}

void check_list(const VectorSegment& segment, const Lists<PqCoding>& codes, std::size_t list,
                ResidualEncoder& encoder) {
  std::vector<float> row(codes.quantizer.dimension);
  std::vector<std::uint8_t> code(codes.quantizer.bytes);
  std::vector<std::uint8_t> expected(code.size());
  copy_row(codes.centroids.vectors, list, row.data());
  encoder.set_centroid(row);
  for (std::uint64_t p = codes.begins[list]; p < codes.begins[list + 1]; ++p) {
    read_code(codes, list, p, code);
    const std::string name = " of row " + std::to_string(segment.row(codes.row_numbers[p]));
    if (codes.keeps_vectors()) {
      copy_row(codes.vectors.vectors, codes.row_numbers[p], row.data());
      encoder.encode(row, expected.data());
      if (code != expected) throw FormatError("the code" + name + " is not that of its vector");
    }
    if (codes.metric == Metric::kL2 && codes.terms[p] != encoder.term(code.data())) {
      throw FormatError("the term" + name + " is not that of its code");
    }
  }
}

void check_group(const VectorSegment& segment, const BinaryVectors& codes, std::size_t group,
                 RowEncoder& encoder) {
  const CodeGroups layout{codes.quantizer.code_bytes()};
  std::vector<std::uint8_t> expected(layout.group_bytes());
  const std::size_t begin = group * kGroupVectors;
  for (std::size_t place = begin; place < std::min(codes.rows, begin + kGroupVectors); ++place) {
    const CodeCorrection correction = encoder.encode_row(place, expected.data());
    if (!codes.factors.empty() && (codes.factors[place] != correction.factor ||
                                   codes.residuals[place] != correction.residual)) {
      throw FormatError("the correction of row " + std::to_string(segment.row(place)) +
                        " is not that of its vector");
    }
    if (codes.terms.empty() || codes.terms[place] == codes.vectors.norms[place]) continue;
    throw FormatError("the term of row " + std::to_string(segment.row(place)) +
                      " is not that of its vector");
  }
  const std::uint8_t* const stored = codes.codes.data() + group * layout.group_bytes();
  if (std::equal(expected.begin(), expected.end(), stored)) return;
  throw FormatError("a code of the rows from " + std::to_string(segment.row(begin)) +
                    " on is not that of its vector");
}

void check_quantizer(const BinaryQuantizer& quantizer) {
  if (!all_finite(quantizer.centre)) throw FormatError("the centre of the codes is not finite");
  if (!all_finite(quantizer.rotation)) throw FormatError("the rotation is not finite");
  if (!std::isnormal(quantizer.scale) || quantizer.scale < 0) {
    throw FormatError("the scale of the codes is no number above 0");
  }
}

void check_finite(std::span<const float> terms, std::span<const float> corrections) {
  if (!all_finite(terms)) throw FormatError("the terms of the codes are not finite");
  if (!all_finite(corrections)) {
    throw FormatError("the corrections of the codes are not finite");
  }
}

void check_list_of_bits(const VectorSegment& segment, const Lists<BinaryCoding>& codes,
                        std::size_t list, ResidualBitEncoder& encoder) {
  std::vector<float> centroid(codes.quantizer.dimension);
  std::vector<float> row(codes.quantizer.dimension);
  std::vector<std::uint8_t> expected(codes.quantizer.code_bytes());
  std::vector<std::uint8_t> code(expected.size());
  copy_row(codes.centroids.vectors, list, centroid.data());
  encoder.set_centroid(centroid);
  for (std::uint64_t p = codes.begins[list]; p < codes.begins[list + 1]; ++p) {
    read_code(codes, list, p, code);
    copy_row(codes.vectors.vectors, codes.row_numbers[p], row.data());
    const RowFacts own = encoder.encode(row, expected.data());
    const bool has_term = codes.terms.empty() || codes.terms[p] == own.term;
    const bool has_factor = codes.factors.empty() || codes.factors[p] == own.factor;
    if (code == expected && has_term && has_factor) continue;
    throw FormatError("the code of row " + std::to_string(segment.row(codes.row_numbers[p])) +
                      " is not that of its vector");
  }
}

}  // namespace

void check_codes(const VectorSegment& segment) {
  const Lists<PqCoding>& codes = std::get<Lists<PqCoding>>(segment.vectors);
  if (!all_finite(codes.quantizer.codebooks)) throw FormatError("the codebooks are not finite");
  if (!all_finite(codes.quantizer.rotation)) throw FormatError("the rotation is not finite");
  if (!all_finite(codes.centre)) throw FormatError("the centre is not finite");
  check_row_numbers(segment);
  for_each_part(codes.lists(), kPartLists, 0, [&](std::size_t first, std::size_t last) {
    ResidualEncoder encoder(codes.quantizer, codes.centre);
    for (std::size_t list = first; list < last; ++list) check_list(segment, codes, list, encoder);
  });
}

void check_binary_codes(const VectorSegment& segment) {
  const auto& codes = std::get<BinaryVectors>(segment.vectors);
  const BinaryQuantizer& quantizer = codes.quantizer;
  check_quantizer(quantizer);
  check_finite(codes.terms, codes.factors);
  check_finite({}, codes.residuals);
  if (!codes.keeps_vectors()) return;
  for_each_part(groups_of(codes.rows), kPartGroups, 0, [&](std::size_t first, std::size_t last) {
    RowEncoder encoder(codes.vectors.vectors, quantizer);
    for (std::size_t group = first; group < last; ++group) {
      check_group(segment, codes, group, encoder);
    }
  });
}

void check_list_codes(const VectorSegment& segment) {
  const auto& codes = std::get<Lists<BinaryCoding>>(segment.vectors);
  check_quantizer(codes.quantizer);
  check_finite(codes.terms, codes.factors);
  check_row_numbers(segment);
  if (!codes.keeps_vectors()) return;
  BinaryQuantizer quantizer = codes.quantizer;
  quantizer.centre = {};
  for_each_part(codes.lists(), kPartLists, 0, [&](std::size_t first, std::size_t last) {
    ResidualBitEncoder encoder(quantizer, codes.vectors.centre, codes.metric == Metric::kL2);
    for (std::size_t list = first; list < last; ++list) {
      check_list_of_bits(segment, codes, list, encoder);
    }
  });
}

}  // namespace warpdex::vector
