// The syntax of Lucene's classic parser. The trees are those that its documentation and its rules
// for operators give, written by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {
namespace {

using ParsedKind = QueryNode::Kind;

std::string shown(const QueryNode& node);

std::string shown_all(const QueryNode& node) {
  std::string text;
  const auto add = [&](const std::vector<QueryNode>& clauses, const char* sign) {
    for (const QueryNode& clause : clauses) {
      text += (text.empty() ? "" : " ") + std::string(sign) + shown(clause);
    }
  };
  add(node.must, "+");
  add(node.should, "");
  add(node.must_not, "-");
  return "(" + text + ")";
}

/// As Lucene prints queries, more or less; a match is its text.
std::string shown(const QueryNode& node) {
  std::string text = node.field.empty() ? "" : node.field + ":";
  switch (node.kind) {
    case ParsedKind::kNothing: return "nothing";
    case ParsedKind::kAll: text += "*:*"; break;
    case ParsedKind::kMatch: text += node.text; break;
    case ParsedKind::kPhrase:
      text += '"' + node.text + '"' + (node.slop == 0 ? "" : "~" + std::to_string(node.slop));
      break;
    case ParsedKind::kPrefix: text += node.text + "*"; break;
    case ParsedKind::kWildcard: text += "wild " + node.text; break;
    case ParsedKind::kFuzzy: text += node.text + "~" + std::to_string(node.edits); break;
    case ParsedKind::kRange:
      text += (node.includes_lower ? "[" : "{") + node.text + ".." + node.upper +
              (node.includes_upper ? "]" : "}");
      break;
    case ParsedKind::kAny:
      text += "any";
      for (const std::string& one : node.texts) text += " " + one;
      break;
    default: text = shown_all(node); break;
  }
  if (node.boost == 1) return text;
  std::string boost = std::to_string(node.boost);
  boost.erase(boost.find_last_not_of('0') + 1);
  if (boost.back() == '.') boost.pop_back();
  return text + "^" + boost;
}

TEST(LuceneParser, TreesAreThoseOfLucene) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "nothing"},
      {"  \t", "nothing"},
      {"word", "word"},
      {"two words", "(two words)"},
      {"+two words", "(+two words)"},
      {"two -words", "(two -words)"},
      {"two !words", "(two -words)"},
      {"a AND b", "(+a +b)"},
      {"a && b", "(+a +b)"},
      {"a OR b", "(a b)"},
      {"a || b", "(a b)"},
      {"a AND b OR c", "(+a +b c)"},
      {"a OR b AND c", "(+b +c a)"},
      {"a AND NOT b", "(+a -b)"},
      {"NOT a", "(-a)"},
      {"+a", "(+a)"},
      {"a and b or c", "(a and b or c)"},
      {"(a b) c", "((a b) c)"},
      {"(a OR b) AND c", "(+(a b) +c)"},
      {"+(a -b)^2 c", "(+(a -b)^2 c)"},
      {"(a^2)^3", "a^6"},
      {"a^2.5", "a^2.5"},
      {"\"a phrase\"", "\"a phrase\""},
      {"\"a phrase\"~3^2", "\"a phrase\"~3^2"},
      {"\"an \\\"inner\\\" one\"", "\"an \"inner\" one\""},
      {"te*", "te*"},
      {"te*t", "wild te*t"},
      {"t?st", "wild t?st"},
      {"t\\?st", "t?st"},
      {"te\\*", "te*"},
      {"te\\**", "wild te\\**"},
      {"*ing", "wild *ing"},
      {"word~", "word~2"},
      {"word~1", "word~1"},
      {"word~1^3", "word~1^3"},
      {"[a TO b]", "[a..b]"},
      {"{a TO b]", "{a..b]"},
      {"[a TO *}", "[a..}"},
      {"[\"a b\" TO c]", "[a b..c]"},
      {"*:*", "*:*"},
      {"*:* -a", "(*:* -a)"},
      {"title:word", "title:word"},
      {"title:(a b)", "(title:a title:b)"},
      {"title:\"a b\"~2", "title:\"a b\"~2"},
      {"title:IN [a b]", "title:any a b"},
      {"title:IN", "title:IN"},
      {"covid-19", "covid-19"},
      {"a + b", "(a + b)"},
      {"a\\:b", "a:b"},
      {"a\\ b", "a b"},
      {"\\u0041", "A"},
      {"caf\xC3\xA9 \\\xC3\xA9", "(caf\xC3\xA9 \xC3\xA9)"},
      {"one\xE3\x80\x80two", "(one two)"},
      {"a&b a|b", "(a&b a|b)"},
      {"AND\\ b", "AND b"},
  };
  for (const auto& [text, tree] : kCases) {
    EXPECT_EQ(shown(parse_lucene(text)), tree) << text;
    const LuceneQuery lenient = parse_lucene_leniently(text);
    EXPECT_EQ(shown(lenient.tree), tree) << text;
    EXPECT_TRUE(lenient.notes.empty()) << text;
  }
}

