// Whether an engine's answer is the oracle's: the same documents, in the same order, with the same
// scores, but for documents whose scores lie so close that float cannot tell them apart.
#pragma once

#include <string>

#include "tests/reference/oracle.hpp"
#include "warpdex/codecs/codec.hpp"

namespace warpdex::reference {

/// Compares an answer with all matches of its query. Empty if it is right, else what is wrong.
///
/// Right means: min(k, matches) hits, all of them matches, none twice; each score within the
/// tolerance of its document; hits sorted by their scores, equal ones by docID; no document placed
/// below another whose true score is smaller by more than its tolerance, and none left out that
/// is better than a hit by more than that; the number of matches exact where it was asked for and
/// never too large; and the choice between `and` and `or` the same, where anything matched.
std::string difference(const Ranking& ranking, const SearchResult& result,
                       const SearchSettings& settings);

/// For messages: "codec=pfor-2 mode=or scorer=bm25/lucene,k1=0.9,b=0.4 k=10 …".
std::string describe(const CodecSettings& codec);
std::string describe(const SearchSettings& settings);
/// The query as it is written in the signed syntax, cut after 2,000 characters.
std::string describe(const Query& query);

}  // namespace warpdex::reference
