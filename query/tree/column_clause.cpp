#include "tree/column_clause.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/field_value.hpp"
#include "warpdex/query/filter/filter.hpp"

namespace warpdex {
namespace {

class ColumnClause final : public TreeClause {
 public:
  ColumnClause(std::shared_ptr<const DocumentFilter> filter, std::size_t segment, float score,
               std::uint32_t documents)
      : filter_(std::move(filter)),
        excluded_(filter_->excluded[segment]),
        score_(score),
        documents_(documents) {}

  std::uint32_t next_document(const Kernels&, std::uint32_t document) override {
    if (document >= documents_) return kNoDocument;
    std::size_t word = document / 64;
    std::uint64_t rest = ~excluded_[word] & ~std::uint64_t{0} << document % 64;
    while (rest == 0) {
      if (++word * 64 >= documents_) return kNoDocument;
      rest = ~excluded_[word];
    }
    const auto next =
        static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(rest));
    return next < documents_ ? next : kNoDocument;
  }
  float bound(const TreeWindow&) override { return score_; }
  std::uint64_t cost() const override { return 0; }
  void match(const Kernels&, const TreeWindow& window, const WindowBits& within,
             WindowMatches& matches) override {
    for (std::size_t i = 0; i < within.size(); ++i) {
      const std::size_t word = window.begin / 64 + i;
      matches.bits[i] = word < excluded_.size() ? within[i] & ~excluded_[word] : 0;
    }
    std::fill(matches.scores.begin(), matches.scores.end(), score_);
  }

 private:
  std::shared_ptr<const DocumentFilter> filter_;
  std::span<const std::uint64_t> excluded_;
  float score_;
  std::uint32_t documents_;
};

}  // namespace

std::optional<QueryNode> column_node(const QueryNode& node, const Field& column) {
  using Kind = QueryNode::Kind;
  FilterNode filter;
  filter.field = column.name;
  switch (node.kind) {
    case Kind::kMatch:
    case Kind::kTerm:
    case Kind::kPhrase:
      filter.kind = FilterNode::Kind::kIn;
      filter.values = {node.text};
      break;
    case Kind::kAny:
      filter.kind = FilterNode::Kind::kIn;
      filter.values = node.texts;
      break;
    case Kind::kRange:
      filter.kind = FilterNode::Kind::kRange;
      filter.values = {node.text, node.upper};
      filter.includes_lower = node.includes_lower;
      filter.includes_upper = node.includes_upper;
      break;
    case Kind::kPrefix:
      if (!node.text.empty()) return std::nullopt;
      filter.kind = FilterNode::Kind::kExists;
      break;
    default: return std::nullopt;
  }
  for (const std::string& value : filter.values) {
    if (node.kind != Kind::kRange || !value.empty()) value_of_text(column, value);
  }
  QueryNode made{.kind = Kind::kColumns, .boost = node.boost};
  if (node.kind == Kind::kAny && node.texts.empty()) made.kind = Kind::kNothing;
  made.text = filter_text(filter);
  made.place = node.place;
  made.path = node.path;
  return made;
}

std::unique_ptr<TreeClause> make_column_clause(std::shared_ptr<const DocumentFilter> filter,
                                               std::size_t segment, float score,
                                               std::uint32_t documents) {
  return std::make_unique<ColumnClause>(std::move(filter), segment, score, documents);
}

}  // namespace warpdex
