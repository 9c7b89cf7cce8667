// What the fields of OpenSearch's documents are to an index of the server's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "opensearch/face.hpp"
#include "warpdex/indexer/index_settings.hpp"

namespace warpdex::server::opensearch {

/// A field of vectors.
struct VectorField {
  std::string name;
  std::string own;  ///< SearchOptions::vector_field
  vector::RowSettings settings;
};

/// An index has one text that is searched, made of one field or of several together, or several
/// texts, each of one field. Other fields are only stored, or are columns.
struct IndexFields {
  std::vector<std::string> searched{};  ///< one at least
  bool are_told = false;                ///< by the index; else its text is called "text"
  bool are_separate = false;            ///< each is searched by itself
  std::vector<std::string> stored{};
  bool is_weighted = false;  ///< the searched field holds terms with weights
  std::vector<VectorField> vectors{};
  std::vector<Field> columns{};  ///< fields of values: keywords, numbers, dates, booleans
  Schema schema{};               ///< of the index

  bool is_searched(std::string_view name) const;
  bool is_stored(std::string_view name) const;
  /// The column of that name, or null.
  const Field* column(std::string_view name) const;
  /// The field of vectors of that name, or null.
  const VectorField* vector(std::string_view name) const;
  /// Whether documents can be made again of what is stored of them.
  bool is_rebuildable() const;
  /// The searched ones: "'title', 'body'".
  std::string names() const;
};

IndexFields fields_of(const IndexSettings& settings);

/// The one index that an address names; where it names none, or all, the one that is served. Throws
/// HttpError: 400 where it names several, and for what is no name; 404.
IndexPtr find_index(const Services& services, std::string_view name);
/// By the first segment of a request's address, if that is {index}.
IndexPtr find_index(const Services& services, const Request& request);
/// The indexes that an address names: one of documents, or all of them.
std::vector<IndexPtr> find_indexes(const Services& services, const Request& request);

/// Of an index: {"properties": {…}}.
void write_mapping(const IndexReader& reader, JsonWriter& json);
/// The settings of a new one. Throws HttpError (400) for what an index cannot have.
NewIndex read_new_index(const Request& request);

}  // namespace warpdex::server::opensearch
