// Why a document has its score: what each term, or each clause, of the query adds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
  // The constants of share_formula().
  float factor = 0;  ///< BM25: weight times idf
  float c0 = 0;
  float c1 = 0;
  float c2 = 0;     ///< 0 where the formula has none
  float score = 0;  ///< what it adds
  // Of an index with several text fields, else empty and 0: the field that the term is in, and what
  // the constants are made of there.
  std::string field{};
  std::uint32_t length = 0;     ///< of the document's text
  std::uint64_t documents = 0;  ///< that have a term in the field
  double average_length = 0;    ///< of theirs
};

/// A clause of a tree, and what it adds to the one above it.
struct ClauseExplanation {
  /// As the syntax `lucene` writes it: title:"old ships"~2^3; of a group how it is joined, as
  /// "sum of".
  std::string clause{};
  std::string role{};     ///< "must", "should", "filter" or "must_not"; of the root empty
  bool matches = false;   ///< the document
  float score = 0;        ///< 0 where it does not match, and below filters
  std::string why_not{};  ///< why it does not match; else empty
  /// Of a prefix, pattern, range or list of terms: some words of it that the document has.
  std::vector<std::string> words{};
  std::optional<float> frequency{};       ///< of a phrase that scores: how often it is there
  std::optional<TermExplanation> term{};  ///< of a word that scores
  std::vector<ClauseExplanation> clauses{};
};

/// What answers a query.
enum class SearchedBy {
  kEngine,     ///< an engine, on whichever device the searcher has
  kCpuEngine,  ///< the CPU's engine did
  kGpuEngine,  ///< a GPU's engine did
  kTrees,      ///< the search of trees, on the CPU
  kGpuPhrase,  ///< the search of phrases on a GPU
};
/// "engine", "cpu engine", "gpu engine", "trees" or "gpu phrase".
std::string_view searched_by_name(SearchedBy by);

/// The score of one document, taken apart. share_formula() says how a term's share is computed; it
/// is next to nothing where that is not above 0.
struct Explanation {
  std::string id;                      ///< of the document
  std::uint32_t length = 0;            ///< of the document, all its texts together, in tokens
  ScorerSettings scorer;               ///< kImpact for an index of impacts
  std::uint64_t documents = 0;         ///< of the index
  double average_length = 0;           ///< of its documents, in tokens
  std::vector<TermExplanation> terms;  ///< in the order in which shares are added; of no tree
  float static_score = 0;              ///< added last
  float score = 0;                     ///< the sum, which is the hit's score to the bit
  SearchedBy searched_by = SearchedBy::kEngine;
  std::string why_trees{};                ///< what of the query no engine answers; empty: nothing
  std::optional<ClauseExplanation> tree;  ///< of a query that is searched as a tree, its root
};

/// How each share is computed: "factor * (freq / (freq + (c0 + c1 * length)))".
std::string_view share_formula(const Explanation& explanation);
/// Whether shares are of impacts that the index holds, and not of frequencies and lengths.
bool is_of_impacts(const Explanation& explanation);
/// Whether the formula has a c2.
bool has_c2(const Explanation& explanation);

/// Lines for people: the score, then a line for each share.
std::string to_text(const Explanation& explanation);
/// One JSON object, without a line end; docs/json.md has its members.
std::string to_json(const Explanation& explanation);

}  // namespace warpdex
