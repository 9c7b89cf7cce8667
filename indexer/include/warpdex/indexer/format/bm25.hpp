// The formula of BM25, for the scorers of a query and for the impacts that an index may hold.
#pragma once

#include <cstdint>

namespace warpdex {

/// The forms of BM25. With N documents, n of them with the term, odds = (N - n + 0.5) / (n + 0.5).
enum class Bm25Form {
  kLucene,  ///< idf is log(1 + odds)
  kPisa,    ///< idf is log(odds), at least 10^-6, and the score is k1 + 1 times as large
};

/// What scorers need to know of the collection. Empty documents count.
struct CollectionStatistics {
  std::uint64_t documents = 0;  ///< in the index
  std::uint64_t tokens = 0;     ///< the documents' lengths, added
  /// Tokens a document; 0 where there is no document.
  double average_length() const {
    return documents == 0 ? 0.0 : static_cast<double>(tokens) / static_cast<double>(documents);
  }
};

/// The score of one term: weight * (tf / (tf + (c0 + c1 * length))).
struct Bm25Constants {
  double weight = 0;  ///< an upper bound of every document's score
  double c0 = 0;      ///< k1 * (1 - b)
  double c1 = 0;      ///< k1 * b / average length; 0 where that is 0

  /// The score at a frequency of 1 or more and a document's length in tokens.
  double operator()(std::uint32_t frequency, std::uint32_t length) const {
    const auto tf = static_cast<double>(frequency);
    return weight * (tf / (tf + (c0 + c1 * static_cast<double>(length))));
  }
};

/// Of a term that is in `document_frequency` documents.
Bm25Constants bm25_constants(Bm25Form form, double k1, double b,
                             const CollectionStatistics& statistics,
                             std::uint64_t document_frequency);

}  // namespace warpdex
