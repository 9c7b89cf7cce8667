// Words over several fields that are scored as one, against a plain count of the documents.
#include <gmock/gmock.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/api/three_fields.hpp"
#include "tests/support.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

using test::kThreeFields;
using test::Live;
using test::Texts;
using test::ThreeFields;
using test::Words;

/// A word as a field of all fields: the formulas of Lucene's CombinedFieldQuery, in doubles.
class CombinedOracle {
 public:
  CombinedOracle(const Live& live, std::array<double, 3> weights) : live_(live), weights_(weights) {
    for (std::size_t field = 0; field < kThreeFields.size(); ++field) {
      double documents = 0;
      double tokens = 0;
      for (const auto& [id, texts] : live) {
        documents += texts[field].empty() ? 0 : 1;
        tokens += static_cast<double>(texts[field].size());
      }
      if (weights[field] == 0) continue;
      documents_ = std::max(documents_, documents);
      tokens_ = std::trunc(tokens_ + weights[field] * tokens);
    }
  }

  bool has(const std::string& word, const Texts& texts) const { return has(Words{word}, texts); }
  /// One of words that are synonyms, or one word.
  bool has(const Words& words, const Texts& texts) const {
    for (std::size_t field = 0; field < kThreeFields.size(); ++field) {
      if (weights_[field] > 0 && count(words, texts[field]) > 0) return true;
    }
    return false;
  }

  double score(const std::string& word, const Texts& texts) const {
    return score(Words{word}, texts);
  }
  double score(const Words& words, const Texts& texts) const {
    double frequency = 0;
    double length = 0;
    for (std::size_t field = 0; field < kThreeFields.size(); ++field) {
      frequency += weights_[field] * count(words, texts[field]);
      length += weights_[field] * static_cast<double>(texts[field].size());
    }
    if (frequency == 0) return 0;
    double with_word = 0;
    for (const std::string& word : words) with_word = std::max(with_word, documents_with(word));
    length = std::max(1.0, std::floor(length + 0.5));
    const double idf = std::log(1 + (documents_ - with_word + 0.5) / (with_word + 0.5));
    return idf * frequency / (frequency + kK1 * (1 - kB + kB * length / (tokens_ / documents_)));
  }

  static constexpr double kK1 = 1.2;
  static constexpr double kB = 0.75;

 private:
  static double count(const Words& words, const Words& text) {
    return static_cast<double>(std::ranges::count_if(
        text, [&](const std::string& word) { return std::ranges::count(words, word) > 0; }));
  }

  /// Of the field where most have it.
  double documents_with(const std::string& word) const {
    const auto [known, is_new] = most_with_.emplace(word, 0);
    for (std::size_t field = 0; is_new && field < kThreeFields.size(); ++field) {
      if (weights_[field] == 0) continue;
      const auto of_field = std::ranges::count_if(live_, [&](const auto& document) {
        return std::ranges::count(document.second[field], word) > 0;
      });
      known->second = std::max(known->second, static_cast<double>(of_field));
    }
    return known->second;
  }

  const Live& live_;
  std::array<double, 3> weights_;
  double documents_ = 0;
  double tokens_ = 0;
  mutable std::map<std::string, double> most_with_;
};

class CombinedFields : public ThreeFields {
 protected:
  CombinedFields() : ThreeFields(5400) {}

  static void expect_trees(const Answer& answer) {
    for (std::size_t rank = 0; rank < answer.size(); ++rank) {
      const Explanation* const why = answer[rank].explanation();
      if (why == nullptr) continue;
      ASSERT_EQ(why->searched_by, SearchedBy::kTrees);
    }
  }

  static SearchOptions options_of(std::uint32_t k) {
    SearchOptions options{.k = k};
    options.scorer.k1 = static_cast<float>(CombinedOracle::kK1);
    options.scorer.b = static_cast<float>(CombinedOracle::kB);
    options.searched.type = FieldsType::kCombinedFields;
    return options;
  }
};

