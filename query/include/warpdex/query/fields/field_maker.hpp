// The fields of documents as hits show them: stored texts, values of columns, and snippets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/stored_fields.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/shown_field.hpp"
#include "warpdex/query/snippet.hpp"

namespace warpdex {

/// What hits show of their documents.
struct ShownSettings {
  std::vector<std::string> fields{};  ///< stored fields, and columns
  bool snippets = false;              ///< fields also have a piece with the matched words marked
  bool positions = false;             ///< and say where these words stand
  SnippetSettings snippet{};
};

/// Whether an index stores texts, which a FieldMaker needs a reader for; of one with neither texts
/// nor columns true, so that the reader says so.
bool shows_stored_texts(const IndexSettings& settings);

/// Of one commit, which outlives it, as do the settings. For one thread at a time.
class FieldMaker {
 public:
  /// `stored` is of the commit, or null unless it shows_stored_texts(). Throws UsageError for a
  /// field that the index does not store.
  FieldMaker(const Snapshot& snapshot, const ShownSettings& settings, StoredReader* stored);

  /// What a query looks for in each of the fields; `query` has its found terms in the place of
  /// prefixes and patterns (with_found_terms()). Empty without snippets.
  std::vector<Query> queries_of(const Query& query) const;
  /// The fields that a document has. `queries` are what queries_of() returned. Throws FormatError.
  std::vector<ShownField> make(std::uint32_t document, std::span<const Query> queries);

 private:
  Query query_in(const Query& query, std::optional<std::size_t> field) const;

  const Snapshot& snapshot_;
  const ShownSettings& settings_;
  StoredReader* stored_;
  bool has_several_texts_;
  std::vector<std::size_t> places_;  ///< of the fields among the stored ones, and the columns
  /// By field: the maker for its analyzer, and the text field that it is.
  struct FieldSnippets {
    SnippetMaker maker;
    std::optional<std::size_t> field;
  };
  std::vector<FieldSnippets> snippets_;
};

}  // namespace warpdex
