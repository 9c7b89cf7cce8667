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
#include "warpdex/query/columns/facet_parts.hpp"
#include "warpdex/query/columns/sorted_search.hpp"
#include "warpdex/query/fields/field_maker.hpp"
#include "warpdex/query/plan/whole_statistics.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/query/tree/near_term.hpp"

namespace warpdex::shards {

/// Of the messages; a reader takes its own version alone.
inline constexpr std::uint16_t kMessageVersion = 3;
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
  kFacetsRequest,
  kFacetsAnswer,
  kSortedRequest,
  kSortedAnswer,
  kNearWordsRequest,
  kNearWordsAnswer,
  kFoundTermsRequest,
  kFoundTermsAnswer,
  kFieldsRequest,
  kFieldsAnswer,
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

/// Asks a part what it counts of columns, over all documents that match.
struct FacetsRequest {
  std::uint64_t version = 0;           ///< of the part that is meant
  std::vector<Query> queries{};        ///< as those of a SearchRequest
  std::vector<QueryMode> modes{};      ///< one for each query: kAnd or kOr
  std::string filter{};                ///< of all queries
  std::vector<FacetRequest> wanted{};  ///< of each query; FacetRequest::values is not carried
};

/// What a part counts for a query.
struct CountedFacets {
  std::uint64_t matches = 0;        ///< documents
  std::vector<PartFacet> facets{};  ///< in the order of the request
};

struct FacetsAnswer {
  std::vector<CountedFacets> queries{};
};

/// Asks a part for its first documents by columns.
struct SortedRequest {
  SearchRequest search{};       ///< of which count and known_threshold are not read
  std::vector<SortKey> keys{};  ///< 1 to kMaxSortKeys
  /// Pages begin behind this document of the part, if there is one.
  std::optional<std::uint32_t> behind_document{};
  /// Or behind a document of another part: one place for each query, or none.
  std::vector<SortPlace> behind{};
  bool with_ties = false;  ///< documents that tie with it come behind it
};

/// A part's page for a query.
struct SortedPart {
  SortedPage page{};
  std::vector<SortValues> values{};  ///< of the hits
  SortValues values_of_start{};      ///< of SortedRequest::behind_document
  std::uint64_t matches = 0;         ///< the part's
  std::uint32_t most_terms = 0;      ///< as PartAnswer::most_terms
  std::vector<std::string> names{};  ///< of the hits, where they were asked for
};

struct SortedAnswer {
  std::vector<SortedPart> queries{};
};

/// Asks a part which of its words are near others.
struct NearWordsRequest {
  struct Word {
    std::string field{};  ///< as that of an analysed clause
    std::string text{};
    std::uint32_t edits = 0;  ///< 0 to 2
    auto operator<=>(const Word&) const = default;
  };
  std::uint64_t version = 0;  ///< of the part that is meant
  std::vector<Word> words{};
};

/// The terms of live documents that are near each word, kMaxFuzzyTerms at most, the nearest first.
struct NearWordsAnswer {
  std::vector<std::vector<NearTerm>> words{};
};

/// Asks a part for the terms that prefixes, patterns and ranges of trees stand for there.
struct FoundTermsRequest {
  std::uint64_t version = 0;  ///< of the part that is meant
  std::vector<QueryNode> trees{};
};

/// The trees with these terms in their place: with_found_terms().
struct FoundTermsAnswer {
  std::vector<QueryNode> trees{};
};

/// Asks a part what hits show of its documents.
struct FieldsRequest {
  std::uint64_t version = 0;     ///< of the part that is meant
  std::vector<Query> queries{};  ///< for snippets; with found terms, as FieldMaker takes them
  std::vector<std::vector<std::uint32_t>> documents{};  ///< of each query; kMaxK at most
  ShownSettings shown{};
};

/// By query and document: its fields.
struct FieldsAnswer {
  std::vector<std::vector<std::vector<ShownField>>> queries{};
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
/// Throws UsageError for more than kMaxBatch queries, and for trees whose near words (kFuzzy) are
/// not chosen yet (QueryNode::texts): all words of the whole decide which these are.
std::string write(const SearchRequest& request);
std::string write(const SearchAnswer& answer);
std::string write(const NearestRequest& request);
std::string write(const NearestAnswer& answer);
/// Throws UsageError as for a SearchRequest.
std::string write(const FacetsRequest& request);
std::string write(const FacetsAnswer& answer);
/// Throws UsageError as for a SearchRequest.
std::string write(const SortedRequest& request);
std::string write(const SortedAnswer& answer);
std::string write(const NearWordsRequest& request);
std::string write(const NearWordsAnswer& answer);
std::string write(const FoundTermsRequest& request);
std::string write(const FoundTermsAnswer& answer);
std::string write(const FieldsRequest& request);
std::string write(const FieldsAnswer& answer);
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
FacetsRequest read_facets_request(std::string_view message);
/// Values of a facet are in order, each once.
FacetsAnswer read_facets_answer(std::string_view message);
SortedRequest read_sorted_request(std::string_view message);
/// Hits have values each; their scores are numbers that are 0 or more.
SortedAnswer read_sorted_answer(std::string_view message);
NearWordsRequest read_near_words_request(std::string_view message);
/// Boosts are from 0 to 1.
NearWordsAnswer read_near_words_answer(std::string_view message);
FoundTermsRequest read_found_terms_request(std::string_view message);
FoundTermsAnswer read_found_terms_answer(std::string_view message);
/// With documents of each query.
FieldsRequest read_fields_request(std::string_view message);
FieldsAnswer read_fields_answer(std::string_view message);
Failure read_failure(std::string_view message);

}  // namespace warpdex::shards
