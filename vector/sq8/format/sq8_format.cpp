// Sections of scales, and checks of codes.
#include "sq8/format/sq8_format.hpp"

#include <cmath>

#include "format/list_sections.hpp"
#include "format/manifest.hpp"
#include "format/verify_lists.hpp"
#include "pq/lists/list_codes.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {

using Sq8Format = CodingFormat<Sq8Coding>;

void Sq8Format::check(VectorIndexSettings& settings) {
  check_codes(settings.dimension, {.bits = settings.pq.bits});
}

Sq8Quantizer Sq8Format::open_quantizer(const OpenedSections& sections) {
  return {sections.settings.dimension,
          sections.first.section(section::kByteScales).as<ByteScale>(sections.settings.ivf.lists)};
}

void Sq8Format::write_quantizer(const Sq8Quantizer& quantizer, const SectionFolder& folder,
                                std::vector<SectionInfo>& sections) {
  sections.push_back(write_section(folder, section::kByteScales, quantizer.scales));
}

void Sq8Format::verify(const VectorSegment& segment, const Lists<Sq8Coding>& codes) {
  for (const ByteScale& scale : codes.quantizer.scales) {
    if (!std::isfinite(scale.offset) || !std::isnormal(scale.scale) || scale.scale < 0) {
      throw FormatError("a list has no scale of codes");
    }
  }
  if (!all_finite(codes.centre)) throw FormatError("the centre is not finite");
  check_row_numbers(segment);
  const bool has_terms = codes.metric == Metric::kL2;
  const auto check = [&](const ResidualByteEncoder& encoder, std::uint64_t p,
                         const std::vector<std::uint8_t>& code) {
    if (codes.keeps_vectors()) {
      std::vector<float> row(codes.quantizer.dimension);
      std::vector<std::uint8_t> expected(code.size());
      copy_row(codes.vectors.vectors, codes.row_numbers[p], row.data());
      encoder.encode(row, expected.data());
      if (code != expected) {
        throw FormatError("the code" + of_row(segment, codes, p) + " is not that of its vector");
      }
    }
    if (has_terms && codes.terms[p] != encoder.term(code.data())) {
      throw FormatError("the term" + of_row(segment, codes, p) + " is not that of its code");
    }
  };
  check_list_codes(
      codes, codes.quantizer.code_bytes(),
      [&] { return ResidualByteEncoder(codes.quantizer, codes.centre, has_terms); }, check);
}

void Sq8Format::decode(const Sq8Quantizer& quantizer, const std::vector<std::uint8_t>& code,
                       const float* /*factor*/, float* out) {
  const ByteScale& scale = quantizer.scales.front();
  for (std::size_t c = 0; c < code.size(); ++c) {
    out[c] = scale.decode(static_cast<std::int8_t>(code[c]));
  }
}

}  // namespace warpdex::vector
