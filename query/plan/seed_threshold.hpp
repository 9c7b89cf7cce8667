// The threshold that a query can start with: seeds that an index keeps of its long lists.
#pragma once

#include <cstdint>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex {

/// A score that `k` of the list's documents reach by this term alone; 0 if no seed says so (short
/// lists, lists of fewer than k postings, k above 1000). It holds for scores as engines compute
/// them, with their rounding. The k-th best score may equal it, so only lower scores may be
/// dropped. OR can start with the best one of a query's terms, since other terms and static scores
/// only add; not if a term is required or prohibited.
float seed_score(const IndexSections& sections, const PostingsEntry& entry,
                 const TermScorer& scorer, std::uint32_t k);

/// The same of one seed, for the documents that it speaks of.
float seed_score(const TermScorer& scorer, const ListSeed& seed);

}  // namespace warpdex
