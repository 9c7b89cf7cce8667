// Words over several fields by cross_fields, against a plain count of the documents.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/api/api_support.hpp"
#include "tests/api/three_fields.hpp"
#include "tests/support.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

using testing::HasSubstr;

using test::kThreeFields;
using test::Live;
using test::Texts;
using test::ThreeFields;
using test::Words;

/// A word in fields of one analyzer: the formulas of OpenSearch's BlendedTermQuery, in doubles.
class CrossOracle {
 public:
  CrossOracle(const Live& live, const std::array<double, 3>& weights, double tie_breaker)
      : live_(live), weights_(weights), tie_breaker_(tie_breaker) {
    for (std::size_t field = 0; field < kThreeFields.size(); ++field) {
      for (const auto& [id, texts] : live) {
        documents_[field] += texts[field].empty() ? 0 : 1;
        tokens_[field] += static_cast<double>(texts[field].size());
      }
    }
  }

  bool has(const Words& words, const Texts& texts) const {
    for (std::size_t field = 0; field < kThreeFields.size(); ++field) {
      if (weights_[field] > 0 && count(words, texts[field]) > 0) return true;
    }
    return false;
  }

  /// Of what stands for one word: it, and its synonyms.
  double score(const Words& words, const Texts& texts) const {
    double best = 0;
    double sum = 0;
    for (const auto& [place, documents] : blended(words)) {
      const auto& [field, word] = place;
      const double own = weights_[field] * score(field, word, documents, texts);
      best = std::max(best, own);
      sum += own;
    }
    return best + tie_breaker_ * (sum - best);
  }

  static constexpr double kK1 = 1.2;
  static constexpr double kB = 0.75;

 private:
  using Place = std::pair<std::size_t, std::string>;

  static double count(const Words& words, const Words& text) {
    return static_cast<double>(std::ranges::count_if(
        text, [&](const std::string& word) { return std::ranges::count(words, word) > 0; }));
  }

  double documents_with(const Place& place) const {
    return static_cast<double>(std::ranges::count_if(live_, [&](const auto& document) {
      return std::ranges::count(document.second[place.first], place.second) > 0;
    }));
  }

  double score(std::size_t field, const std::string& word, double documents,
               const Texts& texts) const {
    const double frequency = count({word}, texts[field]);
    const double idf = std::log(1 + (documents_[field] - documents + 0.5) / (documents + 0.5));
    const double length = static_cast<double>(texts[field].size());
    const double average = tokens_[field] / documents_[field];
    return frequency == 0 ? 0
                          : idf * frequency / (frequency + kK1 * (1 - kB + kB * length / average));
  }

  /// In how many documents each is counted.
  const std::vector<std::pair<Place, double>>& blended(const Words& words) const {
    const auto [known, is_new] = blended_.try_emplace(words);
    if (is_new) known->second = blend(words);
    return known->second;
  }

  std::vector<std::pair<Place, double>> blend(const Words& words) const {
    std::vector<std::pair<Place, double>> found;
    for (std::size_t field = 0; field < kThreeFields.size(); ++field) {
      for (const std::string& word : words) {
        if (weights_[field] > 0) found.push_back({{field, word}, documents_with({field, word})});
      }
    }
    std::erase_if(found, [](const auto& one) { return one.second == 0; });
    std::ranges::stable_sort(found,
                             [](const auto& a, const auto& b) { return a.second > b.second; });
    double most = static_cast<double>(live_.size());
    for (const auto& [place, own] : found) most = std::min(most, tokens_[place.first]);
    double documents = found.empty() ? 0 : found[0].second;
    double before = documents;
    for (auto& [place, own] : found) {
      if (own < before) ++documents;
      before = own;
      own = std::min({documents, most, documents_[place.first]});
    }
    return found;
  }

  const Live& live_;
  std::array<double, 3> weights_;
  double tie_breaker_;
  std::array<double, 3> documents_{};
  std::array<double, 3> tokens_{};
  mutable std::map<Words, std::vector<std::pair<Place, double>>> blended_;
};

class CrossFields : public ThreeFields {
 protected:
  CrossFields() : ThreeFields(5420) {}

