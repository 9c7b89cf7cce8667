// Turns a caller's documents into the index's, and refuses those that cannot be indexed.
#include <algorithm>
#include <cmath>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"
#include "warpdex/vector/format/row_index.hpp"
#include "writer_state.hpp"

namespace warpdex {

Document Writer::State::document_of(NewDocument&& given) const {
  const IndexSettings& settings = index->settings();
  Document document{std::move(given.id), std::move(given.text)};
  document.vector = std::move(given.weights);
  document.embedding = std::move(given.vector);
  for (const std::string& name : settings.stored_fields) {
    const auto found = given.fields.find(name);
    auto& value = document.stored.emplace_back();
    if (found == given.fields.end()) continue;
    value = std::move(found->second);
    given.fields.erase(found);
  }
  if (!given.fields.empty()) {
    throw UsageError("the index '" + folder.string() + "' stores no field '" +
                     given.fields.begin()->first + "'; leave it out, or build the index with it");
  }
  return document;
}

/// What would otherwise be found when many documents are added at once. Throws BadDocument.
void Writer::State::check(const Document& document) const {
  const std::string called = "the document '" + document.id + "' ";
  if (is_weighted() == document.vector.empty()) {
    throw BadDocument(called + (is_weighted() ? "has no weights, and the index is of weighted terms"
                                              : "has weights, and the index is of texts"));
  }
  const auto& vectors = index->settings().vectors;
  const std::size_t dimension = vectors ? vectors->dimension : 0;
  if (document.embedding.size() != dimension) {
    throw BadDocument(called + "has a vector of " + std::to_string(document.embedding.size()) +
                      " components, and those of the index have " + std::to_string(dimension));
  }
  check_numbers(document, called);
  const Location location{"<memory>", waiting.size() + 1};
  check_utf8(document.id, location);
  check_id(document.id, location);
  check_utf8(document.text, location);
  for (const auto& value : document.stored) check_utf8(value ? *value : "", location);
  if (journal) check_terms(document, called);
}

void Writer::State::check_numbers(const Document& document, const std::string& called) const {
  constexpr float kMaxHalf = 65'504;
  const IndexSettings& settings = index->settings();
  const bool are_halves = settings.vectors && settings.vectors->store == vector::Store::kHalf;
  for (const float component : document.embedding) {
    if (std::isfinite(component) && (!are_halves || std::abs(component) <= kMaxHalf)) continue;
    throw BadDocument(called + "has a component that is not finite, or too large for a half");
  }
  if (settings.vectors && vector::is_too_long(document.embedding, *settings.vectors)) {
    throw BadDocument(called + "has a vector longer than 1e17, the most that lists and codes take");
  }
  const bool are_whole = is_weighted() && settings.impacts->source == ImpactSource::kWholeWeights;
  for (const TermWeight& term : document.vector) {
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
  const Location location{"<memory>", waiting.size() + 1};
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