TEST(LuceneParser, AndMayStandBetweenWords) {
  const std::pair<const char*, const char*> kCases[] = {
      {"a b", "(+a +b)"},
      {"a OR b", "(a b)"},
      {"a OR b c", "(+c a b)"},
      {"a -b", "(+a -b)"},
      {"a AND b", "(+a +b)"},
      {"a", "a"},
      {"(a OR b) c", "(+(a b) +c)"},
  };
  for (const auto& [text, tree] : kCases) {
    EXPECT_EQ(shown(parse_lucene(text, DefaultOperator::kAnd)), tree) << text;
  }
}

TEST(LuceneParser, MistakesAreNamedWithTheirPlace) {
  struct Mistake {
    const char* text;
    std::size_t place;
    const char* part;     ///< of the message
    const char* lenient;  ///< what is read around it
  };
  const Mistake kCases[] = {
      {"a \"b c", 2, "quote", "(a \"b c\")"},
      {"(a b", 0, "group", "(a b)"},
      {"a) b", 1, "')'", "(a b)"},
      {"a AND", 2, "operator", "a"},
      {"AND a", 0, "operator", "a"},
      {"a AND OR b", 6, "operators", "(a b)"},
      {"a -", 2, "sign", "a"},
      {"a --b", 3, "signs", "(a -b)"},
      {"a^", 1, "'^'", "a"},
      {"a^x", 1, "'^'", "(a x)"},
      {"a^99999999999", 1, "'^'", "a"},
      {"a~3", 1, "'~'", "a"},
      {"\"a b\"~1.5", 5, "'~'", "\"a b\""},
      {":a", 0, "':'", "a"},
      {"[a TO b", 0, "range", "nothing"},
      {"[a b c]", 0, "range", "nothing"},
      {"a ] b", 2, "range", "(a b)"},
      {"title: a", 0, "title", "a"},
      {"title:", 0, "title", "nothing"},
      {"title:IN [a b", 0, "set", "nothing"},
      {"a *", 2, "'*'", "a"},
      {"a \\", 2, "backslash", "a"},
      {"a () b", 0, "", "(a b)"},
  };
  for (const Mistake& one : kCases) {
    const LuceneQuery lenient = parse_lucene_leniently(one.text);
    EXPECT_EQ(shown(lenient.tree), one.lenient) << one.text;
    if (*one.part == 0) continue;
    EXPECT_FALSE(lenient.notes.empty()) << one.text;
    try {
      parse_lucene(one.text);
      ADD_FAILURE() << one.text;
    } catch (const InputError& error) {
      const std::string what = error.what();
      if (std::string_view(one.part) != "set") {
        EXPECT_EQ(what.find("at byte " + std::to_string(one.place) + ":"), 0U)
            << one.text << ": " << what;
      }
      EXPECT_NE(what.find(one.part), std::string::npos) << one.text << ": " << what;
    }
  }
}

