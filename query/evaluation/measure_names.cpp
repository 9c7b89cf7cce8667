// The table of measures: names, cuts, and how values are summed up.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "warpdex/core/error.hpp"
#include "warpdex/query/evaluation/measure.hpp"

namespace warpdex {
namespace {

enum class Cut { kNone, kRank, kRecall };

struct Traits {
  MeasureKind kind;
  std::string_view name;                      ///< trec_eval's, without the cut
  std::array<std::string_view, 2> nicknames;  ///< others, in lower case
  Cut cut = Cut::kNone;
  Summary summary = Summary::kMean;
  bool is_count = false;
};

constexpr std::array kMeasures{
    Traits{MeasureKind::kQueryCount, "num_q", {}, Cut::kNone, Summary::kSum, true},
    Traits{MeasureKind::kRetrieved, "num_ret", {}, Cut::kNone, Summary::kSum, true},
    Traits{MeasureKind::kRelevant, "num_rel", {}, Cut::kNone, Summary::kSum, true},
    Traits{MeasureKind::kRelevantRetrieved, "num_rel_ret", {}, Cut::kNone, Summary::kSum, true},
    Traits{MeasureKind::kAveragePrecision, "map", {"ap"}},
    Traits{MeasureKind::kGeometricMap, "gm_map", {}, Cut::kNone, Summary::kGeometricMean},
    Traits{MeasureKind::kRPrecision, "Rprec", {}},
    Traits{MeasureKind::kBpref, "bpref", {}},
    Traits{MeasureKind::kGeometricBpref, "gm_bpref", {}, Cut::kNone, Summary::kGeometricMean},
    Traits{MeasureKind::kReciprocalRank, "recip_rank", {"rr", "mrr"}},
    Traits{MeasureKind::kReciprocalRankCut, "recip_rank_cut", {"rr", "mrr"}, Cut::kRank},
    Traits{MeasureKind::kPrecisionAtRecall, "iprec_at_recall", {"iprec"}, Cut::kRecall},
    Traits{MeasureKind::kElevenPointAverage, "11pt_avg", {}},
    Traits{MeasureKind::kPrecision, "P", {"precision"}, Cut::kRank},
    Traits{MeasureKind::kRecall, "recall", {"r"}, Cut::kRank},
    Traits{MeasureKind::kAveragePrecisionCut, "map_cut", {"map", "ap"}, Cut::kRank},
    Traits{MeasureKind::kNdcg, "ndcg", {}},
    Traits{MeasureKind::kNdcgCut, "ndcg_cut", {"ndcg"}, Cut::kRank},
    Traits{MeasureKind::kSuccess, "success", {}, Cut::kRank},
    Traits{MeasureKind::kSetPrecision, "set_P", {}},
    Traits{MeasureKind::kSetRecall, "set_recall", {}},
    Traits{MeasureKind::kSetF, "set_F", {}},
    Traits{MeasureKind::kNonrelevantRetrieved,
           "num_nonrel_judged_ret",
           {},
           Cut::kNone,
           Summary::kSum,
           true},
    Traits{MeasureKind::kUnjudged, "unj", {}, Cut::kRank}};

const Traits& traits(const Measure& measure) {
  const auto found = std::find_if(kMeasures.begin(), kMeasures.end(),
                                  [&](const Traits& t) { return t.kind == measure.kind; });
  if (found == kMeasures.end()) throw UsageError("this is no measure; see measure.hpp for them");
  return *found;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

[[noreturn]] void fail_unknown(std::string_view name) {
  throw UsageError("there is no measure '" + std::string(name) +
                   "'; take names such as map, P@10, nDCG@10, RR@10, Recall@100, bpref or Rprec");
}

/// The entry called `stem`, which takes a cut or does not; null if there is none.
const Traits* find(std::string_view stem, bool with_cut) {
  const std::string wanted = lower_case(stem);
  for (const Traits& t : kMeasures) {
    if ((t.cut != Cut::kNone) != with_cut || wanted.empty()) continue;
    if (lower_case(t.name) == wanted || t.nicknames[0] == wanted || t.nicknames[1] == wanted) {
      return &t;
    }
  }
  return nullptr;
}

bool parse_rank(std::string_view text, std::uint32_t& rank) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, rank);
  return error == std::errc() && stop == end && rank > 0;
}

bool parse_recall(std::string_view text, std::uint32_t& hundredths) {
  double recall = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, recall, std::chars_format::fixed);
  if (error != std::errc() || stop != end || !(recall >= 0.0 && recall <= 1.0)) return false;
  hundredths = static_cast<std::uint32_t>(std::lround(recall * 100));
  return std::abs(recall * 100 - hundredths) < 1e-9;
}

