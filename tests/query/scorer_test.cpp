// Scorers against the formulas in double, typed anew, and examples worked out by hand.
#include "warpdex/query/scorer.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "scorers/base/likelihood_part.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Everything that one posting's score depends on.
struct Case {
  ScorerSettings settings = {};
  std::uint64_t documents = 0, tokens = 0, df = 0, cf = 0;
  std::uint32_t multiplicity = 1, tf = 1, length = 1;
};

float score(const Case& c) {
  return make_term_scorer(c.settings, {.documents = c.documents, .tokens = c.tokens}, c.df, c.cf,
                          static_cast<float>(c.multiplicity))(c.tf, c.length);
}

/// A length as Lucene's norms keep it: from 24 on, four binary digits of what is above.
std::uint32_t lucene_length(std::uint32_t length) {
  std::uint32_t step = 1;
  while (length >= 24 && (length - 24) / step > 15) step *= 2;
  return length - (length < 24 ? 0 : (length - 24) % step);
}

/// The formulas as the literature writes them.
double reference_score(const Case& c) {
  const long double n = c.documents, df = c.df, tf = c.tf, m = c.multiplicity;
  const bool is_rounded = c.settings.kind == ScorerKind::kBm25Lucene;
  const long double len = is_rounded ? lucene_length(c.length) : c.length;
  const long double k1 = c.settings.k1, b = c.settings.b, mu = c.settings.mu;
  const long double p = static_cast<long double>(c.cf) / c.tokens;
  const long double average = c.tokens / n;
  const auto cut = [m](long double value) {
    if (value > 0) return static_cast<double>(m * value);
    const long double part = value < -8 ? -64 / value : 16 + value;
    return static_cast<double>(m * part / std::pow(2.0L, 90));
  };
  if (c.settings.kind == ScorerKind::kQueryLikelihood) {
    return cut(std::log(1 + tf / (mu * p)) + std::log(mu / (len + mu)));
  }
  if (c.settings.kind == ScorerKind::kJelinekMercer) {
    const long double lambda = c.settings.jm_lambda;
    return static_cast<double>(m * std::log1p((1 - lambda) * tf / len / (lambda * p)));
  }
  if (c.settings.kind == ScorerKind::kPl2) {
    const long double pi = std::acos(-1.0L), expected = c.cf / n;
    const long double tfn = tf * std::log2(1 + c.settings.pl2_c * average / len);
    // -log2 of Poisson's probability of tfn, with Stirling's formula for its factorial.
    const long double information = tfn * std::log2(tfn / expected) +
                                    (expected - tfn) / std::log(2.0L) + std::log2(2 * pi * tfn) / 2;
    return cut(information / (tfn + 1));
  }
  const long double saturated = tf / (tf + k1 * (1 - b + b * len / average));
  if (c.settings.kind == ScorerKind::kBm25Plus) {
    return static_cast<double>(m * std::log((n + 1) / df) *
                               ((k1 + 1) * saturated + c.settings.delta));
  }
  const long double ratio = (n - df + 0.5L) / (df + 0.5L);
  if (is_rounded || c.settings.form == Bm25Form::kLucene) {
    return static_cast<double>(m * std::log(1 + ratio) * saturated);
  }
  return static_cast<double>(m * std::max(1e-6L, std::log(ratio)) * (k1 + 1) * saturated);
}

