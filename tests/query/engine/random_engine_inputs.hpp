// Random collections, queries and settings, for the tests of every engine.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/query/engine/engine_support.hpp"
#include "tests/reference/oracle.hpp"

namespace warpdex::test {

using Random = std::mt19937_64;

/// A number below `bound`.
std::uint64_t below(Random& random, std::uint64_t bound);
/// True in `percent` of 100 cases.
bool chance(Random& random, std::uint64_t percent);

/// Documents of Zipf's terms, some of which cluster; with empty, equal, very long and very
/// repetitive documents, one term in nearly all of them and one in a long run of them.
class CollectionMaker {
 public:
  CollectionMaker(Random& random, std::uint64_t documents);

  reference::Collection make();
  /// Terms that there may be.
  std::uint64_t vocabulary() const { return vocabulary_; }

 private:
  void next_document(std::uint64_t document);
  float static_score();

  Random& random_;
  std::uint64_t documents_;
  std::uint64_t vocabulary_;
  std::vector<std::string> words_;
};

/// A query of that many terms, with repeated and unknown ones and signs.
Query random_query(Random& random, std::uint64_t vocabulary, std::uint64_t terms);

/// Leaves half of all queries as they are, and gives the terms of the others weights: whole ones,
/// real ones, or real ones that are far apart.
void give_weights(Random& random, Query& query);

/// Draws settings such that a few dozen draws meet every value of each.
class SettingsMaker {
 public:
  explicit SettingsMaker(Random& random);

  SearchSettings draw();
  std::size_t draw_threads() { return threads_.draw(random_); }
  std::uint64_t draw_terms() { return terms_.draw(random_); }

 private:
  Random& random_;
  Deck<QueryMode> modes_{{QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr}};
  Deck<ScorerSettings> scorers_;
  Deck<std::uint32_t> ks_{{1, 10, 100, 1'000, 10'000, 7, 128}};
  Deck<std::uint32_t> minima_{{0, 0, 1, 5, 100, 50'000}};
  Deck<int> counts_{{0, 1}};
  Deck<std::size_t> threads_{{1, 2}};
  Deck<std::uint64_t> terms_{{0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 8, 12, 40, 130, 1'000}};
};

/// The settings that an index's answers are judged by: an index of impacts asks for no scorer.
SearchSettings meant_settings(const Index& index, const SearchSettings& settings);

/// What a failure's message has to say of an index, the settings and a query.
std::string describe(std::uint64_t documents, const CodecSettings& codec,
                     const SearchSettings& settings, const Query& query);

}  // namespace warpdex::test
