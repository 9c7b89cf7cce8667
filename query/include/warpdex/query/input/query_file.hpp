// Query logs: files of queries, before analysis.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex {

struct QueryText {
  std::string id;
  std::string text;
};

enum class QueryFormat {
  kTsv,    ///< id<TAB>text
  kColon,  ///< id:text
  kLines,  ///< text; ids are line numbers from 1
  kTrec,   ///< TREC topics: <top><num>…<title>…
};

/// "tsv", "colon", "lines" or "trec"; UsageError for any other.
QueryFormat query_format_from_name(std::string_view name);

/// All queries of a file ("-": standard input; .gz, .zst and .xz are unpacked), in order. A query
/// with no text is kept (its answer is empty); an empty line between queries is not a query, in
/// kLines it is. Throws IoError for a file that cannot be read and InputError, with file and
/// line, for a line without its separator, an empty or a repeated id, or bytes that are not UTF-8.
std::vector<QueryText> read_queries(const std::filesystem::path& file, QueryFormat format);

}  // namespace warpdex
