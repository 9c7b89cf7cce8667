// Query logs: lines with and without ids. TREC topics are read by trec_topics.cpp.
#include "warpdex/query/input/query_file.hpp"

#include "input/query_list.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/input_stream.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

bool looks_like_trec_topics(const LineReader& lines, std::string_view line) {
  return trimmed(line).starts_with("<top>") ||
         std::filesystem::path(lines.name()).extension() == ".trec";
}

[[noreturn]] void fail_without_separator(const LineReader& lines, std::string_view line,
                                         std::string_view separator, const QueryList& queries) {
  queries.fail(
      lines.line_number(),
      "has no " + std::string(separator) + " between a query's id and its text; " +
          (looks_like_trec_topics(lines, line)
               ? "it looks like TREC topics: choose the format trec, as by --query-format trec"
               : "add it, or choose another query format"));
}

void read_separated(LineReader& lines, char separator, std::string_view separator_name,
                    QueryList& queries) {
  for (std::string line; lines.next(line);) {
    // A line of a tab alone is no empty line: its id was lost.
    if (line.find_first_not_of(' ') == line.npos) continue;
    const std::size_t end = line.find(separator);
    if (end == line.npos) fail_without_separator(lines, line, separator_name, queries);
    queries.add(std::string_view(line).substr(0, end), std::string_view(line).substr(end + 1),
                lines.line_number());
  }
}

void read_lines(LineReader& lines, QueryList& queries) {
  for (std::string line; lines.next(line);) {
    queries.add(std::to_string(lines.line_number()), line, lines.line_number());
  }
}

}  // namespace

QueryFormat query_format_from_name(std::string_view name) {
  if (name == "tsv") return QueryFormat::kTsv;
  if (name == "colon") return QueryFormat::kColon;
  if (name == "lines") return QueryFormat::kLines;
  if (name == "trec") return QueryFormat::kTrec;
  throw UsageError("there is no query format '" + std::string(name) +
                   "'; take tsv, colon, lines or trec");
}

std::vector<QueryText> read_queries(const std::filesystem::path& file, QueryFormat format) {
  LineReader lines(file);
  QueryList queries(lines.name());
  switch (format) {
    case QueryFormat::kTsv: read_separated(lines, '\t', "tab", queries); break;
    case QueryFormat::kColon: read_separated(lines, ':', "colon", queries); break;
    case QueryFormat::kLines: read_lines(lines, queries); break;
    case QueryFormat::kTrec: read_trec_topics(lines, queries); break;
  }
  return std::move(queries).take();
}

}  // namespace warpdex
