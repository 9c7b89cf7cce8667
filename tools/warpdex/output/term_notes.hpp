// Notes on queries that find nothing whatever the index holds, or that are not for this index.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "warpdex/answer.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex::tools {

/// What counts as no term.
inline constexpr const char* kNoTerms = "(stop words, signs and words of weight 0 do not count)";

/// Looks at queries as they are answered. Terms are looked up until one is found: in a log that
/// suits the index, the first query ends the search.
class TermNotes {
 public:
  /// `index` must outlive this.
  explicit TermNotes(const IndexReader& index) : index_(index) {}

  /// Throws FormatError for a damaged index.
  void look_at(std::span<const Query> queries);
  /// Of an answer.
  void look_at(const Query& query, const Answer& answer);

  /// What to say once all were seen: of queries without terms, of those that only exclude or have
  /// terms cut, and that no query has a term of the index.
  std::vector<std::string> notes() const;

 private:
  struct Kind {
    std::uint64_t count = 0;
    std::string first;  ///< its id; may be empty
  };
  static void add(const Query& query, Kind& kind);
  static void append(const Kind& kind, const std::string& is_one, const std::string& are_many,
                     std::vector<std::string>& notes);

  const IndexReader& index_;
  Kind without_terms_;
  Kind only_excluding_;
  Kind with_terms_cut_;
  std::uint64_t looking_ = 0;  ///< queries that look for a term
  bool is_any_known_ = false;
};

/// What a query is told whose answer has terms cut: it is not of all that the query asks for.
inline constexpr const char* kTermsCut =
    "has a prefix, pattern, range or near word that stands for more terms than are taken";

/// Tells notes on standard error, each on a line of its own.
void print_notes(const std::vector<std::string>& notes);

}  // namespace warpdex::tools
