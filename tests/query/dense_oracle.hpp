// An oracle for indexes too large to be taken apart into a reference collection: scores every
// posting of a query's lists into one array over all documents, in double precision and by the
// oracle's formulas.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/reference/oracle.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::test {

/// For one thread. Takes 24 bytes a document, and reads the lists by read_postings().
class DenseOracle {
 public:
  /// Keeps a reference to the index.
  explicit DenseOracle(const Index& index);

  /// As reference::rank, of a query of unsigned terms; BM25, or impacts where the index holds them.
  /// Good until the next call. O(postings of the query's terms, and log of it).
  const reference::Ranking& rank(const Query& query, const SearchSettings& settings);

 private:
  void add_terms(const Query& query, const ScorerSettings& scorer);
  void rank_those_with(std::uint32_t least_terms);

  const Index& index_;
  std::vector<double> scores_;            ///< by document; 0 between queries
  std::vector<std::uint32_t> terms_;      ///< of the query, by document; likewise
  std::vector<std::uint32_t> documents_;  ///< with any term, in no order
  std::uint32_t distinct_terms_ = 0;
  reference::Ranking ranking_;
};

}  // namespace warpdex::test
