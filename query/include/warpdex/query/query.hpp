// A query: terms with signs and weights after analysis, or a tree of clauses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex {

/// The most that one query may be, so that no query takes all of a process's time or memory. What
/// reads queries refuses longer ones as bad queries.
struct QueryLimits {
  std::size_t bytes = std::size_t{4} << 20;  ///< of its text
  std::size_t terms = std::size_t{1} << 16;  ///< different terms
};

/// The sign of a term: whether a document must have the term.
enum class Occur {
  kUnsigned,  ///< by the mode: required in `and`, optional in `or`
  kMust,      ///< +term: required in every mode
  kMustNot,   ///< -term: excludes the document in every mode
};

/// The range of a term's weight in a query: wide, and far from where a float loses digits.
inline constexpr float kMinQueryWeight = 1e-9F;
inline constexpr float kMaxQueryWeight = 1e9F;

/// A term of a query, with its sign and weight.
struct QueryTerm {
  std::string term;                ///< as the index's analyzer makes it
  Occur occur = Occur::kUnsigned;  ///< its sign
  float weight = 1;                ///< a factor of its score; ignored for - terms
  /// Of - terms that are one word together, as of -covid-19: the same number above 0. Documents
  /// that have all of them are excluded. 0: the term is a word of its own.
  std::uint32_t word = 0;
  bool operator==(const QueryTerm&) const = default;
};

/// A text field that words search, and the factor of their scores there.
struct SearchedField {
  std::string name{};
  float weight = 1;  ///< 0: it is not searched; else kMinQueryWeight to kMaxQueryWeight
  bool operator==(const SearchedField&) const = default;
};

/// What a word scores that several fields have.
enum class FieldsType {
  kMostFields,  ///< the sum over the fields
  kBestFields,  ///< its best field's score
  /// The score that it had if the fields were one (BM25F): its frequencies and their lengths there
  /// are added, each times the field's weight. The fields have one analyzer. Phrases, and clauses
  /// that stand for several words, are scored as by kMostFields.
  kCombinedFields,
  /// Its best field's score, as if it were in as many documents in each field as where it is in
  /// most: rare words of one field do not outweigh others (OpenSearch's cross_fields). Words may
  /// be in different fields of one analyzer. Other clauses are scored as by kBestFields.
  kCrossFields,
};

/// Words that queries search for in the place of others, or together with them.
struct SynonymRules {
  struct Rule {
    std::vector<std::string> from{};  ///< words, or several with spaces between them
    std::vector<std::string> to{};    ///< what is searched for instead; of equivalents all of them
    std::size_t line = 0;             ///< of the text, from 1 on
  };
  std::string name{};  ///< of the file, for messages
  std::vector<Rule> rules{};
};

/// Reads rules in Solr's format, one a line: "sea, ocean" for words that stand for each other,
/// "gb, uk => united kingdom" for words that others take the place of. \ takes the next character
/// as it is; a line that begins with # is a comment. `name` is the file's, for messages. Throws
/// InputError, which says in which line. O(bytes).
std::shared_ptr<const SynonymRules> parse_synonyms(std::string_view text, std::string_view name);

/// Which text fields words search that name none, of an index with text fields.
struct SearchedFields {
  std::vector<SearchedField> fields{};  ///< empty: the index's, with the weights of its schema
  FieldsType type = FieldsType::kMostFields;
  /// Of any index: for words and phrases, once they are analysed. Each side of a rule is analysed
  /// as the field is. Null: none.
  std::shared_ptr<const SynonymRules> synonyms{};
  bool operator==(const SearchedFields&) const = default;
};

/// Reads "title^2,contents". Throws UsageError for a field without a name or twice, and for a
/// weight that is none.
std::vector<SearchedField> parse_searched_fields(std::string_view text);
/// "most_fields", "best_fields", "combined_fields" or "cross_fields"; UsageError for any other.
FieldsType fields_type_from_name(std::string_view name);

