// Evaluates a run by relevance judgements, as trec_eval does.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "warpdex/query/evaluation/measure.hpp"
#include "warpdex/query/evaluation/trec_run.hpp"

namespace warpdex {

struct EvaluationOptions {
  /// True: means are over all judged queries; queries that the run lacks count as 0 (trec_eval -c).
  /// False: over the judged queries that the run has. Sums are over these in both cases.
  bool all_judged_queries = false;
  std::int32_t relevance_level = 1;  ///< smallest grade that counts as relevant; 1 or more
  /// A query's document of the query's own id is left out of the run, as BEIR does.
  bool ignore_identical_ids = false;
};

struct QueryEvaluation {
  std::string id;
  std::vector<double> values;  ///< one for each measure
};

struct Evaluation {
  std::string run_tag;
  std::vector<Measure> measures;
  std::vector<QueryEvaluation> queries;  ///< judged and in the run; sorted by the bytes of the id
  std::vector<double> summary;           ///< one for each measure: its sum or mean
  std::uint64_t judged_queries = 0;      ///< in the judgements
};

/// Evaluates a run. Documents are ranked by score descending, then by name descending; the order
/// of the file does not count. A document without a grade, or with one below 0, is unjudged, which
/// all measures but bpref take as not relevant. Queries without judgements are left out.
/// O(n log n) in the documents of a query, and O(n) for each measure. Throws UsageError for a
/// relevance level below 1, and InputError if no query of the run is judged or a query is in the
/// run twice.
Evaluation evaluate(const TrecRun& run, const Qrels& qrels, const std::vector<Measure>& measures,
                    const EvaluationOptions& options = {});

/// Writes lines of `measure<TAB>query<TAB>value` as trec_eval prints them, with four decimals. The
/// summary has the query "all", and its first line is the run's tag. With `each_query`, the lines
/// of each query come first (without geometric means and the number of queries).
void write_evaluation(std::ostream& out, const Evaluation& evaluation, bool each_query = false);

}  // namespace warpdex
