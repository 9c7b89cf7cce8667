#include "answer_maker.hpp"

#include <algorithm>
#include <utility>

#include "warpdex/indexer/readers/text_checks.hpp"
#include "warpdex/query/explain/explain.hpp"

namespace warpdex {
namespace {

/// Where the wanted fields are among the stored ones.
std::vector<std::size_t> places_of(const Snapshot& snapshot,
                                   const std::vector<std::string>& wanted) {
  const std::vector<std::string>& stored = snapshot.settings().stored_fields;
  std::vector<std::size_t> places;
  for (const std::string& name : wanted) {
    const auto known = std::find(stored.begin(), stored.end(), name);
    if (known == stored.end()) {
      std::string names;
      for (const std::string& each : stored) names += (names.empty() ? "'" : ", '") + each + "'";
      throw UsageError("the index '" + snapshot.folder().string() + "' stores no field '" + name +
                       "'; it stores " + names);
    }
    places.push_back(static_cast<std::size_t>(known - stored.begin()));
  }
  return places;
}

}  // namespace

AnswerMaker::AnswerMaker(std::shared_ptr<const OpenIndex> index, const SearchOptions& options,
                         bool scores_are_distances)
    : index_(std::move(index)), options_(options), scores_are_distances_(scores_are_distances) {
  if (options.fields.empty()) return;
  stored_.emplace(index_->stored_reader());  // throws if the index stores nothing
  places_ = places_of(index_->snapshot(), options.fields);
  if (options.snippets) {
    snippets_.emplace(index_->snapshot().settings().analyzer, options.snippet);
  }
}

Answer AnswerMaker::make(const Query& query, TextAnswer&& found) {
  Answer answer;
  answer.id = query.id;
  answer.matches = found.result.matches;
  answer.matches_exact = options_.count && found.is_complete;
  answer.fell_back_to_or = found.result.fell_back_to_or;
  answer.scores_are_distances = scores_are_distances_;
  answer.is_complete = found.is_complete;
  answer.max_missing_score = found.max_missing_score;
  answer.terms_cut = found.terms_cut;
  answer.is_of_gpu = found.is_of_gpu;
  answer.snapshot_ = index_->shared_snapshot();
  answer.hits_.reserve(found.result.hits.size());
  for (const Hit& hit : found.result.hits) {
    answer.hits_.push_back({hit.document, hit.score});
    if (!places_.empty()) answer.fields_.push_back(fields_of(hit.document, query));
    if (options_.explain) {
      answer.explanations_.push_back(
          explain(index_->snapshot(), query, options_.scorer, hit.document));
    }
  }
  return answer;
}

std::vector<ShownField> AnswerMaker::fields_of(std::uint32_t document, const Query& query) {
  StoredValues values = (*stored_)->read(document);
  std::vector<ShownField> shown;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!values[places_[i]]) continue;
    ShownField& field = shown.emplace_back();
    field.name = options_.fields[i];
    field.text = *values[places_[i]];
    if (!snippets_) continue;
    // What is no HTML may go to a terminal.
    Snippet snippet = snippets_->make(
        options_.snippet.is_html ? field.text : without_controls(field.text, ' '), query);
    field.snippet = std::move(snippet.text);
    if (options_.positions) field.marked = std::move(snippet.marked);
  }
  return shown;
}

}  // namespace warpdex