/// A clause of a query before analysis, with those below it: what the syntax `lucene` and JSON
/// stand for. Texts are UTF-8. Which members count is said by the kind.
struct QueryNode {
  enum class Kind {
    kNothing,   ///< no document
    kAll,       ///< every document, with a score of 1
    kMatch,     ///< documents with a word of `text`, analysed as documents are
    kTerm,      ///< documents with the term `text`, which is not analysed
    kPhrase,    ///< the words of `text` in their order, `slop` moves apart; the index has positions
    kPrefix,    ///< words that begin with `text`; a score of 1
    kWildcard,  ///< words of the pattern `text`: ? is a character, * any number; a score of 1
    kFuzzy,     ///< words at most `edits` edits from `text`
    kRange,     ///< words from `text` to `upper`, in the order of their bytes; a score of 1
    kAny,       ///< documents with one of `texts`, terms that are not analysed; a score of 1
    kSynonyms,  ///< the same, scored as one word: by the sum of their frequencies in the document,
                ///< and the documents of the most frequent one
    kColumns,   ///< documents that the filter `text` lets through; a score of 1
    kBoolean,   ///< all of `must` and `filter`, none of `must_not`, `minimum_should_match` of
                ///< `should`
    kConstant,  ///< what the one clause of `filter` matches, with a score of 1
    kBest,      ///< one of `should`; the best one's score, and `tie_breaker` of those of the others
    kCombined,  ///< documents with a word of `text` in one of the fields of `should`, which are
                ///< scored as one: FieldsType::kCombinedFields. `should` has a match for each, with
                ///< its field and, as a boost, its weight
    kBlended,   ///< the same, by FieldsType::kCrossFields, with `tie_breaker` as of kBest; without
                ///< `should`, the fields that words search
  };

  Kind kind = Kind::kNothing;
  float boost = 1;  ///< a factor of the score: 0, or kMinQueryWeight to kMaxQueryWeight
  /// A text field; empty: the fields that words search. Groups have none.
  std::string field{};
  std::string text{};
  std::string upper{};         ///< kRange; with `text`: an empty one is no limit
  bool includes_lower = true;  ///< kRange: `text` itself
  bool includes_upper = true;  ///< kRange: `upper` itself
  bool all_words = false;      ///< kMatch, kCombined, kBlended: documents with every word
  /// kMatch, kPhrase, kCombined, kBlended: what to do where analysis leaves no word: leave the
  /// clause out, or match nothing.
  bool may_vanish = true;
  std::uint32_t slop = 0;   ///< kPhrase
  std::uint32_t edits = 2;  ///< kFuzzy: 0 to 2; exchanging two neighbours is one
  float tie_breaker = 0;    ///< kBest, kBlended: 0 to 1
  /// Terms; of kFuzzy, if there are some, the near words, which were chosen among those of a whole.
  std::vector<std::string> texts{};
  /// kPhrase, once it is analysed: where each of `texts` is to stand, which never falls. Of those
  /// of one position, one is enough.
  std::vector<std::uint32_t> positions{};
  /// kBoolean; kMatch, kCombined and kBlended have it too, of their words. Scores of `must` and of
  /// what matches of `should` are added. Without `must` and `filter`, one of `should` at least must
  /// match.
  std::uint32_t minimum_should_match = 0;
  std::vector<QueryNode> must{};
  std::vector<QueryNode> filter{};
  std::vector<QueryNode> should{};
  std::vector<QueryNode> must_not{};
  std::size_t place = 0;  ///< the byte of the query's text that it comes from, for messages
  std::string path{};     ///< of one that comes from JSON, in its place: "query.bool.must[1].term"

  bool operator==(const QueryNode&) const = default;
};

/// Clauses of a tree, besides itself; more are refused.
inline constexpr std::size_t kMaxQueryNodes = 4096;
/// Groups of clauses in each other.
inline constexpr std::size_t kMaxQueryDepth = 64;

/// Throws InputError for more clauses than that, or deeper ones; UsageError for values out of
/// range.
void check_query_tree(const QueryNode& tree);

