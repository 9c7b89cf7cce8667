// What parts of a whole and those who ask them say to each other: flat binary messages that any
// transport may carry. Reading one trusts nothing: it throws FormatError for what is damaged, cut
// short or of another version, before it allocates more than some times the message's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/query/plan/whole_statistics.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::shards {

/// Of the messages; a reader takes its own version alone.
inline constexpr std::uint16_t kMessageVersion = 2;
/// The most bytes of a message, and queries of a search.
inline constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMaxBatch = 65'536;

enum class MessageKind : std::uint16_t {
  kDescribe = 1,  ///< a question without a body
  kDescription,
  kTermsRequest,
  kTermsAnswer,
  kSearchRequest,
  kSearchAnswer,
  kNearestRequest,
  kNearestAnswer,
  kFailure,  ///< the answer to any question
};

/// The kind that a message says it is; nothing else is checked. FormatError where it is none.
MessageKind kind_of(std::string_view message);

/// What a part is. Parts of one whole have the same analyzer, schema and impacts, so that their
/// terms, lengths and scores mean the same.
struct PartDescription {
  std::uint64_t version = 0;  ///< of all that the part holds: see part_version()
  std::uint64_t commit = 0;
  std::uint64_t documents = 0;                ///< live ones
  CollectionStatistics collection{};          ///< Snapshot::statistics()
  std::vector<CollectionStatistics> texts{};  ///< by text field, where there are several
  float largest_static_score = 0;
  std::string analyzer{};  ///< AnalyzerSettings::name
  std::uint32_t analyzer_version = 1;
  std::string schema{};  ///< as schema_to_json() writes it
  std::optional<ImpactSettings> impacts{};
  bool has_positions = false;
  bool positions_by_field = false;  ///< IndexSettings::positions_by_field
  /// Of the documents' vectors; of `index`, the kind alone.
  std::optional<vector::RowSettings> vectors{};
};

/// Asks what a part counts of some terms.
struct TermsRequest {
  std::uint64_t version = 0;  ///< of the part that is meant
  std::vector<std::string> terms{};
};

/// In the order of the request.
struct TermsAnswer {
  std::vector<PartTerm> terms{};
};

/// Asks a part for its best documents.
struct SearchRequest {
  std::uint64_t version = 0;     ///< of the part that is meant
  WholeStatistics whole{};       ///< with all terms of the queries
  std::vector<Query> queries{};  ///< their terms and trees; ids are not carried
  /// One for each query. The mode is kAnd or kOr; and_or_min and `documents` are not carried.
  std::vector<SearchSettings> settings{};
  std::string filter{};      ///< of all queries, as parse_filter() reads it; empty: none
  bool wants_names = false;  ///< of the documents that are found
};

/// A part's answer to a query.
struct PartAnswer {
  std::vector<Hit> hits{};  ///< the k best of the part, best first; docIDs are the part's
  /// No document of the part that is not among `hits` scores more; negative: there is none.
  float left_out = -1;
  std::uint64_t matches = 0;  ///< the part's: exact, or else a lower bound
  bool matches_are_exact = false;
  /// Terms that one prefix, pattern or range of a tree stands for here at most.
  std::uint32_t most_terms = 0;
  std::vector<std::string> names{};  ///< of `hits`, where they were asked for
};

struct SearchAnswer {
  std::vector<PartAnswer> queries{};
};

/// Asks a part for the documents whose vectors are nearest.
struct NearestRequest {
  std::uint64_t version = 0;  ///< of the part that is meant
  std::uint32_t k = 10;       ///< 1 to kMaxK
  std::uint32_t queries = 0;
  std::vector<float> rows{};  ///< of the queries, one behind the other
  std::string filter{};       ///< as that of a SearchRequest
  bool wants_names = false;
};

/// A part's nearest documents of a query.
struct NearestHits {
  std::vector<Hit> hits{};           ///< nearest first; scores are the metric's
  std::vector<std::string> names{};  ///< of `hits`, where they were asked for
};

struct NearestAnswer {
  std::vector<NearestHits> queries{};
};

/// Why a part does not answer.
struct Failure {
  enum class Kind {
    kUsage,         ///< UsageError: the question cannot be asked
    kInput,         ///< InputError: a filter that is none
    kOtherVersion,  ///< the part is not of the version that was asked for
    kDamage,        ///< FormatError: of the message or of the index
    kOther,         ///< anything else, such as too little memory
  };
  Kind kind = Kind::kOther;
  std::string text{};
};

std::string write_describe();
std::string write(const PartDescription& description);
std::string write(const TermsRequest& request);
std::string write(const TermsAnswer& answer);
/// Throws UsageError for more than kMaxBatch queries, and for trees that parts cannot answer: with
/// near words (kFuzzy), whose choice depends on all words of the whole.
std::string write(const SearchRequest& request);
std::string write(const SearchAnswer& answer);
std::string write(const NearestRequest& request);
std::string write(const NearestAnswer& answer);
std::string write(const Failure& failure);

void read_describe(std::string_view message);
PartDescription read_description(std::string_view message);
TermsRequest read_terms_request(std::string_view message);
TermsAnswer read_terms_answer(std::string_view message);
SearchRequest read_search_request(std::string_view message);
/// Hits are in order, and their scores numbers that are 0 or more.
SearchAnswer read_search_answer(std::string_view message);
NearestRequest read_nearest_request(std::string_view message);
/// Scores are finite.
NearestAnswer read_nearest_answer(std::string_view message);
Failure read_failure(std::string_view message);

}  // namespace warpdex::shards
