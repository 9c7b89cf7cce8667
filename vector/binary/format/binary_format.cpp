// Sections of the quantizer, and checks of codes.
#include "binary/format/binary_format.hpp"

#include "binary/encode_rows.hpp"
#include "binary/row_encoder.hpp"
#include "format/list_sections.hpp"
#include "format/manifest.hpp"
#include "format/verify_lists.hpp"
#include "pq/lists/list_codes.hpp"
#include "pq/rotation.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kPartGroups = 64;

/// The term that a vector has.
float term_of(const BinaryVectors& codes, std::size_t place) {
  if (codes.metric == Metric::kL2) return codes.vectors.norms[place];
  std::vector<float> row(codes.quantizer.dimension);
  copy_row(codes.vectors.vectors, place, row.data());
  return product_term(row, codes.quantizer.centre);
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
    if (codes.terms.empty() || codes.terms[place] == term_of(codes, place)) continue;
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

}  // namespace

using BinaryFormat = CodingFormat<BinaryCoding>;

void BinaryFormat::check(VectorIndexSettings& settings) {
  check_codes(settings.dimension, {.bits = settings.pq.bits});
  check_binary(settings.binary);
}

void BinaryFormat::write(const VectorIndexSettings& settings, ManifestWriter& manifest) {
  write_member(manifest, "bits", std::uint64_t{settings.binary.bits});
  write_member(manifest, "corrected", std::uint64_t{settings.binary.is_corrected ? 1U : 0U});
}

void BinaryFormat::read(const ManifestObject& manifest, VectorIndexSettings& settings) {
  settings.binary.bits = manifest.number("bits");
  if (settings.binary.bits == 0 || settings.binary.bits > kMaxBinaryBits) damaged_manifest("bits");
  const std::uint64_t corrected = manifest.number("corrected");
  if (corrected > 1) damaged_manifest("corrected");
  settings.binary.is_corrected = corrected == 1;
}

BinaryQuantizer BinaryFormat::open_quantizer(const OpenedSections& sections) {
  const VectorIndexSettings& settings = sections.settings;
  BinaryQuantizer quantizer{settings.dimension,
                            settings.binary.bits,
                            sections.first.section(section::kCodeScale).as<float>(1).front(),
                            settings.binary.is_corrected,
                            {},
                            open_rotation(sections)};
  quantizer.moves_queries = has_terms<BinaryCoding>(settings);
  if (settings.index.in_lists && settings.metric == Metric::kL2) {
    quantizer.centre = sections.vectors.centre;
  } else if (!settings.index.in_lists || quantizer.moves_queries) {
    quantizer.centre = sections.first.section(section::kCodeCentre).as<float>(settings.dimension);
  }
  return quantizer;
}

void BinaryFormat::write_quantizer(const BinaryQuantizer& quantizer, const SectionFolder& folder,
                                   std::vector<SectionInfo>& sections) {
  sections.push_back(write_section(folder, section::kCodeCentre, quantizer.centre));
  sections.push_back(
      write_section(folder, section::kCodeScale, std::span<const float>(&quantizer.scale, 1)));
  sections.push_back(write_section(folder, section::kRotation, quantizer.rotation));
}

BinaryVectors BinaryFormat::open_all(const OpenedSections& sections) {
  BinaryVectors codes;
  codes.metric = sections.settings.metric;
  codes.quantizer = open_quantizer(sections);
  codes.rows = sections.rows;
  const std::size_t bytes =
      groups_of(codes.rows) * CodeGroups{codes.quantizer.code_bytes()}.group_bytes();
  codes.codes = sections.own.section(section::kCodes).as<std::uint8_t>(bytes);
  const std::size_t terms = has_terms<BinaryCoding>(sections.settings) ? codes.rows : 0;
  codes.terms = sections.own.section(section::kTerms).as<float>(terms);
  const std::size_t corrections = codes.quantizer.is_corrected ? codes.rows : 0;
  codes.factors = sections.own.section(section::kFactors).as<float>(corrections);
  codes.residuals = sections.own.section(section::kResiduals).as<float>(corrections);
  codes.vectors = sections.vectors;
  return codes;
}

void BinaryFormat::verify(const VectorSegment& segment, const BinaryVectors& codes) {
  check_quantizer(codes.quantizer);
  check_finite(codes.terms, codes.factors);
  check_finite({}, codes.residuals);
  if (!codes.keeps_vectors()) return;
  for_each_part(groups_of(codes.rows), kPartGroups, 0, [&](std::size_t first, std::size_t last) {
    RowEncoder encoder(codes.vectors.vectors, codes.quantizer);
    for (std::size_t group = first; group < last; ++group) {
      check_group(segment, codes, group, encoder);
    }
  });
}

void BinaryFormat::verify(const VectorSegment& segment, const Lists<BinaryCoding>& codes) {
  check_quantizer(codes.quantizer);
  check_finite(codes.terms, codes.factors);
  check_row_numbers(segment);
  if (!codes.keeps_vectors()) return;
  const BinaryQuantizer& quantizer = codes.quantizer;
  const auto check = [&](ResidualBitEncoder& encoder, std::uint64_t p,
                         const std::vector<std::uint8_t>& code) {
    std::vector<float> row(quantizer.dimension);
    std::vector<std::uint8_t> expected(code.size());
    copy_row(codes.vectors.vectors, codes.row_numbers[p], row.data());
    const RowFacts own = encoder.encode(row, expected.data());
    const bool has_term = codes.terms.empty() || codes.terms[p] == own.term;
    const bool has_factor = codes.factors.empty() || codes.factors[p] == own.factor;
    if (code == expected && has_term && has_factor) return;
    throw FormatError("the code" + of_row(segment, codes, p) + " is not that of its vector");
  };
  check_list_codes(
      codes, quantizer.code_bytes(),
      [&] {
        return ResidualBitEncoder(quantizer, centre_of_terms(quantizer, codes.centre),
                                  !codes.terms.empty(), codes.metric);
      },
      check);
}

void BinaryFormat::decode(const BinaryQuantizer& quantizer, const std::vector<std::uint8_t>& code,
                          const float* factor, float* out) {
  const int cells = 1 << quantizer.bits;
  const float width = factor == nullptr ? quantizer.scale / static_cast<float>(cells) : *factor;
  std::vector<float> rotated(quantizer.dimension);
  for (std::size_t c = 0; c < rotated.size(); ++c) {
    const int cell = static_cast<int>(cell_of(code, quantizer.bits, c));
    rotated[c] = width * static_cast<float>(2 * cell + 1 - cells);
  }
  rotate_back(quantizer.rotation, rotated, out);
}

}  // namespace warpdex::vector
