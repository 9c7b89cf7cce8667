// Zipf's law with a flat head and a steeper tail, as document frequencies of text have them.
#include "generate/vocabulary.hpp"

#include <algorithm>

#include "generate/portable_math.hpp"

namespace warpdex::generate {

double Vocabulary::density(double rank) const {
  return model_.max_frequency *
         power_of_two(-model_.head_slope * logarithm(1 + rank / model_.head) -
                      model_.tail_slope * logarithm(1 + rank / model_.tail));
}

Vocabulary::Vocabulary(std::uint32_t documents, const VocabularyModel& model)
    : model_(model), documents_(documents), terms_(model.max_terms) {
  terms_ = std::max(kFineTopics, rank_of(0.6));
}

std::uint32_t Vocabulary::document_frequency(std::uint32_t rank) const {
  return std::max(1U, static_cast<std::uint32_t>(documents_ * density(rank) + 0.5));
}

std::uint32_t Vocabulary::rank_of(double document_frequency) const {
  std::uint32_t low = 0;
  std::uint32_t high = terms_;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (documents_ * density(middle) <= document_frequency) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

std::string term_name(std::uint32_t rank) {
  const std::string digits = std::to_string(rank);
  return "t" + std::string(8 - digits.size(), '0') + digits;
}

}  // namespace warpdex::generate
