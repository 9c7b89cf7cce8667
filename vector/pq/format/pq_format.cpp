// Sections of codebooks, and checks of codes.
#include "pq/format/pq_format.hpp"

#include "format/list_sections.hpp"
#include "format/manifest.hpp"
#include "format/verify_lists.hpp"
#include "pq/residual_encoder.hpp"
#include "pq/rotation.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {

using PqFormat = CodingFormat<PqCoding>;

namespace {
constexpr const char* kRotatedDimension = "rotated_dimension";
}

void PqFormat::check(VectorIndexSettings& settings) {
  settle_codes(settings.dimension, settings.pq);
}

void PqFormat::write(const VectorIndexSettings& settings, ManifestWriter& manifest) {
  write_member(manifest, "bytes", std::uint64_t{settings.pq.bytes});
  write_member(manifest, "bits", std::uint64_t{settings.pq.bits});
  if (settings.pq.rotated_dimension == 0) return;
  write_member(manifest, kRotatedDimension, std::uint64_t{settings.pq.rotated_dimension});
}

void PqFormat::read(const ManifestObject& manifest, VectorIndexSettings& settings) {
  PqSettings& pq = settings.pq;
  pq.bits = manifest.number("bits");
  if (pq.bits != 8 && pq.bits != 4) damaged_manifest("bits");
  if (manifest.has(kRotatedDimension)) {
    pq.rotated_dimension = manifest.number(kRotatedDimension);
    if (pq.rotated_dimension == 0 || pq.rotated_dimension >= settings.dimension) {
      damaged_manifest(kRotatedDimension);
    }
  }
  pq.bytes = manifest.number("bytes");
  if (pq.bytes == 0 ||
      pq.bytes > max_code_bytes(coded_dimension(settings.dimension, pq), pq.bits)) {
    damaged_manifest("bytes");
  }
}

ProductQuantizer PqFormat::open_quantizer(const OpenedSections& sections) {
  const VectorIndexSettings& settings = sections.settings;
  ProductQuantizer quantizer{settings.dimension, settings.pq.bytes, settings.pq.bits};
  const std::size_t coded = coded_dimension(settings.dimension, settings.pq);
  quantizer.codebooks =
      sections.first.section(section::kCodebooks).as<float>(coded * quantizer.codewords());
  quantizer.rotation =
      coded == settings.dimension
          ? open_rotation(sections)
          : sections.first.section(section::kRotation).as<float>(coded * settings.dimension);
  return quantizer;
}

void PqFormat::write_quantizer(const ProductQuantizer& quantizer, const SectionFolder& folder,
                               std::vector<SectionInfo>& sections) {
  sections.push_back(write_section(folder, section::kCodebooks, quantizer.codebooks));
  sections.push_back(write_section(folder, section::kRotation, quantizer.rotation));
}

void PqFormat::verify(const VectorSegment& segment, const Lists<PqCoding>& codes) {
  if (!all_finite(codes.quantizer.codebooks)) throw FormatError("the codebooks are not finite");
  if (!all_finite(codes.quantizer.rotation)) throw FormatError("the rotation is not finite");
  if (!all_finite(codes.centre)) throw FormatError("the centre is not finite");
  check_row_numbers(segment);
  const auto check = [&](ResidualEncoder& encoder, std::uint64_t p,
                         const std::vector<std::uint8_t>& code) {
    std::vector<float> row(codes.quantizer.dimension);
    if (codes.keeps_vectors()) {
      std::vector<std::uint8_t> expected(code.size());
      copy_row(codes.vectors.vectors, codes.row_numbers[p], row.data());
      encoder.encode(row, expected.data());
      if (code != expected) {
        throw FormatError("the code" + of_row(segment, codes, p) + " is not that of its vector");
      }
    }
    if (codes.metric == Metric::kL2 && codes.terms[p] != encoder.term(code.data())) {
      throw FormatError("the term" + of_row(segment, codes, p) + " is not that of its code");
    }
    if (codes.metric == Metric::kL2 || codes.terms.empty()) return;
    const float term = codes.terms[p];
    const bool is_right = codes.keeps_vectors()
                              ? term == encoder.length_ratio(row, code.data())
                              : term >= 1 / kMaxLengthRatio && term <= kMaxLengthRatio;
    if (is_right) return;
    throw FormatError("the term" + of_row(segment, codes, p) + " is not that of its vector");
  };
  check_list_codes(
      codes, codes.quantizer.bytes, [&] { return ResidualEncoder(codes.quantizer, codes.centre); },
      check);
}

void PqFormat::decode(const ProductQuantizer& quantizer, const std::vector<std::uint8_t>& code,
                      const float* /*factor*/, float* out) {
  std::vector<float> rotated(quantizer.coded_dimension());
  vector::decode(quantizer, code.data(), rotated.data());
  rotate_back(quantizer.rotation, rotated, out);
}

}  // namespace warpdex::vector
