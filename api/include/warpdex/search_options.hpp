// What is asked of an index, and how it is answered.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/query/hybrid/fusion_settings.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/scorer_settings.hpp"
#include "warpdex/query/shown_field.hpp"

namespace warpdex {

/// A search that its caller stopped (SearchOptions::stop).
class CancelledError : public Error {
 public:
  using Error::Error;
};

/// Words, a vector, or both.
struct SearchRequest {
  std::string text{};           ///< analysed as the index's documents were
  std::vector<float> vector{};  ///< as the index's have components; empty: words alone
  std::string id{};             ///< comes back as Answer::id
};

/// How requests are answered.
struct SearchOptions {
  std::uint32_t k = 10;  ///< documents of an answer, 1 to 10,000
  /// Which documents match the words. With the syntax kLucene, kAnd stands between clauses that
  /// have no operator; kJson takes kOr alone. Over several text fields a word must be in one of
  /// the searched ones. There, with synonyms and in these syntaxes a Query was parsed for a mode,
  /// and this one does not count.
  QueryMode mode = QueryMode::kOr;
  SearchedFields searched{};     ///< text fields that words search, and synonyms of words
  std::uint32_t and_or_min = 0;  ///< and-or: with fewer matches of AND, OR answers; 0: k
  bool count = false;            ///< find the exact number of matches; by words
  ScorerSettings scorer{};       ///< ignored by an index of impacts
  QuerySyntax syntax = QuerySyntax::kSigned;  ///< of SearchRequest::text
  /// Only documents that fit: `year >= 1990 AND lang IN [en, de] AND NOT draft`, by columns of the
  /// index and by ids (docs/query.md); empty: all. Scores stay as they are without it. InputError,
  /// which says at which byte, for what is no filter, or not one of the index's columns.
  std::string filter{};
  /// Sorts hits by columns, then by score, then by docID; by words alone. The CPU does it.
  std::vector<SortKey> sort{};
  /// Of a sorted search: the AnswerHit::cursor() of the last hit of the page before. UsageError
  /// where it is of another commit.
  std::string search_after{};
  std::vector<FacetRequest> facets{};  ///< Answer::facets; by words alone
  FusionSettings fusion{};  ///< of words and vector; `probes` and `refine` of vectors alone, too
  std::vector<std::string> fields{};  ///< stored fields that hits carry
  bool snippets = false;              ///< fields also have a piece with the matched words marked
  bool positions = false;             ///< and say where these words stand; with `snippets`
  SnippetSettings snippet{};
  bool explain = false;  ///< hits say how their scores come about; for words alone
  /// After this time the best documents found so far are the answer, which says so
  /// (Answer::is_complete). A batch that is on the GPU already is answered in full, and so are
  /// requests with vectors.
  std::chrono::microseconds deadline = std::chrono::microseconds::max();
  std::stop_token stop{};  ///< ends the search, which then throws CancelledError
  /// Of the CPU, for this batch; 0: the searcher's, as always where a GPU or vectors take part.
  std::size_t threads = 0;
  /// Called on the calling thread, some times a second, with the number of requests answered since
  /// the last call; of requests with vectors, some dozens at a time. What it throws ends the
  /// search, which throws it.
  std::function<void(std::size_t)> on_progress{};
  /// Requests have vectors, and their words, if there are any, are not looked at.
  bool vectors_alone = false;
  /// The vectors of documents that those of requests are compared with: a field of the schema.
  /// Empty: those without a name, or the only ones. UsageError for what the index has not.
  std::string vector_field{};
};

}  // namespace warpdex
