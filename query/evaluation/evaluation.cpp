// Joins a run with its judgements, and sums measures up over queries.
#include "warpdex/query/evaluation/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

using Judgements = Qrels::mapped_type;

// What a query of value 0 counts as in a geometric mean.
constexpr double kMinInGeometricMean = 1e-5;

/// The documents in trec_eval's order: ties go to the name that is greater as bytes.
std::vector<const RunDocument*> ranked(const std::vector<RunDocument>& documents) {
  std::vector<const RunDocument*> order;
  order.reserve(documents.size());
  for (const RunDocument& document : documents) order.push_back(&document);
  std::sort(order.begin(), order.end(), [](const RunDocument* a, const RunDocument* b) {
    return a->score != b->score ? a->score > b->score : a->name > b->name;
  });
  return order;
}

JudgedRanking judge(const std::vector<RunDocument>& documents, const Judgements& judgements,
                    std::int32_t relevance_level) {
  JudgedRanking ranking{.relevance_level = relevance_level, .grades = {}, .ideal = {}};
  ranking.grades.reserve(documents.size());
  for (const RunDocument* document : ranked(documents)) {
    const auto found = judgements.find(document->name);
    const std::int32_t grade =
        found == judgements.end() ? JudgedRanking::kUnjudgedGrade : found->second;
    ranking.grades.push_back(std::max(grade, JudgedRanking::kUnjudgedGrade));
  }
  for (const auto& [name, grade] : judgements) {
    if (grade > 0) ranking.ideal.push_back(grade);
    if (grade >= relevance_level) ++ranking.relevant;
    if (grade >= 0 && grade < relevance_level) ++ranking.nonrelevant;
  }
  std::sort(ranking.ideal.begin(), ranking.ideal.end(), std::greater<>());
  return ranking;
}

double summarise(const Evaluation& evaluation, std::size_t measure, std::size_t query_count) {
  const Summary summary = measure_summary(evaluation.measures[measure]);
  double sum = 0;
  for (const QueryEvaluation& query : evaluation.queries) {
    const double value = query.values[measure];
    sum +=
        summary == Summary::kGeometricMean ? std::log(std::max(value, kMinInGeometricMean)) : value;
  }
  if (evaluation.measures[measure].kind == MeasureKind::kQueryCount) {
    return static_cast<double>(query_count);
  }
  if (summary == Summary::kSum) return sum;
  if (summary == Summary::kMean) return sum / static_cast<double>(query_count);
  const auto missing = static_cast<double>(query_count - evaluation.queries.size());
  sum += missing * std::log(kMinInGeometricMean);
  return std::exp(sum / static_cast<double>(query_count));
}

void check_queries(const std::vector<QueryEvaluation>& queries) {
  if (queries.empty()) {
    throw InputError(
        "no query of the run is judged; check that run and qrels use the same query ids");
  }
  const auto twice = std::adjacent_find(queries.begin(), queries.end(),
                                        [](const auto& a, const auto& b) { return a.id == b.id; });
  if (twice != queries.end()) {
    throw InputError("the run has two answers to query " + twice->id + "; keep one of them");
  }
}

void write_line(std::ostream& out, const std::string& measure, const std::string& query,
                const std::string& value) {
  out << std::left << std::setw(22) << measure << '\t' << query << '\t' << value << '\n';
}

std::string value_text(const Measure& measure, double value) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::fixed << std::setprecision(measure_is_count(measure) ? 0 : 4) << value;
  return text.str();
}

void write_query(std::ostream& out, const Evaluation& evaluation, const QueryEvaluation& query) {
  for (std::size_t i = 0; i < evaluation.measures.size(); ++i) {
    const Measure& measure = evaluation.measures[i];
    const bool only_over_all = measure.kind == MeasureKind::kQueryCount ||
                               measure_summary(measure) == Summary::kGeometricMean;
    if (only_over_all) continue;
    write_line(out, measure.name(), query.id, value_text(measure, query.values[i]));
  }
}

}  // namespace

Evaluation evaluate(const TrecRun& run, const Qrels& qrels, const std::vector<Measure>& measures,
                    const EvaluationOptions& options) {
  if (options.relevance_level < 1) {
    throw UsageError("the relevance level is " + std::to_string(options.relevance_level) +
                     "; give a grade of 1 or more");
  }
  Evaluation evaluation{.run_tag = run.tag,
                        .measures = measures,
                        .queries = {},
                        .summary = {},
                        .judged_queries = qrels.size()};
  for (const RunQuery& query : run.queries) {
    const auto judgements = qrels.find(query.id);
    if (judgements == qrels.end()) continue;
    std::vector<RunDocument> documents = query.documents;
    if (options.ignore_identical_ids) {
      std::erase_if(documents, [&](const RunDocument& one) { return one.name == query.id; });
    }
    const JudgedRanking ranking = judge(documents, judgements->second, options.relevance_level);
    QueryEvaluation& result = evaluation.queries.emplace_back();
    result.id = query.id;
    for (const Measure& measure : measures) {
      result.values.push_back(measure_value(measure, ranking));
    }
  }
  std::sort(evaluation.queries.begin(), evaluation.queries.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  check_queries(evaluation.queries);
  const std::size_t query_count =
      options.all_judged_queries ? qrels.size() : evaluation.queries.size();
  for (std::size_t i = 0; i < measures.size(); ++i) {
    evaluation.summary.push_back(summarise(evaluation, i, query_count));
  }
  return evaluation;
}

void write_evaluation(std::ostream& out, const Evaluation& evaluation, bool each_query) {
  if (each_query) {
    for (const QueryEvaluation& query : evaluation.queries) write_query(out, evaluation, query);
  }
  write_line(out, "runid", "all", evaluation.run_tag);
  for (std::size_t i = 0; i < evaluation.measures.size(); ++i) {
    const Measure& measure = evaluation.measures[i];
    write_line(out, measure.name(), "all", value_text(measure, evaluation.summary[i]));
  }
}

}  // namespace warpdex
