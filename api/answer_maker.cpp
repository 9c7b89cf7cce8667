#include "answer_maker.hpp"

#include <algorithm>
#include <utility>

#include "column_search.hpp"
#include "warpdex/indexer/field_value.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"
#include "warpdex/query/explain/explain.hpp"
#include "warpdex/query/tree/found_terms.hpp"

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

void set_searched_by(bool is_of_gpu, Explanation& why) {
  if (is_of_gpu) {
    why.searched_by = why.tree ? SearchedBy::kGpuPhrase : SearchedBy::kGpuEngine;
  } else if (!why.tree) {
    why.searched_by = SearchedBy::kCpuEngine;
  }
}

AnswerMaker::AnswerMaker(std::shared_ptr<const OpenIndex> index, const SearchOptions& options,
                         bool scores_are_distances)
    : index_(std::move(index)), options_(options), scores_are_distances_(scores_are_distances) {
  if (options.fields.empty()) return;
  const std::size_t stored = index_->snapshot().settings().stored_fields.size();
  const bool has_columns = !columns_of(index_->snapshot().settings().schema).empty();
  if (stored > 0 || !has_columns) {
    stored_.emplace(index_->stored_reader());  // throws if the index stores nothing
  }
  places_ = places_of(index_->snapshot(), options.fields);
  if (!options.snippets) return;
  const IndexSettings& settings = index_->snapshot().settings();
  const std::vector<Field> texts = text_fields(settings.schema);
  for (const std::string& name : options.fields) {
    const auto found = std::ranges::find(texts, name, &Field::name);
    std::optional<std::size_t> field;
    if (found != texts.end()) field = static_cast<std::size_t>(found - texts.begin());
    const AnalyzerSettings analyzer = field ? text_analyzer(settings, *field) : settings.analyzer;
    snippets_.push_back({SnippetMaker(analyzer, options.snippet), field});
  }
}

Answer AnswerMaker::make(const Query& asked, TextAnswer&& found) {
  const Query& query = asked.answered(found.result.fell_back_to_or);
  Answer answer;
  answer.id = query.id;
  answer.matches = found.result.matches;
  answer.matches_exact = (options_.count || asks_columns(options_)) && found.is_complete;
  answer.fell_back_to_or = found.result.fell_back_to_or;
  answer.scores_are_distances = scores_are_distances_;
  answer.is_complete = found.is_complete;
  answer.max_missing_score = found.max_missing_score;
  answer.terms_cut = found.terms_cut;
  answer.is_of_gpu = found.is_of_gpu;
  answer.facets = std::move(found.facets);
  answer.snapshot_ = index_->shared_snapshot();
  answer.hits_.reserve(found.result.hits.size());
  std::vector<Query> in_fields;
  if (!snippets_.empty() && !found.result.hits.empty()) {
    Query marked = query;
    if (query.tree) {
      marked.tree =
          std::make_shared<const QueryNode>(with_found_terms(index_->snapshot(), *query.tree));
    }
    for (const FieldSnippets& each : snippets_) in_fields.push_back(query_in(marked, each.field));
  }
  std::optional<Explainer> explainer;
  if (options_.explain) explainer.emplace(index_->snapshot(), query, options_.scorer);
  for (const Hit& hit : found.result.hits) {
    answer.hits_.push_back({hit.document, hit.score});
    if (!places_.empty()) answer.fields_.push_back(fields_of(hit.document, in_fields));
    if (!explainer) continue;
    Explanation& why = answer.explanations_.emplace_back(explainer->explain(hit.document));
    set_searched_by(answer.is_of_gpu, why);
  }
  return answer;
}

/// What a query looks for in a text field; in a field of another kind, all its words.
Query AnswerMaker::query_in(const Query& query, std::optional<std::size_t> field) const {
  if (!index_->has_several_texts()) return query;
  Query own{.id = {}, .terms = query.terms};
  std::erase_if(own.terms, [&](const auto& term) { return is_of_other(term.term, field); });
  for (QueryTerm& term : own.terms) term.term = without_mark(term.term);
  if (query.tree == nullptr) return own;
  QueryNode tree = *query.tree;
  take_words_of(field, tree);
  own.tree = std::make_shared<const QueryNode>(std::move(tree));
  return own;
}

std::vector<ShownField> AnswerMaker::fields_of(std::uint32_t document,
                                               std::span<const Query> queries) {
  StoredValues values;
  if (stored_) values = (*stored_)->read(document);
  add_columns(index_->snapshot(), document, values);
  std::vector<ShownField> shown;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!values[places_[i]]) continue;
    ShownField& field = shown.emplace_back();
    field.name = options_.fields[i];
    field.text = *values[places_[i]];
    if (snippets_.empty()) continue;
    // What is no HTML may go to a terminal.
    Snippet snippet = snippets_[i].maker.make(
        options_.snippet.is_html ? field.text : without_controls(field.text, ' '), queries[i]);
    field.snippet = std::move(snippet.text);
    field.fragments = std::move(snippet.fragments);
    if (options_.positions) field.marked = std::move(snippet.marked);
  }
  return shown;
}

}  // namespace warpdex
