// From a collection's statistics to the constants of BM25.
#include "warpdex/indexer/format/bm25.hpp"

#include <algorithm>
#include <cmath>

namespace warpdex {
namespace {

double inverse_document_frequency(Bm25Form form, double documents, double document_frequency) {
  const double odds = (documents - document_frequency + 0.5) / (document_frequency + 0.5);
  return form == Bm25Form::kLucene ? std::log1p(odds) : std::max(1e-6, std::log(odds));
}

}  // namespace

Bm25Constants bm25_constants(Bm25Form form, double k1, double b,
                             const CollectionStatistics& statistics,
                             std::uint64_t document_frequency) {
  const auto documents = static_cast<double>(statistics.documents);
  // A damaged index may claim more documents than there are; its scores stay numbers.
  const auto frequency = static_cast<double>(std::min(document_frequency, statistics.documents));
  const double factor = form == Bm25Form::kPisa ? k1 + 1.0 : 1.0;
  const double average = statistics.average_length();
  return {.weight = inverse_document_frequency(form, documents, frequency) * factor,
          .c0 = k1 * (1.0 - b),
          .c1 = average > 0.0 ? k1 * b / average : 0.0};
}

}  // namespace warpdex
