// The measures of one query.
#include <algorithm>
#include <cmath>

#include "warpdex/core/error.hpp"
#include "warpdex/query/evaluation/measure.hpp"

namespace warpdex {
namespace {

using Grades = std::span<const std::int32_t>;

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

Grades first(Grades grades, std::uint64_t count) {
  return grades.subspan(0, std::min<std::uint64_t>(count, grades.size()));
}

bool is_relevant(const JudgedRanking& ranking, std::int32_t grade) {
  return grade >= ranking.relevance_level;
}

std::uint64_t count_relevant(const JudgedRanking& ranking, Grades grades) {
  return static_cast<std::uint64_t>(
      std::count_if(grades.begin(), grades.end(),
                    [&](std::int32_t grade) { return is_relevant(ranking, grade); }));
}

double average_precision(const JudgedRanking& ranking, Grades grades) {
  double sum = 0;
  double found = 0;
  for (std::size_t i = 0; i < grades.size(); ++i) {
    if (is_relevant(ranking, grades[i])) sum += ++found / static_cast<double>(i + 1);
  }
  return ratio(sum, static_cast<double>(ranking.relevant));
}

double reciprocal_rank(const JudgedRanking& ranking, Grades grades) {
  for (std::size_t i = 0; i < grades.size(); ++i) {
    if (is_relevant(ranking, grades[i])) return 1.0 / static_cast<double>(i + 1);
  }
  return 0;
}

/// Buckley and Voorhees 2004: of the first R documents judged not relevant, the share that each
/// relevant document stands before.
double bpref(const JudgedRanking& ranking) {
  double sum = 0;
  std::uint64_t nonrelevant_so_far = 0;
  const std::uint64_t max = std::min(ranking.nonrelevant, ranking.relevant);
  for (const std::int32_t grade : ranking.grades) {
    if (grade < 0) continue;
    if (!is_relevant(ranking, grade)) {
      ++nonrelevant_so_far;
    } else {
      const std::uint64_t before = std::min(nonrelevant_so_far, ranking.relevant);
      sum += 1.0 - ratio(static_cast<double>(before), static_cast<double>(max));
    }
  }
  return ratio(sum, static_cast<double>(ranking.relevant));
}

/// The best precision at any rank where that many relevant documents, or more, have been seen.
double precision_at_recall(const JudgedRanking& ranking, std::uint32_t hundredths) {
  const double recall = hundredths / 100.0;
  const auto needed =
      static_cast<std::uint64_t>(std::lround(recall * static_cast<double>(ranking.relevant)));
  double best = 0;
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < ranking.grades.size(); ++i) {
    if (!is_relevant(ranking, ranking.grades[i]) || ++found < needed) continue;
    best = std::max(best, static_cast<double>(found) / static_cast<double>(i + 1));
  }
  return best;
}

double eleven_point_average(const JudgedRanking& ranking) {
  double sum = 0;
  for (std::uint32_t hundredths = 0; hundredths <= 100; hundredths += 10) {
    sum += precision_at_recall(ranking, hundredths);
  }
  return sum / 11;
}

double discounted_gain(Grades grades) {
  double sum = 0;
  for (std::size_t i = 0; i < grades.size(); ++i) {
    if (grades[i] > 0) sum += grades[i] / std::log2(static_cast<double>(i + 2));
  }
  return sum;
}

double ndcg(const JudgedRanking& ranking, std::uint64_t cut) {
  return ratio(discounted_gain(first(ranking.grades, cut)),
               discounted_gain(first(ranking.ideal, cut)));
}

double set_f(const JudgedRanking& ranking) {
  const auto found = static_cast<double>(count_relevant(ranking, ranking.grades));
  return ratio(2 * found,
               static_cast<double>(ranking.grades.size()) + static_cast<double>(ranking.relevant));
}

std::size_t count_nonrelevant(const JudgedRanking& ranking) {
  return static_cast<std::size_t>(std::count_if(
      ranking.grades.begin(), ranking.grades.end(),
      [&](std::int32_t grade) { return grade >= 0 && !is_relevant(ranking, grade); }));
}

std::size_t count_unjudged(Grades grades) {
  return static_cast<std::size_t>(
      std::count_if(grades.begin(), grades.end(), [](std::int32_t grade) { return grade < 0; }));
}

}  // namespace

double measure_value(const Measure& measure, const JudgedRanking& ranking) {
  const Grades all = ranking.grades;
  const Grades top = first(all, measure.cut);
  const auto found = [&](Grades grades) {
    return static_cast<double>(count_relevant(ranking, grades));
  };
  const auto relevant = static_cast<double>(ranking.relevant);
  switch (measure.kind) {
    case MeasureKind::kQueryCount: return 1;
    case MeasureKind::kRetrieved: return static_cast<double>(all.size());
    case MeasureKind::kRelevant: return relevant;
    case MeasureKind::kRelevantRetrieved: return found(all);
    case MeasureKind::kAveragePrecision:
    case MeasureKind::kGeometricMap: return average_precision(ranking, all);
    case MeasureKind::kRPrecision: return ratio(found(first(all, ranking.relevant)), relevant);
    case MeasureKind::kBpref:
    case MeasureKind::kGeometricBpref: return bpref(ranking);
    case MeasureKind::kReciprocalRank: return reciprocal_rank(ranking, all);
    case MeasureKind::kReciprocalRankCut: return reciprocal_rank(ranking, top);
    case MeasureKind::kPrecisionAtRecall: return precision_at_recall(ranking, measure.cut);
    case MeasureKind::kElevenPointAverage: return eleven_point_average(ranking);
    case MeasureKind::kPrecision: return ratio(found(top), measure.cut);
    case MeasureKind::kRecall: return ratio(found(top), relevant);
    case MeasureKind::kAveragePrecisionCut: return average_precision(ranking, top);
    case MeasureKind::kNdcg: return ndcg(ranking, std::max(all.size(), ranking.ideal.size()));
    case MeasureKind::kNdcgCut: return ndcg(ranking, measure.cut);
    case MeasureKind::kSuccess: return found(top) > 0 ? 1 : 0;
    case MeasureKind::kSetPrecision: return ratio(found(all), static_cast<double>(all.size()));
    case MeasureKind::kSetRecall: return ratio(found(all), relevant);
    case MeasureKind::kSetF: return set_f(ranking);
    case MeasureKind::kNonrelevantRetrieved: return static_cast<double>(count_nonrelevant(ranking));
    case MeasureKind::kUnjudged:
      return ratio(static_cast<double>(count_unjudged(top)), measure.cut);
  }
  throw UsageError("this is no measure; see measure.hpp for them");
}

}  // namespace warpdex
