// What the readers of query files share: the queries so far, and errors with file and line.
// Internal to query/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warpdex/query/input/query_file.hpp"

namespace warpdex {

class LineReader;

class QueryList {
 public:
  explicit QueryList(std::string file) : file_(std::move(file)) {}

  /// Adds a query that stands at `line`; white space around the id is dropped. Throws InputError
  /// for an empty or a repeated id, and for an id or text that is not UTF-8.
  void add(std::string_view id, std::string_view text, std::uint64_t line);

  /// Throws InputError: "FILE:LINE problem"
  [[noreturn]] void fail(std::uint64_t line, const std::string& problem) const;

  bool empty() const { return queries_.empty(); }
  std::vector<QueryText> take() && { return std::move(queries_); }

 private:
  std::string file_;
  std::vector<QueryText> queries_;
  std::unordered_map<std::string, std::uint64_t> line_of_id_;
};

/// Adds all TREC topics of `lines`: id from <num>, text from <title>; closing tags may be missing.
void read_trec_topics(LineReader& lines, QueryList& queries);

}  // namespace warpdex
