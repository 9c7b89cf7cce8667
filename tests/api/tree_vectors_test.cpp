// Trees of words (phrases, groups, patterns) together with vectors: by each fusion as it is
// defined, from what the words alone find and from distances that are worked out here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kTreeVectorDimension = 3;

/// A document's number, and how good it is: more is better.
struct RankedRow {
  std::size_t document;
  double value;
};

class TreeVectorsTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  TreeVectorsTest() {
    NewIndex settings;
    settings.analyzer = "whitespace";
    settings.positions = true;
    settings.vectors =
        vector::RowSettings{.metric = vector::Metric::kL2, .dimension = kTreeVectorDimension};
    Writer writer(folder_ / "index", settings);
    for (std::size_t i = 0; i < 200; ++i) {
      NewDocument document;
      document.id = std::to_string(i);
      for (std::size_t n = 1 + random_() % 8; n > 0; --n) document.text += word() + " ";
      document.vector = row();
      rows_.push_back(document.vector);
      writer.add(std::move(document));
      if (i % 70 == 69) writer.commit();
    }
    writer.commit();
    for (std::size_t i = 0; i < 200; i += 9) {
      writer.remove(std::to_string(i));
      rows_[i].clear();
    }
    writer.commit();
    searcher_ = std::make_unique<Searcher>(folder_ / "index");
  }

  std::string word() { return "w" + std::to_string(random_() % (1 + random_() % 9)); }
  std::vector<float> row() {
    std::vector<float> row(kTreeVectorDimension);
    for (float& component : row) component = static_cast<float>(random_() % 5);
    return row;
  }
  std::string tree() {
    switch (random_() % 5) {
      case 0: return "\"" + word() + " " + word() + "\"";
      case 1: return "(" + word() + " AND " + word() + ") OR \"" + word() + " " + word() + "\"";
      case 2: return "+w1* -" + word();
      case 3: return "\"" + word() + " " + word() + "\"~2 " + word();
      default: return "+(" + word() + " " + word() + ") " + word() + "^2.5";
    }
  }

  /// The live documents that pass, nearest first.
  std::vector<RankedRow> nearest(const std::vector<float>& from, bool odd_alone) const {
    std::vector<RankedRow> near;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].empty() || (odd_alone && i % 2 == 0)) continue;
      double distance = 0;
      for (std::size_t j = 0; j < kTreeVectorDimension; ++j)
        distance += std::pow(rows_[i][j] - from[j], 2);
      near.push_back({i, -distance});
    }
    std::ranges::stable_sort(near, std::ranges::greater(), &RankedRow::value);
    return near;
  }
  std::vector<RankedRow> by_words(const std::string& text, SearchOptions options,
                                  std::size_t count) const {
    options.k = static_cast<std::uint32_t>(count);
    std::vector<RankedRow> found;
    for (const auto& hit : searcher_->search(text, options)) {
      found.push_back({std::stoul(std::string(hit.id())), hit.score()});
    }
    return found;
  }

  std::mt19937_64 random_ = test::generator(8110 + GetParam());
  test::TemporaryFolder folder_;
  std::vector<std::vector<float>> rows_;  ///< empty: the document was removed
  std::unique_ptr<Searcher> searcher_;
};

/// What each document's place in both answers makes of it.
std::map<std::size_t, double> fused(const std::vector<RankedRow>& words,
                                    const std::vector<RankedRow>& near,
                                    const FusionSettings& fusion) {
  std::map<std::size_t, double> scores;
  const double weight = fusion.weight;
  const bool by_ranks = fusion.fusion == Fusion::kReciprocalRank;
  for (std::size_t i = 0; i < words.size(); ++i) {
    scores[words[i].document] += by_ranks ? 2 * weight / (61 + static_cast<double>(i))
                                          : weight * words[i].value / words.front().value;
  }
  const double span = near.front().value - near.back().value;
  for (std::size_t i = 0; i < near.size(); ++i) {
    const double share = span == 0 ? 1 : (near[i].value - near.back().value) / span;
    scores[near[i].document] +=
        by_ranks ? 2 * (1 - weight) / (61 + static_cast<double>(i)) : (1 - weight) * share;
  }
  return scores;
}

std::vector<RankedRow> first(std::vector<RankedRow> ranked, std::size_t count) {
  if (ranked.size() > count) ranked.resize(count);
  return ranked;
}

