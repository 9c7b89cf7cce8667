// Builds a tree from tokens, by the rules of Lucene's classic parser. Internal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "syntax/lucene_scanner.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

enum class Joint { kNone, kAnd, kOr };       ///< the operator before a clause
enum class Sign { kNone, kMust, kMustNot };  ///< the sign before it

/// A clause, and how it takes part.
struct SignedClause {
  QueryNode node;
  bool is_required = false;
  bool is_prohibited = false;
  bool has_sign = false;
};

/// By recursive descent; one token is looked at ahead.
class LuceneParser {
 public:
  LuceneParser(std::string_view text, DefaultOperator between, OnMistake on_mistake)
      : between_(between), on_mistake_(on_mistake), scanner_(text, std::move(on_mistake)) {
    advance();
  }

  QueryNode parse();

 private:
  void advance(bool in_range = false) { token_ = scanner_.next(in_range); }
  void mistake(const std::string& what) { on_mistake_(token_.place, what); }

  QueryNode clauses(const std::string& field);
  Joint joint();
  Sign sign();
  std::optional<QueryNode> clause(const std::string& field);
  std::optional<QueryNode> of_word(const std::string& field);
  std::optional<QueryNode> group(const std::string& field);
  QueryNode quoted(const std::string& field);
  std::optional<QueryNode> range(const std::string& field);
  std::optional<QueryNode> set(const std::string& field);
  void add(std::vector<SignedClause>& all, Joint joint, Sign sign, QueryNode node) const;
  void read_boost(QueryNode& node);
  std::optional<double> number() const;
  QueryNode make(QueryNode::Kind kind, const std::string& field);

  DefaultOperator between_;
  OnMistake on_mistake_;
  LuceneScanner scanner_;
  LuceneToken token_;
  std::size_t nodes_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace warpdex
