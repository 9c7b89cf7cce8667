// Takes what asks columns alone out of trees, as filters.
#include <algorithm>
#include <iterator>
#include <utility>

#include "tree/column_clause.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/filter/filter.hpp"
#include "warpdex/query/syntax/json_query.hpp"

namespace warpdex {
namespace {

FilterNode joined_filters(FilterNode::Kind kind, std::vector<FilterNode> clauses) {
  if (clauses.size() == 1 && kind != FilterNode::Kind::kNot) return std::move(clauses[0]);
  FilterNode node;
  node.kind = kind;
  node.clauses = std::move(clauses);
  return node;
}

/// Appends the filters of clauses, each negated or not; false: one is none.
bool append_filters(const std::vector<QueryNode>& nodes, const Schema& schema, bool are_excluded,
                    std::vector<FilterNode>& filters) {
  for (const QueryNode& node : nodes) {
    std::optional<FilterNode> one = filter_of_clause(node, schema);
    if (!one) return false;
    std::vector<FilterNode> clause;
    clause.push_back(std::move(*one));
    filters.push_back(are_excluded ? joined_filters(FilterNode::Kind::kNot, std::move(clause))
                                   : std::move(clause[0]));
  }
  return true;
}

std::optional<FilterNode> filter_of_group(const QueryNode& node, const Schema& schema) {
  if (node.must.empty() && node.filter.empty() && node.should.empty()) return std::nullopt;
  if (node.minimum_should_match > std::min<std::size_t>(1, node.should.size())) return std::nullopt;
  std::vector<FilterNode> all;
  std::vector<FilterNode> any;
  if (!append_filters(node.must, schema, false, all) ||
      !append_filters(node.filter, schema, false, all) ||
      !append_filters(node.should, schema, false, any)) {
    return std::nullopt;
  }
  if (!any.empty() && (all.empty() || node.minimum_should_match == 1)) {
    all.push_back(joined_filters(FilterNode::Kind::kOr, std::move(any)));
  }
  if (!append_filters(node.must_not, schema, true, all) || all.empty()) return std::nullopt;
  return joined_filters(FilterNode::Kind::kAnd, std::move(all));
}

}  // namespace

std::optional<FilterNode> filter_of_clause(const QueryNode& node, const Schema& schema) {
  switch (node.kind) {
    case QueryNode::Kind::kAll: return FilterNode();
    case QueryNode::Kind::kColumns: return parse_filter(node.text);
    case QueryNode::Kind::kConstant: return filter_of_clause(node.filter.at(0), schema);
    case QueryNode::Kind::kBoolean: return filter_of_group(node, schema);
    default: break;
  }
  const auto column = std::ranges::find(schema.fields, node.field, &Field::name);
  if (column == schema.fields.end() || !is_column(column->type)) return std::nullopt;
  const std::optional<QueryNode> found = column_node(node, *column);
  if (!found || found->kind != QueryNode::Kind::kColumns) return std::nullopt;
  return parse_filter(found->text);
}

std::string take_filters(QueryNode& root, const Schema& schema) {
  if (root.kind != QueryNode::Kind::kBoolean) return {};
  const bool was_filtered = !root.filter.empty();
  std::vector<FilterNode> taken;
  for (auto* part : {&root.filter, &root.must_not}) {
    std::erase_if(*part, [&](const QueryNode& clause) {
      return clause.kind != QueryNode::Kind::kAll &&
             append_filters({clause}, schema, part == &root.must_not, taken);
    });
  }
  mend_negative(root);
  // Beside a filter no `should` has to match, unless the query says so.
  const bool is_bare = root.must.empty() && root.filter.empty();
  if (was_filtered && is_bare && root.minimum_should_match == 0) {
    root.filter.push_back({.kind = QueryNode::Kind::kAll});
  }
  return taken.empty() ? "" : filter_text(joined_filters(FilterNode::Kind::kAnd, std::move(taken)));
}

}  // namespace warpdex
