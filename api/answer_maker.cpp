#include "answer_maker.hpp"

#include <utility>

#include "column_search.hpp"
#include "warpdex/query/explain/explain.hpp"
#include "warpdex/query/tree/found_terms.hpp"

namespace warpdex {

void set_searched_by(bool is_of_gpu, Explanation& why) {
  if (is_of_gpu) {
    why.searched_by = why.tree ? SearchedBy::kGpuPhrase : SearchedBy::kGpuEngine;
  } else if (!why.tree) {
    why.searched_by = SearchedBy::kCpuEngine;
  }
}

AnswerMaker::AnswerMaker(std::shared_ptr<const OpenIndex> index, const SearchOptions& options,
                         bool scores_are_distances)
    : index_(std::move(index)),
      options_(options),
      scores_are_distances_(scores_are_distances),
      shown_{options.fields, options.snippets, options.positions, options.snippet} {
  if (options.fields.empty()) return;
  const Snapshot& snapshot = index_->snapshot();
  if (shows_stored_texts(snapshot.settings())) {
    stored_.emplace(index_->stored_reader());  // throws if the index stores nothing
  }
  fields_.emplace(snapshot, shown_, stored_ ? &**stored_ : nullptr);
}

Answer AnswerMaker::make(const Query& asked, TextAnswer&& found) {
  const Query& query = asked.answered(found.result.fell_back_to_or);
  Answer answer;
  answer.id = asked.id;
  answer.matches = found.result.matches;
  const bool is_counted = options_.count || asks_columns(options_);
  answer.matches_exact = is_counted && found.is_complete && !found.terms_cut;
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
  if (fields_ && options_.snippets && !found.result.hits.empty()) {
    Query marked = query;
    if (query.tree) {
      marked.tree =
          std::make_shared<const QueryNode>(with_found_terms(index_->snapshot(), *query.tree));
    }
    in_fields = fields_->queries_of(marked);
  }
  std::optional<Explainer> explainer;
  if (options_.explain) explainer.emplace(index_->snapshot(), query, options_.scorer);
  for (const Hit& hit : found.result.hits) {
    answer.hits_.push_back({hit.document, hit.score});
    if (fields_) answer.fields_.push_back(fields_->make(hit.document, in_fields));
    if (!explainer) continue;
    Explanation& why = answer.explanations_.emplace_back(explainer->explain(hit.document));
    set_searched_by(answer.is_of_gpu, why);
  }
  return answer;
}

}  // namespace warpdex
