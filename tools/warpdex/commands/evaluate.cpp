// warpdex evaluate: computes the effectiveness of a run from judgements.
#include "warpdex/query/evaluation/evaluation.hpp"

#include <iostream>

#include "command.hpp"
#include "options/options.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Computes the effectiveness of a run from judgements, as trec_eval does: lines of\n"
    "measure, query and value. Documents rank by score, equal ones by name, later names first;\n"
    "the ranks in the file do not count.";

constexpr const char* kNotes =
    "measures: num_q, num_ret, num_rel, num_rel_ret, map, gm_map, Rprec, bpref, gm_bpref,\n"
    "recip_rank, recip_rank_cut_k, iprec_at_recall_x, 11pt_avg, P_k, recall_k, map_cut_k, ndcg,\n"
    "ndcg_cut_k, success_k, set_P, set_recall, set_F, num_nonrel_judged_ret, unj_k; or in short\n"
    "MAP, P@10, nDCG@10, RR@10, Recall@100. A family without its k stands for trec_eval's choice\n"
    "of k; official for what trec_eval prints by default. Of trec_eval's all_trec, these are not\n"
    "known: infAP, Rprec_mult, utility, binG and G, ndcg_rel, Rndcg, relative_P, set_map,\n"
    "set_relative_P, rbp, relstring. iprec_at_recall and 11pt_avg follow trec_eval 10, which\n"
    "rounds the documents of a recall point to the nearest; up to version 9 it added 0.9 and cut.\n"
    "\n"
    "example:\n"
    "  warpdex evaluate --qrels qrels.txt --run run.txt --measures MAP,nDCG@10 --per-query";

struct Arguments {
  std::string qrels;
  std::string run;
  std::string measures = "official";
  std::int64_t relevance_level = 1;
  bool all_judged_queries = false;
  bool ignore_identical_ids = false;
  bool per_query = false;
  std::string json;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()(
      "qrels", po::value(&given.qrels)->value_name("FILE")->required(),
      "judgements: qid iteration docno grade, or as BEIR has them: query-id corpus-id score, "
      "with or without a first line of these names")(
      "run", po::value(&given.run)->value_name("FILE")->required(),
      "the run: qid Q0 docno rank score tag")(
      "measures", po::value(&given.measures)->value_name("A,B,...")->default_value(given.measures),
      "what to compute")("per-query", po::bool_switch(&given.per_query), "each query's values too")(
      "all-judged-queries", po::bool_switch(&given.all_judged_queries),
      "average over all judged queries; those that the run lacks count as 0")(
      "ignore-identical-ids", po::bool_switch(&given.ignore_identical_ids),
      "leave the document out that has its query's id, as BEIR does")(
      "relevance-level",
      po::value(&given.relevance_level)->value_name("N")->default_value(given.relevance_level),
      "smallest grade that counts as relevant");
  add_json_option(group, "values", &given.json);
  command.add(group);
}

void write_values(const std::vector<Measure>& measures, const std::vector<double>& values,
                  JsonWriter& json) {
  for (std::size_t i = 0; i < measures.size(); ++i) json.member(measures[i].name(), values[i]);
}

/// Judged queries that the run does not have.
std::uint64_t lacked(const Evaluation& evaluation) {
  return evaluation.judged_queries - evaluation.queries.size();
}

/// They are left out of means, unless the user says otherwise.
void print_note(const Evaluation& evaluation, bool all_judged_queries) {
  const std::uint64_t count = lacked(evaluation);
  if (count == 0) return;
  std::cerr << "warpdex: note: the run lacks " << grouped(count) << " of the "
            << counted(evaluation.judged_queries, "judged query")
            << (all_judged_queries ? ", counted as 0"
                                   : ", left out of means (--all-judged-queries counts them as 0)")
            << "\n";
}

std::string to_json(const Evaluation& evaluation, bool per_query) {
  JsonWriter json;
  json.begin_object();
  json.member("run", evaluation.run_tag);
  json.member("judged_queries", evaluation.judged_queries);
  json.member("queries_without_answer", lacked(evaluation));
  json.begin_object("all");
  write_values(evaluation.measures, evaluation.summary, json);
  json.end_object();
  if (per_query) {
    json.begin_object("queries");
    for (const QueryEvaluation& query : evaluation.queries) {
      json.begin_object(query.id);
      write_values(evaluation.measures, query.values, json);
      json.end_object();
    }
    json.end_object();
  }
  json.end_object();
  return json.take() + "\n";
}

}  // namespace

int run_evaluate(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("evaluate", "--qrels FILE --run FILE [options]", kAbout, kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;

  check_shared_stream("standard input", {{"--qrels", given.qrels}, {"--run", given.run}});
  EvaluationOptions options;
  options.all_judged_queries = given.all_judged_queries;
  options.ignore_identical_ids = given.ignore_identical_ids;
  options.relevance_level = static_cast<std::int32_t>(
      checked_number("--relevance-level", given.relevance_level, 1, 1'000'000));
  const std::vector<Measure> measures = measures_from_names(given.measures);
  const Qrels qrels = read_qrels(given.qrels);
  const Evaluation evaluation = evaluate(read_run(given.run), qrels, measures, options);
  print_note(evaluation, given.all_judged_queries);
  if (given.json != "-") write_evaluation(std::cout, evaluation, given.per_query);
  if (!given.json.empty()) write_output(given.json, to_json(evaluation, given.per_query));
  return 0;
}

}  // namespace warpdex::tools
