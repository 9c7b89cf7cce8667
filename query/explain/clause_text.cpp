#include "explain/clause_text.hpp"

#include <string_view>

#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/query/result_writer.hpp"

namespace warpdex {
namespace {

using ClauseKind = QueryNode::Kind;

/// Terms of a clause that are shown.
constexpr std::size_t kShownTexts = 8;

/// A term's field, with a colon, and the term.
struct ShownParts {
  ShownParts(const Schema& schema, std::string_view term) {
    const bool are_several = text_count(schema) > 1;
    word = are_several ? without_mark(term) : term;
    const std::string whole = shown_term(schema, term);
    field = whole.substr(0, whole.size() - word.size());
  }
  std::string field;
  std::string word;
};

/// Words of one place have a | between them; a place of any word is a ?.
std::string phrase_text(const Schema& schema, const QueryNode& node) {
  std::string text = node.texts.empty() ? "" : ShownParts(schema, node.texts[0]).field;
  text += '"';
  std::uint32_t position = 0;
  for (std::size_t i = 0; i < node.texts.size(); ++i) {
    if (i > 0 && node.positions[i] == position) text += '|';
    if (i > 0 && node.positions[i] != position) text += ' ';
    for (; position + 1 < node.positions[i]; ++position) text += "? ";
    position = node.positions[i];
    text += ShownParts(schema, node.texts[i]).word;
  }
  text += '"';
  return node.slop == 0 ? text : text + "~" + std::to_string(node.slop);
}

std::string range_text(const Schema& schema, const QueryNode& node) {
  const ShownParts lower(schema, node.text);
  const ShownParts upper(schema, node.upper);
  // A range to the end of a field ends before the mark of the next.
  const std::string end = upper.word.empty() || upper.field != lower.field ? "*" : upper.word;
  return lower.field + (node.includes_lower ? "[" : "{") + (lower.word.empty() ? "*" : lower.word) +
         " TO " + end + (node.includes_upper || end == "*" ? "]" : "}");
}

std::string list_text(const Schema& schema, const QueryNode& node) {
  std::string text = node.texts.empty() ? "" : ShownParts(schema, node.texts[0]).field;
  text += node.kind == ClauseKind::kSynonyms ? "synonyms [" : "IN [";
  for (std::size_t i = 0; i < node.texts.size(); ++i) {
    if (i > 0) text += ' ';
    if (i == kShownTexts) {
      text += "…";
      break;
    }
    text += ShownParts(schema, node.texts[i]).word;
  }
  return text + "]";
}

/// A word in several fields as one, with its synonyms.
std::string combined_text(const Schema& schema, const QueryNode& node) {
  std::string fields;
  std::string words;
  std::string first;
  std::string last;
  for (const QueryNode& one : node.should) {
    const ShownParts parts(schema, one.text);
    const std::string field = parts.field.substr(0, parts.field.rfind(':'));
    if (fields.empty()) first = field;
    if (field == first) words += (words.empty() ? "" : "|") + parts.word;
    if (field == last) continue;
    last = field;
    fields += (fields.empty() ? "" : " ") + field;
    if (one.boost != 1) fields += "^" + format_score(one.boost);
  }
  return "combined [" + fields + "]:" + words;
}

/// A word in several fields, each of which is scored by the counts of all.
std::string blended_text(const Schema& schema, const QueryNode& node) {
  std::string words;
  for (const QueryNode& one : node.should) {
    words += (words.empty() ? "" : " ") + shown_term(schema, one.text);
    if (one.boost != 1) words += "^" + format_score(one.boost);
  }
  return "blended [" + words + "]";
}

/// A pattern's mark has a \ behind its first byte.
std::string pattern_text(const Schema& schema, std::string pattern) {
  if (text_count(schema) > 1 && field_of_term(pattern) == static_cast<unsigned char>('\\')) {
    pattern.erase(1, 1);
  }
  return shown_term(schema, pattern);
}

std::string text_of(const Schema& schema, const QueryNode& node) {
  switch (node.kind) {
    case ClauseKind::kNothing: return "nothing";
    case ClauseKind::kAll: return "*:*";
    case ClauseKind::kColumns: return node.text;
    case ClauseKind::kTerm: return shown_term(schema, node.text);
    case ClauseKind::kPhrase: return phrase_text(schema, node);
    case ClauseKind::kPrefix: return shown_term(schema, node.text) + "*";
    case ClauseKind::kWildcard: return pattern_text(schema, node.text);
    case ClauseKind::kFuzzy:
      return (text_count(schema) > 1 ? node.field + ":" : "") + node.text + "~" +
             std::to_string(node.edits);
    case ClauseKind::kRange: return range_text(schema, node);
    case ClauseKind::kAny:
    case ClauseKind::kSynonyms: return list_text(schema, node);
    case ClauseKind::kCombined: return combined_text(schema, node);
    case ClauseKind::kBlended: return blended_text(schema, node);
    case ClauseKind::kConstant: return "constant score of";
    case ClauseKind::kBest:
      return node.tie_breaker == 0
                 ? "best of"
                 : "best of, and " + format_score(node.tie_breaker) + " of the others";
    default: break;
  }
  if (node.minimum_should_match < 2) return "sum of";
  return "sum of, at least " + std::to_string(node.minimum_should_match) + " optional ones";
}

}  // namespace

std::string clause_text(const Schema& schema, const QueryNode& node) {
  const std::string text = text_of(schema, node);
  return node.boost == 1 ? text : text + "^" + format_score(node.boost);
}

}  // namespace warpdex
