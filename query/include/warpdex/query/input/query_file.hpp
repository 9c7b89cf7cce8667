// Query logs: files of queries, before analysis.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/query/query.hpp"

namespace warpdex {

/// A query as it is in its file: text, which is still to be analysed, or terms.
struct QueryText {
  std::string id;
  std::string text{};
  bool is_vector = false;           ///< the query is `vector`, not `text`
  std::vector<QueryTerm> vector{};  ///< of kSparse: each term once, with its weight
  /// Terms that are not in `vector`, since they are longer than kMaxTermBytes.
  std::uint64_t long_terms = 0;
};

enum class QueryFormat {
  kTsv,    ///< id<TAB>text
  kColon,  ///< id:text
  kLines,  ///< text; ids are line numbers from 1
  kTrec,   ///< TREC topics: <top><num>…<title>…
  kJsonl,  ///< an object a line, as BEIR's: {"_id": …, "text": …}; "id" and "query" are taken too
  kSparse,  ///< an object a line: {"id": …, "vector": {"term": weight, …}}
};

/// "tsv", "colon", "lines", "trec", "jsonl" or "sparse"; UsageError for any other.
QueryFormat query_format_from_name(std::string_view name);

/// Parts of a TREC topic that may be searched for.
enum class TopicField { kTitle, kDescription, kNarrative };

/// "title", "desc" or "narr"; UsageError for any other.
TopicField topic_field_from_name(std::string_view name);

/// How queries are read.
struct QueryReadOptions {
  /// kTrec: the text is these fields, in this order, with a space between. A topic that lacks one
  /// of them is a bad query.
  std::vector<TopicField> topic_fields{TopicField::kTitle};
  /// Called with a message for each bad query, which is then left out. Empty: it is thrown.
  std::function<void(const std::string&)> on_bad_query{};
  /// Ids are to name queries in a TREC run: one with white space is a bad query.
  bool are_for_run = false;
  /// As for InputStream.
  std::function<void()> on_read{};
  /// A query of more bytes is a bad one. (Its terms are known only when it is parsed.)
  QueryLimits limits{};
  /// A longer line is a bad query: JSON takes more bytes than the text in it, and so do terms with
  /// weights.
  std::size_t max_line_bytes = std::size_t{64} << 20;
};

/// The queries of a file, one after another. A query without text is kept (its answer is empty). An
/// empty line is a query in kLines, and is skipped in the other formats. A query is bad if it lacks
/// its separator, has an empty id, one that came before or one with a character that nobody sees
/// (id_fault()), is not UTF-8, has a NUL, is not the JSON of its format, or is too long.
class QueryReader {
 public:
  /// Opens the file ("-": standard input; .gz, .zst and .xz are unpacked). Throws IoError for a
  /// file that cannot be read, UsageError if there is no topic field or one is named twice.
  QueryReader(const std::filesystem::path& file, QueryFormat format,
              const QueryReadOptions& options = {});
  ~QueryReader();
  QueryReader(const QueryReader&) = delete;
  QueryReader& operator=(const QueryReader&) = delete;

  /// The next query, as soon as its line (kTrec: its </top>) was read; false at the end. Throws
  /// InputError, with file and line, for a bad query without on_bad_query, and for a file of
  /// another format; IoError if reading fails.
  bool next(QueryText& query);

  /// Whether another query, or at least another line, can be read without waiting.
  bool has_more_at_hand() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All queries of a file, in order. Throws as QueryReader does.
std::vector<QueryText> read_queries(const std::filesystem::path& file, QueryFormat format,
                                    const QueryReadOptions& options = {});

}  // namespace warpdex
