#include "syntax/lucene_parser.hpp"

#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex {
namespace {

QueryNode joined(std::vector<SignedClause> all) {
  QueryNode node{.kind = QueryNode::Kind::kBoolean};
  for (SignedClause& one : all) {
    auto& part = one.is_prohibited ? node.must_not : one.is_required ? node.must : node.should;
    part.push_back(std::move(one.node));
  }
  return node;
}

std::string at_byte(std::size_t place, const std::string& what) {
  return "at byte " + std::to_string(place) + ": " + what;
}

}  // namespace

QueryNode LuceneParser::parse() {
  QueryNode tree = clauses({});
  std::vector<QueryNode> more;  // behind each ) without its (
  while (token_.kind != LuceneToken::Kind::kEnd) {
    mistake("')' closes no group; leave it out, or write \\)");
    advance();
    QueryNode rest = clauses({});
    if (rest.kind != QueryNode::Kind::kNothing) more.push_back(std::move(rest));
  }
  if (more.empty()) return tree;
  QueryNode all{.kind = QueryNode::Kind::kBoolean, .should = std::move(more)};
  if (tree.kind != QueryNode::Kind::kNothing)
    all.should.insert(all.should.begin(), std::move(tree));
  return all;
}

QueryNode LuceneParser::make(QueryNode::Kind kind, const std::string& field) {
  if (++nodes_ > kMaxQueryNodes) {
    throw InputError("the query has more than " + std::to_string(kMaxQueryNodes) +
                     " clauses; search for fewer at a time");
  }
  return {.kind = kind, .field = field, .place = token_.place};
}

/// Reads clauses up to a ) or the end.
QueryNode LuceneParser::clauses(const std::string& field) {
  std::vector<SignedClause> all;
  const std::size_t place = token_.place;
  while (token_.kind != LuceneToken::Kind::kEnd && token_.kind != LuceneToken::Kind::kClose) {
    const std::size_t before = token_.place;
    Joint before_it = joint();
    if (before_it != Joint::kNone && all.empty()) {
      before_it = Joint::kNone;
      on_mistake_(before,
                  "an operator has nothing before it; leave it out, or write it in small "
                  "letters to search for the word");
    }
    const Sign own = sign();
    std::optional<QueryNode> node = clause(field);
    if (node) {
      add(all, before_it, own, std::move(*node));
    } else if (token_.place == before && token_.kind != LuceneToken::Kind::kEnd) {
      advance();  // what was told of
    }
  }
  if (all.empty()) return {};
  if (all.size() == 1 && !all[0].has_sign) return std::move(all[0].node);
  QueryNode node = joined(std::move(all));
  node.place = place;
  return node;
}

/// AND makes the clauses on both of its sides required.
void LuceneParser::add(std::vector<SignedClause>& all, Joint joint, Sign sign,
                       QueryNode node) const {
  const bool is_and = between_ == DefaultOperator::kAnd;
  if (!all.empty() && !all.back().is_prohibited) {
    if (joint == Joint::kAnd) all.back().is_required = true;
    if (joint == Joint::kOr && is_and) all.back().is_required = false;
  }
  SignedClause added{std::move(node)};
  added.has_sign = sign != Sign::kNone;
  added.is_prohibited = sign == Sign::kMustNot;
  if (!added.is_prohibited) {
    added.is_required = is_and ? joint != Joint::kOr : joint == Joint::kAnd || sign == Sign::kMust;
  }
  all.push_back(std::move(added));
}

Joint LuceneParser::joint() {
  Joint found = Joint::kNone;
  while (token_.kind == LuceneToken::Kind::kAnd || token_.kind == LuceneToken::Kind::kOr) {
    if (found != Joint::kNone) mistake("two operators follow each other; leave one of them out");
    found = token_.kind == LuceneToken::Kind::kAnd ? Joint::kAnd : Joint::kOr;
    const std::size_t place = token_.place;
    advance();
    if (token_.kind == LuceneToken::Kind::kEnd || token_.kind == LuceneToken::Kind::kClose) {
      on_mistake_(place,
                  "an operator has nothing behind it; leave it out, or write it in small "
                  "letters to search for the word");
    }
  }
  return found;
}

Sign LuceneParser::sign() {
  Sign found = Sign::kNone;
  while (token_.kind == LuceneToken::Kind::kPlus || token_.kind == LuceneToken::Kind::kMinus ||
         token_.kind == LuceneToken::Kind::kNot) {
    const LuceneToken own = token_;
    if (found != Sign::kNone) mistake("two signs follow each other; leave one of them out");
    advance();
    if (token_.kind == LuceneToken::Kind::kEnd || token_.kind == LuceneToken::Kind::kClose) {
      on_mistake_(own.place, "a sign has nothing behind it; leave it out, or write a \\ before it");
      return Sign::kNone;
    }
    found = own.kind == LuceneToken::Kind::kPlus ? Sign::kMust : Sign::kMustNot;
  }
  return found;
}

std::optional<QueryNode> LuceneParser::clause(const std::string& field) {
  switch (token_.kind) {
    case LuceneToken::Kind::kWord: return of_word(field);
    case LuceneToken::Kind::kQuoted: return quoted(field);
    case LuceneToken::Kind::kOpen: return group(field);
    case LuceneToken::Kind::kRangeOpen: return range(field);
    case LuceneToken::Kind::kEnd:
    case LuceneToken::Kind::kClose: return std::nullopt;
    case LuceneToken::Kind::kColon:
      mistake("':' has no field before it; write \\: for a colon");
      break;
    case LuceneToken::Kind::kCaret: mistake("'^' has nothing before it; write \\^ for one"); break;
    case LuceneToken::Kind::kTilde: mistake("'~' has nothing before it; write \\~ for one"); break;
    case LuceneToken::Kind::kRangeClose:
      mistake("a range ends here that did not begin; write \\] or \\}");
      break;
    default: mistake("an operator stands where a clause is wanted; leave it out"); break;
  }
  return std::nullopt;
}

std::optional<QueryNode> LuceneParser::group(const std::string& field) {
  const std::size_t place = token_.place;
  if (++depth_ > kMaxQueryDepth) {
    throw InputError("at byte " + std::to_string(place) + ": more than " +
                     std::to_string(kMaxQueryDepth) + " groups lie in each other");
  }
  make(QueryNode::Kind::kBoolean, field);  // counts
  advance();
  QueryNode node = clauses(field);
  --depth_;
  if (token_.kind == LuceneToken::Kind::kClose) {
    advance();
  } else {
    on_mistake_(place, "the group that begins here has no end; add a ), or write \\(");
  }
  if (node.kind == QueryNode::Kind::kNothing) {
    if (token_.kind == LuceneToken::Kind::kCaret) advance();
    return std::nullopt;
  }
  read_boost(node);
  return node;
}

QueryNode parse_lucene(std::string_view text, DefaultOperator between) {
  analysis::require_utf8(text);
  return LuceneParser(text, between,
                      [](std::size_t place, const std::string& what) {
                        throw InputError(at_byte(place, what));
                      })
      .parse();
}

LuceneQuery parse_lucene_leniently(std::string_view text, DefaultOperator between) {
  analysis::require_utf8(text);
  LuceneQuery query;
  query.tree = LuceneParser(text, between, [&](std::size_t place, const std::string& what) {
                 query.notes.push_back(at_byte(place, what));
               }).parse();
  return query;
}

}  // namespace warpdex
