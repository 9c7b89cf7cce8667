// Asks the parts of a whole, and joins their answers to those of one index that has all their
// documents, to the bit.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpdex/query/hybrid/fusion_settings.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/query/shards/merge.hpp"
#include "warpdex/query/shards/messages.hpp"

namespace warpdex::shards {

/// A message for a part.
struct PartMessage {
  std::uint32_t part = 0;
  std::string bytes{};
};

/// What became of it.
struct PartReply {
  std::string bytes{};    ///< what Shard::answer() returned
  std::string failure{};  ///< why no answer came, such as "timed out"; empty: one did
};

/// Sends all messages of a round, side by side if it can, waits for the answers, and returns them
/// in the same order. Messages are for different parts. Called from any thread that uses the
/// broker. What it throws ends the search.
using AskParts = std::function<std::vector<PartReply>(std::span<const PartMessage>)>;

/// What to do where a part does not answer.
enum class OnMissing {
  kError,    ///< throw
  kPartial,  ///< answer from the others, and say so
};

/// A document of one of the parts.
struct PlaceInParts {
  std::uint32_t part = 0;
  std::uint32_t document = 0;
  auto operator<=>(const PlaceInParts&) const = default;
};

struct BrokerSettings {
  std::string filter{};                 ///< of all queries, as parse_filter() reads it; empty: none
  bool wants_names = false;             ///< of the documents that are found
  std::vector<FacetRequest> facets{};   ///< of all queries; by words alone
  std::vector<SortKey> sort{};          ///< sorts hits by columns, then by score, part and docID
  std::optional<PlaceInParts> after{};  ///< of a sorted search: pages begin behind this document
  ShownSettings shown{};                ///< of the documents that are found
  OnMissing on_missing = OnMissing::kError;
};

/// The answer to a query.
struct MergedAnswer {
  std::vector<GlobalHit> hits{};     ///< the best k: score descending, then part, then docID; or
                                     ///< as BrokerSettings::sort says
  std::vector<std::string> names{};  ///< of `hits`, where they were asked for
  /// Likewise; empty of a hit whose part did not answer then.
  std::vector<std::vector<ShownField>> fields{};
  /// Exact if no part is missing and matches are counted, as they are for facets and sorted
  /// searches; else a lower bound.
  std::uint64_t matches = 0;
  std::vector<Facet> facets{};   ///< of the parts that answered
  bool fell_back_to_or = false;  ///< and-or: the answer is OR's
  /// No document of a part that did not answer scores more; negative: there is none that matches.
  /// Infinite where that is not known.
  float max_missing_score = -1;
  /// The hits are those of all parts, also where some did not answer.
  bool is_complete = true;
};

/// Which parts answered a batch.
struct Coverage {
  struct Missing {
    std::uint32_t part = 0;
    std::string reason{};
  };
  std::uint64_t documents = 0;  ///< live ones of all parts
  std::uint64_t searched = 0;   ///< of the parts that answered all that they were asked
  std::vector<Missing> missing{};
  /// False: a part did not answer when new terms were counted, so scores are by the statistics of
  /// the others.
  bool has_whole_statistics = true;
};

struct MergedBatch {
  std::vector<MergedAnswer> answers{};  ///< in the order of the queries
  Coverage coverage{};
  std::uint32_t rounds = 0;       ///< of messages
  std::uint64_t asked_again = 0;  ///< questions to a part that were not the first of their query
};

/// Knows the parts as they were when it was made, and remembers what they count of the terms of
/// earlier queries. For any number of threads.
///
/// A search takes a round of messages, and one before it if there are new terms. A part is asked
/// for fewer than k documents at first; where the next one that it left out could be in the
/// answer, it is asked again. and-or, and a query with Query::or_else, ask for OR where AND matches
/// too few in all parts together. Near words, facets, pages behind a document and fields take one
/// more round each, and snippets with a prefix, pattern or range another one. For sorted searches
/// all parts are asked for k documents.
class ShardBroker {
 public:
  /// Asks `parts` parts what they are. Part i holds the documents that come behind those of part
  /// i - 1. Throws UsageError where parts do not fit together, IoError where one does not answer.
  ShardBroker(std::size_t parts, AskParts ask);
  ~ShardBroker();
  ShardBroker(const ShardBroker&) = delete;
  ShardBroker& operator=(const ShardBroker&) = delete;

  const std::vector<PartDescription>& parts() const;
  /// A checksum of the versions of all parts.
  std::uint64_t version() const;

  /// Answers a batch. `settings` has one element for all queries, or one for each;
  /// SearchSettings::documents and known_threshold are not read. Throws UsageError for settings or
  /// weights out of range, for trees with a prefix, pattern or range of more
  /// terms than one index takes (summed over the parts), for facets and sorting of what is no
  /// column, for a document in `after` that does not match, and for what messages cannot hold;
  /// InputError for a bad filter or limit of a facet; IoError, which names the part, where one does
  /// not answer or is of another version now, unless `how` asks for partial answers.
  MergedBatch search(std::span<const Query> queries, std::span<const SearchSettings> settings,
                     const BrokerSettings& how = {});

  /// The k documents (1 to kMaxK) of all parts whose vectors are nearest to each of `rows`, nearest
  /// first; scores are the metric's. Where a part is missing, an answer is not complete. Throws as
  /// search(), and UsageError for parts without vectors or with lists or codes of them, and for
  /// rows of another dimension.
  MergedBatch nearest(std::span<const float> rows, std::uint32_t k, const BrokerSettings& how = {});

  /// Searches by words and vectors, and joins both halves' merged answers by kReciprocalRank or
  /// kConvex, as HybridSearcher::search() does over one index; row i of `rows` is query i's. Throws
  /// as search() and nearest(), and UsageError for other fusions.
  MergedBatch search_hybrid(std::span<const Query> queries, std::span<const float> rows,
                            const SearchSettings& settings, const FusionSettings& fusion,
                            const BrokerSettings& how = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::shards
