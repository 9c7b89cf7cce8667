// What the tests of orders share: collections with clusters, and what an order costs, counted
// straight from its definition.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "reorder/bisection.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex::test {

/// The terms of each document.
using TermSets = std::vector<std::vector<std::uint32_t>>;

/// `clusters` of `size` documents each, one after the other. A document has 10 of the 40 terms of
/// its cluster, and 5 of 100 that all clusters share.
TermSets clustered_terms(std::mt19937_64& random, std::size_t clusters, std::size_t size);

/// Documents with `least` to `most` distinct terms of `terms`, low numbers more often.
TermSets random_terms(std::mt19937_64& random, std::size_t documents, std::uint32_t terms,
                      std::size_t min, std::size_t max);

reorder::ForwardIndex forward_of(const TermSets& documents);

/// The sum of log2 of all gaps of all lists, the first counted from before docID 0.
double log_gap_cost(const TermSets& documents, const std::vector<std::uint32_t>& order);

std::vector<std::uint32_t> identity(std::size_t count);
std::vector<std::uint32_t> shuffled(std::mt19937_64& random, std::size_t count);

/// The documents in another order.
template <class T>
std::vector<T> in_order(const std::vector<T>& of, const std::vector<std::uint32_t>& order) {
  std::vector<T> result;
  for (const std::uint32_t old : order) result.push_back(of[old]);
  return result;
}

/// Texts of the terms, "t7 t9 ...", each 1 to 4 times; ids are "d0", "d1", ...
std::vector<Document> as_documents(std::mt19937_64& random, const TermSets& documents);

}  // namespace warpdex::test
