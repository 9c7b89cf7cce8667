// What every analyzer refuses, and the analyzer "whitespace".
#include <optional>

#include "tests/indexer/analysis_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex {
namespace {

using Terms = std::vector<std::string>;
using analysis::find_invalid_utf8;
using test::terms_of;

/// Length of the well-formed sequence at the start of `bytes` by Unicode's table 3-7, or 0.
std::size_t sequence_length(std::string_view bytes) {
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u;
  };
  const auto in = [&](std::size_t i, unsigned low, unsigned high) {
    return byte(i) >= low && byte(i) <= high;
  };
  if (in(0, 0x00, 0x7F)) return 1;
  if (in(0, 0xC2, 0xDF)) return in(1, 0x80, 0xBF) ? 2 : 0;
  if (in(0, 0xE0, 0xEF)) {
    const unsigned low = byte(0) == 0xE0 ? 0xA0 : 0x80, high = byte(0) == 0xED ? 0x9F : 0xBF;
    return in(1, low, high) && in(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (in(0, 0xF0, 0xF4)) {
    const unsigned low = byte(0) == 0xF0 ? 0x90 : 0x80, high = byte(0) == 0xF4 ? 0x8F : 0xBF;
    return in(1, low, high) && in(2, 0x80, 0xBF) && in(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

std::size_t reference_invalid(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return text.size();
}

std::optional<std::string> refusal(const std::string& analyzer, std::string_view text) {
  try {
    std::vector<std::string_view> terms;
    make_analyzer(analyzer)->analyze(text, terms);
  } catch (const InputError& error) {
    return error.what();
  }
  return std::nullopt;
}

TEST(InvalidUtf8, IsRefusedByEveryAnalyzerWithItsOffset) {
  using namespace std::string_view_literals;
  const std::vector<std::pair<std::string_view, std::size_t>> texts = {
      {"\x80"sv, 0},                // a continuation byte alone
      {"abc\xBF"sv, 3},             //
      {"abc \xC3"sv, 4},            // cut short
      {"abc \xC3 d"sv, 4},          //
      {"\xE2\x82"sv, 0},            //
      {"é\xF0\x9F\x98"sv, 2},       //
      {"\xC0\x80"sv, 0},            // overlong
      {"\xC1\xBF"sv, 0},            //
      {"x\xE0\x9F\xBF"sv, 1},       //
      {"x\xF0\x8F\xBF\xBF"sv, 1},   //
      {"ab\xED\xA0\x80"sv, 2},      // a surrogate
      {"ab\xF4\x90\x80\x80"sv, 2},  // past U+10FFFF
      {"\xF5\x80\x80\x80"sv, 0},    //
      {"long enough for words of 32 bytes \xFF"sv, 34},
      {"\xFE\xFF"sv, 0},
  };
  for (const auto& [text, offset] : texts) {
    for (const std::string& name : analyzer_names()) {
      const auto message = refusal(name, text);
      ASSERT_TRUE(message.has_value()) << name << ": " << text;
      EXPECT_NE(message->find("at byte " + std::to_string(offset) + " "), std::string::npos)
          << *message;
    }
  }
}

TEST(InvalidUtf8, IsFoundInEverySequenceOfTwoBytes) {
  for (unsigned pair = 0; pair < 65'536; ++pair) {
    const std::string text = {static_cast<char>(pair >> 8), static_cast<char>(pair & 255)};
    ASSERT_EQ(find_invalid_utf8(text), reference_invalid(text)) << pair;
  }
}

TEST(InvalidUtf8, IsFoundInRandomDamage) {
  auto generator = test::generator(4);
  const std::vector<std::string_view> pieces = {
      "a",           "the ASCII run that is longer than 32 bytes", "é", "€", "😀", "\xEF\xBF\xBF",
      "\xED\x9F\xBF"};
  std::uniform_int_distribution<std::size_t> length(1, 30);
  std::uniform_int_distribution<int> byte(0, 255);
  int valid = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string text = test::random_text(generator, pieces, length(generator));
    if (round % 4 != 0) text[generator() % text.size()] = static_cast<char>(byte(generator));
    if (round % 8 == 1) text.resize(generator() % text.size());
    valid += reference_invalid(text) == text.size();
    ASSERT_EQ(find_invalid_utf8(text), reference_invalid(text)) << text;
  }
  EXPECT_GT(valid, 20'000);
}

TEST(AsciiPrefix, EndsAtTheFirstHighByte) {
  for (std::size_t length = 0; length <= 129; ++length) {
    std::string text(length, 'a');
    EXPECT_EQ(analysis::ascii_prefix(text), length);
    for (std::size_t i = 0; i < length; ++i) {
      text[i] = '\x80';
      EXPECT_EQ(analysis::ascii_prefix(text), i);
      text[i] = '\x7F';
    }
  }
}

TEST(WhitespaceAnalyzer, SplitsAtAsciiWhiteSpaceAlone) {
  EXPECT_EQ(terms_of("whitespace", " The  café's\t3.14\r\nfoo_bar,\va\fb "),
            (Terms{"The", "café's", "3.14", "foo_bar,", "a", "b"}));
  EXPECT_EQ(terms_of("whitespace", "a\u00A0b\u3000c\u0085d"), Terms{"a\u00A0b\u3000c\u0085d"});
  EXPECT_EQ(terms_of("whitespace", std::string_view("a\0b c\0", 6)),
            (Terms{std::string("a\0b", 3), std::string("c\0", 2)}));
  EXPECT_EQ(terms_of("whitespace", ""), Terms{});
  EXPECT_EQ(terms_of("whitespace", " \n\t"), Terms{});
}

TEST(WhitespaceAnalyzer, GivesViewsOfTheText) {
  const std::string text = "one two";
  std::vector<std::string_view> terms;
  make_analyzer("whitespace")->analyze(text, terms);
  ASSERT_EQ(terms.size(), 2);
  EXPECT_EQ(static_cast<const void*>(terms[1].data()), text.data() + 4);
}

TEST(WhitespaceAnalyzer, LeavesOutARunPastTheLongestTerm) {
  const std::string longest(kMaxTermBytes, 'x');
  const auto analyzer = make_analyzer("whitespace");
  std::vector<std::string_view> terms;
  const auto expect = [&](const std::string& text, const Terms& kept, std::size_t too_long) {
    EXPECT_EQ(analyzer->analyze(text, terms), too_long);
    EXPECT_EQ(Terms(terms.begin(), terms.end()), kept);
  };
  expect("a " + longest + " b", {"a", longest, "b"}, 0);
  expect("a " + longest + "x", {"a"}, 1);
  expect("a " + longest + "x b " + longest + "yz", {"a", "b"}, 2);
  expect(std::string(100'000'000, 'x'), {}, 1);
}

TEST(Analyzers, TakeALineOf100Megabytes) {
  const std::string sentence =
      test::repeat("The cats of 1999 sat; ", 99) + "The cats of l'été sat; ";
  const std::string text = test::repeat(sentence, 46'000);
  ASSERT_GT(text.size(), 100'000'000);
  for (const auto& [name, per_sentence] : {std::pair{"english", 300u}, {"whitespace", 500u}}) {
    std::vector<std::string_view> terms;
    make_analyzer(name)->analyze(text, terms);
    EXPECT_EQ(terms.size(), std::size_t{46'000} * per_sentence) << name;
  }
}

}  // namespace
}  // namespace warpdex
