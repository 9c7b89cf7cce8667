// Where words stand in generated documents: the words of queries beside each other in many.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "generate/list_model.hpp"
#include "generate/query_log.hpp"

namespace warpdex::generate {

/// Draws positions such that the words of each query are a phrase, in the order of the query, in
/// 7/8 of the documents that have them all, less where a word is in many queries and few times in
/// the document: in all a third or a half of these documents.
class ListPositions {
 public:
  /// `lengths`: of the documents, in tokens; kept by reference.
  ListPositions(std::uint64_t seed, std::span<const RankQuery> queries,
                std::span<const std::uint32_t> lengths);

  /// The steps of a term's list, as ListEncoder::encode() takes them. From many threads. O(postings
  /// times the term's queries).
  void draw(std::uint32_t rank, const GeneratedList& list, std::vector<std::uint32_t>& steps) const;

 private:
  /// A term in a query.
  struct Use {
    std::uint64_t key;    ///< of the query's numbers
    std::uint32_t place;  ///< of the term in it
    std::uint32_t terms;  ///< of the query
  };
  struct Planted {
    std::uint64_t priority;
    std::uint32_t position;
  };

  void plant(const std::vector<Use>& uses, std::uint32_t document, std::uint32_t length,
             std::vector<Planted>& planted) const;

  std::uint64_t seed_;
  std::span<const std::uint32_t> lengths_;
  std::unordered_map<std::uint32_t, std::vector<Use>> uses_;  ///< by rank
};

}  // namespace warpdex::generate
