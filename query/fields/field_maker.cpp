#include "warpdex/query/fields/field_maker.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/field_value.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

/// Where the wanted fields are among the stored ones, and behind these the columns.
std::vector<std::size_t> places_of(const Snapshot& snapshot,
                                   const std::vector<std::string>& wanted) {
  const std::vector<std::string>& stored = snapshot.settings().stored_fields;
  const std::vector<Field> columns = columns_of(snapshot.settings().schema);
  std::vector<std::size_t> places;
  for (const std::string& name : wanted) {
    const auto known = std::find(stored.begin(), stored.end(), name);
    if (known == stored.end()) {
      const auto column = std::ranges::find(columns, name, &Field::name);
      if (column != columns.end()) {
        places.push_back(stored.size() + static_cast<std::size_t>(column - columns.begin()));
        continue;
      }
      std::string names;
      for (const std::string& each : stored) names += (names.empty() ? "'" : ", '") + each + "'";
      throw UsageError("the index '" + snapshot.folder().string() + "' stores no field '" + name +
                       "'; it stores " + names);
    }
    places.push_back(static_cast<std::size_t>(known - stored.begin()));
  }
  return places;
}

bool is_of_other(std::string_view term, std::optional<std::size_t> field) {
  return field && field_of_term(term) != *field;
}

/// Leaves the words and phrases of a field, or of all, in a tree, without the marks of fields.
void take_words_of(std::optional<std::size_t> field, QueryNode& node) {
  const bool has_text = node.kind == QueryNode::Kind::kTerm;
  if ((has_text && is_of_other(node.text, field)) ||
      (!node.texts.empty() && is_of_other(node.texts[0], field))) {
    node = {};
    return;
  }
  if (has_text) node.text = without_mark(node.text);
  for (std::string& text : node.texts) text = without_mark(text);
  for (auto* part : {&node.must, &node.filter, &node.should, &node.must_not}) {
    for (QueryNode& clause : *part) take_words_of(field, clause);
  }
}

/// Appends the values of columns, as text; several with commas between them.
void add_columns(const Snapshot& snapshot, std::uint32_t document, StoredValues& values) {
  const Snapshot::Segment& segment = snapshot.segments()[snapshot.segment_of(document)];
  for (const ColumnView& column : segment.index->columns()) {
    auto& shown = values.emplace_back();
    for (const FieldValue& value : column.values(document - segment.first_document)) {
      shown = (shown ? *shown + ", " : "") + value_text(column.field(), value);
    }
  }
}

}  // namespace

bool shows_stored_texts(const IndexSettings& settings) {
  return !settings.stored_fields.empty() || columns_of(settings.schema).empty();
}

FieldMaker::FieldMaker(const Snapshot& snapshot, const ShownSettings& settings,
                       StoredReader* stored)
    : snapshot_(snapshot),
      settings_(settings),
      stored_(stored),
      has_several_texts_(text_count(snapshot.settings().schema) > 1),
      places_(places_of(snapshot, settings.fields)) {
  if (!settings.snippets) return;
  const IndexSettings& index = snapshot.settings();
  const std::vector<Field> texts = text_fields(index.schema);
  for (const std::string& name : settings.fields) {
    const auto found = std::ranges::find(texts, name, &Field::name);
    std::optional<std::size_t> field;
    if (found != texts.end()) field = static_cast<std::size_t>(found - texts.begin());
    const AnalyzerSettings analyzer = field ? text_analyzer(index, *field) : index.analyzer;
    snippets_.push_back({SnippetMaker(analyzer, settings.snippet), field});
  }
}

std::vector<Query> FieldMaker::queries_of(const Query& query) const {
  std::vector<Query> queries;
  for (const FieldSnippets& each : snippets_) queries.push_back(query_in(query, each.field));
  return queries;
}

/// What a query looks for in a text field; in a field of another kind, all its words.
Query FieldMaker::query_in(const Query& query, std::optional<std::size_t> field) const {
  if (!has_several_texts_) return query;
  Query own{.id = {}, .terms = query.terms};
  std::erase_if(own.terms, [&](const auto& term) { return is_of_other(term.term, field); });
  for (QueryTerm& term : own.terms) term.term = without_mark(term.term);
  if (query.tree == nullptr) return own;
  QueryNode tree = *query.tree;
  take_words_of(field, tree);
  own.tree = std::make_shared<const QueryNode>(std::move(tree));
  return own;
}

std::vector<ShownField> FieldMaker::make(std::uint32_t document, std::span<const Query> queries) {
  StoredValues values;
  if (stored_) values = stored_->read(document);
  add_columns(snapshot_, document, values);
  std::vector<ShownField> shown;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!values[places_[i]]) continue;
    ShownField& field = shown.emplace_back();
    field.name = settings_.fields[i];
    field.text = *values[places_[i]];
    if (snippets_.empty()) continue;
    // What is no HTML may go to a terminal.
    Snippet snippet = snippets_[i].maker.make(
        settings_.snippet.is_html ? field.text : without_controls(field.text, ' '), queries[i]);
    field.snippet = std::move(snippet.text);
    field.fragments = std::move(snippet.fragments);
    if (settings_.positions) field.marked = std::move(snippet.marked);
  }
  return shown;
}

}  // namespace warpdex
