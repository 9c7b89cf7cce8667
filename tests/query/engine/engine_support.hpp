// What the tests of the engines share: indexes made straight from a reference collection, and the
// judgement of an answer.
#pragma once

#include <algorithm>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/reference/oracle.hpp"
#include "warpdex/codecs/codec.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::test {

/// Every codec, `pfor` once with each number of levels.
std::vector<CodecSettings> all_codecs();

/// Writes the collection as an index, without the index builder. The document of docID 7 is named
/// "d7"; the analyzer on record is `whitespace`. Static scores are kept if any is not 0.
void write_index(const reference::Collection& collection, const CodecSettings& codec,
                 const std::filesystem::path& folder);

/// The same with impacts, as the product quantises frequencies.
void write_quantised_index(const reference::Collection& collection, const CodecSettings& codec,
                           const std::filesystem::path& folder);

/// Writes an index of impacts: documents, lengths and static scores are those of `collection`,
/// which holds frequencies; lists are those of `impacts`, made of it by Collection::to_impacts().
void write_impact_index(const reference::Collection& collection,
                        const reference::Collection& impacts, const CodecSettings& codec,
                        const std::filesystem::path& folder);

/// Writes an index of a collection of frequencies, as they are or as impacts. Returns what its
/// lists hold.
reference::Collection write_index_of(reference::Collection collection, bool as_impacts,
                                     const CodecSettings& codec,
                                     const std::filesystem::path& folder);

/// Answers the queries as one batch of the CPU engine with so many threads (0: all).
std::vector<SearchResult> search_on_cpu(const Index& index, std::span<const Query> queries,
                                        const SearchSettings& settings, std::size_t threads);

/// All that an index holds, frequencies or impacts, as the oracle takes it.
/// O(postings).
reference::Collection collection_of(const Index& index);

/// The right answer of a query in full: the oracle's, and the same matches with their scores in
/// float, computed by the operations and in the order that every engine has to follow.
struct Truth {
  reference::Ranking ranking;
  std::vector<Hit> float_ranking;  ///< all matches: score descending, then docID ascending
};

Truth find_truth(const reference::Collection& collection, const Query& query,
                 const SearchSettings& settings);

/// Empty if the answer is right: by the oracle, and bit for bit the best k in float.
std::string judge(const Truth& truth, const SearchResult& result, const SearchSettings& settings);

/// Deals all cards of a deck in random order before it deals one again, so that a test that draws
/// its configurations at random still meets every value.
template <typename Card>
class Deck {
 public:
  explicit Deck(std::vector<Card> cards) : cards_(std::move(cards)), next_(cards_.size()) {}

  const Card& draw(std::mt19937_64& random) {
    if (next_ == cards_.size()) {
      std::shuffle(cards_.begin(), cards_.end(), random);
      next_ = 0;
    }
    return cards_[next_++];
  }

 private:
  std::vector<Card> cards_;
  std::size_t next_;
};

}  // namespace warpdex::test
