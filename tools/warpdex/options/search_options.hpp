// The options that search and bench share: which queries, how they match, how they score.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "options/options.hpp"
#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/query/input/query_file.hpp"
#include "warpdex/query/input/query_parser.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::tools {

/// Reports queries that are left out: the first of them one by one, the others by their number.
class SkippedQueries {
 public:
  SkippedQueries() = default;
  SkippedQueries(const SkippedQueries&) = delete;
  SkippedQueries& operator=(const SkippedQueries&) = delete;
  /// Reports the number of those that were not reported one by one.
  ~SkippedQueries();

  void add(const std::string& message);
  bool is_empty() const { return count_ == 0; }

 private:
  std::uint64_t count_ = 0;
};

/// Declared once, read after CommandLine::parse().
class SearchOptions {
 public:
  /// `default_threads`: what --threads is if it is not given; 0: all.
  explicit SearchOptions(std::int64_t default_threads = 1) : threads_(default_threads) {}

  /// Adds the groups "Queries", "Matching" and "Scoring".
  void add_to(CommandLine& command);

  /// Throws UsageError if an option was given that has no effect: on this index, or with this
  /// scorer. `command` is the one that the options were added to.
  void check(const CommandLine& command, const IndexSettings& index,
             const std::string& folder) const;
  /// Likewise with this --mode. For commands that search by this mode alone.
  void check_mode(const CommandLine& command) const;
  /// Throws UsageError if --mode or -k was given. For commands that take modes and k from
  /// elsewhere; `kinds` says from where, as "--mix has the kinds of queries".
  void refuse_mode_and_k(const CommandLine& command, const std::string& kinds) const;

  /// What the options say. Throws UsageError for what they cannot.
  SearchSettings settings() const;
  std::size_t threads() const;

  bool has_query_file() const { return !queries_file_.empty(); }
  const std::string& query_file() const { return queries_file_; }
  /// The queries of --queries, as text. Those that are bad, or that the analyzer of the index or
  /// the syntax (by default plain) refuses, are reported and left out where the user said so,
  /// unless none is left: that is an InputError.
  /// `are_for_run` as QueryReadOptions has it.
  std::vector<QueryText> read_query_file(const IndexSettings& index,
                                         bool are_for_run = false) const;
  /// Throws InputError if queries were left out and none is left.
  void check_some_left(const SkippedQueries& skipped) const;
  /// Whether queries come one by one from a pipe or a terminal, and each is to be answered at once.
  bool is_stream() const;
  /// How queries are read, for a QueryReader of the caller's. `skipped` reports bad queries, if
  /// they are to be left out; it must outlive the reader.
  QueryReadOptions read_options(SkippedQueries& skipped, bool are_for_run) const;
  QueryFormat query_format() const { return query_format_from_name(query_format_); }
  bool skips_bad_queries() const { return on_bad_query_ == "skip"; }
  /// --query-syntax, or `otherwise` where it was not given.
  QuerySyntax syntax(QuerySyntax otherwise) const;
  /// The text fields that words search, and the synonyms of words. Throws UsageError for what names
  /// none, InputError and IoError for the file of synonyms, which is read once.
  SearchedFields searched() const;

 private:
  std::string queries_file_;
  std::string query_format_ = "tsv";
  std::string query_syntax_;
  std::string query_fields_;
  std::string fields_type_ = "most_fields";
  std::string synonyms_;
  mutable std::shared_ptr<const SynonymRules> rules_;  ///< of that file
  std::string topic_fields_;
  std::string on_bad_query_ = "fail";
  std::string mode_ = "or";
  std::string scorer_ = "bm25";
  std::string bm25_form_ = "lucene";
  std::int64_t k_ = 10;
  static constexpr std::int64_t kAndOrMinIsK = std::numeric_limits<std::int64_t>::min();
  std::int64_t and_or_min_ = kAndOrMinIsK;
  std::int64_t threads_;
  bool count_ = false;
  ScorerSettings scorer_settings_;
};

/// How a search was set, as bench and JSON reports word it: "bm25 lucene, k1 0.9, b 0.4", or
/// "impacts".
std::string scorer_text(const ScorerSettings& settings);

/// Analyses queries by the index's analyzers; `mode` is that of parse_query(). A query that cannot
/// be analysed is an InputError that names it; with `skipped`, it is reported there and left out.
/// Throws Interrupted after a signal that an InterruptGuard caught.
std::vector<Query> parse_queries(std::span<const QueryText> texts, QuerySyntax syntax,
                                 const TextAnalyzers& analyzers, const SearchedFields& fields = {},
                                 SkippedQueries* skipped = nullptr,
                                 QueryMode mode = QueryMode::kOr);

}  // namespace warpdex::tools