/// The cuts that trec_eval takes where none are given.
std::vector<std::uint32_t> default_cuts(const Traits& t) {
  if (t.cut == Cut::kRecall) return {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
  if (t.kind == MeasureKind::kSuccess) return {1, 5, 10};
  if (t.kind == MeasureKind::kUnjudged) return {5, 10, 20};
  return {5, 10, 15, 20, 30, 100, 200, 500, 1000};
}

void append_family(std::vector<Measure>& measures, const Traits& t) {
  for (const std::uint32_t cut : default_cuts(t)) measures.push_back({t.kind, cut});
}

void append_named(std::vector<Measure>& measures, std::string_view name) {
  const Traits* family = find(name, true);
  if (lower_case(name) == "official") {
    const std::vector<Measure> official = official_measures();
    measures.insert(measures.end(), official.begin(), official.end());
  } else if (find(name, false) == nullptr && family != nullptr) {
    append_family(measures, *family);
  } else {
    measures.push_back(measure_from_name(name));
  }
}

}  // namespace

std::string Measure::name() const {
  const Traits& t = traits(*this);
  const std::string stem(t.name);
  if (t.cut == Cut::kNone) return stem;
  if (t.cut == Cut::kRank) return stem + "_" + std::to_string(cut);
  const std::string hundredths = std::to_string(100 + cut % 100).substr(1);
  return stem + "_" + std::to_string(cut / 100) + "." + hundredths;
}

Measure measure_from_name(std::string_view name) {
  if (const Traits* t = find(name, false)) return {t->kind, 0};
  const std::size_t separator = name.find_last_of("@_");
  if (separator == name.npos) fail_unknown(name);
  const Traits* t = find(name.substr(0, separator), true);
  const std::string_view cut = name.substr(separator + 1);
  // A word behind a _ is a part of the name: ndcg_rel is no ndcg.
  const bool is_word = name[separator] == '_' && !cut.empty() && (cut[0] < '0' || cut[0] > '9');
  if (t == nullptr || is_word) fail_unknown(name);
  Measure measure{t->kind, 0};
  const bool good =
      t->cut == Cut::kRank ? parse_rank(cut, measure.cut) : parse_recall(cut, measure.cut);
  if (!good) {
    throw UsageError("the measure '" + std::string(name) + "' cannot be cut there; give " +
                     (t->cut == Cut::kRank ? "a rank of 1 or more, as in P@10"
                                           : "a recall from 0 to 1 in hundredths"));
  }
  return measure;
}

std::vector<Measure> measures_from_names(std::string_view list) {
  std::vector<Measure> measures;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::vector<Measure> named;
    append_named(named, list.substr(begin, end - begin));
    for (const Measure& measure : named) {
      if (std::find(measures.begin(), measures.end(), measure) == measures.end()) {
        measures.push_back(measure);
      }
    }
    begin = end + 1;
  }
  return measures;
}

std::vector<Measure> official_measures() {
  std::vector<Measure> measures;
  for (const char* name : {"num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec",
                           "bpref", "recip_rank", "iprec_at_recall", "P"}) {
    append_named(measures, name);
  }
  return measures;
}

Summary measure_summary(const Measure& measure) { return traits(measure).summary; }

bool measure_is_count(const Measure& measure) { return traits(measure).is_count; }

}  // namespace warpdex
