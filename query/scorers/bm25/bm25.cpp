// BM25's settings, constants and explanation.
#include "scorers/bm25/bm25.hpp"

#include "scorers/base/explained_numbers.hpp"
#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

const ScorerOption kK1Option{.name = "k1",
                             .meaning = "BM25's k1, 0 or more",
                             .number = &ScorerSettings::k1,
                             .check = [](float k1) { check_bm25_settings(k1, 0); }};
const ScorerOption kBOption{
    .name = "b", .meaning = "BM25's b, 0 to 1", .number = &ScorerSettings::b, .check = [](float b) {
      check_bm25_settings(0, b);
    }};
const ScorerOption kFormOption{.name = "bm25_form", .meaning = "lucene or pisa"};

TermScorer Bm25::make(const ScorerSettings& settings, const TermStatistics& term) {
  const Bm25Constants constants = bm25_constants(settings.form, settings.k1, settings.b,
                                                 term.collection, term.document_frequency);
  return {.kind = kKind,
          .weight = rounded_constant(static_cast<double>(term.weight) * constants.weight),
          .c0 = rounded_constant(constants.c0),
          .c1 = rounded_constant(constants.c1)};
}

std::string Bm25::explain(const TermExplanation& term, const Explanation& of) {
  const std::string tf = std::to_string(term.frequency);
  return counted_here(term, of) + "; " + shown(term.factor) + " * " + tf + " / (" + tf + " + " +
         shown(term.c0) + " + " + shown(term.c1) + " * " + std::to_string(of.length) + ")";
}

}  // namespace warpdex
