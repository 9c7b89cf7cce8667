// What the readers of query files share: queries that were read and not taken yet, and errors with
// file and line. Internal to query/.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "warpdex/query/input/query_file.hpp"

namespace warpdex {

class LineReader;

class QueryList {
 public:
  QueryList(std::string file, const QueryReadOptions& options)
      : file_(std::move(file)),
        on_bad_query_(options.on_bad_query),
        limits_(options.limits),
        are_for_run_(options.are_for_run) {}

  /// Adds a query that stands at `line`; white space around the id is dropped. It is bad if its id
  /// is empty, came before or could not name it, if the text is too long, or if the id, the text or
  /// a term is not UTF-8.
  void add(QueryText query, std::uint64_t line);

  /// A bad query: throws InputError, "FILE:LINE problem", or lets on_bad_query have that.
  void refuse(std::uint64_t line, const std::string& problem);

  /// Throws InputError: what is no file of the format.
  [[noreturn]] void fail(std::uint64_t line, const std::string& problem) const;

  /// Whether there was no query so far, bad ones counted.
  bool was_empty() const { return !had_any_; }
  /// Whether none is left to be taken.
  bool is_empty() const { return queries_.empty(); }
  QueryText take();

 private:
  std::string why_not_utf8(const QueryText& query) const;
  std::string why_not_id(const std::string& id) const;

  std::string file_;
  std::function<void(const std::string&)> on_bad_query_;
  QueryLimits limits_;
  bool are_for_run_;
  std::deque<QueryText> queries_;
  bool had_any_ = false;
  bool saw_utf8_ = false;  ///< that is not ASCII
  std::unordered_map<std::string, std::uint64_t> line_of_id_;
};

/// Reads one format: line by line, so that a query is there as soon as its lines are.
class QueryLines {
 public:
  virtual ~QueryLines() = default;
  /// Takes the next line.
  virtual void read(const std::string& line, std::uint64_t number, QueryList& queries) = 0;
  /// In its place, a line that is bad in every format.
  virtual void refuse(std::uint64_t number, const std::string& problem, QueryList& queries) {
    queries.refuse(number, problem);
  }
  /// The file is at its end.
  virtual void finish(QueryList&) {}
};

/// TREC topics: id from <num>, text from the fields; closing tags may be missing. A topic with a
/// field of more than `max_bytes` is bad, and is not kept whole. UsageError for no fields, and for
/// one that is named twice.
std::unique_ptr<QueryLines> trec_topics(const std::vector<TopicField>& fields,
                                        std::size_t max_bytes);

/// kJsonl and kSparse.
std::unique_ptr<QueryLines> json_queries(bool are_vectors);

}  // namespace warpdex
