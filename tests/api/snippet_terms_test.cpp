// Prefixes, patterns, ranges and near words in snippets, against their definitions.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

/// Edits by the table of the definition; exchanged neighbours are one.
std::size_t edits_between(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      table[i][j] =
          std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + change});
      const bool is_exchange =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && change == 1;
      if (is_exchange) table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

/// A clause as text, and what it stands for.
struct Clause {
  std::string text;
  std::function<bool(const std::string&)> matches;
};

std::string random_word(std::mt19937_64& random) {
  std::string word;
  for (std::size_t n = 3 + random() % 3; n > 0; --n) word += "abc"[random() % 3];
  return word;
}

Clause random_clause(std::mt19937_64& random) {
  const std::string word = random_word(random);
  const std::string beginning = word.substr(0, 2);
  switch (random() % 5) {
    case 0: return {beginning + "*", [=](const auto& of) { return of.starts_with(beginning); }};
    case 1:
      return {beginning + "?a*", [=](const auto& of) {
                return of.starts_with(beginning) && of.size() >= 4 && of[3] == 'a';
              }};
    case 2: {
      const std::string other = random_word(random);
      const std::string low = std::min(word, other);
      const std::string high = std::max(word, other);
      return {"[" + low + " TO " + high + "}",
              [=](const auto& of) { return of >= low && of < high; }};
    }
    case 3: return {word + "~1", [=](const auto& of) { return edits_between(word, of) <= 1; }};
    default: return {word, [=](const auto& of) { return of == word; }};
  }
}

class SnippetTerms : public testing::Test {
 protected:
  /// Documents in two segments, and one that is not committed with them.
  void make(const std::string& schema) {
    NewIndex settings;
    settings.analyzer = "whitespace";
    settings.stored = {"title", "body"};
    settings.fields = {"title", "body"};
    if (!schema.empty()) settings.schema = parse_schema(schema);
    Writer writer(folder_ / "index", settings, {});
    for (int i = 0; i < 60; ++i) {
      NewDocument document{.id = "d" + std::to_string(i)};
      for (const char* field : {"title", "body"}) {
        std::string text;
        for (std::size_t n = random_() % 9; n > 0; --n) text += random_word(random_) + " ";
        if (schema.empty()) document.text += text;
        document.fields.emplace(field, text);
      }
      writer.add(std::move(document));
      if (i == 30) writer.commit();
    }
    writer.commit();
  }

  void expect_marked(const std::string& query, const std::string& field, const Searcher& searcher,
                     const std::function<bool(const std::string&)>& matches) {
    SearchOptions options{.k = 1000, .syntax = QuerySyntax::kLucene, .fields = {field}};
    options.snippets = true;
    options.snippet = {.max_bytes = 10'000, .before = "[", .after = "]"};
    for (const AnswerHit hit : searcher.search(query, options)) {
      if (hit.fields().empty()) continue;
      std::istringstream words(hit.fields()[0].text);
      std::string wanted;
      for (std::string word; words >> word;) {
        wanted += matches(word) ? "[" + word + "] " : word + " ";
      }
      EXPECT_EQ(*hit.fields()[0].snippet, wanted) << query;
      marks_ += wanted.find('[') != std::string::npos ? 1 : 0;
    }
  }

  std::mt19937_64 random_ = test::generator(5300);
  test::TemporaryFolder folder_;
  std::size_t marks_ = 0;
};

TEST_F(SnippetTerms, AreMarkedAsTheyMatch) {
  make("");
  const Searcher searcher(folder_ / "index");
  for (int i = 0; i < 150; ++i) {
    const std::array clauses{random_clause(random_), random_clause(random_),
                             random_clause(random_)};
    expect_marked(clauses[0].text + " (+" + clauses[1].text + " -" + clauses[2].text + ")", "body",
                  searcher, [&](const std::string& word) {
                    return clauses[0].matches(word) || clauses[1].matches(word);
                  });
  }
  EXPECT_GT(marks_, 100U);
}

TEST_F(SnippetTerms, AreMarkedInTheirFieldAlone) {
  make(R"({"fields": {"title": {"type": "text"}, "body": {"type": "text"}}})");
  const Searcher searcher(folder_ / "index");
  for (int i = 0; i < 60; ++i) {
    const Clause title = random_clause(random_);
    const Clause both = random_clause(random_);
    const std::string query = "title:" + title.text + " " + both.text;
    expect_marked(query, "title", searcher, [&](const std::string& word) {
      return title.matches(word) || both.matches(word);
    });
    expect_marked(query, "body", searcher, both.matches);
  }
  EXPECT_GT(marks_, 100U);
}

}  // namespace
}  // namespace warpdex
