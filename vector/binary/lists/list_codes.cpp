// Residuals to codes.
#include "binary/lists/list_codes.hpp"

#include <cstring>

#include "binary/rotated.hpp"

namespace warpdex::vector {
BinaryTraining train_binary_codes(const FlatVectors& rows, const IvfLists& lists,
                                  const BinarySettings& settings, BuildSteps& steps) {
  BinaryTraining training;
  steps.run_on_cpu("scale", [&] {
    training = train_scale(rows.vectors, settings, [&](std::size_t number, float* row) {
      copy_row(rows.vectors, number, row);
      const std::span<const float> centroid = lists.centroids.row(lists.of_row[number]);
      for (std::size_t c = 0; c < centroid.size(); ++c) row[c] -= centroid[c];
    });
    if (rows.metric != Metric::kL2) training.centre = centre_of_sample(rows.vectors);
  });
  return training;
}

ResidualBitEncoder::ResidualBitEncoder(const BinaryQuantizer& quantizer,
                                       std::span<const float> centre, bool has_terms, Metric metric)
    : quantizer_(quantizer),
      centre_(centre),
      has_terms_(has_terms),
      is_l2_(metric == Metric::kL2),
      residual_(padded(quantizer.dimension)),
      rotated_(residual_.size()),
      words_(quantizer.code_words()) {
  quantizer_.centre = {};
}

double ResidualBitEncoder::term_of_residual() const {
  double term = 0;
  for (std::size_t c = 0; c < centroid_.size(); ++c) {
    const double y{residual_[c]};
    const double middle = centre_.empty() ? 0 : double{centre_[c]};
    term += y * (is_l2_ ? y + 2 * (double{centroid_[c]} - middle) : -middle);
  }
  return term;
}

RowFacts ResidualBitEncoder::encode(std::span<const float> row, std::uint8_t* code) {
  RowFacts facts;
  for (std::size_t c = 0; c < row.size(); ++c) residual_[c] = row[c] - centroid_[c];
  if (has_terms_) facts.term = static_cast<float>(term_of_residual());
  facts.factor =
      vector::encode(quantizer_, residual_.data(), rotated_.data(), words_.data()).factor;
  std::memcpy(code, words_.data(), quantizer_.code_bytes());
  return facts;
}

void encode_list_codes(const FlatVectors& rows, const BitRules& rules, const ListGroups& groups,
                       std::size_t threads, BuildSteps& steps, const BlockSink& sink) {
  const BinaryQuantizer& quantizer = rules.quantizer;
  encode_lists(
      rows, rules, {quantizer.code_bytes(), rules.has_terms, quantizer.is_corrected}, groups,
      threads, steps,
      [&] { return ResidualBitEncoder(quantizer, rules.centre, rules.has_terms, rules.metric); },
      sink);
}

}  // namespace warpdex::vector
