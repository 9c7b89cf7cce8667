// A changed index of documents with three text fields of one analyzer, and a plain copy of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex::test {

inline constexpr std::array<const char*, 3> kThreeFields{"title", "body", "note"};
using Words = std::vector<std::string>;
using Texts = std::array<Words, kThreeFields.size()>;
using Live = std::map<std::string, Texts>;  ///< by id

/// A field "other", of another analyzer, is in no `Texts`.
class ThreeFields : public testing::Test {
 protected:
  explicit ThreeFields(unsigned seed) : random_(generator(seed)) {}

  void make(std::size_t documents) {
    NewIndex settings;
    settings.analyzer = "whitespace";
    settings.schema = parse_schema(
        R"({"fields": {"title": {"type": "text"}, "body": {"type": "text"},
                       "note": {"type": "text"}, "other": {"type": "text", "analyzer": "english"}}})");
    live_.clear();
    index_ = folder_ / ("index" + std::to_string(documents));
    Writer writer(index_, settings, {});
    for (std::size_t i = 0; i < documents; ++i) {
      put(writer, i);
      if (i % (documents / 3 + 1) == 7) writer.commit();
    }
    for (std::size_t i = 0; i < documents; i += 9) put(writer, i);
    for (std::size_t i = 4; i < documents; i += 11) {
      writer.remove("d" + std::to_string(i));
      live_.erase("d" + std::to_string(i));
    }
    writer.commit();
  }

  void put(Writer& writer, std::size_t number) {
    NewDocument document{.id = "d" + std::to_string(number)};
    Texts& texts = live_[document.id];
    for (std::size_t field = 0; field < kThreeFields.size(); ++field) {
      texts[field].clear();
      for (std::size_t n = random_() % (2 + 12 * field); n > 0; --n) {
        texts[field].push_back("w" + std::to_string(random_() % (1 + random_() % 30)));
        document.fields[kThreeFields[field]] += texts[field].back() + " ";
      }
    }
    document.fields["other"] = "w" + std::to_string(number % 5) + " sailing";
    writer.update(std::move(document));
  }

  /// Compares the answer with all documents that match, by their scores.
  void expect(const Answer& answer, const std::map<std::string, double>& wanted, std::size_t k) {
    std::vector<double> scores;
    for (const auto& [id, score] : wanted) scores.push_back(score);
    std::ranges::sort(scores, std::greater<>());
    ASSERT_EQ(answer.size(), std::min(k, wanted.size()));
    for (std::size_t rank = 0; rank < answer.size(); ++rank) {
      const AnswerHit hit = answer[rank];
      const auto found = wanted.find(std::string(hit.id()));
      ASSERT_NE(found, wanted.end()) << hit.id();
      ASSERT_NEAR(hit.score(), found->second, 1e-5 * found->second) << hit.id();
      ASSERT_NEAR(hit.score(), scores[rank], 1e-5 * scores[rank]) << rank;
      if (hit.explanation() == nullptr) continue;
      ASSERT_EQ(hit.explanation()->score, hit.score()) << to_text(*hit.explanation());
    }
  }

  std::mt19937_64 random_;
  TemporaryFolder folder_{place_in_memory()};
  std::filesystem::path index_;
  Live live_;
};

}  // namespace warpdex::test
