#include "opensearch/search/explanation.hpp"

#include <string>

namespace warpdex::server::opensearch {
namespace {

void write_detail(double value, const std::string& description, JsonWriter& json) {
  json.begin_object();
  json.member("value", value);
  json.member("description", description);
  json.begin_array("details");
  json.end_array();
  json.end_object();
}

void write_share(const Explanation& explanation, const TermExplanation& term, JsonWriter& json) {
  json.begin_object();
  json.member("value", term.score);
  json.member("description", "weight(" + (term.field.empty() ? "" : term.field + ":") + term.term +
                                 "), computed as " + std::string(share_formula(explanation)));
  json.begin_array("details");
  const bool is_impact = is_of_impacts(explanation);
  write_detail(static_cast<double>(term.weight), "boost", json);
  write_detail(term.frequency, is_impact ? "impact" : "freq, occurrences of term within document",
               json);
  if (!is_impact) {
    write_detail(static_cast<double>(term.document_frequency),
                 "n, number of documents containing term", json);
    write_detail(static_cast<double>(explanation.documents), "N, total number of documents", json);
    write_detail(explanation.length, "length of the document", json);
    write_detail(static_cast<double>(term.factor), "factor", json);
    write_detail(static_cast<double>(term.c0), "c0", json);
    write_detail(static_cast<double>(term.c1), "c1", json);
    if (has_c2(explanation)) write_detail(static_cast<double>(term.c2), "c2", json);
  }
  json.end_array();
  json.end_object();
}

void write_clause(const Explanation& explanation, const ClauseExplanation& clause,
                  JsonWriter& json) {
  if (clause.term) return write_share(explanation, *clause.term, json);
  std::string description = clause.clause + (clause.clauses.empty() ? "" : ":");
  if (!clause.role.empty() && clause.role != "should") {
    description.insert(0, clause.role + " ");
  }
  if (!clause.why_not.empty()) description += ", no match: " + clause.why_not;
  json.begin_object();
  json.member("value", clause.score);
  json.member("description", description);
  json.begin_array("details");
  if (clause.frequency) {
    write_detail(static_cast<double>(*clause.frequency), "phraseFreq", json);
  }
  for (const ClauseExplanation& each : clause.clauses) write_clause(explanation, each, json);
  json.end_array();
  json.end_object();
}

}  // namespace

void write_explanation(std::string_view name, const Explanation& explanation, JsonWriter& json) {
  json.begin_object(name);
  json.member("value", explanation.score);
  json.member("description", "sum of:");
  json.begin_array("details");
  if (explanation.tree) write_clause(explanation, *explanation.tree, json);
  for (const TermExplanation& term : explanation.terms) write_share(explanation, term, json);
  if (explanation.static_score != 0) {
    write_detail(static_cast<double>(explanation.static_score), "static score", json);
  }
  json.end_array();
  json.end_object();
}

}  // namespace warpdex::server::opensearch
