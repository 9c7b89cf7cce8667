// Measures against trec_eval's own test outputs, definitions typed anew, and examples by hand.
#include "warpdex/query/evaluation/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/query/evaluation/names.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

// Every measure that trec_eval -m all_trec prints and Warpdex knows.
constexpr const char* kAll =
    "official,recall,gm_bpref,11pt_avg,ndcg,ndcg_cut,map_cut,success,set_P,set_recall,set_F,"
    "num_nonrel_judged_ret,unj";

std::filesystem::path peer(const std::string& name) {
  return test::data_folder() / "peers" / "trec_eval" / name;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string evaluated(const std::string& measures, bool each_query) {
  const Evaluation evaluation =
      evaluate(read_run(peer("results.test")), read_qrels(peer("qrels.test")),
               measures_from_names(measures));
  std::ostringstream out;
  write_evaluation(out, evaluation, each_query);
  return out.str();
}

TEST(TrecEval, OfficialOutputIsTheSame) {
  WARPDEX_NEEDS_DATA("peers/trec_eval");
  EXPECT_EQ(lines_of(evaluated("official", false)), lines_of(test::read_file(peer("out.test"))));
}

/// trec_eval's lines but those of measures that Warpdex has not.
std::vector<std::string> known_lines(const std::string& name) {
  const std::set<std::string> unknown = {"infAP",          "utility", "binG",     "G",
                                         "ndcg_rel",       "Rndcg",   "rbp",      "rbp_resid",
                                         "set_relative_P", "set_map", "relstring"};
  std::vector<std::string> lines;
  for (const std::string& line : lines_of(test::read_file(peer(name)))) {
    const std::string measure = line.substr(0, line.find_first_of(" \t"));
    const bool family = measure.starts_with("relative_P_") || measure.starts_with("Rprec_mult_");
    if (!family && !unknown.contains(measure)) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(TrecEval, AllKnownMeasuresAreTheSameForEachQueryToo) {
  WARPDEX_NEEDS_DATA("peers/trec_eval");
  std::vector<std::string> lines = lines_of(evaluated(kAll, false));
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines.size(), 70U);
  EXPECT_EQ(lines, known_lines("out.test.a"));
  lines = lines_of(evaluated(kAll, true));
  std::sort(lines.begin(), lines.end());
  EXPECT_GT(lines.size(), 260U);
  EXPECT_EQ(lines, known_lines("out.test.aq"));
}

double value(const Evaluation& evaluation, const std::string& name) {
  const Measure measure = measure_from_name(name);
  const auto& measures = evaluation.measures;
  const auto found = std::find(measures.begin(), measures.end(), measure);
  return evaluation.summary.at(static_cast<std::size_t>(found - measures.begin()));
}

Evaluation evaluated(const TrecRun& run, const Qrels& qrels, const std::string& names,
                     const EvaluationOptions& options = {}) {
  return evaluate(run, qrels, measures_from_names(names), options);
}

TEST(Evaluation, ByHand) {
  // Ranking: b (grade 2), x (unjudged), c (0), a (1); d (3) is not found. Scores, not the order of
  // the file, decide; of the two that tie, the greater name comes first: x before c.
  const TrecRun run{"t", {{"q", {{"a", 1}, {"c", 5}, {"x", 5}, {"b", 9}}}}};
  const Qrels qrels{{"q", {{"a", 1}, {"b", 2}, {"c", 0}, {"d", 3}}}};
  const Evaluation e =
      evaluated(run, qrels,
                "map,P@1,P@3,P@5,nDCG@2,ndcg,RR,RR@10,Recall@3,Rprec,bpref,unj_5,iprec@0.50,set_F");
  EXPECT_DOUBLE_EQ(value(e, "map"), (1.0 + 2.0 / 4) / 3);
  EXPECT_DOUBLE_EQ(value(e, "P@1"), 1);
  EXPECT_DOUBLE_EQ(value(e, "P@3"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(value(e, "P@5"), 2.0 / 5);
  EXPECT_DOUBLE_EQ(value(e, "nDCG@2"), 2 / (3 + 2 / std::log2(3)));
  EXPECT_DOUBLE_EQ(value(e, "ndcg"), (2 + 1 / std::log2(5)) / (3 + 2 / std::log2(3) + 0.5));
  EXPECT_DOUBLE_EQ(value(e, "RR"), 1);
  EXPECT_DOUBLE_EQ(value(e, "Recall@3"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(value(e, "Rprec"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(value(e, "bpref"), (1.0 + 0.0) / 3);  // c stands before a, and is all there is
  EXPECT_DOUBLE_EQ(value(e, "unj_5"), 1.0 / 5);
  EXPECT_DOUBLE_EQ(value(e, "iprec@0.50"), 2.0 / 4);  // 1.5 documents round to 2
  EXPECT_DOUBLE_EQ(value(e, "set_F"), 2 * 0.5 * (2.0 / 3) / (0.5 + 2.0 / 3));
}

TEST(Evaluation, ReciprocalRankIsCut) {
  TrecRun run{"t", {{"q", {}}}};
  for (int i = 0; i < 20; ++i) {
    run.queries[0].documents.push_back({test::numbered('d', i), static_cast<float>(20 - i)});
  }
  const Qrels qrels{{"q", {{"d10", 1}}}};
  const Evaluation e = evaluated(run, qrels, "RR,RR@10,RR@11,success@10,success@11");
  EXPECT_EQ(e.summary, (std::vector<double>{1.0 / 11, 0, 1.0 / 11, 0, 1}));
}

TEST(Evaluation, QueriesThatCount) {
  const TrecRun run{"t", {{"2", {{"a", 1}}}, {"unjudged", {{"a", 1}}}, {"10", {{"x", 1}}}}};
  const Qrels qrels{{"10", {{"a", 1}}}, {"2", {{"a", 1}}}, {"missing", {{"a", 1}, {"b", 1}}}};
  const std::string names = "num_q,num_ret,num_rel,num_rel_ret,map,gm_map,P@1";
  const Evaluation both = evaluated(run, qrels, names);
  ASSERT_EQ(both.queries.size(), 2U);
  EXPECT_EQ(both.queries[0].id, "10");
  EXPECT_EQ(both.queries[1].id, "2");
  EXPECT_DOUBLE_EQ(value(both, "num_q"), 2);
  EXPECT_DOUBLE_EQ(value(both, "num_rel"), 2);
  EXPECT_DOUBLE_EQ(value(both, "map"), 0.5);
  EXPECT_DOUBLE_EQ(value(both, "gm_map"), std::sqrt(1e-5));
  const Evaluation all = evaluated(run, qrels, names, {.all_judged_queries = true});
  EXPECT_EQ(all.queries.size(), 2U);
  EXPECT_DOUBLE_EQ(value(all, "num_q"), 3);
  EXPECT_DOUBLE_EQ(value(all, "num_rel"), 2);
  EXPECT_DOUBLE_EQ(value(all, "map"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(value(all, "gm_map"), std::pow(1e-5, 2.0 / 3));
}

TEST(Evaluation, CountsJudgedQueriesAlsoThoseThatTheRunLacks) {
  const TrecRun run{"t", {{"1", {{"a", 1}}}, {"unjudged", {{"a", 1}}}}};
  const Qrels qrels{{"1", {{"a", 1}}}, {"2", {{"a", 1}}}, {"3", {{"a", 1}}}};
  const Evaluation e = evaluated(run, qrels, "map");
  EXPECT_EQ(e.judged_queries, 3U);
  EXPECT_EQ(e.queries.size(), 1U);
}

// Query a is a document, too: without itself, b is first.
TEST(Evaluation, LeavesAQuerysOwnDocumentOutOnRequest) {
  const TrecRun run{"t", {{"a", {{"a", 3}, {"b", 2}, {"c", 1}}}}};
  const Qrels qrels{{"a", {{"b", 1}}}};
  EXPECT_EQ(evaluated(run, qrels, "RR,num_ret").summary, (std::vector<double>{0.5, 3}));
  EXPECT_EQ(evaluated(run, qrels, "RR,num_ret", {.ignore_identical_ids = true}).summary,
            (std::vector<double>{1, 2}));
}

TEST(Evaluation, NothingRelevantIsZeroNotNan) {
  const TrecRun run{"t", {{"q", {{"a", 1}, {"b", 0.5}}}}};
  for (const Qrels& qrels :
       {Qrels{{"q", {{"a", 0}}}}, Qrels{{"q", {{"z", -1}}}}, Qrels{{"q", {}}}}) {
    for (const double v : evaluated(run, qrels,
                                    "map,Rprec,bpref,RR,iprec,P,recall,ndcg,ndcg_cut,"
                                    "map_cut,success,set_P,set_recall,set_F,11pt_avg")
                              .summary) {
      EXPECT_EQ(v, 0.0);
    }
  }
  const TrecRun empty{"t", {{"q", {}}}};
  for (const double v : evaluated(empty, {{"q", {{"a", 1}}}}, kAll).summary) {
    EXPECT_TRUE(std::isfinite(v));
  }
}

TEST(Evaluation, RelevanceLevelLeavesGainsAlone) {
  const TrecRun run{"t", {{"q", {{"a", 2}, {"b", 1}}}}};
  const Qrels qrels{{"q", {{"a", 1}, {"b", 2}}}};
  const Evaluation low = evaluated(run, qrels, "map,bpref,ndcg,num_rel");
  const Evaluation high = evaluated(run, qrels, "map,bpref,ndcg,num_rel", {.relevance_level = 2});
  EXPECT_DOUBLE_EQ(value(low, "map"), 1);
  EXPECT_DOUBLE_EQ(value(high, "map"), 0.5);
  EXPECT_DOUBLE_EQ(value(high, "bpref"), 0);
  EXPECT_DOUBLE_EQ(value(high, "num_rel"), 1);
  EXPECT_DOUBLE_EQ(value(high, "ndcg"), value(low, "ndcg"));
  EXPECT_THROW(evaluated(run, qrels, "map", {.relevance_level = 0}), UsageError);
}

TEST(Evaluation, RefusesWhatCannotBeJoined) {
  const Qrels qrels{{"1", {{"a", 1}}}};
  EXPECT_THROW(evaluated(TrecRun{}, qrels, "map"), InputError);
  EXPECT_THROW(evaluated(TrecRun{"t", {{"01", {{"a", 1}}}}}, qrels, "map"), InputError);
  const TrecRun twice{"t", {{"1", {{"a", 1}}}, {"1", {{"b", 1}}}}};
  EXPECT_THROW(evaluated(twice, qrels, "map"), InputError);
}

/// The definitions again, each from scratch and quadratic: what the papers say, with no thought
/// of speed. Grades are looked up by name, precision is counted anew at every rank.
class PlainMeasures {
 public:
  PlainMeasures(std::vector<RunDocument> documents, const Qrels::mapped_type& grades)
      : grades_(grades) {
    while (!documents.empty()) {  // selection sort, by trec_eval's rule
      std::size_t best = 0;
      for (std::size_t i = 1; i < documents.size(); ++i) {
        const bool higher = documents[i].score > documents[best].score;
        const bool tied = documents[i].score == documents[best].score;
        if (higher || (tied && documents[i].name > documents[best].name)) best = i;
      }
      names_.push_back(documents[best].name);
      documents.erase(documents.begin() + static_cast<std::ptrdiff_t>(best));
    }
    for (const auto& [name, grade] : grades_) relevant_ += grade >= 1;
  }

  int grade(std::size_t rank) const {
    const auto found = grades_.find(names_[rank - 1]);
    return found == grades_.end() ? -1 : found->second;
  }
  double precision(std::size_t k) const {
    double found = 0;
    for (std::size_t rank = 1; rank <= std::min(k, names_.size()); ++rank)
      found += grade(rank) >= 1;
    return found / static_cast<double>(k);
  }
  double recall(std::size_t k) const {
    return relevant_ == 0 ? 0 : precision(k) * static_cast<double>(k) / relevant_;
  }
  double average_precision(std::size_t k) const {
    double sum = 0;
    for (std::size_t rank = 1; rank <= std::min(k, names_.size()); ++rank) {
      if (grade(rank) >= 1) sum += precision(rank);
    }
    return relevant_ == 0 ? 0 : sum / relevant_;
  }
  double reciprocal_rank(std::size_t k) const {
    for (std::size_t rank = 1; rank <= std::min(k, names_.size()); ++rank) {
      if (grade(rank) >= 1) return 1.0 / static_cast<double>(rank);
    }
    return 0;
  }
  double ndcg(std::size_t k) const {
    double gained = 0, ideal = 0;
    for (std::size_t rank = 1; rank <= std::min(k, names_.size()); ++rank) {
      gained += std::max(0, grade(rank)) * std::log(2) / std::log(static_cast<double>(rank) + 1);
    }
    std::multiset<int> gains;
    for (const auto& [name, grade] : grades_) gains.insert(std::max(0, grade));
    double rank = 1;
    for (auto gain = gains.rbegin(); gain != gains.rend() && rank <= static_cast<double>(k);
         ++gain) {
      ideal += *gain * std::log(2) / std::log(++rank);
    }
    return ideal == 0 ? 0 : gained / ideal;
  }
  double bpref() const {
    double sum = 0, nonrelevant = 0;
    for (const auto& [name, grade] : grades_) nonrelevant += grade == 0;
    for (std::size_t rank = 1; rank <= names_.size(); ++rank) {
      if (grade(rank) < 1) continue;
      double before = 0;
      for (std::size_t other = 1; other < rank; ++other) before += grade(other) == 0;
      const double r = relevant_;
      sum += before == 0 ? 1 : 1 - std::min(before, r) / std::min(nonrelevant, r);
    }
    return relevant_ == 0 ? 0 : sum / relevant_;
  }
  double interpolated(double recall) const {
    const auto needed = static_cast<double>(std::lround(recall * relevant_));
    double best = 0;
    for (std::size_t rank = 1; rank <= names_.size(); ++rank) {
      const double found = precision(rank) * static_cast<double>(rank);
      if (found > needed - 0.5) best = std::max(best, precision(rank));
    }
    return best;
  }
  std::size_t relevant() const { return static_cast<std::size_t>(relevant_); }

 private:
  const Qrels::mapped_type& grades_;
  std::vector<std::string> names_;
  double relevant_ = 0;
};

TEST(Evaluation, RandomRunsAgreeWithTheDefinitions) {
  auto random = test::generator(8);
  const std::string names =
      "map,P@1,P@10,P@33,Recall@10,map_cut_10,RR,RR@3,nDCG@1,nDCG@10,ndcg_cut_100,ndcg,bpref,Rprec,"
      "iprec@0.0,iprec@0.3,iprec@1.0";
  for (int round = 0; round < 600; ++round) {
    TrecRun run{"t", {{"q", {}}}};
    Qrels qrels{{"q", {}}};
    for (std::uint64_t i = random() % 140; i > 0; --i) {
      // Few scores, so that many documents tie.
      run.queries[0].documents.push_back(
          {test::numbered('d', i), static_cast<float>(random() % 30) / 7});
    }
    for (std::uint64_t i = random() % 60; i > 0; --i) {
      qrels["q"].emplace(test::numbered('d', random() % 160), static_cast<int>(random() % 6) - 2);
    }
    const PlainMeasures r(run.queries[0].documents, qrels["q"]);
    const std::vector<double> expected = {r.average_precision(1000),
                                          r.precision(1),
                                          r.precision(10),
                                          r.precision(33),
                                          r.recall(10),
                                          r.average_precision(10),
                                          r.reciprocal_rank(1000),
                                          r.reciprocal_rank(3),
                                          r.ndcg(1),
                                          r.ndcg(10),
                                          r.ndcg(100),
                                          r.ndcg(1000),
                                          r.bpref(),
                                          r.relevant() == 0 ? 0.0 : r.precision(r.relevant()),
                                          r.interpolated(0),
                                          r.interpolated(0.3),
                                          r.interpolated(1)};
    const Evaluation e = evaluated(run, qrels, names);
    ASSERT_EQ(e.summary.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(e.summary[i], expected[i], 1e-12) << e.measures[i].name() << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace warpdex