/// A match (kMatch) of each word of a match, which white space parts, with a weight of 1: for a
/// search in which each word may be in another field.
std::vector<QueryNode> matches_of_words(const QueryNode& match);

/// Terms in the order of the text. A repeated term is there as often as it was written, and its
/// weights are added.
struct Query {
  std::string id;                ///< the name in runs and qrels; may be empty
  std::vector<QueryTerm> terms;  ///< may be empty: nothing matches
  /// Words that are not among the terms, since they are longer than kMaxTermBytes.
  std::uint64_t long_words = 0;
  /// Set if the question is more than terms with signs: this tree of terms; `terms` are then those
  /// that score. A TreeSearcher answers it; engines do not look at it.
  std::shared_ptr<const QueryNode> tree{};
  /// Set where the mode kAndOr was read with the text: what to ask instead where this query, which
  /// asks as kAnd does, matches too few (SearchSettings::and_or_min). Engines do not look at it.
  std::shared_ptr<const Query> or_else{};

  /// What an answer is to: this query, or the other one where that was asked instead.
  const Query& answered(bool fell_back_to_or) const {
    return fell_back_to_or && or_else ? *or_else : *this;
  }
  bool operator==(const Query&) const = default;
};

/// Which documents match. In every mode, a match has all + terms, no - term, and at least one term
/// of the query.
enum class QueryMode {
  kAnd,    ///< documents that also have every unsigned term
  kOr,     ///< no further condition
  kAndOr,  ///< as kAnd, or as kOr if that finds too few (SearchSettings::and_or_min)
};

/// "and", "or" or "and-or"; UsageError for any other.
QueryMode query_mode_from_name(std::string_view name);
/// "and", "or" or "and-or".
std::string_view query_mode_name(QueryMode mode);

/// How a query's text is read.
enum class QuerySyntax {
  kPlain,   ///< all of it is words, without signs
  kSigned,  ///< +word is required, -word excludes, word^2.5 has a weight
  kLucene,  ///< Lucene's: groups, AND OR NOT, patterns, near words, ranges: parse_lucene()
  kJson,    ///< OpenSearch's query objects: parse_json_query()
};

/// "plain", "signed", "lucene" or "json"; UsageError for any other.
QuerySyntax query_syntax_from_name(std::string_view name);

/// The operator between clauses that have none.
enum class DefaultOperator { kOr, kAnd };

/// A tree, and what a lenient parser left out, a sentence each.
struct LuceneQuery {
  QueryNode tree;
  std::vector<std::string> notes;
};

/// Reads a query: words, "phrases"~2, (groups), AND OR NOT && || !, + and -, field:clause,
/// boosts^2, te*, t?st, word~1, [a TO b], {a TO b}, field:IN [a b], *:* for all documents; \ before
/// a character takes it as it is, and AND, OR, NOT are operators in capitals only. Operators have
/// no precedence, as in Lucene: AND makes its two neighbours required. A text of white space alone
/// matches nothing. Throws InputError, which says at which character, for what is not of the
/// syntax; for more clauses than kMaxQueryNodes, and for text that is not UTF-8. O(bytes).
QueryNode parse_lucene(std::string_view text, DefaultOperator between = DefaultOperator::kOr);

/// The same for what people type: reads around mistakes, and tells what it left out. Throws only
/// for too many clauses, and for text that is not UTF-8.
LuceneQuery parse_lucene_leniently(std::string_view text,
                                   DefaultOperator between = DefaultOperator::kOr);

/// Reads a query in JSON, by the names of OpenSearch's query objects: {"match": {"title": "old"}},
/// and bool, constant_score and dis_max of such. docs/query.md has them all. Fields may be columns
/// of the index, too. Throws InputError, which says where: "bool.must[1].term: …", for what is not
/// known there, for more clauses than kMaxQueryNodes, and for what is no JSON. O(bytes).
QueryNode parse_json_query(std::string_view json);

}  // namespace warpdex
