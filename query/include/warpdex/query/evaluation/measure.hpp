// Measures of retrieval effectiveness, by trec_eval's definitions and names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex {

enum class MeasureKind {
  kQueryCount,            ///< num_q: queries averaged over
  kRetrieved,             ///< num_ret
  kRelevant,              ///< num_rel: relevant documents, found or not
  kRelevantRetrieved,     ///< num_rel_ret
  kAveragePrecision,      ///< map
  kGeometricMap,          ///< gm_map: geometric mean of max(average precision, 1e-5)
  kRPrecision,            ///< Rprec: precision at the number of relevant documents
  kBpref,                 ///< bpref: preferences kept among judged documents
  kGeometricBpref,        ///< gm_bpref
  kReciprocalRank,        ///< recip_rank: of the first relevant document
  kReciprocalRankCut,     ///< RR@k: recip_rank, 0 if that document is past rank k
  kPrecisionAtRecall,     ///< iprec_at_recall: interpolated precision at a recall point, as
                          ///< trec_eval 10 rounds it
  kElevenPointAverage,    ///< 11pt_avg: mean of iprec_at_recall at 0, 0.1, ... 1
  kPrecision,             ///< P_k
  kRecall,                ///< recall_k
  kAveragePrecisionCut,   ///< map_cut_k
  kNdcg,                  ///< ndcg: gains are grades, discounts log2(rank + 1)
  kNdcgCut,               ///< ndcg_cut_k
  kSuccess,               ///< success_k: whether a relevant document is among the first k
  kSetPrecision,          ///< set_P
  kSetRecall,             ///< set_recall
  kSetF,                  ///< set_F: harmonic mean of the two
  kNonrelevantRetrieved,  ///< num_nonrel_judged_ret
  kUnjudged,              ///< unj_k: share of the first k that nobody judged
};

/// A measure with its cut: a rank, or for kPrecisionAtRecall a recall in hundredths.
struct Measure {
  MeasureKind kind = MeasureKind::kAveragePrecision;
  std::uint32_t cut = 0;

  /// trec_eval's name ("ndcg_cut_10"; RR@10, which it lacks, is "recip_rank_cut_10").
  std::string name() const;
  bool operator==(const Measure&) const = default;
};

/// The measure of a name: trec_eval's ("map", "P_10", "ndcg_cut_10", "recall_100",
/// "iprec_at_recall_0.10") or the usual short one ("MAP", "P@10", "nDCG@10", "RR", "RR@10",
/// "Recall@100", "Success@5"). Case is ignored. Throws UsageError for any other name and for a cut
/// of 0.
Measure measure_from_name(std::string_view name);

/// The measures of a list such as "map,P@10,ndcg_cut": names as above, or the name of a family
/// without its cut, which stands for trec_eval's cuts (5, 10, ... 1000). "official" stands for
/// official_measures(). A measure that is named twice is returned once, at its first place. Throws
/// UsageError as measure_from_name does.
std::vector<Measure> measures_from_names(std::string_view list);

/// The measures that trec_eval prints by default, in its order.
std::vector<Measure> official_measures();

/// How the values of all queries are summarised.
enum class Summary { kSum, kMean, kGeometricMean };
Summary measure_summary(const Measure& measure);

/// Whether the measure is a count, which is printed without decimals.
bool measure_is_count(const Measure& measure);

/// The grades of a query's answer.
struct JudgedRanking {
  static constexpr std::int32_t kUnjudgedGrade = -1;
  std::int32_t relevance_level = 1;  ///< smallest grade that counts as relevant
  std::vector<std::int32_t> grades;  ///< by rank; kUnjudgedGrade where there is none
  std::vector<std::int32_t> ideal;   ///< all judged grades above 0, descending
  std::uint64_t relevant = 0;        ///< judged relevant, found or not
  std::uint64_t nonrelevant = 0;     ///< judged not relevant, found or not
};

/// The measure of one query. For a geometric mean, the value before its logarithm is taken. Without
/// relevant documents all rates are 0. O(length of the ranking).
double measure_value(const Measure& measure, const JudgedRanking& ranking);

}  // namespace warpdex
