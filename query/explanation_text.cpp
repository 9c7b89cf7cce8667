// Explanations as lines for people and as JSON.
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

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

const char* scorer_word(ScorerKind kind) {
  if (kind == ScorerKind::kBm25) return "bm25";
  return kind == ScorerKind::kQueryLikelihood ? "qld" : "impact";
}

void put_scorer(ExplanationWriter& json, const ScorerSettings& scorer) {
  put_text(json, "scorer", scorer_word(scorer.kind));
  if (scorer.kind == ScorerKind::kBm25) {
    put_text(json, "bm25_form", scorer.form == Bm25Form::kLucene ? "lucene" : "pisa");
    put_float(json, "k1", scorer.k1);
    put_float(json, "b", scorer.b);
  }
  if (scorer.kind == ScorerKind::kQueryLikelihood) put_float(json, "mu", scorer.mu);
}

void put_term(ExplanationWriter& json, const TermExplanation& term, ScorerKind kind) {
  json.StartObject();
  put_text(json, "term", term.term);
  put_float(json, "score", term.score);
  put_float(json, "weight", term.weight);
  put_count(json, kind == ScorerKind::kImpact ? "impact" : "frequency", term.frequency);
  put_count(json, "document_frequency", term.document_frequency);
  put_count(json, "collection_frequency", term.collection_frequency);
  if (kind != ScorerKind::kImpact) {
    put_float(json, "factor", term.factor);
    put_float(json, "c0", term.c0);
    put_float(json, "c1", term.c1);
  }
  json.EndObject();
}

std::string line_of(const TermExplanation& term, const Explanation& of) {
  std::string line = "  " + format_score(term.score) + "  " + term.term + ": ";
  const std::string frequency = std::to_string(term.frequency);
  if (of.scorer.kind == ScorerKind::kImpact) {
    return line + "impact " + frequency + ", weight " + format_score(term.weight) + "\n";
  }
  line += frequency + (term.frequency == 1 ? " time" : " times") + " here, in " +
          std::to_string(term.document_frequency) + " of " + std::to_string(of.documents) +
          " documents";
  if (of.scorer.kind == ScorerKind::kBm25) {
    line += "; " + format_score(term.factor) + " * " + frequency + " / (" + frequency + " + " +
            format_score(term.c0) + " + " + format_score(term.c1) + " * " +
            std::to_string(of.length) + ")";
  } else {
    line += ", " + std::to_string(term.collection_frequency) + " times in all; " +
            format_score(term.factor) + " * log((1 + " + frequency + " * " + format_score(term.c0) +
            ") * " + format_score(term.c1) + " / (" + std::to_string(of.length) + " + " +
            format_score(term.c1) + "))";
  }
  constexpr float kNextToNothing = 1e-20F;
  if (term.score < kNextToNothing) line += ", which is not above 0 and only orders equal scores";
  return line + "\n";
}

}  // namespace

std::string to_text(const Explanation& explanation) {
  std::string text = format_score(explanation.score) + "  " + explanation.id + ", " +
                     std::to_string(explanation.length) + " tokens\n";
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
    put_term(json, term, explanation.scorer.kind);
  }
  json.EndArray();
  put_float(json, "static_score", explanation.static_score);
  json.EndObject();
  return buffer.GetString();
}

}  // namespace warpdex
