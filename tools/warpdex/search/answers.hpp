// Answers a query log into a TREC run or JSON, a bounded number of queries at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options/options.hpp"
#include "options/search_options.hpp"
#include "output/progress.hpp"
#include "warpdex/query/input/query_file.hpp"
#include "warpdex/query/input/query_parser.hpp"
#include "warpdex/query/result_writer.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/searcher.hpp"

namespace warpdex::tools {

/// The options on where answers go and how they look.
class AnswerOptions {
 public:
  /// `without_output` says where answers go without --output.
  void add_to(CommandLine& command, const std::string& without_output = "standard output");
  /// Throws UsageError for a tag that no run takes. `readable`: the answer is for people.
  void check(const CommandLine& command, bool readable) const;
  const std::string& output() const { return output_; }
  bool is_to_standard_output() const { return output_.empty() || output_ == "-"; }
  bool is_json() const { return output_format_ == "json"; }
  /// A writer of --output-format to `out`, which must outlive it. Throws UsageError.
  std::unique_ptr<ResultWriter> make_writer(std::ostream& out) const;

 private:
  std::string output_;
  std::string output_format_ = "trec";
  std::string tag_ = "warpdex";
};

/// An answer as it is written: with the names of its documents.
class NamedAnswer {
 public:
  /// `answer` must outlive it. Leaves out the document of the id `own`, if that is not empty, and
  /// has `most` hits at most. `is_sorted`: by columns, so that hits have cursors.
  explicit NamedAnswer(const Answer& answer, std::string_view own = {}, std::size_t most = kMaxK,
                       bool is_sorted = false);

  const QueryAnswer& view() const { return view_; }

 private:
  std::vector<NamedHit> hits_;
  QueryAnswer view_;
};

/// Options of write_answers(), each of which may be left out.
struct AnswerWatch {
  /// Gets queries that cannot be analysed, which are then left out; null: they end the search.
  SkippedQueries* skipped = nullptr;
  /// Sees the next queries before they are answered.
  std::function<void(std::span<const Query>)> on_queries{};
  /// Sees each answer after it was written.
  std::function<void(const Query&, const Answer&)> on_answer;
  Progress* progress = nullptr;  ///< shows how far it has come
  /// Above 0: the document of a query's own id is left out, and answers have so many hits at most;
  /// the options ask for one more.
  std::uint32_t hits_beside_own = 0;
  /// The queries' vectors, of the next so many queries.
  std::function<std::span<const float>(std::size_t)> next_vectors{};
};

/// Answers all queries in their order. After a signal that an InterruptGuard caught, throws
/// Interrupted within a second, on a GPU as soon as the batch is answered.
void write_answers(const Searcher& searcher, const std::vector<QueryText>& texts,
                   QuerySyntax syntax, const warpdex::SearchOptions& options, ResultWriter& writer,
                   const AnswerWatch& watch = {});

/// The same for queries that come one after another: answers those that are there, flushes `out`,
/// which `writer` writes to, and waits for the next. `on_first` is called with the first ones,
/// before they are answered.
void write_stream_answers(const Searcher& searcher, QueryReader& queries, QuerySyntax syntax,
                          const warpdex::SearchOptions& options, ResultWriter& writer,
                          std::ostream& out,
                          const std::function<void(const std::vector<QueryText>&)>& on_first,
                          const AnswerWatch& watch = {});

}  // namespace warpdex::tools
