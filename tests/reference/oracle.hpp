// The exhaustive oracle: which documents a query matches and what each of them scores, in double
// precision and straight from the formulas. It shares no code with the engines that it judges, only
// the structures that say what is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::reference {

struct Posting {
  std::uint32_t document = 0;
  std::uint32_t frequency = 0;
};

/// A collection of tokenised documents, kept as the documents of each term.
class Collection {
 public:
  /// The next document; docIDs count from 0. Its length is the number of terms. O(terms).
  void add_document(std::span<const std::string_view> terms, float static_score = 0);
  /// The same, of any length: a document of which only some terms are told.
  void add_document_of_length(std::span<const std::string_view> terms, std::uint32_t length,
                              float static_score = 0);

  /// A term's whole list, by ascending docID, of documents that were added without the term. Their
  /// lengths stay.
  void add_list(const std::string& term, std::vector<Posting> postings);

  /// One more text field of each document, and its static scores are those of the first. Its terms
  /// are named by the byte 0xFF, the field's number in a byte, and the term. From now on, a field's
  /// documents are those that have a term in it. Without impacts.
  void add_text(const Collection& text);
  std::size_t texts() const { return 1 + more_.size(); }
  /// By docID, in one text field.
  const std::vector<std::uint32_t>& lengths_in(std::size_t text) const {
    return text == 0 ? lengths_ : more_[text - 1].lengths;
  }
  /// What scorers take of the text field that a term is of.
  std::uint64_t documents_for(const std::string& term) const;
  std::uint64_t tokens_for(const std::string& term) const;
  const std::vector<std::uint32_t>& lengths_for(const std::string& term) const {
    return lengths_in(text_of(term));
  }

  /// The same with each posting's impact (docs/format.md) in the place of its frequency, and static
  /// scores in the impacts' unit. Lengths and tokens stay.
  Collection to_impacts(double k1 = 0.9, double b = 0.4) const;

  std::size_t documents() const { return lengths_.size(); }
  std::uint64_t tokens() const { return tokens_; }
  const std::vector<std::uint32_t>& lengths() const { return lengths_; }
  const std::vector<float>& static_scores() const { return static_scores_; }

  /// By ascending docID; empty for a term of no document.
  const std::vector<Posting>& postings(const std::string& term) const;
  std::uint64_t collection_frequency(const std::string& term) const;
  /// All terms, in ascending order of bytes.
  std::vector<std::string> terms() const;

 private:
  struct Text {
    std::vector<std::uint32_t> lengths;
    std::uint64_t documents = 0;  ///< that are not empty
    std::uint64_t tokens = 0;
  };
  static std::size_t text_of(const std::string& term);

  std::vector<Text> more_;             ///< behind the first
  std::uint64_t first_documents_ = 0;  ///< that are not empty in the first, where there are more
  std::unordered_map<std::string, std::vector<Posting>> postings_;
  std::vector<std::uint32_t> lengths_;
  std::vector<float> static_scores_;
  std::uint64_t tokens_ = 0;
};

/// A match. An engine that computes in float may miss `score` by `tolerance`: 1e-5 of the score, or
/// what float loses where that is more (query likelihood's difference of logarithms near zero, and
/// sums of very many terms).
struct RankedDocument {
  std::uint32_t document = 0;
  double score = 0;
  double tolerance = 0;
};

/// All matches of a query: score descending, then docID ascending.
struct Ranking {
  std::vector<RankedDocument> documents;
  std::vector<std::int64_t> place;  ///< by docID: where in `documents` it stands, or -1
  bool fell_back_to_or = false;     ///< and-or: `and` matched too few
};

/// Answers a query (by kImpact, of a collection of impacts); of the settings, `mode`, `scorer` and
/// (for and-or) `k` and `and_or_min` count. O(documents + postings of the query's terms).
Ranking rank(const Collection& collection, const Query& query, const SearchSettings& settings);

/// The score of one term in one document: the formula, in double.
double bm25(const ScorerSettings& scorer, double documents, double document_frequency,
            double frequency, double length, double average_length);
/// A length as Lucene rounds it: of what is above 24, the highest four binary digits.
double lucene_length(double length);
double bm25_plus(const ScorerSettings& scorer, double documents, double document_frequency,
                 double frequency, double length, double average_length);
/// `expected`: occurrences of the term in a document, on average.
double pl2(double c, double expected, double frequency, double length, double average_length);
double log_likelihood(double mu, double collection_probability, double frequency, double length);
/// What a logarithm of query likelihood adds to a score, for a term of weight 1.
double likelihood_part(double logarithm);

}  // namespace warpdex::reference
