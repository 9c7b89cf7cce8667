// The oracle against examples computed by hand and against a literal reading of the definitions,
// one document and one query word at a time.
#include "tests/reference/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"

namespace warpdex::reference {
namespace {

// Four documents of lengths 3, 2, 0, 4: 9 tokens, average length 2.25, df of a, b, c: 2, of d: 1.
const std::vector<std::string> kTexts = {"a b a", "b c", "", "a c c d"};

Collection example(const std::vector<float>& static_scores = {0, 0, 0, 0}) {
  Collection collection;
  for (std::size_t i = 0; i < kTexts.size(); ++i) add_text(collection, kTexts[i], static_scores[i]);
  return collection;
}

SearchSettings in_mode(QueryMode mode) {
  SearchSettings settings;
  settings.mode = mode;
  return settings;
}

using Expected = std::vector<std::pair<std::uint32_t, double>>;

void expect_ranking(const Ranking& ranking, const Expected& expected, const std::string& what) {
  ASSERT_EQ(ranking.documents.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(ranking.documents[i].document, expected[i].first) << what << " rank " << i;
    EXPECT_NEAR(ranking.documents[i].score, expected[i].second, 1e-7) << what << " rank " << i;
    EXPECT_EQ(ranking.place[expected[i].first], static_cast<std::int64_t>(i)) << what;
  }
}

void expect_documents(const std::string& query, QueryMode mode, std::set<std::uint32_t> expected) {
  std::set<std::uint32_t> found;
  const Collection collection = example();
  for (const RankedDocument& hit : rank(collection, query_from(query), in_mode(mode)).documents) {
    found.insert(hit.document);
  }
  EXPECT_EQ(found, expected) << query << " in mode " << static_cast<int>(mode);
}

// k1 (1 - b + b len / avg) = 0.9 (0.6 + 0.4 len / 2.25) = 0.54 + 0.16 len: 1.02, 0.86, 1.18.
// idf of a, b, c: ln(1 + 2.5/2.5) = ln 2 = 0.693147181; of d: ln(1 + 3.5/1.5) = 1.203972804.
TEST(Oracle, ScoresBm25AsComputedByHand) {
  const Collection collection = example();
  const SearchSettings settings = in_mode(QueryMode::kOr);
  // a: ln 2 * 2/3.02 in document 0, ln 2 * 1/2.18 in 3.
  expect_ranking(rank(collection, query_from("a"), settings), {{0, 0.459037868}, {3, 0.317957422}},
                 "a");
  // c: ln 2 * 1/1.86 in 1, ln 2 * 2/3.18 in 3; d: 1.203972804 * 1/2.18 in 3.
  expect_ranking(rank(collection, query_from("c d"), settings),
                 {{3, 0.435941623 + 0.552281103}, {1, 0.372659774}}, "c d");
  // A term that stands twice weighs twice.
  expect_ranking(rank(collection, query_from("a b a"), settings),
                 {{0, 2 * 0.459037868 + 0.343142169}, {3, 2 * 0.317957422}, {1, 0.372659774}},
                 "a b a");
}

TEST(Oracle, ScoresPisasBm25AsComputedByHand) {
  SearchSettings settings = in_mode(QueryMode::kOr);
  settings.scorer.form = Bm25Form::kPisa;
  // d: ln(3.5/1.5) * 1.9 * 1/2.18; a: ln(2.5/2.5) = 0, so 1e-6 * 1.9 * 1/2.18 (2/3.02 in 0).
  expect_ranking(rank(example(), query_from("a d"), settings),
                 {{3, 0.738470612 + 0.871559633e-6}, {0, 1.258278146e-6}}, "a d");
}

TEST(Oracle, ScoresQueryLikelihoodAsComputedByHand) {
  SearchSettings settings = in_mode(QueryMode::kOr);
  settings.scorer.kind = ScorerKind::kQueryLikelihood;
  settings.scorer.mu = 1000;
  // a, cf 3 of 9: in 0 ln(1 + 2/(1000/3)) + ln(1000/1003); in 3 ln(1 + 1/(1000/3)) + ln(1000/1004)
  // is negative, so it counts 2^-90 * (16 - 0.0009965), and the document still matches.
  expect_ranking(rank(example(), query_from("a"), settings), {{0, 0.002986562698}, {3, 0}}, "a");
  // d, cf 1: ln(1 + 1/(1000/9)) + ln(1000/1004); c, cf 3: tf 1, len 2 in 1; tf 2, len 4 in 3.
  expect_ranking(rank(example(), query_from("d c c"), settings),
                 {{3, 0.004967720102 + 2 * 0.001990050408}, {1, 2 * 0.000997506317}}, "d c c");
}

TEST(Oracle, AddsStaticScoresToMatchesOnly) {
  const Collection collection = example({0, 0.25F, 7, 0.5F});
  expect_ranking(rank(collection, query_from("a b"), in_mode(QueryMode::kOr)),
                 {{3, 0.817957422}, {0, 0.459037868 + 0.343142169}, {1, 0.622659774}}, "a b");
}

TEST(Oracle, MatchesAsTheModesAndSignsSay) {
  const auto both = {QueryMode::kAnd, QueryMode::kOr};
  expect_documents("a b", QueryMode::kAnd, {0});
  expect_documents("a b", QueryMode::kOr, {0, 1, 3});
  expect_documents("a unknown", QueryMode::kAnd, {});
  expect_documents("a unknown", QueryMode::kOr, {0, 3});
  expect_documents("+a b", QueryMode::kOr, {0, 3});
  expect_documents("+a b", QueryMode::kAnd, {0});
  expect_documents("a b -c", QueryMode::kOr, {0});
  expect_documents("b -a", QueryMode::kAnd, {1});
  expect_documents("a b -a", QueryMode::kOr, {1});
  expect_documents("a a", QueryMode::kAnd, {0, 3});
  for (const QueryMode mode : both) {
    expect_documents("", mode, {});
    expect_documents("-a", mode, {});
    expect_documents("-a -unknown", mode, {});
    expect_documents("+a -a", mode, {});
    expect_documents("+unknown a", mode, {});
    expect_documents("unknown", mode, {});
    expect_documents("+a -unknown", mode, {0, 3});
    expect_documents("+a +c", mode, {3});
  }
}

TEST(Oracle, RequiredTermsScoreToo) {
  expect_ranking(rank(example(), query_from("+a b"), in_mode(QueryMode::kOr)),
                 {{0, 0.459037868 + 0.343142169}, {3, 0.317957422}}, "+a b");
  expect_ranking(rank(example(), query_from("+a a"), in_mode(QueryMode::kOr)),
                 {{0, 2 * 0.459037868}, {3, 2 * 0.317957422}}, "+a a");
}

TEST(Oracle, AndOrIsOrsWholeAnswerWhereAndMatchesTooFew) {
  const Collection collection = example();
  SearchSettings settings = in_mode(QueryMode::kAndOr);
  settings.k = 1;  // the one match of `and` is enough
  Ranking ranking = rank(collection, query_from("a b"), settings);
  EXPECT_FALSE(ranking.fell_back_to_or);
  EXPECT_EQ(ranking.documents.size(), 1U);
  settings.k = 2;
  ranking = rank(collection, query_from("a b"), settings);
  EXPECT_TRUE(ranking.fell_back_to_or);
  EXPECT_EQ(ranking.documents.size(), 3U);
  settings.and_or_min = 1;
  EXPECT_FALSE(rank(collection, query_from("a b"), settings).fell_back_to_or);
  settings.k = 1;
  settings.and_or_min = 2;
  EXPECT_TRUE(rank(collection, query_from("a b"), settings).fell_back_to_or);
}

TEST(Oracle, SortsTiesByDocument) {
  Collection collection;
  for (const char* text : {"x", "a", "a", "a a", "a", "y"}) add_text(collection, text);
  const Ranking ranking = rank(collection, query_from("a"), in_mode(QueryMode::kOr));
  ASSERT_EQ(ranking.documents.size(), 4U);
  EXPECT_EQ(ranking.documents[0].document, 3U);
  EXPECT_EQ(ranking.documents[1].document, 1U);
  EXPECT_EQ(ranking.documents[2].document, 2U);
  EXPECT_EQ(ranking.documents[3].document, 4U);
}

TEST(Oracle, AnswersNothingOnAnEmptyCollection) {
  for (const QueryMode mode : {QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr}) {
    EXPECT_TRUE(rank(Collection{}, query_from("a"), in_mode(mode)).documents.empty());
  }
}

// The definition, word by word: whether a document matches, and its score as a sum over the words
// of the query as they stand.
struct Literal {
  bool matches = false;
  double score = 0;
};

Literal judge(const std::vector<std::vector<std::string>>& documents, std::size_t document,
              const Query& query, const SearchSettings& settings) {
  const auto count = [](const std::vector<std::string>& words, const std::string& word) {
    return static_cast<double>(std::count(words.begin(), words.end(), word));
  };
  double tokens = 0;
  for (const auto& words : documents) tokens += static_cast<double>(words.size());
  const auto n = static_cast<double>(documents.size());
  const auto length = static_cast<double>(documents[document].size());
  bool found = false;
  bool refused = false;
  double score = 0;
  for (const QueryTerm& term : query.terms) {
    double df = 0;
    double cf = 0;
    for (const auto& words : documents) {
      df += count(words, term.term) > 0 ? 1 : 0;
      cf += count(words, term.term);
    }
    const double tf = count(documents[document], term.term);
    if (term.occur == Occur::kMustNot) {
      refused |= tf > 0;
      continue;
    }
    const bool required = term.occur == Occur::kMust || settings.mode == QueryMode::kAnd;
    refused |= required && tf == 0;
    if (tf == 0) continue;
    found = true;
    const double k1 = settings.scorer.k1;
    const double b = settings.scorer.b;
    const double mu = settings.scorer.mu;
    if (settings.scorer.kind == ScorerKind::kQueryLikelihood) {
      const double likelihood =
          std::log(1 + tf / (mu * cf / tokens)) + std::log(mu / (length + mu));
      score += likelihood > 0     ? likelihood
               : likelihood >= -8 ? (16 + likelihood) / std::pow(2, 90)
                                  : 64 / -likelihood / std::pow(2, 90);
    } else {
      const double idf = std::log(1 + (n - df + 0.5) / (df + 0.5));
      score += idf * tf / (tf + k1 * (1 - b + b * length / (tokens / n)));
    }
  }
  return {found && !refused, score};
}

TEST(Oracle, AgreesWithTheDefinitionOnRandomCollections) {
  auto random = test::generator(11);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  const std::string alphabet = "abcdefgh";
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<std::string>> documents(below(20));
    Collection collection;
    for (auto& words : documents) {
      for (std::uint64_t left = below(9); left > 0; --left) {
        words.emplace_back(1, alphabet[std::min(below(8), below(8))]);
      }
      const std::vector<std::string_view> terms(words.begin(), words.end());
      collection.add_document(terms);
    }
    std::string text;
    for (std::uint64_t left = below(6); left > 0; --left) {
      static constexpr const char* kSigns[] = {"", "", "", "+", "-"};
      text += std::string(kSigns[below(5)]) + alphabet[below(8)] + ' ';
    }
    SearchSettings settings = in_mode(below(2) == 0 ? QueryMode::kAnd : QueryMode::kOr);
    settings.scorer.kind = below(2) == 0 ? ScorerKind::kBm25 : ScorerKind::kQueryLikelihood;
    settings.scorer.mu = 5;
    const Query query = query_from(text);
    const Ranking ranking = rank(collection, query, settings);
    std::size_t matches = 0;
    for (std::uint32_t document = 0; document < documents.size(); ++document) {
      const Literal literal = judge(documents, document, query, settings);
      const std::int64_t place = ranking.place[document];
      ASSERT_EQ(place >= 0, literal.matches) << text << " document " << document;
      if (!literal.matches) continue;
      ++matches;
      EXPECT_NEAR(ranking.documents[static_cast<std::size_t>(place)].score, literal.score, 1e-12)
          << text << " document " << document;
    }
    ASSERT_EQ(ranking.documents.size(), matches);
    for (std::size_t i = 1; i < matches; ++i) {
      EXPECT_GE(ranking.documents[i - 1].score, ranking.documents[i].score) << text;
    }
  }
}

// PISA's tiny collection comes with the list of its terms.
TEST(Oracle, ReadsPisasTinyCollection) {
  WARPDEX_NEEDS_DATA("peers/pisa-tiny");
  const std::filesystem::path folder = test::data_folder() / "peers" / "pisa-tiny";
  Collection collection;
  std::istringstream lines(test::read_file(folder / "tiny.plaintext"));
  for (std::string line; std::getline(lines, line);) {
    std::string text = line.substr(line.find(' '));
    for (char& c : text)
      c = std::isalnum(static_cast<unsigned char>(c)) != 0
              ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
              : ' ';
    add_text(collection, text);
  }
  EXPECT_EQ(collection.documents(), 5U);
  EXPECT_EQ(collection.terms(), split(test::read_file(folder / "tiny.fwd.terms")));
  // Lengths 59, 59, 59, 51, 67; both words are in 0, 1 and 3, "felis" twice in 0. idf of both
  // ln(1 + 2.5/3.5) = 0.538996501; 0.9 (0.6 + 0.4 len / 59) is 0.9 in 0 and 1, 0.851186441 in 3.
  expect_ranking(rank(collection, query_from("felis molestie"), in_mode(QueryMode::kAnd)),
                 {{0, 0.371721725 + 0.283682369}, {3, 2 * 0.291162732}, {1, 2 * 0.283682369}},
                 "felis molestie");
}

}  // namespace
}  // namespace warpdex::reference