Case random_case(std::mt19937_64& random) {
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  Case c;
  constexpr std::array kKinds{ScorerKind::kBm25,     ScorerKind::kQueryLikelihood,
                              ScorerKind::kBm25Plus, ScorerKind::kJelinekMercer,
                              ScorerKind::kPl2,      ScorerKind::kBm25Lucene};
  c.settings.kind = kKinds[pick(0, kKinds.size() - 1)];
  c.settings.delta = static_cast<float>(pick(0, 20)) / 10.F;
  c.settings.jm_lambda = static_cast<float>(pick(1, 100)) / 100.F;
  c.settings.pl2_c = static_cast<float>(pick(1, 100)) / 10.F;
  c.settings.form = pick(0, 1) == 0 ? Bm25Form::kLucene : Bm25Form::kPisa;
  c.settings.k1 = static_cast<float>(pick(0, 30)) / 10.F;
  c.settings.b = static_cast<float>(pick(0, 10)) / 10.F;
  c.settings.mu = static_cast<float>(pick(1, 30'000)) / 10.F;
  c.documents = pick(1, std::uint64_t{1} << pick(1, 27));
  c.tokens = c.documents * pick(1, 1000) + pick(0, 100);
  c.df = pick(1, c.documents);
  c.tf = static_cast<std::uint32_t>(pick(1, std::uint64_t{1} << pick(0, 16)));
  c.cf = c.df + c.tf;
  c.multiplicity = static_cast<std::uint32_t>(pick(1, 5));
  c.length = static_cast<std::uint32_t>(c.tf + pick(0, std::uint64_t{1} << pick(0, 20)));
  return c;
}

TEST(Scorer, AgreesWithTheFormulasInDouble) {
  auto random = test::generator(1);
  for (int i = 0; i < 20'000; ++i) {
    const Case c = random_case(random);
    const double expected = reference_score(c);
    // Some subtract logarithms of up to 25: absolute, not relative, accuracy.
    const bool is_bm25 = c.settings.kind == ScorerKind::kBm25 ||
                         c.settings.kind == ScorerKind::kBm25Plus ||
                         c.settings.kind == ScorerKind::kBm25Lucene;
    const double slack = is_bm25 ? 0.0 : 1e-5 * c.multiplicity;
    ASSERT_NEAR(score(c), expected, 1e-6 * expected + slack)
        << "case " << i << " of " << scorer_name(c.settings.kind) << ": N " << c.documents << " df "
        << c.df << " tf " << c.tf << " len " << c.length << " k1 " << c.settings.k1 << " b "
        << c.settings.b;
  }
}

TEST(Scorer, Bm25ByHand) {
  // Three documents of lengths 6, 4, 6 (average 16/3); a term in two of them, twice in a document
  // of length 6. idf = ln(1 + 1.5/2.5) = 0.47000363; denominator 2 + 0.9·(0.6 + 0.4·1.125) = 2.945.
  Case c{.documents = 3, .tokens = 16, .df = 2, .cf = 3, .tf = 2, .length = 6};
  EXPECT_NEAR(score(c), 0.47000363 * 2 / 2.945, 1e-7);
  c.multiplicity = 3;
  EXPECT_NEAR(score(c), 3 * 0.47000363 * 2 / 2.945, 3e-7);
  // PISA: ln(1.5/2.5) is negative, so the floor of 1e-6 stands; a rarer term: ln(2.5/1.5).
  c.multiplicity = 1;
  c.settings.form = Bm25Form::kPisa;
  EXPECT_NEAR(score(c), 1e-6 * 1.9 * 2 / 2.945, 1e-12);
  c.df = 1;
  EXPECT_NEAR(score(c), 0.51082562 * 1.9 * 2 / 2.945, 1e-7);
}

TEST(Scorer, QueryLikelihoodByHand) {
  // p = 4/1000, µ·p = 2: ln(1 + 3/2) + ln(500/(100 + 500)) = 0.91629073 − 0.18232156.
  Case c{.documents = 10, .tokens = 1000, .df = 2, .cf = 4, .tf = 3, .length = 100};
  c.settings.kind = ScorerKind::kQueryLikelihood;
  c.settings.mu = 500;
  EXPECT_NEAR(score(c), 0.73396917, 1e-6);
  c.multiplicity = 2;
  EXPECT_NEAR(score(c), 2 * 0.73396917, 2e-6);
  // So long a document would lower the score: log 2.5 + log(500/100500) = -4.38701446, which counts
  // 2 * (16 - 4.38701446) / 2^90.
  c.length = 100'000;
  EXPECT_NEAR(score(c) * 0x1p90, 2 * 11.61298554, 1e-5);
  c.length = 2'000'000'000;  // -14.2855144, so 2 * 64 / 14.2855144
  EXPECT_NEAR(score(c) * 0x1p90, 8.9601253, 1e-5);
}

// Documents that Dirichlet smoothing would give a score below 0 keep the order of what it would
// give them, and stay below all others.
TEST(Scorer, QueryLikelihoodTellsDocumentsApartThatItCuts) {
  const TermScorer scorer{ScorerKind::kQueryLikelihood, 1.F, 0.01F, 1000.F};
  float before = scorer(1, 1000);
  for (std::uint32_t length = 2000; length < 2'000'000'000; length += length / 2) {
    const float here = scorer(1, length);
    ASSERT_LT(here, before) << length;
    ASSERT_LT(here, 1e-25F);
    ASSERT_GT(here, 0.F);
    EXPECT_GT(scorer(2, length), here) << length;
    before = here;
  }
  // Beside a score above 0 such a term is lost to rounding: 1 % above the mean is 0.005.
  EXPECT_EQ(scorer(21, 200) + 1000 * scorer(1, 2000), scorer(21, 200));
  // The slightest logarithm above 0 is above all of the others.
  EXPECT_GT(likelihood_part(0x1p-24F), 1000 * likelihood_part(0.F));
}

// Over all logarithms that a float can be: never 0 or falling, with the smallest weight as well.
TEST(Scorer, LikelihoodPartsRiseWithTheLogarithm) {
  EXPECT_EQ(likelihood_part(-kInfinity), 0.F);
  float before = 0;
  for (double logarithm = -150; logarithm < 1; logarithm += 1e-4) {
    const float part = likelihood_part(static_cast<float>(logarithm));
    ASSERT_GT(part, before) << logarithm;
    ASSERT_GE(part * 1e-9F, std::numeric_limits<float>::min());
    before = part;
  }
  EXPECT_EQ(likelihood_part(-8.F), 8 * 0x1p-90F);
  EXPECT_LE(likelihood_part(std::nextafter(-8.F, -9.F)), likelihood_part(-8.F));
  EXPECT_EQ(likelihood_part(0.F), 16 * 0x1p-90F);
  EXPECT_EQ(likelihood_part(0.25F), 0.25F);
}

// Bounds by frequency hold where rounding counts for all of a score.
TEST(Scorer, TheLargestLikelihoodIsNotExceeded) {
  auto random = test::generator(3);
  for (int i = 0; i < 20'000; ++i) {
    const TermScorer scorer{ScorerKind::kQueryLikelihood,
                            std::ldexp(1.F, static_cast<int>(random() % 61) - 30),
                            std::ldexp(1.F, -static_cast<int>(random() % 60)), 1e6F};
    const auto largest = static_cast<std::uint32_t>(1 + random() % (1U << random() % 20));
    const float bound = largest_score(scorer, largest);
    for (const std::uint32_t frequency : {1U, largest / 2 + 1, largest}) {
      ASSERT_LE(scorer(frequency, static_cast<std::uint32_t>(random() % 100)), bound) << scorer.c0;
    }
  }
}

TEST(Scorer, TheConstantsAreRoundedOnce) {
  const ScorerSettings settings;
  const CollectionStatistics statistics{.documents = 204'648, .tokens = 63'500'000};
  const TermScorer scorer = make_term_scorer(settings, statistics, 1234, 5678, 2);
  const double k1 = 0.9F, b = 0.4F;
  EXPECT_EQ(scorer.c0, static_cast<float>(k1 * (1 - b)));
  EXPECT_EQ(scorer.c1, static_cast<float>(k1 * b / (63'500'000.0 / 204'648)));
  EXPECT_FLOAT_EQ(scorer.weight, static_cast<float>(2 * std::log(1 + 203'414.5 / 1234.5)));
}

// What the bounds and seeds of an index rest on.
TEST(Scorer, RisesWithFrequencyAndFallsWithLength) {
  auto random = test::generator(2);
  for (int i = 0; i < 2000; ++i) {
    Case c = random_case(random);
    if (c.settings.kind == ScorerKind::kPl2) continue;
    const float here = score(c);
    ASSERT_GE(here, 0.F);
    Case more = c;
    more.tf = c.tf * 2;
    ASSERT_GE(score(more), here);
    Case longer = c;
    longer.length = c.length * 2;
    ASSERT_LE(score(longer), here);
  }
}

// Where more occurrences than a document's are expected, more of them lower the score.
TEST(Scorer, Pl2IsNotMonotone) {
  Case c{.documents = 100, .tokens = 50'000, .df = 90, .cf = 2000, .length = 500};
  c.settings.kind = ScorerKind::kPl2;
  const float once = score(c);
  c.tf = 20;  // as many as are expected
  const float expected = score(c);
  EXPECT_LT(expected, once);
  c.tf = 200;
  EXPECT_GT(score(c), expected);
}

TEST(Scorer, Pl2ByHand) {
  // tfn = 3 log2(1 + 2 * 100 / 50) = 6.96578428; lambda = 50 / 100.
  // (6.96578428 log2(6.96578428 / 0.5) + (0.5 - 6.96578428) log2(e) + log2(2 pi 6.96578428) / 2) /
  // 7.96578428 = (26.47197 - 9.32815 + 2.72589) / 7.96578 = 2.49438.
  Case c{.documents = 100, .tokens = 10'000, .df = 20, .cf = 50, .tf = 3, .length = 50};
  c.settings.kind = ScorerKind::kPl2;
  c.settings.pl2_c = 2;
  EXPECT_NEAR(score(c), 2.49438177, 1e-6);
}

TEST(Scorer, Bm25PlusByHand) {
  // idf = ln(4 / 2); 2.2 * 2 / (2 + 1.2 * (0.25 + 0.75 * 6 / 8)) + 0.5 = 4.4 / 2.975 + 0.5.
  Case c{.documents = 3, .tokens = 24, .df = 2, .cf = 3, .tf = 2, .length = 6};
  c.settings = {.kind = ScorerKind::kBm25Plus, .k1 = 1.2F, .b = 0.75F, .delta = 0.5F};
  EXPECT_NEAR(score(c), 0.69314718 * (4.4 / 2.975 + 0.5), 1e-6);
}

TEST(Scorer, LuceneKeepsLengthsInFourDigits) {
  // Of 100, 76 is above 24: 1001100 in binary, of which 1001000 is kept: 96. Of 1000, 976 becomes
  // 960: 984. 40 and 41: 16 is kept of 16 and of 17.
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 9> kKept{
      {{0, 0}, {23, 23}, {24, 24}, {39, 39}, {40, 40}, {41, 40}, {42, 42}, {100, 96}, {1000, 984}}};
  Case c{.documents = 100, .tokens = 5'000, .df = 7, .cf = 9, .tf = 2};
  for (const auto& [length, kept] : kKept) {
    c.settings.kind = ScorerKind::kBm25Lucene;
    c.length = length;
    const float rounded = score(c);
    c.settings.kind = ScorerKind::kBm25;
    c.length = kept;
    EXPECT_EQ(rounded, score(c)) << length;
  }
}

TEST(Scorer, JelinekMercerByHand) {
  // ln(1 + 0.9 * 3 / 100 / (0.1 * 4 / 1000)) = ln(68.5).
  Case c{.documents = 10, .tokens = 1000, .df = 2, .cf = 4, .tf = 3, .length = 100};
  c.settings.kind = ScorerKind::kJelinekMercer;
  EXPECT_NEAR(score(c), 4.22683375, 1e-5);
}

TEST(Scorer, NoScoreIsAboveTheLargest) {
  auto random = test::generator(4);
  for (int i = 0; i < 20'000; ++i) {
    const Case c = random_case(random);
    const TermScorer scorer =
        make_term_scorer(c.settings, {c.documents, c.tokens}, c.df, c.cf, 1.5F);
    const float largest = largest_score(scorer, c.tf);
    for (const std::uint32_t tf : {1U, c.tf / 2 + 1, c.tf}) {
      for (const std::uint32_t length : {1U, c.length / 2 + 1, c.length}) {
        ASSERT_LE(scorer(tf, length), largest) << scorer_name(c.settings.kind) << " case " << i;
      }
    }
  }
}

TEST(Scorer, ZeroK1CountsPresenceAlone) {
  Case c{.documents = 100, .tokens = 5000, .df = 7, .cf = 9};
  c.settings.k1 = 0;
  const float once = score(c);
  EXPECT_NEAR(once, std::log(1 + 93.5 / 7.5), 1e-6);
  c.tf = 9;
  c.length = 4000;
  EXPECT_EQ(score(c), once);
}

TEST(Scorer, EdgesStayFinite) {
  for (const auto kind : {ScorerKind::kBm25, ScorerKind::kQueryLikelihood, ScorerKind::kBm25Plus,
                          ScorerKind::kJelinekMercer, ScorerKind::kPl2, ScorerKind::kBm25Lucene}) {
    for (const auto form : {Bm25Form::kLucene, Bm25Form::kPisa}) {
      for (const float extreme : {0.F, 1e-45F, 1e-38F, 1.F, 1e30F, 3.4e38F}) {
        for (const std::uint64_t tokens : {0ULL, 1ULL, 1'000'000'000'000ULL}) {
          for (const std::uint64_t documents : {0ULL, 1ULL, 100'000'000ULL}) {
            ScorerSettings settings{.kind = kind, .form = form, .k1 = extreme};
            settings.delta = extreme;
            if (extreme > 0.F) settings.mu = settings.pl2_c = extreme;
            if (extreme > 0.F && extreme <= 1.F) settings.jm_lambda = extreme;
            EXPECT_NO_THROW(settings.validate());
            for (const std::uint64_t df : {0ULL, 1ULL, 100'000'000ULL, 1ULL << 40}) {
              const auto scorer = make_term_scorer(settings, {documents, tokens}, df, df, 3);
              for (const std::uint32_t tf : {1U, 4'294'967'295U}) {
                for (const std::uint32_t length : {0U, 1U, 4'294'967'295U}) {
                  const float value = scorer(tf, length);
                  ASSERT_TRUE(std::isfinite(value) && value >= 0.F)
                      << value << " of extreme " << extreme << " tokens " << tokens << " N "
                      << documents << " df " << df << " tf " << tf << " len " << length;
                }
              }
            }
          }
        }
      }
    }
  }
}

TEST(Scorer, ImpactsAreTakenAsOftenAsTheQueryHasTheTerm) {
  const TermScorer scorer =
      make_term_scorer({.kind = ScorerKind::kImpact}, {1000, 5000}, 10, 20, 3);
  EXPECT_EQ(scorer(255, 0), 765.0F);
  EXPECT_EQ(scorer(1, 77), 3.0F);
}

TEST(Scorer, IsThatOfTheIndexWhereItHoldsImpacts) {
  IndexSettings of_impacts;
  of_impacts.impacts.emplace();
  for (const ScorerKind kind :
       {ScorerKind::kBm25, ScorerKind::kQueryLikelihood, ScorerKind::kImpact}) {
    EXPECT_EQ(effective_scorer(of_impacts, {.kind = kind}).kind, ScorerKind::kImpact);
  }
  const ScorerSettings bm25{.k1 = 1.5F};
  EXPECT_EQ(effective_scorer({}, bm25).kind, ScorerKind::kBm25);
  EXPECT_EQ(effective_scorer({}, bm25).k1, 1.5F);
  EXPECT_THROW(effective_scorer({}, {.kind = ScorerKind::kImpact}), UsageError);
}

TEST(Scorer, NamesAndTheirErrors) {
  EXPECT_EQ(scorer_from_name("bm25"), ScorerKind::kBm25);
  for (const ScorerKind kind : named_scorers()) {
    EXPECT_EQ(scorer_from_name(scorer_name(kind)), kind);
  }
  EXPECT_EQ(scorer_from_name("qld"), ScorerKind::kQueryLikelihood);
  EXPECT_EQ(scorer_from_name("bm25+"), ScorerKind::kBm25Plus);
  EXPECT_EQ(scorer_from_name("qljm"), ScorerKind::kJelinekMercer);
  EXPECT_EQ(scorer_from_name("pl2"), ScorerKind::kPl2);
  EXPECT_EQ(scorer_from_name("bm25-lucene"), ScorerKind::kBm25Lucene);
  EXPECT_THROW(scorer_from_name("impact"), UsageError);
  EXPECT_EQ(bm25_form_from_name("lucene"), Bm25Form::kLucene);
  EXPECT_EQ(bm25_form_from_name("pisa"), Bm25Form::kPisa);
  EXPECT_THROW(scorer_from_name("tfidf"), UsageError);
  EXPECT_THROW(scorer_from_name(""), UsageError);
  EXPECT_THROW(bm25_form_from_name("BM25"), UsageError);
}

/// The message that validate() throws, or "" if it takes the settings.
template <typename Settings>
std::string complaint(const Settings& settings) {
  try {
    settings.validate();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Scorer, RefusesSettingsOutOfRange) {
  EXPECT_EQ(complaint(ScorerSettings{}), "");
  EXPECT_EQ(complaint(ScorerSettings{.k1 = 0, .b = 0}), "");
  EXPECT_EQ(complaint(ScorerSettings{.k1 = 1000, .b = 1}), "");
  for (const float k1 : {-0.1F, kInfinity, -kInfinity, kNan}) {
    EXPECT_EQ(complaint(ScorerSettings{.k1 = k1}).substr(0, 6), "k1 is ");
  }
  for (const float b : {-0.1F, 1.0001F, kInfinity, kNan}) {
    EXPECT_EQ(complaint(ScorerSettings{.b = b}).substr(0, 5), "b is ");
  }
  EXPECT_THAT(complaint(ScorerSettings{.k1 = -1.5F}), testing::HasSubstr("k1 is -1.5;"));
  for (const float mu : {0.F, -1.F, kInfinity, kNan}) {
    EXPECT_EQ(complaint(ScorerSettings{.mu = mu}).substr(0, 6), "mu is ");
  }
}

TEST(Scorer, RefusesOtherSettingsOutOfRange) {
  for (const float delta : {-0.1F, kInfinity, kNan}) {
    EXPECT_EQ(complaint(ScorerSettings{.delta = delta}).substr(0, 9), "delta is ");
  }
  for (const float lambda : {0.F, 1.0001F, -1.F, kNan}) {
    EXPECT_EQ(complaint(ScorerSettings{.jm_lambda = lambda}).substr(0, 13), "jm_lambda is ");
  }
  for (const float c : {0.F, -1.F, kInfinity, kNan}) {
    EXPECT_EQ(complaint(ScorerSettings{.pl2_c = c}).substr(0, 9), "pl2_c is ");
  }
}

TEST(Scorer, SettingsAreReadByThoseThatNameThem) {
  const auto readers = [](std::string_view name) {
    std::vector<std::string_view> found;
    for (const ScorerOption& option : scorer_options()) {
      if (option.name != name) continue;
      for (const ScorerKind kind : named_scorers()) {
        if (reads_option(kind, option)) found.push_back(scorer_name(kind));
      }
    }
    return found;
  };
  EXPECT_THAT(readers("k1"), testing::ElementsAre("bm25", "bm25+", "bm25-lucene"));
  EXPECT_THAT(readers("bm25_form"), testing::ElementsAre("bm25"));
  EXPECT_THAT(readers("mu"), testing::ElementsAre("qld"));
  EXPECT_THAT(readers("delta"), testing::ElementsAre("bm25+"));
  EXPECT_THAT(readers("jm_lambda"), testing::ElementsAre("qljm"));
  EXPECT_THAT(readers("pl2_c"), testing::ElementsAre("pl2"));
}

TEST(SearchSettings, RefusesKOutOfRangeAndItsScorersSettings) {
  EXPECT_EQ(complaint(SearchSettings{}), "");
  EXPECT_EQ(complaint(SearchSettings{.k = 1, .scorer = {}}), "");
  EXPECT_EQ(complaint(SearchSettings{.k = kMaxK, .scorer = {}}), "");
  EXPECT_EQ(complaint(SearchSettings{.k = 0, .scorer = {}}),
            "k is 0; ask for 1 to 10000 documents");
  EXPECT_NE(complaint(SearchSettings{.k = kMaxK + 1, .scorer = {}}), "");
  EXPECT_NE(complaint(SearchSettings{.scorer = {.b = 2}}), "");
}

TEST(QueryMode, Names) {
  for (const auto mode : {QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr}) {
    EXPECT_EQ(query_mode_from_name(query_mode_name(mode)), mode);
  }
  EXPECT_EQ(query_mode_name(QueryMode::kAndOr), "and-or");
  EXPECT_THROW(query_mode_from_name("AND"), UsageError);
  EXPECT_THROW(query_mode_from_name(""), UsageError);
}

}  // namespace
}  // namespace warpdex