/// Documents with these values are the best ones, best first; equal ones in any order.
template <class Answer>
void expect_best(const Answer& answer, const std::map<std::size_t, double>& values, double sign,
                 std::size_t k) {
  std::vector<double> sorted;
  for (const auto& [document, value] : values) sorted.push_back(value);
  std::ranges::sort(sorted, std::greater());
  ASSERT_EQ(answer.size(), std::min(k, sorted.size()));
  for (std::size_t i = 0; i < answer.size(); ++i) {
    const auto found = values.find(std::stoul(std::string(answer[i].id())));
    ASSERT_NE(found, values.end()) << answer[i].id();
    ASSERT_NEAR(found->second, sorted[i], 1e-5) << "rank " << i;
    ASSERT_NEAR(sign * answer[i].score(), found->second, 1e-5) << "rank " << i;
  }
}

TEST_P(TreeVectorsTest, EachFusionIsAsDefined) {
  std::size_t hits = 0;
  for (int round = 0; round < 40; ++round) {
    SearchOptions options;
    options.syntax = QuerySyntax::kLucene;
    options.k = 1 + static_cast<std::uint32_t>(random_() % 30);
    options.fusion.fusion = static_cast<Fusion>(round % 5);
    options.fusion.depth = 1 + static_cast<std::uint32_t>(random_() % 60);
    options.fusion.weight = static_cast<float>(random_() % 11) / 10;
    const bool odd_alone = random_() % 2 == 0;
    if (odd_alone) {
      options.filter = "id IN [";
      for (std::size_t i = 1; i < rows_.size(); i += 2) options.filter += std::to_string(i) + ", ";
      options.filter.replace(options.filter.size() - 2, 2, "]");
    }
    const std::string text = tree();
    const std::vector<float> from = row();
    SCOPED_TRACE(text + ", fusion " + std::to_string(round % 5));
    const std::vector<RankedRow> near = nearest(from, odd_alone);
    const std::vector<RankedRow> words = by_words(text, options, rows_.size());
    std::map<std::size_t, double> values;
    double sign = 1;
    switch (options.fusion.fusion) {
      case Fusion::kReciprocalRank:
      case Fusion::kConvex:
        values = fused(first(words, options.fusion.depth), first(near, options.fusion.depth),
                       options.fusion);
        break;
      case Fusion::kRerank:
      case Fusion::kFilter: {
        const bool all = options.fusion.fusion == Fusion::kFilter;
        std::map<std::size_t, double> distances;
        for (const RankedRow& one : near) distances[one.document] = one.value;
        for (const RankedRow& one : all ? words : first(words, options.fusion.depth)) {
          values[one.document] = distances.at(one.document);
        }
        sign = -1;
        break;
      }
      case Fusion::kNeighbors:
        for (const RankedRow& one : first(near, options.fusion.depth)) {
          for (const RankedRow& word : words) {
            if (word.document == one.document) values[one.document] = word.value;
          }
        }
        break;
    }
    const Answer answer = searcher_->search(SearchRequest{text, from}, options);
    ASSERT_NO_FATAL_FAILURE(expect_best(answer, values, sign, options.k));
    hits += answer.size();
  }
  EXPECT_GT(hits, 0U);
}

TEST(TreesWithVectors, TellThatTermsWereCut) {
  const test::TemporaryFolder folder;
  NewIndex settings;
  settings.vectors = vector::RowSettings{.metric = vector::Metric::kL2, .dimension = 1};
  Writer writer(folder / "index", settings);
  for (int i = 0; i < 120; ++i) {  // near words are 50
    const std::string end{static_cast<char>('a' + i % 20), static_cast<char>('a' + i / 20)};
    writer.add({.id = std::to_string(i), .text = "zzz" + end, .vector = {static_cast<float>(i)}});
  }
  writer.commit();
  const Searcher searcher(folder / "index");
  SearchOptions options;
  options.syntax = QuerySyntax::kLucene;
  for (int fusion = 0; fusion < 5; ++fusion) {
    options.fusion.fusion = static_cast<Fusion>(fusion);
    const std::vector<SearchRequest> requests{{.text = "zzzaa~1", .vector = {1}},
                                              {.text = "zzz~2", .vector = {1}}};
    const std::vector<Answer> answers = searcher.search(requests, options);
    EXPECT_FALSE(answers[0].terms_cut) << fusion;
    EXPECT_TRUE(answers[1].terms_cut) << fusion;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TreeVectorsTest, testing::Range<std::uint64_t>(0, 6));

}  // namespace
}  // namespace warpdex
