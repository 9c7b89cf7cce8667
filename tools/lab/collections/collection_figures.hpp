// What a collection's posting lists and a query log are like together: how well gaps compress, how
// frequencies and lengths are distributed, how much a query's terms share. For comparing a
// generated collection with a real one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex::tools {

/// Lists by the share of the documents that they hold.
struct DensityClass {
  const char* name;
  double min;  ///< documents with the term over all documents
};
inline constexpr std::array<DensityClass, 8> kDensityClasses{{{"1/2 and more", 1.0 / 2},
                                                              {"1/4 - 1/2", 1.0 / 4},
                                                              {"1/16 - 1/4", 1.0 / 16},
                                                              {"1/64 - 1/16", 1.0 / 64},
                                                              {"1/256 - 1/64", 1.0 / 256},
                                                              {"1/1024 - 1/256", 1.0 / 1024},
                                                              {"1/4096 - 1/1024", 1.0 / 4096},
                                                              {"below 1/4096", 0}}};

/// Shares of frequencies that are 1, 2, 3-4, 5-8, 9-16, 17 and more.
inline constexpr std::array<const char*, 6> kFrequencyRanges{"1", "2", "3-4", "5-8", "9-16", "17+"};
/// Percentiles of distributions that are reported.
inline constexpr std::array<int, 7> kPercentiles{1, 10, 25, 50, 75, 90, 99};
/// Queries by their distinct terms: 0, 1, ... 7, and 8 or more.
inline constexpr std::size_t kTermCounts = 9;
/// A block of 128 postings that spans fewer documents is dense.
inline constexpr std::uint32_t kDenseSpan = 512;

/// Figures of some lists, each posting counted as often as queries use its list.
struct ListFigures {
  double uses = 0;         ///< terms of queries, distinct within each
  double postings = 0;     ///< of their lists
  double gap_bits = 0;     ///< a posting: of an ideal code of the gap's width, and its other bits
  double random_bits = 0;  ///< a posting: the entropy of as many documents drawn at random
  double frequency_bits = 0;  ///< a posting: the entropy of the list's frequencies
  double mean_frequency = 0;
  std::array<double, kFrequencyRanges.size()> frequency_shares{};
  double dense_blocks = 0;  ///< share of blocks of 128 within kDenseSpan
};

struct CollectionFigures {
  double documents = 0;
  double mean_length = 0;  ///< of documents, in tokens
  std::array<double, kPercentiles.size()> lengths{};
  std::array<ListFigures, kDensityClasses.size()> classes{};
  ListFigures all;

  double queries = 0;
  double distinct_terms = 0;  ///< of all queries' terms, the share that is distinct in the log
  double unknown_terms = 0;   ///< of queries' terms, the share that the index does not have
  std::array<double, kTermCounts> term_counts{};       ///< shares of queries
  double mean_postings = 0;                            ///< of a query's lists, over all documents
  std::array<double, kPercentiles.size()> postings{};  ///< likewise

  double nonempty_ands = 0;  ///< share of queries whose terms stand together in some document
  double mean_matches = 0;   ///< of AND, over all documents
  /// Median of the documents with all of a query's terms over those expected by chance, of queries
  /// of 2 terms, 3 terms, and all of more than one, where chance would give 1 or more.
  double co_occurrence_of_2 = 0;
  double co_occurrence_of_3 = 0;
  double co_occurrence = 0;
};

/// Measures the lists that `queries` use. Reads each of them once, in memory; answers all queries.
/// `threads` 0: one for each processor. Throws FormatError.
CollectionFigures measure_collection(const Index& index, const std::vector<Query>& queries,
                                     std::size_t threads);

}  // namespace warpdex::tools
