// What the engines' tests on real collections share: which collections and queries there are, the
// indexes of one, and the right answers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "tests/query/engine/engine_support.hpp"
#include "tests/support.hpp"

namespace warpdex::test {

/// Where a collection and its queries lie, and how many queries of each file are asked.
struct RealCase {
  const char* name;
  const char* documents;
  std::vector<const char*> topics;  ///< id<TAB>text
  bool efficiency_queries;          ///< of the terabyte track and the search-benchmark-game too
  std::size_t sample;
  std::size_t full_sample;  ///< with WARPDEX_FULL_TESTS=1
};

std::ostream& operator<<(std::ostream& out, const RealCase& value);

/// All of the real collections.
std::vector<RealCase> real_cases();

/// A sample of the case's queries, of each of its files.
std::vector<Query> sample_queries(const RealCase& of, std::mt19937_64& random);
/// At most `count` of the terabyte track's log.
std::vector<Query> sample_log(std::size_t count, std::mt19937_64& random);

/// BM25 in several ways, query likelihood, and impacts.
std::vector<ScorerSettings> real_scorers();

/// A collection and its impacts, and both's indexes for each of all_codecs(), written when they are
/// first asked for.
class RealIndexes {
 public:
  void read(const RealCase& of);

  /// What the lists hold that a scorer reads.
  const reference::Collection& collection(const ScorerSettings& scorer) const;
  /// The folder of the index that a scorer reads.
  std::filesystem::path folder(std::size_t codec, const ScorerSettings& scorer);

 private:
  reference::Collection collection_;
  reference::Collection impacts_;
  TemporaryFolder folder_;
};

/// The right answers of one query under one scorer, for all modes and k.
struct ModeTruths {
  Truth with_and;
  Truth with_or;
  Truth fallen_back;  ///< or's, as the answer of and-or

  const Truth& of(const SearchSettings& settings) const;
};

ModeTruths find_mode_truths(const reference::Collection& collection, const Query& query,
                            const ScorerSettings& scorer);

}  // namespace warpdex::test
