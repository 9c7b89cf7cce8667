// Explanations as lines for people and as JSON.
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "scorers/scorers.hpp"
#include "warpdex/query/explanation.hpp"
#include "warpdex/query/json_text.hpp"
#include "warpdex/query/result_writer.hpp"

namespace warpdex {
namespace {

using ExplanationWriter = rapidjson::Writer<rapidjson::StringBuffer>;

void put_text(ExplanationWriter& json, const char* key, std::string_view text) {
  const std::string written = json_text(text);
  json.Key(key);
  json.String(written.data(), static_cast<rapidjson::SizeType>(written.size()));
}

/// A float with as many digits as tell it from all others.
void put_float(ExplanationWriter& json, const char* key, float value) {
  const std::string digits = format_score(value);
  json.Key(key);
  json.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
}

void put_count(ExplanationWriter& json, const char* key, std::uint64_t count) {
  json.Key(key);
  json.Uint64(count);
}

void put_scorer(ExplanationWriter& json, const ScorerSettings& scorer) {
  const ScorerFacts& facts = facts_of(scorer.kind);
  put_text(json, "scorer", facts.name);
  // Words first, then numbers.
  for (const ScorerOption* option : facts.options) {
    if (option->number == nullptr) {
      put_text(json, option->name.data(), bm25_form_name(scorer.form));
    }
  }
  for (const ScorerOption* option : facts.options) {
    if (option->number != nullptr) put_float(json, option->name.data(), scorer.*option->number);
  }
}

void put_term(ExplanationWriter& json, const TermExplanation& term, const ScorerFacts& facts) {
  json.StartObject();
  put_text(json, "term", term.term);
  if (!term.field.empty()) {
    put_text(json, "field", term.field);
    put_count(json, "length", term.length);
    put_count(json, "documents", term.documents);
    put_float(json, "average_length", static_cast<float>(term.average_length));
  }
  put_float(json, "score", term.score);
  put_float(json, "weight", term.weight);
  put_count(json, facts.reads_lengths ? "frequency" : "impact", term.frequency);
  put_count(json, "document_frequency", term.document_frequency);
  put_count(json, "collection_frequency", term.collection_frequency);
  if (facts.reads_lengths) {
    put_float(json, "factor", term.factor);
    put_float(json, "c0", term.c0);
    put_float(json, "c1", term.c1);
    if (facts.has_c2) put_float(json, "c2", term.c2);
  }
  json.EndObject();
}

void put_words(ExplanationWriter& json, const std::vector<std::string>& words) {
  json.Key("words");
  json.StartArray();
  for (const std::string& word : words) {
    const std::string written = json_text(word);
    json.String(written.data(), static_cast<rapidjson::SizeType>(written.size()));
  }
  json.EndArray();
}

void put_clause(ExplanationWriter& json, const ClauseExplanation& clause,
                const ScorerFacts& facts) {
  json.StartObject();
  put_text(json, "clause", clause.clause);
  if (!clause.role.empty()) put_text(json, "role", clause.role);
  json.Key("matches");
  json.Bool(clause.matches);
  put_float(json, "score", clause.score);
  if (!clause.why_not.empty()) put_text(json, "why_not", clause.why_not);
  if (!clause.words.empty()) put_words(json, clause.words);
  if (clause.frequency) put_float(json, "frequency", *clause.frequency);
  if (clause.term) {
    json.Key("term");
    put_term(json, *clause.term, facts);
  }
  if (!clause.clauses.empty()) {
    json.Key("clauses");
    json.StartArray();
    for (const ClauseExplanation& each : clause.clauses) put_clause(json, each, facts);
    json.EndArray();
  }
  json.EndObject();
}

/// The explanation without its terms, with what holds in a term's text field.
Explanation in_field(const TermExplanation& term, const Explanation& of) {
  Explanation own;
  own.scorer = of.scorer;
  own.length = term.field.empty() ? of.length : term.length;
  own.documents = term.field.empty() ? of.documents : term.documents;
  own.average_length = term.field.empty() ? of.average_length : term.average_length;
  return own;
}

/// How its share is computed.
std::string computed(const TermExplanation& term, const Explanation& explanation) {
  const Explanation of = in_field(term, explanation);
  return visit_scorer(of.scorer.kind, [&]<class S>() { return S::explain(term, of); });
}

std::string line_of(const TermExplanation& term, const Explanation& explanation) {
  return "  " + format_score(term.score) + "  " + (term.field.empty() ? "" : term.field + ":") +
         term.term + ": " + computed(term, explanation) + "\n";
}

/// What stands behind a clause; empty: nothing.
std::string note_of(const ClauseExplanation& clause, const Explanation& explanation) {
  if (!clause.why_not.empty()) return "no match, " + clause.why_not;
  if (clause.term) return computed(*clause.term, explanation);
  if (clause.frequency) {
    return format_score(*clause.frequency) +
           (*clause.frequency == 1 ? " time here" : " times here");
  }
  std::string words;
  for (const std::string& word : clause.words) words += (words.empty() ? "has " : ", ") + word;
  return words;
}

void append_lines(const ClauseExplanation& clause, const Explanation& of, std::size_t depth,
                  std::string& text) {
  text += std::string(2 * depth, ' ') + format_score(clause.score) + "  ";
  if (!clause.role.empty()) text += clause.role + " ";
  const std::string note = note_of(clause, of);
  text += clause.clause + (note.empty() ? "" : ": " + note) + "\n";
  for (const ClauseExplanation& each : clause.clauses) append_lines(each, of, depth + 1, text);
}

/// Which of the searches answers the query, and why not a faster one.
std::string searched_text(const Explanation& of) {
  switch (of.searched_by) {
    case SearchedBy::kEngine: return "words for an engine";
    case SearchedBy::kCpuEngine: return "words, by the CPU's engine";
    case SearchedBy::kGpuEngine: return "words, by the GPU's engine";
    case SearchedBy::kGpuPhrase: return "a phrase, searched on the GPU";
    case SearchedBy::kTrees: break;
  }
  return "a tree, searched on the CPU" +
         (of.why_trees.empty() ? "" : ": no engine answers " + of.why_trees);
}

}  // namespace

std::string_view share_formula(const Explanation& explanation) {
  return facts_of(explanation.scorer.kind).formula;
}

bool is_of_impacts(const Explanation& explanation) {
  return !facts_of(explanation.scorer.kind).reads_lengths;
}

bool has_c2(const Explanation& explanation) { return facts_of(explanation.scorer.kind).has_c2; }

std::string to_text(const Explanation& explanation) {
  std::string text = format_score(explanation.score) + "  " + explanation.id + ", " +
                     std::to_string(explanation.length) + " tokens; " + searched_text(explanation) +
                     "\n";
  if (explanation.tree) append_lines(*explanation.tree, explanation, 1, text);
  for (const TermExplanation& term : explanation.terms) text += line_of(term, explanation);
  if (explanation.static_score != 0) {
    text += "  " + format_score(explanation.static_score) + "  static score\n";
  }
  return text;
}

std::string to_json(const Explanation& explanation) {
  rapidjson::StringBuffer buffer;
  ExplanationWriter json(buffer);
  json.StartObject();
  put_text(json, "id", explanation.id);
  put_float(json, "score", explanation.score);
  put_scorer(json, explanation.scorer);
  put_count(json, "length", explanation.length);
  put_count(json, "documents", explanation.documents);
  put_float(json, "average_length", static_cast<float>(explanation.average_length));
  json.Key("terms");
  json.StartArray();
  for (const TermExplanation& term : explanation.terms) {
    put_term(json, term, facts_of(explanation.scorer.kind));
  }
  json.EndArray();
  put_float(json, "static_score", explanation.static_score);
  put_text(json, "searched_by", searched_by_name(explanation.searched_by));
  if (explanation.tree) {
    put_text(json, "why_trees", explanation.why_trees);
    json.Key("tree");
    put_clause(json, *explanation.tree, facts_of(explanation.scorer.kind));
  }
  json.EndObject();
  return buffer.GetString();
}

}  // namespace warpdex