  SearchOptions draw_options(std::array<double, 3>& weights) {
    SearchOptions options{.k = random_() % 2 == 0 ? 10U : 10'000U};
    options.explain = random_() % 3 == 0;
    options.scorer.k1 = static_cast<float>(CrossOracle::kK1);
    options.scorer.b = static_cast<float>(CrossOracle::kB);
    options.searched.type = FieldsType::kCrossFields;
    do {
      for (double& weight : weights) weight = static_cast<double>(random_() % 5) / 2;
    } while (weights[0] + weights[1] + weights[2] == 0);
    for (std::size_t field = 0; field < kThreeFields.size(); ++field) {
      options.searched.fields.push_back({kThreeFields[field], static_cast<float>(weights[field])});
    }
    return options;
  }
};

TEST_F(CrossFields, BlendTheCountsOfFields) {
  for (const std::size_t documents : {1U, 31U, 128U, 3'000U}) {
    make(documents);
    const Searcher searcher(index_);
    for (int round = 0; round < 25; ++round) {
      std::array<double, 3> weights{};
      SearchOptions options = draw_options(weights);
      const CrossOracle oracle(live_, weights, 0);
      options.mode = random_() % 3 == 0 ? QueryMode::kAnd : QueryMode::kOr;
      if (round % 2 == 0) options.syntax = QuerySyntax::kLucene;
      // Of one field, they are scored as one word.
      const bool has_synonyms = std::ranges::count(weights, 0) < 2 && random_() % 3 == 0;
      if (has_synonyms) options.searched.synonyms = parse_synonyms("w0, w31, w3", "rules");
      std::vector<Words> words;
      std::string text;
      for (std::size_t n = 1 + random_() % 3; n > 0; --n) {
        const std::string word = "w" + std::to_string(random_() % 32);
        const bool is_one = word == "w0" || word == "w31" || word == "w3";
        words.push_back(has_synonyms && is_one ? Words{word, "w0", "w31", "w3"} : Words{word});
        if (words.back().size() > 1) words.back().erase(std::ranges::find(words.back(), word));
        text += word + " ";
      }
      std::map<std::string, double> wanted;
      for (const auto& [id, texts] : live_) {
        const auto matching = std::ranges::count_if(
            words, [&](const Words& word) { return oracle.has(word, texts); });
        if (matching < (options.mode == QueryMode::kAnd ? std::ssize(words) : 1)) continue;
        for (const Words& word : words) wanted[id] += oracle.score(word, texts);
      }
      SCOPED_TRACE(text + " of " + std::to_string(documents));
      expect(searcher.search(text, options), wanted, options.k);
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST_F(CrossFields, QueryObjectsHaveATieBreaker) {
  make(700);
  const Searcher searcher(index_);
  for (int round = 0; round < 40; ++round) {
    std::array<double, 3> weights{};
    SearchOptions options = draw_options(weights);
    options.searched.type = FieldsType::kMostFields;
    options.syntax = QuerySyntax::kJson;
    const double tie_breaker = static_cast<double>(random_() % 5) / 4;
    const CrossOracle oracle(live_, weights, tie_breaker);
    std::string fields;
    for (std::size_t field = 0; field < kThreeFields.size(); ++field) {
      fields += (field == 0 ? "\"" : ", \"") + std::string(kThreeFields[field]) + "^" +
                std::to_string(weights[field]) + "\"";
    }
    const std::array words{"w" + std::to_string(random_() % 9),
                           "w" + std::to_string(random_() % 30)};
    std::string text = R"({"multi_match": {"type": "cross_fields", "tie_breaker": )" +
                       std::to_string(tie_breaker) + R"(, "operator": "and", "query": ")" +
                       words[0] + " " + words[1] + "\"";
    if (round % 2 == 0) text += ", \"fields\": [" + fields + "]";
    std::map<std::string, double> wanted;
    for (const auto& [id, texts] : live_) {
      if (!oracle.has({words[0]}, texts) || !oracle.has({words[1]}, texts)) continue;
      wanted[id] = oracle.score({words[0]}, texts) + oracle.score({words[1]}, texts);
    }
    SCOPED_TRACE(text + "}}");
    expect(searcher.search(text + "}}", options), wanted, options.k);
    ASSERT_FALSE(HasFailure());
  }
}

/// Fields of other analyzers are groups of their own: the best of them counts.
TEST_F(CrossFields, AnalyzersAreGroups) {
  make(400);
  const Searcher searcher(index_);
  const auto scores = [&](const char* fields) {
    SearchOptions options{.k = 10'000};
    options.searched.type = FieldsType::kCrossFields;
    options.searched.fields = parse_searched_fields(fields);
    std::map<std::string, float> found;
    for (const AnswerHit hit : searcher.search("w1 sailing", options)) {
      found[std::string(hit.id())] = hit.score();
    }
    return found;
  };
  std::map<std::string, float> wanted = scores("title,body^2");
  for (const auto& [id, score] : scores("other^3")) wanted[id] = std::max(wanted[id], score);
  EXPECT_EQ(scores("title,other^3,body^2"), wanted);
  EXPECT_GT(wanted.size(), 100U);
}

TEST_F(CrossFields, AreNotAnsweredWhereTheyDoNotFit) {
  make(31);
  const Searcher searcher(index_);
  const auto refused = [&](const std::string& text) {
    SearchOptions options{.syntax = QuerySyntax::kJson};
    return test::complaint<InputError>([&] { searcher.search(text, options); });
  };
  EXPECT_THAT(refused(R"({"multi_match": {"query": "w1", "tie_breaker": 2}})"),
              HasSubstr("a number from 0 to 1"));
  EXPECT_THAT(refused(R"({"multi_match": {"query": "w1", "type": "most_fields",
                                          "tie_breaker": 1}})"),
              HasSubstr("tie_breaker"));
}

}  // namespace
}  // namespace warpdex
