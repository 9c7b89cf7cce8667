// OR by brute force over generated collections, against sums in double over all postings.
#include "benchmarks/brute_force_or.hpp"

#include <algorithm>
#include <cmath>

#include "generate/generator.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex::tools {
namespace {

constexpr double kTolerance = 1e-5;

struct Settings {
  CodecSettings codec;
  bool impacts;
  std::uint32_t k;
  std::size_t at_once;
};

/// The score of each document, by docID; 0 where it does not match.
std::vector<double> all_scores(const Index& index, const PlannedQuery& plan) {
  constexpr double kK1 = 0.9;
  constexpr double kB = 0.4;
  const auto documents = static_cast<double>(index.counts().documents);
  const double average = static_cast<double>(index.counts().tokens) / documents;
  std::vector<double> scores(index.counts().documents);
  for (const PlannedTerm& term : plan.terms) {
    const Postings postings = read_postings(index, term.entry);
    const auto size = static_cast<double>(postings.docids.size());
    const double rarity = std::log(1 + (documents - size + 0.5) / (size + 0.5));
    for (std::size_t i = 0; i < postings.docids.size(); ++i) {
      const std::uint32_t document = postings.docids[i];
      const double frequency = postings.frequencies[i];
      const double length = index.lengths()[document] / average;
      const double of_term = frequency / (frequency + kK1 * (1 - kB + kB * length));
      scores[document] += term.weight * (index.settings().impacts ? frequency : rarity * of_term);
    }
  }
  return scores;
}

/// Empty if the hits are the best of these scores.
std::string judge(const std::vector<Hit>& hits, std::vector<double> scores, std::uint32_t k) {
  const auto matches = std::ranges::count_if(scores, [](double score) { return score > 0; });
  if (hits.size() != std::min<std::size_t>(k, matches)) return "wrong number of hits";
  for (std::size_t i = 0; i < hits.size(); ++i) {
    double& right = scores[hits[i].document];
    if (std::abs(hits[i].score - right) > kTolerance * right) return "wrong score";
    right = 0;  // found again, it would be wrong
    if (i == 0) continue;
    const Hit& before = hits[i - 1];
    const bool is_sorted = before.score > hits[i].score ||
                           (before.score == hits[i].score && before.document < hits[i].document);
    if (!is_sorted) return "wrong order";
  }
  const double best_left = *std::ranges::max_element(scores);
  if (!hits.empty() && best_left * (1 - 2 * kTolerance) > hits.back().score) return "a miss";
  return "";
}

TEST(BruteForceOr, FindsTheBestOfAllSums) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const std::vector<Settings> all{
      {{CodecKind::kBitpack, 0}, false, 10, 64},  {{CodecKind::kBitpack, 0}, true, 1000, 7},
      {{CodecKind::kRice, 0}, false, 1000, 1},    {{CodecKind::kPforBlock, 0}, true, 10, 3},
      {{CodecKind::kPfor, 0}, false, 1, 40},      {{CodecKind::kPfor, 1}, true, 10, 39},
      {{CodecKind::kPfor, 2}, false, 10'000, 20}, {{CodecKind::kPfor, 4}, false, 10, 41}};
  for (const Settings& settings : all) {
    const test::TemporaryFolder folder;
    generate::GeneratorSettings generator = generate::gov2_settings();
    generator.documents = 20'011;
    generator.queries = 40;
    generator.seed = test::seed();
    generate::GeneratorReport report;
    const std::vector<generate::GeneratedQuery> queries = generate::generate_collection(
        generator, settings.codec, settings.impacts, folder / "index", 2, {}, report);
    const Index index = Index::open(folder / "index");
    const std::unique_ptr<Analyzer> analyzer = make_analyzer(index.settings().analyzer);
    std::vector<PlannedQuery> plans;
    for (const generate::GeneratedQuery& query : queries) {
      plans.push_back(
          plan_query(index, parse_query(query.id, query.text, QuerySyntax::kPlain, *analyzer)));
    }
    BruteForceOr engine(index);
    BruteForceTimes times;
    const std::vector<std::vector<Hit>> answers = engine.run(
        plans, effective_scorer(index.settings(), {}), settings.k, settings.at_once, times);
    ASSERT_EQ(answers.size(), plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      ASSERT_EQ(judge(answers[i], all_scores(index, plans[i]), settings.k), "")
          << codec_name(settings.codec.kind) << ' ' << int{settings.codec.pfor_levels} << ' '
          << queries[i].text;
    }
    EXPECT_GT(times.clear + times.add + times.select, 0);
  }
}

}  // namespace
}  // namespace warpdex::tools
