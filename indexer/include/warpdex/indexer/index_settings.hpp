// How an index is made, as its manifest records it: codec, analyzer, schema, impacts, vectors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "warpdex/codecs/codec_settings.hpp"
#include "warpdex/vector/rows/row_settings.hpp"

namespace warpdex {

/// The newest version of an analyzer: 2 of "english" and "standard", 1 of any other name.
std::uint32_t newest_analyzer_version(std::string_view name);

/// Which analyzer makes an index's terms. An index keeps the version that it was built with, and
/// its queries, additions and snippets go through that version too; a name alone means the newest.
struct AnalyzerSettings {
  std::string name;           ///< one of analyzer_names(), or a description as JSON
  std::uint32_t version = 1;  ///< from 1

  // Not explicit: a name may stand for the newest version of it everywhere.
  AnalyzerSettings(std::string_view analyzer)
      : name(analyzer), version(newest_analyzer_version(analyzer)) {}
  AnalyzerSettings(const std::string& analyzer) : AnalyzerSettings(std::string_view(analyzer)) {}
  AnalyzerSettings(const char* analyzer) : AnalyzerSettings(std::string_view(analyzer)) {}
  AnalyzerSettings(std::string_view analyzer, std::uint32_t of_version)
      : name(analyzer), version(of_version) {}
  bool operator==(const AnalyzerSettings&) const = default;
};

/// The names of all analyzers: "english", "standard", "whitespace", "keyword", languages.
std::vector<std::string> analyzer_names();
/// Throws UsageError, naming the known ones, for another name, and for a version that it has not;
/// of a description for what is unknown in it, with the place.
void check_analyzer(const AnalyzerSettings& analyzer);
/// A description in the one form that the manifest keeps; anything else as it is.
AnalyzerSettings canonical_analyzer(const AnalyzerSettings& analyzer);

/// What impacts are made of.
enum class ImpactSource {
  kBm25,              ///< BM25 (lucene), which the writer computes of frequencies and quantises
  kWholeWeights,      ///< whole numbers from 1 to 255 that came with the documents, as they are
  kQuantisedWeights,  ///< real weights that came with the documents, in steps of largest / 255
};

/// How the impacts of an index, which it holds in the place of frequencies, were made.
struct ImpactSettings {
  double k1 = 0.9;  ///< kBm25: finite, 0 or more
  double b = 0.4;   ///< kBm25: 0 to 1
  /// The score or weight that impact 255 stands for. kBm25 and kWholeWeights: set by the writer.
  double largest = 0;
  ImpactSource source = ImpactSource::kBm25;
  bool operator==(const ImpactSettings&) const = default;
};

/// UsageError, naming the setting and its range, unless k1 is finite and 0 or more, and b is from 0
/// to 1.
void check_bm25_settings(double k1, double b);
/// check_bm25_settings(), or of quantised weights UsageError unless `largest` is finite and above
/// 0.
void check_impact_settings(const ImpactSettings& settings);

/// What a field of documents holds: text, values of a column, or a vector.
enum class FieldType {
  kText,     ///< words, with lists, lengths and statistics of their own
  kKeyword,  ///< strings, compared by their bytes
  kInt,      ///< whole numbers of 64 bits
  kFloat,    ///< finite numbers of 64 bits
  kDate,     ///< moments, in milliseconds since 1970 in UTC
  kBool,
  kVector,  ///< a vector, which each document has
};
std::string_view field_type_name(FieldType type);
constexpr bool is_column(FieldType type) {
  return type != FieldType::kText && type != FieldType::kVector;
}

struct Field {
  std::string name;
  FieldType type = FieldType::kText;
  std::string analyzer{};         ///< kText: its name or description; empty: the index's
  bool positions = false;         ///< kText: lists have the places of words, for phrases
  bool multiple = false;          ///< of a column: a document may have several values
  float weight = 1;               ///< kText: of words that name no field; 0: these do not search it
  vector::RowSettings vectors{};  ///< kVector
  bool operator==(const Field&) const = default;
};

/// The fields of an index's documents. Without text fields, documents have one text without a name.
struct Schema {
  std::vector<Field> fields;  ///< names are distinct

  /// The place of the field of that name.
  std::optional<std::size_t> find(std::string_view name) const;
  bool operator==(const Schema&) const = default;
};

/// One value. Of kInt a whole number; of kDate one, of milliseconds since 1970 in UTC; of kFloat a
/// finite number that is not -0; of kBool true or false; of kKeyword UTF-8.
using FieldValue = std::variant<bool, std::int64_t, double, std::string>;

/// The values of one document: for each column of its schema those that it has, ascending; of
/// keywords and of true and false each once.
using FieldValues = std::vector<std::vector<FieldValue>>;

/// The fields of a schema that are columns, in their order.
std::vector<Field> columns_of(const Schema& schema);

/// The fields that are vectors, in their order.
std::vector<Field> vector_fields(const Schema& schema);

/// The names of its text fields, in their order.
std::vector<std::string> text_names_of(const Schema& schema);

/// The most fields of a schema.
inline constexpr std::size_t kMaxFields = 255;

/// Reads {"fields": {"title": {"type": "text", "weight": 2}, "year": {"type": "int"}}}. Throws
/// UsageError, which names the field, for what is not a schema: an unknown type or member, a name
/// twice, a name that queries could not have (they are letters, digits, '_', '-' and '.', begin
/// with a letter, and are not "id"), an analyzer that is unknown, a vector without a dimension.
Schema parse_schema(std::string_view json);
/// What parse_schema() reads as the same schema.
std::string schema_to_json(const Schema& schema);

/// IndexSettings::fields of an imported index begins so.
inline constexpr std::string_view kImportedFields = "imported from ";

/// What the manifest records of how an index was made.
struct IndexSettings {
  CodecSettings codec;                    ///< of the posting lists
  AnalyzerSettings analyzer = "english";  ///< queries are analysed by it too
  std::string fields;                     ///< for people: which fields were indexed
  bool has_static_scores = false;  ///< documents have scores of their own, added to each match
  /// Lists hold impacts, and static scores are in their unit; none: lists hold frequencies.
  std::optional<ImpactSettings> impacts = std::nullopt;
  /// The index keeps each document's terms, so that statistics stay exact when it is removed.
  bool has_forward = false;
  std::vector<std::string> stored_fields{};  ///< names of the fields whose texts it keeps
  Schema schema{};                           ///< without fields: a text alone
  /// It holds a vector for each document: row i of a segment is that of its document i.
  std::optional<vector::RowSettings> vectors = std::nullopt;
  bool has_positions = false;  ///< lists hold where in its document each word stands, for phrases
  /// With `has_positions`: those of the text fields alone whose Field::positions are set, which are
  /// some of them. Else lists of all texts have positions.
  bool positions_by_field = false;
};

/// Vectors of documents, one of each: row i of a segment is that of its document i.
struct VectorSet {
  std::string name;  ///< of its field; empty: those of IndexSettings::vectors
  vector::RowSettings rows;
  std::string prefix;  ///< what the names of its sections begin with
};

/// IndexSettings::vectors, if there are some, then those of the schema's fields, in their order.
std::vector<VectorSet> vector_sets(const IndexSettings& settings);

}  // namespace warpdex