std::string number(float value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

/// As tests/data/query/LucenePrinter.java prints Lucene's trees: clauses sorted, with their signs.
std::string printed(const QueryNode& node) {
  std::string text;
  switch (node.kind) {
    case ParsedKind::kNothing: text = "()"; break;
    case ParsedKind::kAll: text = "all"; break;
    case ParsedKind::kMatch: text = "t:" + node.text; break;
    case ParsedKind::kPhrase:
      text = node.text.find(' ') == node.text.npos
                 ? "t:" + node.text
                 : '"' + node.text + "\"~" + std::to_string(node.slop);
      break;
    case ParsedKind::kPrefix: text = "p:" + node.text; break;
    case ParsedKind::kWildcard: text = "w:" + node.text; break;
    case ParsedKind::kFuzzy: text = "f:" + node.text + "~" + std::to_string(node.edits); break;
    case ParsedKind::kRange:
      text = std::string("r:") + (node.includes_lower ? "[" : "{") +
             (node.text.empty() ? "*" : node.text) + ".." +
             (node.upper.empty() ? "*" : node.upper) + (node.includes_upper ? "]" : "}");
      break;
    default: {
      std::vector<std::string> parts;
      for (const QueryNode& clause : node.must) parts.push_back("+" + printed(clause));
      for (const QueryNode& clause : node.should) parts.push_back(printed(clause));
      for (const QueryNode& clause : node.must_not) parts.push_back("-" + printed(clause));
      std::sort(parts.begin(), parts.end());
      for (const std::string& part : parts) text += (text.empty() ? "(" : " ") + part;
      text += ")";
    }
  }
  return node.boost == 1 ? text : text + "^" + number(node.boost);
}

/// What Lucene 10.5's classic parser makes of random queries, by its two operators.
TEST(LuceneParser, TreesAreThoseThatLuceneItselfMakes) {
  const char* const source = std::getenv("WARPDEX_SOURCE_DIR");
  std::ifstream file(std::string(source == nullptr ? "." : source) +
                     "/tests/data/query/lucene_parser.tsv");
  ASSERT_TRUE(file);
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    const std::string query = line.substr(0, first);
    for (const auto& [between, wanted] :
         {std::pair{DefaultOperator::kOr, line.substr(first + 1, second - first - 1)},
          std::pair{DefaultOperator::kAnd, line.substr(second + 1)}}) {
      std::string found = "error";
      try {
        found = printed(parse_lucene(query, between));
      } catch (const InputError&) {
      }
      EXPECT_EQ(found, wanted) << query;
    }
  }
  EXPECT_GT(lines, 300U);
}

TEST(LuceneParser, LimitsHold) {
  std::string many;
  for (int i = 0; i < 4096; ++i) many += "a ";
  EXPECT_EQ(parse_lucene(many).should.size(), 4096U);
  check_query_tree(parse_lucene(many));
  EXPECT_THROW(check_query_tree(parse_lucene("(" + many + ")^2 OR b")), InputError);
  EXPECT_THROW(parse_lucene(many + "a"), InputError);
  EXPECT_THROW(parse_lucene_leniently(many + "a"), InputError);
  EXPECT_EQ(shown(parse_lucene(std::string(64, '(') + "a" + std::string(64, ')'))), "a");
  EXPECT_THROW(parse_lucene(std::string(65, '(') + "a" + std::string(65, ')')), InputError);
  // What is read can be searched for: depth of groups, boosts of boosts, stray parentheses.
  std::string deep = "a";
  std::string boosted = "a^2";
  for (int i = 0; i < 64; ++i) {
    deep = "a (" + deep + ")";
    boosted = "(" + boosted + ")^1.1";
  }
  check_query_tree(parse_lucene(deep));
  check_query_tree(parse_lucene(boosted));
  std::string stray;
  for (int i = 0; i < 200; ++i) stray += "a) ";
  const QueryNode read_around = parse_lucene_leniently(stray).tree;
  check_query_tree(read_around);
  EXPECT_EQ(read_around.should.size(), 200U);
  EXPECT_EQ(shown(parse_lucene("a^1e3 b^2.5E-1 c^1e d^1e+2")),
            shown(parse_lucene("a^1000 b^0.25 c^1 e d^100")));
  EXPECT_THROW(parse_lucene("a^1e10"), InputError);
  EXPECT_THROW(parse_lucene("((a^0.00001))^0.00001"), InputError);
  EXPECT_THROW(parse_lucene("a \xFF"), InputError);
  EXPECT_THROW(parse_lucene_leniently("a \xFF"), InputError);
}

TEST(LuceneParser, AnyTextIsReadLeniently) {
  auto random = test::generator(5100);
  const std::string_view kParts[] = {"a",  "AND", "OR",       "NOT", "+",    "-",  "!",  "(",
                                     ")",  ":",   "^",        "~",   "\"",   "[",  "]",  "{",
                                     "}",  "*",   "?",        "\\",  " ",    "&&", "||", "TO",
                                     "IN", "2",   "\xC3\xA9", "to",  "u00e9"};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t parts = random() % 12; parts > 0; --parts) {
      text += kParts[random() % std::size(kParts)];
    }
    const LuceneQuery lenient = parse_lucene_leniently(text);
    check_query_tree(lenient.tree);
    try {
      EXPECT_EQ(parse_lucene(text), lenient.tree) << text;
      EXPECT_TRUE(lenient.notes.empty()) << text;
    } catch (const InputError&) {
      EXPECT_FALSE(lenient.notes.empty()) << text;
    }
  }
}

}  // namespace
}  // namespace warpdex
