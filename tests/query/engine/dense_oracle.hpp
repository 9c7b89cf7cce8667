// An oracle for indexes too large to be taken apart into a reference collection: scores every
// posting of a query's lists into one array over all documents, in double precision and by the
// oracle's formulas.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/reference/oracle.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::test {

/// For one thread. Takes 32 bytes a document and its rankings, and reads the lists by
/// read_postings().
class DenseOracle {
 public:
  /// Keeps a reference to the index.
  explicit DenseOracle(const Index& index);

  /// As reference::rank, of a query of unsigned terms; BM25, or impacts where the index holds them.
  /// Good until the next call. O(postings of the query's terms, and log of it); less if the query
  /// and the scorer are those of the call before.
  const reference::Ranking& rank(const Query& query, const SearchSettings& settings);

 private:
  /// All documents with one of the query's terms, or with all of them.
  struct Kept {
    reference::Ranking ranking;
    bool is_made = false;
  };

  void add_terms(const Query& query, const ScorerSettings& scorer);
  reference::Ranking& ranking_of(Kept& kept, std::uint32_t min_terms);

  const Index& index_;
  std::vector<double> scores_;            ///< by document; 0 between queries
  std::vector<std::uint32_t> terms_;      ///< of the query, by document; likewise
  std::vector<std::uint32_t> documents_;  ///< with any term, in no order
  std::uint32_t distinct_terms_ = 0;
  std::optional<Query> query_;  ///< that all this is of, and its scorer
  ScorerSettings scorer_;
  Kept any_;
  Kept all_;
};

}  // namespace warpdex::test
