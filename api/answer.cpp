#include "warpdex/answer.hpp"

#include <algorithm>

#include "answer_maker.hpp"
#include "column_search.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/explain/explain.hpp"

namespace warpdex {

std::string_view AnswerHit::id() const { return answer_->snapshot_->document_name(document()); }

float AnswerHit::score() const { return answer_->hits_[rank_].score; }

std::uint32_t AnswerHit::document() const { return answer_->hits_[rank_].document; }

const std::vector<ShownField>& AnswerHit::fields() const {
  static const std::vector<ShownField> kNone;
  return answer_->fields_.empty() ? kNone : answer_->fields_[rank_];
}

std::optional<std::string_view> AnswerHit::field(std::string_view name) const {
  const std::vector<ShownField>& all = fields();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ShownField& field) { return field.name == name; });
  if (found == all.end()) return std::nullopt;
  return found->text;
}

std::vector<FieldValue> AnswerHit::values(std::string_view name) const {
  const Snapshot& snapshot = *answer_->snapshot_;
  const Snapshot::Segment& segment = snapshot.segments()[snapshot.segment_of(document())];
  for (const ColumnView& column : segment.index->columns()) {
    if (column.field().name == name) return column.values(document() - segment.first_document);
  }
  throw UsageError("the index '" + snapshot.folder().string() + "' has no column '" +
                   std::string(name) + "'");
}

std::string AnswerHit::cursor() const { return cursor_of(answer_->commit(), document()); }

const Explanation* AnswerHit::explanation() const {
  return answer_->explanations_.empty() ? nullptr : &answer_->explanations_[rank_];
}

Explanation AnswerHit::explain(const Query& query, const ScorerSettings& scorer) const {
  Explanation why = warpdex::explain(*answer_->snapshot_, query, scorer, document());
  set_searched_by(answer_->is_of_gpu, why);
  return why;
}

std::uint64_t Answer::commit() const { return snapshot_ ? snapshot_->commit() : 0; }

std::string_view BatchAnswer::id(std::uint32_t document) const {
  return snapshot_->document_name(document);
}

std::uint64_t BatchAnswer::commit() const { return snapshot_ ? snapshot_->commit() : 0; }

}  // namespace warpdex
