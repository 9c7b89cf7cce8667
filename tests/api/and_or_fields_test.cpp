// and-or where words may be in any of several fields: AND's whole answer, or else OR's. The oracle
// scores the words' terms; which documents have the words is told from their texts.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "tests/api/api_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/reference/oracle.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using reference::Ranking;

constexpr std::array<const char*, 3> kNames{"title", "body", "note"};

/// A word of a query, with its sign.
struct SignedWord {
  std::string word;
  char sign = ' ';
};

class AndOrFields : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  void make(std::size_t documents) {
    texts_.assign(documents, {});
    index_ = folder_ / ("index" + std::to_string(documents));
    NewIndex settings;
    settings.analyzer = "whitespace";
    settings.schema = parse_schema(
        R"({"fields": {"title": {"type": "text", "weight": 2}, "body": {"type": "text"},
                       "note": {"type": "text", "weight": 0}, "year": {"type": "int"}}})");
    Writer writer(index_, settings, {});
    for (std::size_t i = 0; i < documents; ++i) {
      NewDocument document{.id = "d" + std::to_string(i)};
      for (std::size_t field = 0; field < kNames.size(); ++field) {
        for (std::size_t n = random_() % (2 + 6 * field); n > 0; --n) {
          texts_[i][field].push_back(draw_word());
          document.fields[kNames[field]] += texts_[i][field].back() + " ";
        }
      }
      document.values["year"] = {std::int64_t(i % 7)};
      writer.add(std::move(document));
      if (i == documents / 3) writer.commit();
    }
    writer.commit();
    collection_ = collection_of(0);
    for (std::size_t field = 1; field < kNames.size(); ++field) {
      collection_.add_text(collection_of(field));
    }
  }

  std::string draw_word() { return "w" + std::to_string(random_() % (1 + random_() % 40)); }

  Collection collection_of(std::size_t field) const {
    Collection collection;
    for (const auto& texts : texts_) {
      collection.add_document(
          std::vector<std::string_view>(texts[field].begin(), texts[field].end()));
    }
    return collection;
  }

  bool has(std::size_t document, const std::string& word,
           const std::array<float, 3>& weights) const {
    for (std::size_t field = 0; field < kNames.size(); ++field) {
      if (weights[field] > 0 && std::ranges::count(texts_[document][field], word) > 0) return true;
    }
    return false;
  }

  /// All that match, by the texts. With `all_words`, as AND.
  Ranking rank(const std::vector<SignedWord>& words, const std::array<float, 3>& weights,
               bool all_words, const SearchSettings& settings) const {
    Query flat;
    for (const SignedWord& word : words) {
      for (std::size_t field = 0; field < kNames.size() && word.sign != '-'; ++field) {
        if (weights[field] == 0) continue;
        flat.terms.push_back({.term = field_mark(field) + word.word, .weight = weights[field]});
      }
    }
    SearchSettings as_or = settings;
    as_or.mode = QueryMode::kOr;
    Ranking ranking = reference::rank(collection_, flat, as_or);
    std::erase_if(ranking.documents, [&](const reference::RankedDocument& found) {
      return !std::ranges::all_of(words, [&](const SignedWord& word) {
        const bool is_there = has(found.document, word.word, weights);
        if (word.sign == '-') return !is_there;
        return is_there || (!all_words && word.sign != '+');
      });
    });
    ranking.place.assign(texts_.size(), -1);
    for (std::size_t i = 0; i < ranking.documents.size(); ++i) {
      ranking.place[ranking.documents[i].document] = static_cast<std::int64_t>(i);
    }
    return ranking;
  }

  Ranking rank(const std::vector<SignedWord>& words, const std::array<float, 3>& weights,
               const SearchSettings& settings) const {
    Ranking ranking = rank(words, weights, true, settings);
    if (ranking.documents.size() >= settings.and_or_min_matches()) return ranking;
    ranking = rank(words, weights, false, settings);
    ranking.fell_back_to_or = true;
    return ranking;
  }

  std::vector<SignedWord> draw_words() {
    std::vector<SignedWord> words;
    for (std::size_t n = 1 + random_() % 4; n > 0; --n) words.push_back({draw_word(), draw_sign()});
    return words;
  }
  char draw_sign() { return random_() % 5 > 0 ? ' ' : random_() % 3 > 0 ? '+' : '-'; }

  SearchOptions draw_options() {
    SearchOptions options{.mode = QueryMode::kAndOr};
    options.k = std::array{1U, 10U, 100U}[random_() % 3];
    options.and_or_min = std::array{0U, 1U, 5U, 33U, 20'000U}[random_() % 5];
    options.count = random_() % 2 == 0;
    if (random_() % 2 == 0) options.scorer.kind = ScorerKind::kQueryLikelihood;
    return options;
  }

  std::mt19937_64 random_ = test::generator(5410);
  test::TemporaryFolder folder_{test::place_in_memory()};
  std::filesystem::path index_;
  std::vector<std::array<Words, 3>> texts_;
  Collection collection_;
};

