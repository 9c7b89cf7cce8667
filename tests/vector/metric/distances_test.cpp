// Every distance against a plain one, and what is refused.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>

#include "metric/angle.hpp"
#include "tests/support.hpp"
#include "tests/vector/metric/reference.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/metric/levenshtein.hpp"
#include "warpdex/vector/metric/objects.hpp"

namespace warpdex::metric {

using Strings = std::vector<std::string>;

namespace {

std::string draw_text(std::mt19937_64& random, std::size_t length, const Strings& alphabet) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += alphabet[random() % alphabet.size()];
  return text;
}

TEST(Levenshtein, IsThatOfTheTable) {
  auto random = test::generator(1);
  const Strings letters{"a", "b", "c", "\xFF"};
  // Code points of each length, one that shares its last byte with another, and stray bytes.
  const Strings points{"a", "é", "ĩ", "€", "😀", "\xFF", "\xC3", "\xE2\x82"};
  const std::size_t lengths[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200};
  for (const std::size_t m : lengths) {
    for (const std::size_t n : lengths) {
      for (const TextUnit unit : {TextUnit::kBytes, TextUnit::kCodePoints}) {
        const Strings& alphabet = unit == TextUnit::kBytes ? letters : points;
        const std::string a = draw_text(random, m, alphabet);
        std::string b = draw_text(random, n, alphabet);
        // Sometimes a near one.
        if (random() % 2 == 0) b = (a + b).substr(std::min<std::size_t>(random() % 3, a.size()), n);
        const std::uint32_t expected =
            reference::levenshtein(text_units(a, unit), text_units(b, unit));
        LevenshteinFrom from(a, unit);
        ASSERT_EQ(from.to(b), expected) << m << " by " << n;
        for (const std::uint32_t limit : {0U, 1U, expected - 1, expected, expected + 1}) {
          if (limit == ~0U) continue;
          ASSERT_EQ(from.to(b, limit), std::min(expected, limit + 1)) << "limit " << limit;
        }
      }
    }
  }
}

TEST(Levenshtein, KnownValues) {
  EXPECT_EQ(LevenshteinFrom("kitten").to("sitting"), 3U);
  EXPECT_EQ(LevenshteinFrom("").to(""), 0U);
  EXPECT_EQ(LevenshteinFrom("é").to("e"), 2U);
  EXPECT_EQ(LevenshteinFrom("é", TextUnit::kCodePoints).to("e"), 1U);
  EXPECT_EQ(LevenshteinFrom("\xE9", TextUnit::kCodePoints).to("é"), 1U) << "a stray byte";
}

TEST(Utf8, IsWhatTheStandardTakes) {
  for (const char* const good : {"", "a", "é", "€", "😀", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  // Stray, cut short, overlong, a surrogate, past the last code point.
  for (const char* const bad : {"\x80", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80",
                                "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xE2\x82"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
}

TEST(TextDistances, HammingAndJaccard) {
  auto random = test::generator(2);
  for (const std::size_t length : {0, 1, 31, 33, 300}) {
    Strings texts;
    for (int i = 0; i < 20; ++i) texts.push_back(draw_text(random, length, {"a", "b", "c"}));
    const Objects objects({.distance = DistanceKind::kHamming}, texts, "texts");
    const auto space = make_space(objects.view());
    for (const std::string& query : texts) {
      const auto from = space->from_text(query);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        float expected = 0;
        for (std::size_t c = 0; c < length; ++c) expected += query[c] == texts[i][c] ? 0.F : 1.F;
        EXPECT_EQ(from->to(i), expected);
      }
    }
    EXPECT_THROW(space->from_text(std::string(length + 1, 'a')), InputError);
    EXPECT_THROW(space->from_vector(std::vector<float>{1}), UsageError);
  }
  Strings sets{"", " \t", "a", "a a  a", "b a"};
  for (int i = 0; i < 50; ++i) {
    sets.push_back(draw_text(random, random() % 20, {"a ", "b\t", "cc ", "d", "é "}));
  }
  const Objects objects({.distance = DistanceKind::kJaccard}, std::span(sets).first(40), "sets");
  const auto space = make_space(objects.view());
  for (const std::string& query : sets) {
    const auto from = space->from_text(query);
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_FLOAT_EQ(from->to(i), static_cast<float>(reference::jaccard(query, sets[i])))
          << "'" << query << "' and '" << sets[i] << "'";
    }
  }
}

TEST(VectorDistances, AreThoseOfDoubles) {
  auto random = test::generator(3);
  std::normal_distribution<float> normal(0, 1);
  for (const std::size_t dimension : {1, 2, 31, 32, 33, 100}) {
    std::vector<float> rows(20 * dimension);
    for (float& value : rows) value = normal(random);
    const auto row = [&](std::size_t i) {
      return std::span<const float>(rows).subspan(i * dimension, dimension);
    };
    for (const DistanceKind kind : {DistanceKind::kL1, DistanceKind::kL2, DistanceKind::kAngular}) {
      const Objects objects({.distance = kind, .dimension = dimension}, rows, "rows");
      const auto space = make_space(objects.view());
      for (std::size_t q = 0; q < 20; ++q) {
        const auto from = space->from_vector(row(q));
        for (std::size_t i = 0; i < 20; ++i) {
          const double expected = kind == DistanceKind::kL1   ? reference::l1(row(q), row(i))
                                  : kind == DistanceKind::kL2 ? reference::l2(row(q), row(i))
                                                              : reference::angular(row(q), row(i));
          EXPECT_NEAR(from->to(i), expected, 1e-3 * (1 + expected)) << distance_name(kind);
        }
        EXPECT_EQ(from->to(q), 0);
      }
      EXPECT_THROW(space->from_vector(std::vector<float>(dimension + 1)), InputError);
      EXPECT_THROW(space->from_text("a"), UsageError);
    }
  }
}

TEST(Angle, IsThatOfTheArcSine) {
  auto random = test::generator(4);
  std::vector<float> chords{0, 1e-30F, 1, std::nextafter(1.0F, 2.0F), std::nextafter(2.0F, 0.0F),
                            2};
  std::uniform_real_distribution<float> any(0, 2);
  for (int i = 0; i < 10'000; ++i) chords.push_back(any(random));
  for (const float chord : chords) {
    EXPECT_FLOAT_EQ(angle_of_chord(chord), static_cast<float>(2 * std::asin(double{chord} / 2)));
  }
  EXPECT_EQ(angle_of_chord(2.5F), angle_of_chord(2));
}

TEST(QueryObjects, AreOfTheKindOfTheObjects) {
  const std::vector<float> rows{1, 2, 3, 4};
  const ObjectSettings texts;
  const ObjectSettings vectors{.distance = DistanceKind::kL2, .dimension = 2};
  EXPECT_EQ((QueryObjects{{"a", "b", ""}, {}}.size(texts)), 3U);
  EXPECT_EQ((QueryObjects{{}, rows}.size(vectors)), 2U);
  EXPECT_EQ(QueryObjects().size(texts), 0U);
  EXPECT_EQ(QueryObjects().size(vectors), 0U);
  EXPECT_THROW((QueryObjects{{}, rows}.size(texts)), UsageError);
  EXPECT_THROW((QueryObjects{{"a"}, {}}.size(vectors)), UsageError);
  EXPECT_THROW((QueryObjects{{}, std::span(rows).first(3)}.size(vectors)), UsageError);
}

TEST(Queries, AreHandedOnCheckedAndNamed) {
  const test::TemporaryFolder folder(test::place_in_memory());
  test::write_file(folder / "queries.txt", "ab\ncd\n\nef\n");
  const std::vector<std::string> words{"xy"};
  const Objects objects({.distance = DistanceKind::kHamming}, words, "words");
  const auto space = make_space(objects.view());
  const Queries queries(folder / "queries.txt", objects.view().settings);
  EXPECT_THAT(queries.objects(*space, 0, 2).texts, testing::ElementsAre("ab", "cd"));
  EXPECT_TRUE(queries.objects(*space, 3, 0).texts.empty());
  try {
    queries.objects(*space, 1, 3);
    ADD_FAILURE() << "taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("line 3 of '"));
    EXPECT_THAT(error.what(), testing::HasSubstr("has 0 bytes"));
  }
}

TEST(Objects, RefusesWhatADistanceDoesNotTake) {
  const auto refused = [](const ObjectSettings& settings, const Strings& texts,
                          const std::string& part) {
    try {
      const Objects objects(settings, texts, "'a.txt'");
      ADD_FAILURE() << "taken, but not: " << part;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(part));
    }
  };
  refused({.distance = DistanceKind::kHamming}, {"ab", "cd", "e"}, "line 3 of 'a.txt' has 1 bytes");
  refused({.unit = TextUnit::kCodePoints}, {"é", "\xFF"}, "line 2 of 'a.txt' is not UTF-8");
  refused({}, {}, "no objects");
  EXPECT_THROW(Objects({.distance = DistanceKind::kAngular, .dimension = 2}, {1, 0, 0, 0}, "rows"),
               InputError);
}

}  // namespace
}  // namespace warpdex::metric