TEST_F(CombinedFields, ScoreAsOne) {
  for (const std::size_t documents : {31U, 128U, 5000U}) {
    make(documents);
    const Searcher searcher(index_);
    for (int round = 0; round < 25; ++round) {
      std::array<double, 3> weights{};
      while (weights[0] + weights[1] + weights[2] == 0) {
        for (double& weight : weights) weight = static_cast<double>(random_() % 5) / 2;
      }
      const CombinedOracle oracle(live_, weights);
      SearchOptions options = options_of(random_() % 2 == 0 ? 10 : 10'000);
      options.mode = random_() % 3 == 0 ? QueryMode::kAnd : QueryMode::kOr;
      for (std::size_t field = 0; field < kThreeFields.size(); ++field) {
        options.searched.fields.push_back(
            {kThreeFields[field], static_cast<float>(weights[field])});
      }
      const Words synonyms{"w1", "w3", "w31"};
      const bool has_synonyms = random_() % 2 == 0;
      if (has_synonyms) options.searched.synonyms = parse_synonyms("w1, w3, w31", "rules");
      const auto alike = [&](const std::string& word) {
        return has_synonyms && std::ranges::count(synonyms, word) > 0 ? synonyms : Words{word};
      };
      std::vector<Words> words;
      std::string query;
      for (std::size_t n = 1 + random_() % 3; n > 0; --n) {
        const std::string word = "w" + std::to_string(random_() % (n == 1 ? 4 : 32));
        words.push_back(alike(word));
        query += " " + word;
      }
      const std::string excluded = "w" + std::to_string(random_() % 32);
      const bool excludes = random_() % 2 == 0;
      std::map<std::string, double> wanted;
      for (const auto& [id, texts] : live_) {
        const auto matching = std::ranges::count_if(
            words, [&](const Words& word) { return oracle.has(word, texts); });
        const auto least = options.mode == QueryMode::kAnd ? std::ssize(words) : 1;
        if (matching < least || (excludes && oracle.has(alike(excluded), texts))) continue;
        for (const Words& word : words) wanted[id] += oracle.score(word, texts);
      }
      if (excludes) query = "-" + excluded + query;
      options.syntax = round % 2 == 0 ? QuerySyntax::kSigned : QuerySyntax::kLucene;
      options.explain = round % 4 == 0;
      SCOPED_TRACE(query + " of " + std::to_string(documents));
      const Answer answer = searcher.search(query, options);
      expect(answer, wanted, options.k);
      expect_trees(answer);
    }
  }
}

TEST_F(CombinedFields, AClauseOfATreeNamesItsFields) {
  make(400);
  const Searcher searcher(index_);
  const std::array weights{3.0, 0.5, 0.0};
  const CombinedOracle oracle(live_, weights);
  QueryNode node{.kind = QueryNode::Kind::kCombined, .boost = 2, .text = "w0 w1 w2"};
  node.minimum_should_match = 2;
  node.should = {{.kind = QueryNode::Kind::kMatch, .boost = 3, .field = "title"},
                 {.kind = QueryNode::Kind::kMatch, .boost = 0.5, .field = "body"}};
  std::map<std::string, double> wanted;
  for (const auto& [id, texts] : live_) {
    double score = 0;
    int matching = 0;
    for (const char* word : {"w0", "w1", "w2"}) {
      matching += oracle.has(word, texts) ? 1 : 0;
      score += 2 * oracle.score(word, texts);
    }
    if (matching >= 2) wanted[id] = score;
  }
  const Query query = searcher.parse_tree(node);
  SearchOptions options = options_of(10'000);
  expect(std::move(searcher.search({&query, 1}, {}, options).front()), wanted, 10'000);
}

TEST_F(CombinedFields, ReadNoMemoryThatWasFreed) {
  make(31);
  const Searcher searcher(index_);
  SearchOptions options = options_of(31);
  options.searched.fields = {{"title", 3}, {"body", 0.5}, {"note", 1}};
  const auto answers = [&] {
    std::vector<float> scores;
    for (int word = 0; word < 30; ++word) {
      for (const AnswerHit hit : searcher.search("w0 w" + std::to_string(word), options)) {
        scores.push_back(hit.score());
      }
    }
    return scores;
  };
  const std::vector<float> wanted = answers();
  mallopt(M_PERTURB, 0x5a);  // is written over it
  const std::vector<float> found = answers();
  mallopt(M_PERTURB, 0);
  EXPECT_EQ(found, wanted);
}

TEST_F(CombinedFields, QueriesInJsonAreTheSame) {
  make(400);
  const Searcher searcher(index_);
  SearchOptions options = options_of(50);
  options.searched.fields = {{"title", 3}, {"body", 0.5}};
  const Answer wanted = searcher.search("w0 w1", options);
  options = {.k = 50, .syntax = QuerySyntax::kJson, .explain = true};
  options.scorer = options_of(50).scorer;
  const Answer found = searcher.search(
      R"({"combined_fields": {"query": "w0 w1", "fields": ["title^3", "body^0.5"]}})", options);
  ASSERT_EQ(found.size(), wanted.size());
  ASSERT_GT(found.size(), 0U);
  for (std::size_t rank = 0; rank < found.size(); ++rank) {
    EXPECT_EQ(found[rank].id(), wanted[rank].id());
    EXPECT_EQ(found[rank].score(), wanted[rank].score());
  }
  EXPECT_THAT(to_text(*found[0].explanation()),
              testing::HasSubstr("combined [title^3 body^0.5]:w"));
  EXPECT_THAT([&] { searcher.search(R"({"combined_fields": {"query": "w0"}})", options); },
              testing::ThrowsMessage<InputError>(testing::HasSubstr("there are no 'fields'")));
}

TEST_F(CombinedFields, SynonymsAreOneWord) {
  make(400);
  const Searcher searcher(index_);
  SearchOptions options = options_of(50);
  options.searched.fields = {{"title", 3}, {"body", 0.5}};
  options.searched.synonyms = parse_synonyms("w1, w2", "rules");
  options.explain = true;
  const Answer found = searcher.search("w1", options);
  ASSERT_GT(found.size(), 0U);
  EXPECT_THAT(to_text(*found[0].explanation()),
              testing::HasSubstr("combined [title^3 body^0.5]:w1|w2"));
  // Several words stand for a word as a phrase, of which the best field counts.
  options.searched.synonyms = parse_synonyms("w1 => w2 w3", "rules");
  EXPECT_THAT([&] { searcher.search("w1", options); },
              testing::ThrowsMessage<InputError>(testing::HasSubstr("positions")));
}

TEST_F(CombinedFields, HaveOneAnalyzer) {
  make(20);
  const Searcher searcher(index_);
  SearchOptions options = options_of(10);
  options.searched.fields = {{"title"}, {"other"}};
  EXPECT_THAT(
      [&] { searcher.search("Ships", options); },
      testing::ThrowsMessage<InputError>(testing::HasSubstr("'other' has another than 'title'")));
  // Of the same words, rules can make other ones.
  for (const std::string_view rule : {"runs fast => w1", "w1, run fast"}) {
    options.searched.synonyms = parse_synonyms(rule, "rules");
    EXPECT_THAT(
        [&] { searcher.search("run fast", options); },
        testing::ThrowsMessage<InputError>(testing::HasSubstr("'other' has another than 'title'")));
  }
}

TEST_F(CombinedFields, AFieldThatIsNamedTwiceHasTheSumOfItsWeights) {
  make(300);
  const Searcher searcher(index_);
  const auto search = [&](const std::string& fields) {
    SearchOptions options = options_of(300);
    options.syntax = QuerySyntax::kJson;
    options.searched.synonyms = parse_synonyms("w1, w2", "rules");
    return searcher.search(R"({"combined_fields": {"query": "w1 w3", "fields": [)" + fields + "]}}",
                           options);
  };
  const Answer once = search(R"("title^5", "body^3")");
  ASSERT_GT(once.size(), 0U);
  for (const char* fields :
       {R"("title^2", "title^3", "body^3")", R"("title^2", "body^3", "title^3")"}) {
    const Answer twice = search(fields);
    ASSERT_EQ(twice.size(), once.size());
    for (std::size_t rank = 0; rank < once.size(); ++rank) {
      ASSERT_EQ(twice[rank].id(), once[rank].id()) << fields;
      ASSERT_EQ(twice[rank].score(), once[rank].score()) << fields;
    }
  }
}

}  // namespace
}  // namespace warpdex
