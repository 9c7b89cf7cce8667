// Where a query's threshold can start: the seeds that an index keeps of its long lists.
#pragma once

#include <cstdint>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex {

/// A score that `k` of the list's documents reach at least by this term alone; 0 where no seed says
/// so (short lists, lists of fewer than k postings, k above 1000). As every engine computes scores,
/// rounding included: the k-th best may equal it, so only a smaller score may be dropped. The best
/// of a query's terms is a threshold that OR can start with, since other terms and static scores
/// only add; not where a term is required or prohibited.
float seed_score(const IndexSections& sections, const PostingsEntry& entry,
                 const TermScorer& scorer, std::uint32_t k);

}  // namespace warpdex