std::string text_of_words(const std::vector<SignedWord>& words) {
  std::string text;
  for (const SignedWord& word : words) text += std::string(1, word.sign) + word.word + " ";
  return text;
}

SearchResult result_of_answer(const Answer& answer) {
  SearchResult result;
  result.matches = answer.matches;
  result.fell_back_to_or = answer.fell_back_to_or;
  for (const AnswerHit hit : answer) result.hits.push_back({hit.document(), hit.score()});
  return result;
}

SearchSettings settings_of_options(const SearchOptions& options) {
  return {.mode = options.mode,
          .k = options.k,
          .and_or_min = options.and_or_min,
          .count = options.count,
          .scorer = options.scorer};
}

TEST_F(AndOrFields, AnswersAsTheOracle) {
  std::size_t of_and = 0;
  std::size_t of_or = 0;
  for (const std::size_t documents : {1U, 31U, 129U, 4'500U}) {
    make(documents);
    const Searcher searcher(index_, {.threads = 2});
    for (int round = 0; round < 60; ++round) {
      SearchOptions options = draw_options();
      std::array<float, 3> weights{2, 1, 0};
      if (round % 3 == 0) {
        weights = {0.5F, static_cast<float>(random_() % 2), static_cast<float>(random_() % 2)};
        for (std::size_t field = 0; field < kNames.size(); ++field) {
          options.searched.fields.push_back({kNames[field], weights[field]});
        }
      }
      const std::vector<SignedWord> words = draw_words();
      if (std::ranges::none_of(words, [](const auto& word) { return word.sign != '-'; })) continue;
      const std::string text = text_of_words(words);
      SCOPED_TRACE(text + "of " + std::to_string(documents));
      const Ranking wanted = rank(words, weights, settings_of_options(options));
      const Answer answer = searcher.search(text, options);
      ASSERT_EQ(
          reference::difference(wanted, result_of_answer(answer), settings_of_options(options)),
          "");
      ASSERT_EQ(answer.fell_back_to_or, wanted.fell_back_to_or);
      (wanted.fell_back_to_or ? of_or : of_and) += wanted.documents.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(of_and, 30U);
  EXPECT_GT(of_or, 30U);
}

TEST_F(AndOrFields, ManyQueriesAtOnceAreTheSame) {
  make(700);
  const Searcher searcher(index_, {.threads = 2});
  for (int round = 0; round < 6; ++round) {
    SearchOptions options = draw_options();
    std::vector<std::string> texts;
    for (int i = 0; i < 130; ++i) texts.push_back(text_of_words(draw_words()));
    std::vector<SearchRequest> requests;
    for (const std::string& text : texts) requests.push_back({.text = text});
    std::size_t answered = 0;
    if (round % 2 == 0) options.on_progress = [&](std::size_t more) { answered += more; };
    const std::vector<Answer> answers = searcher.search(requests, options);
    EXPECT_EQ(answered, round % 2 == 0 ? texts.size() : 0);
    options.on_progress = {};
    options.count = false;
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    const BatchAnswer batch = searcher.search_batch(views, {}, options);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Answer alone = searcher.search(texts[i], options);
      ASSERT_EQ(result_of_answer(answers[i]).hits, result_of_answer(alone).hits) << texts[i];
      ASSERT_EQ(answers[i].fell_back_to_or, alone.fell_back_to_or);
      ASSERT_EQ(batch.counts[i], alone.size());
      for (std::size_t rank = 0; rank < alone.size(); ++rank) {
        ASSERT_EQ(batch.documents[i * batch.k + rank], alone[rank].document());
      }
    }
  }
}

TEST_F(AndOrFields, TheGpusAnswersAreTheCpus) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  make(4'500);
  const Searcher cpu(index_, {.threads = 2});
  const Gpu shared;
  for (const Device device : {Device::kGpu, Device::kAuto}) {
    const Searcher searcher(index_, {.device = device, .gpus = {shared}});
    for (int round = 0; round < 12; ++round) {
      const SearchOptions options = draw_options();
      std::vector<SearchRequest> requests;
      for (int i = 0; i < 33; ++i) requests.push_back({.text = text_of_words(draw_words())});
      const std::vector<Answer> wanted = cpu.search(requests, options);
      const std::vector<Answer> found = searcher.search(requests, options);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        ASSERT_EQ(result_of_answer(found[i]).hits, result_of_answer(wanted[i]).hits)
            << requests[i].text;
        ASSERT_EQ(found[i].fell_back_to_or, wanted[i].fell_back_to_or) << requests[i].text;
        ASSERT_TRUE(!options.count || found[i].matches == wanted[i].matches);
      }
    }
  }
}

}  // namespace
}  // namespace warpdex
