// Why a document has its score: what each term of the query adds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpdex/query/scorer_settings.hpp"

namespace warpdex {

/// A term of the query that the document has, and its share of the score.
struct TermExplanation {
  std::string term;                        ///< as the index's analyzer makes it
  float weight = 1;                        ///< in the query; of a repeated term the sum
  std::uint32_t frequency = 0;             ///< in the document; of an index of impacts, the impact
  std::uint64_t document_frequency = 0;    ///< documents that have it
  std::uint64_t collection_frequency = 0;  ///< its occurrences in all documents
  // The constants of TermScorer's formula.
  float factor = 0;  ///< BM25: weight times idf
  float c0 = 0;
  float c1 = 0;
  float score = 0;  ///< what it adds
};

/// The score of one document, taken apart. BM25's share of a term is
/// factor * (frequency / (frequency + (c0 + c1 * length))), query likelihood's
/// factor * log((1 + frequency * c0) * (c1 / (length + c1))), or next to nothing where that is not
/// above 0; an impact's weight * frequency.
struct Explanation {
  std::string id;                      ///< of the document
  std::uint32_t length = 0;            ///< of the document, in tokens
  ScorerSettings scorer;               ///< kImpact for an index of impacts
  std::uint64_t documents = 0;         ///< of the index
  double average_length = 0;           ///< of its documents, in tokens
  std::vector<TermExplanation> terms;  ///< in the order in which shares are added
  float static_score = 0;              ///< added last
  float score = 0;                     ///< the sum, which is the hit's score to the bit
};

/// Lines for people: the score, then a line for each share.
std::string to_text(const Explanation& explanation);
/// One JSON object, without a line end; docs/json.md has its members.
std::string to_json(const Explanation& explanation);

}  // namespace warpdex
