// Reads what an index of documents holds: terms, postings, documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/query/explanation.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

class Searcher;

/// Of a term, over the live documents; of an index without a forward index also over those that
/// were removed and not yet merged away.
struct TermStatistics {
  std::string term;                        ///< as the index's analyzer makes it
  std::uint64_t document_frequency = 0;    ///< documents that have it
  std::uint64_t collection_frequency = 0;  ///< its occurrences; of impacts, their sum
};

/// A live document with a term.
struct TermPosting {
  std::uint32_t document = 0;   ///< docID
  std::uint32_t frequency = 0;  ///< of an index of impacts, the impact
  bool operator==(const TermPosting&) const = default;
};

/// A term that is spelt like a word that was looked for.
struct SimilarTerm {
  std::string term;
  std::uint64_t documents = 0;  ///< that have it
  std::uint32_t edits = 0;      ///< letters to insert, leave out, change or exchange: 1 or 2
};

/// A term of a document.
struct DocumentTerm {
  std::string term;
  std::uint32_t frequency = 0;
  std::string field{};  ///< of an index with several text fields: the one that it is in
  bool operator==(const DocumentTerm&) const = default;
};

/// Bytes on the disk of one part of an index.
struct PartBytes {
  std::string name;
  std::uint64_t bytes = 0;
};

/// The posting lists of one range of lengths.
struct ListCounts {
  std::string length;  ///< in postings: "1", "2-127", "128-1K", …, "1M+"
  std::uint64_t lists = 0;
  std::uint64_t postings = 0;
};

/// What an index holds, removed documents included that are not yet merged away.
struct IndexStatistics {
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;             ///< of all documents
  std::uint64_t empty_documents = 0;    ///< without a token
  std::uint64_t shortest_document = 0;  ///< in tokens
  std::uint64_t longest_document = 0;
  std::uint64_t terms = 0;  ///< of all segments, added
  std::uint64_t postings = 0;
  std::uint64_t blocks = 0;        ///< of docIDs, of long lists
  std::uint64_t dense_blocks = 0;  ///< of them: bit sets
  std::vector<ListCounts> lists{};
  std::vector<PartBytes> posting_parts{};  ///< what postings take, by purpose
  std::uint64_t posting_bytes = 0;         ///< all of that
  std::vector<PartBytes> sections{};       ///< of all data
  std::uint64_t stored_text_bytes = 0;     ///< of stored texts, unpacked
};

/// One commit of an index, which it keeps open. Any number of threads may read. Functions throw
/// FormatError for damaged bytes.
class IndexReader {
 public:
  /// The last commit. Throws IoError if there is no index, FormatError if it is damaged.
  explicit IndexReader(const std::filesystem::path& folder);
  /// The commit that is searched now.
  explicit IndexReader(const Searcher& searcher);
  ~IndexReader();
  IndexReader(IndexReader&&) noexcept;
  IndexReader& operator=(IndexReader&&) noexcept;

  const std::filesystem::path& folder() const;  ///< as it was given
  const IndexSettings& settings() const;        ///< how the index was made
  /// Of the documents' vectors: a field of the schema; without a name those without one, or the
  /// only ones. UsageError for what the index has not.
  vector::RowSettings vector_settings(std::string_view field = {}) const;
  std::uint64_t commit() const;
  std::size_t segments() const;
  /// Throws UsageError, which says what to do, unless the index is one segment without removed
  /// documents: what is converted, reordered and exported.
  void require_merged() const;

  std::uint64_t documents() const;          ///< live ones
  std::uint64_t removed_documents() const;  ///< that are not yet merged away
  std::uint32_t document_end() const;       ///< docIDs are below it
  double average_length() const;            ///< of documents, in tokens
  /// O(terms + documents).
  IndexStatistics statistics() const;

  /// The name under which Query and the functions below know a term of a text field; the term
  /// itself where the field is the first one. UsageError for a field that the index has not.
  std::string term_in(std::string_view field, std::string_view term) const;
  /// A term for people: "title:sea" where there are several text fields, else the term.
  std::string shown(std::string_view term) const;
  /// A term as its field's analyzer makes it, without the field.
  std::string word_of(std::string_view term) const;

  /// None if no live document has the term. O(segments log terms).
  std::optional<TermStatistics> statistics(std::string_view term) const;
  /// Calls visit for all terms that begin with `prefix` and that live documents have, in the order
  /// of their bytes, until it returns false. O(log terms) for each. Of the text field `field`, by
  /// default the first; UsageError for one that the index has not.
  void for_each_term(const std::function<bool(const TermStatistics&)>& visit,
                     std::string_view prefix = {}, std::string_view field = {}) const;
  /// Up to `count` terms that begin with `prefix` and that live documents have: those of most
  /// documents first, then in the order of their bytes. `prefix` is folded as the analyzer folds
  /// words, and not stemmed. O(terms that begin so). Throws InputError if it is not UTF-8. `field`
  /// as for for_each_term().
  std::vector<TermStatistics> suggest(std::string_view prefix, std::size_t count = 10,
                                      std::string_view field = {}) const;
  /// Up to `count` terms of live documents that are spelt like `word`: fewest edits first, then
  /// most documents. The first call makes a table, O(bytes of all terms); others are O(terms), some
  /// nanoseconds each. Of all text fields; their documents are added.
  std::vector<SimilarTerm> similar_terms(std::string_view word, std::size_t count = 3) const;
  /// Those of them to offer in the place of `term`: typed as a word of a query, each is looked for
  /// as it is, which some stems are not. Costs what similar_terms() does.
  std::vector<SimilarTerm> offered_terms(std::string_view term, std::size_t count = 3) const;
  /// The live documents that match a query by QueryMode::kOr, ascending. O(postings).
  /// `filter` is as SearchOptions::filter.
  std::vector<std::uint32_t> matching(const Query& query, std::string_view filter = {}) const;
  /// The live documents with the term, by ascending docID. O(postings).
  std::vector<TermPosting> postings(std::string_view term) const;

  /// The docID of a live document, or none. O(segments log documents).
  std::optional<std::uint32_t> find(std::string_view id) const;
  // Of a document, removed or not. UsageError for a docID past the last.
  std::string id(std::uint32_t document) const;
  bool is_live(std::uint32_t document) const;
  std::uint32_t length(std::uint32_t document) const;  ///< in tokens, of all its texts
  /// Its terms in the order of their bytes. UsageError for an index without a forward index.
  std::vector<DocumentTerm> terms(std::uint32_t document) const;
  /// Its vector of that field, as it is stored. UsageError as of vector_settings().
  std::vector<float> vector(std::uint32_t document, std::string_view field = {}) const;
  /// Its stored texts by the names of their fields. UsageError for an index that stores none.
  std::map<std::string, std::string> stored(std::uint32_t document) const;
  /// Its values by the names of columns (IndexSettings::schema), those that it has.
  std::map<std::string, std::vector<FieldValue>> values(std::uint32_t document) const;
  /// The score that a search of `query` gives it, and how that comes about. Whether it matches is
  /// not asked: terms that it lacks are left out, and so are those with a - sign. O(terms log
  /// postings). UsageError for settings out of range.
  Explanation explain(const Query& query, std::uint32_t document,
                      const ScorerSettings& scorer = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
