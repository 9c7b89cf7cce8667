// Turns a caller's documents into the index's, and refuses those that cannot be indexed.
#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/core/number_text.hpp"
#include "warpdex/indexer/field_value.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"
#include "warpdex/vector/format/row_index.hpp"
#include "writer_state.hpp"

namespace warpdex {

Document Writer::State::document_of(NewDocument&& given) const {
  const IndexSettings& settings = index->settings();
  Document document{std::move(given.id), std::move(given.text)};
  document.vector = std::move(given.weights);
  document.embedding = std::move(given.vector);
  std::set<std::string_view> known;
  for (const Field& field : text_fields(settings.schema)) {
    const auto found = given.fields.find(field.name);
    document.texts.push_back(found == given.fields.end() ? "" : found->second);
    if (found != given.fields.end()) known.insert(found->first);
  }
  for (const std::string& name : settings.stored_fields) {
    const auto found = given.fields.find(name);
    auto& value = document.stored.emplace_back();
    if (found == given.fields.end()) continue;
    value = found->second;
    known.insert(found->first);
  }
  for (const auto& [name, value] : given.fields) {
    if (known.contains(name)) continue;
    throw UsageError("the index '" + folder.string() + "' stores no field '" + name +
                     "'; leave it out, or build the index with it");
  }
  if (!document.texts.empty() && !document.text.empty()) {
    throw UsageError("the index '" + folder.string() +
                     "' has text fields; give the document its texts by the names of these");
  }
  document.values = values_of(document.id, std::move(given.values));
  document.embeddings = vectors_of(document.id, std::move(given.vectors));
  return document;
}

/// Throws BadDocument unless there is one for each of the schema's vectors.
std::vector<std::vector<float>> Writer::State::vectors_of(
    const std::string& id, std::map<std::string, std::vector<float>>&& given) const {
  const std::string called = "the document '" + id + "' ";
  std::vector<std::vector<float>> vectors;
  for (const Field& field : vector_fields(index->settings().schema)) {
    const auto found = given.find(field.name);
    if (found == given.end()) {
      throw BadDocument(called + "has no vector '" + field.name + "', and each must have one");
    }
    vectors.push_back(std::move(found->second));
    given.erase(found);
  }
  if (given.empty()) return vectors;
  throw BadDocument(called + "has a vector '" + given.begin()->first +
                    "', and the schema has no such vector");
}

/// Throws BadDocument for values that the columns do not take.
FieldValues Writer::State::values_of(const std::string& id,
                                     std::map<std::string, std::vector<FieldValue>>&& given) const
    try {
  FieldValues values;
  for (const Field& field : columns) {
    auto& own = values.emplace_back();
    const auto found = given.find(field.name);
    if (found == given.end()) continue;
    for (FieldValue& value : found->second) own.push_back(value_for(field, std::move(value)));
    arrange_values(field, own);
    given.erase(found);
  }
  if (!given.empty()) {
    throw InputError("the index '" + folder.string() + "' has no column '" + given.begin()->first +
                     "'; leave it out, or build the index with a schema that has it");
  }
  return values;
} catch (const InputError& error) {
  throw BadDocument("the document '" + id + "': " + error.what());
}

/// What would otherwise be found when many documents are added at once. Throws BadDocument.
void Writer::State::check(const Document& document) const {
  const std::string called = "the document '" + document.id + "' ";
  if (is_weighted() == document.vector.empty()) {
    throw BadDocument(called + (is_weighted() ? "has no weights, and the index is of weighted terms"
                                              : "has weights, and the index is of texts"));
  }
  if (!index->settings().vectors && !document.embedding.empty()) {
    throw BadDocument(called + "has a vector without a name, and the index has none");
  }
  check_vectors(document, called);
  check_weights(document, called);
  const Location unnamed{"the document", 0};
  check_utf8(document.id, unnamed);
  check_id(document.id, unnamed);
  const Location location{"the document '" + document.id + "'", 0};
  check_utf8(document.text, location);
  check_values(document, called);
  for (const std::string& text : document.texts) check_utf8(text, location);
  for (const auto& value : document.stored) check_utf8(value ? *value : "", location);
  check_terms(document, called);
}

void Writer::State::check_values(const Document& document, const std::string& called) const {
  const Location location{"the document '" + document.id + "'", 0};
  if (document.values.size() != columns.size()) {
    throw BadDocument(called + "has values of " + std::to_string(document.values.size()) +
                      " columns, and the index has " + std::to_string(columns.size()));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (const FieldValue& value : document.values[i]) {
      try {
        if (value_for(columns[i], value) != value) throw InputError("a value of another type");
      } catch (const InputError& error) {
        throw BadDocument(called + error.what());
      }
      if (const auto* text = std::get_if<std::string>(&value)) check_utf8(*text, location);
    }
  }
}

void Writer::State::check_vectors(const Document& document, const std::string& called) const {
  std::size_t named = 0;
  for (const VectorSet& set : vector_sets(index->settings())) {
    const bool is_named = !set.name.empty();
    if (is_named && named == document.embeddings.size()) {
      throw BadDocument(called + "has no vector '" + set.name + "', and each must have one");
    }
    check_vector(is_named ? document.embeddings[named++] : document.embedding, set, called);
  }
  if (named != document.embeddings.size()) throw BadDocument(called + "has too many vectors");
}

void Writer::State::check_vector(std::span<const float> vector, const VectorSet& set,
                                 const std::string& called) {
  constexpr float kMaxHalf = 65'504;
  const std::string has =
      called + "has a vector " + (set.name.empty() ? "" : "'" + set.name + "' ");
  if (vector.empty()) {
    throw BadDocument(called + "has no vector" + (set.name.empty() ? "" : " '" + set.name + "'") +
                      ", and each must have one");
  }
  if (vector.size() != set.rows.dimension) {
    throw BadDocument(has + "of " + std::to_string(vector.size()) +
                      " components, and those of the index have " +
                      std::to_string(set.rows.dimension));
  }
  const bool are_halves = set.rows.store == vector::Store::kHalf;
  for (const float component : vector) {
    if (std::isfinite(component) && (!are_halves || std::abs(component) <= kMaxHalf)) continue;
    throw BadDocument(has + "with a component that is not finite, or too large for a half");
  }
  if (vector::is_too_long(vector, set.rows)) {
    throw BadDocument(has + "longer than 1e17, the most that lists and codes take");
  }
}

void Writer::State::check_weights(const Document& document, const std::string& called) const {
  const IndexSettings& settings = index->settings();
  const bool are_whole = is_weighted() && settings.impacts->source == ImpactSource::kWholeWeights;
  const bool are_steps =
      is_weighted() && settings.impacts->source == ImpactSource::kQuantisedWeights;
  for (const TermWeight& term : document.vector) {
    if (term.term.empty()) throw BadDocument(called + "has an empty term; leave it out");
    if (are_steps && static_cast<double>(term.weight) > settings.impacts->largest) {
      throw BadDocument(called + "has a weight for '" + term.term + "' above " +
                        shortest(settings.impacts->largest) +
                        ", the largest that the index was built for");
    }
    const bool fits =
        std::isfinite(term.weight) && term.weight >= 0 &&
        (!are_whole || (term.weight <= 255 && term.weight == std::floor(term.weight)));
    if (fits) continue;
    throw BadDocument(called + "has a weight for '" + term.term + "' that is not " +
                      (are_whole ? "a whole number from 0 to 255" : "a number of 0 or more"));
  }
}

void Writer::State::check_terms(const Document& document, const std::string& called) const {
  std::vector<std::string_view> terms;
  bool has_weight = document.vector.empty();
  const Location location{"the document '" + document.id + "'", 0};
  for (const TermWeight& term : document.vector) {
    check_utf8(term.term, location);
    has_weight |= term.weight > 0;
    if (term.weight > 0) terms.emplace_back(term.term);
  }
  if (!has_weight) throw BadDocument(called + "has no weight above 0");
  std::sort(terms.begin(), terms.end());
  const auto twice = std::adjacent_find(terms.begin(), terms.end());
  if (twice == terms.end()) return;
  throw BadDocument(called + "has the term '" + std::string(*twice) + "' twice");
}

}  // namespace warpdex
