// The setting of PL2, its constants and explanation.
#include "scorers/pl2/pl2.hpp"

#include "scorers/base/explained_numbers.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {

const ScorerOption kPl2COption{
    .name = "pl2_c",
    .meaning = "how much the length matters to PL2, above 0",
    .number = &ScorerSettings::pl2_c,
    .check = [](float c) {
      if (!(c > 0.F) || !std::isfinite(c)) {
        throw UsageError("pl2_c is " + std::to_string(c) + "; give a finite number above 0");
      }
    }};

TermScorer Pl2::make(const ScorerSettings& settings, const TermStatistics& term) {
  constexpr double kLeast = 0x1p-60;  // a frequency over it is finite
  constexpr float kMost = 0x1p60F;    // likewise what a frequency is multiplied by
  const auto documents = static_cast<double>(std::max<std::uint64_t>(term.collection.documents, 1));
  const double expected = static_cast<double>(term.collection_frequency) / documents;
  return {.kind = kKind,
          .weight = term.weight,
          .c0 = rounded_constant(std::max(expected, kLeast)),
          .c1 = rounded_constant(
              static_cast<double>(settings.pl2_c) * term.collection.average_length(), kMost)};
}

std::string Pl2::explain(const TermExplanation& term, const Explanation& of) {
  const double tfn = term.frequency * std::log2(1 + static_cast<double>(term.c1) /
                                                        std::max<std::uint32_t>(of.length, 1));
  const std::string normal = shown(static_cast<float>(tfn));
  return counted_in_all(term, of) + "; tfn " + normal + " = " + std::to_string(term.frequency) +
         " * log2(1 + " + shown(term.c1) + " / " + std::to_string(of.length) + "); " +
         shown(term.factor) + " * (tfn * log2(tfn / " + shown(term.c0) + ") + (" + shown(term.c0) +
         " - tfn) * log2(e) + log2(2 * pi * tfn) / 2) / (tfn + 1)" + nothing_noted(term);
}

}  // namespace warpdex
