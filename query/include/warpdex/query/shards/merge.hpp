// Joins what the parts of a whole answer to a query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/query/shards/messages.hpp"

namespace warpdex::shards {

/// A document of a whole.
struct GlobalHit {
  std::uint32_t part = 0;      ///< from 0 on
  std::uint32_t document = 0;  ///< its docID there
  float score = 0;
  bool operator==(const GlobalHit&) const = default;
};

/// The k best documents among those of all parts' answers, by their ordinals: score descending,
/// then part, then docID. Where parts are ranges of documents that follow each other, this is the
/// order of one index. O(k parts).
std::vector<GlobalHit> merge_hits(std::span<const PartAnswer> parts, std::size_t k);

/// Whether a document that a part left out may be among the k best, of which `merged` are the best
/// that are known.
bool may_lack(const PartAnswer& answer, std::uint32_t part, std::span<const GlobalHit> merged,
              std::size_t k);

/// For how many documents a part with a `share` (0 to 1) of all documents is asked first, so that
/// the k best of all are among them nearly always if documents are spread at random: the mean and
/// four standard deviations. 1 to k.
std::uint32_t first_k(std::uint32_t k, double share);

}  // namespace warpdex::shards
