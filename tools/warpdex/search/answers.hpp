// Answers a query log into a TREC run or JSON, a bounded number of queries at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "options/options.hpp"
#include "options/search_options.hpp"
#include "output/progress.hpp"
#include "output/shown_fields.hpp"
#include "search/search_engine.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/input/query_file.hpp"
#include "warpdex/query/input/query_parser.hpp"
#include "warpdex/query/result_writer.hpp"
#include "warpdex/query/search.hpp"

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

/// Sends one answer, with its documents' names, to `writer`. `shown` may be null. `are_distances`:
/// its scores are. `explained`, if not null, is what its scores are explained by.
void write_answer(const Snapshot& snapshot, const Query& query, const SearchResult& result,
                  bool counted, bool are_distances, ShownFields* shown, ResultWriter& writer,
                  const ScorerSettings* explained = nullptr);

/// Options of write_answers(), each of which may be left out.
struct AnswerWatch {
  /// Gets queries that cannot be analysed, which are then left out; null: they end the search.
  SkippedQueries* skipped = nullptr;
  /// Sees the next queries before they are answered.
  std::function<void(std::span<const Query>)> on_queries{};
  /// Sees each result after it was written.
  std::function<void(const Query&, const SearchResult&)> on_answer;
  Progress* progress = nullptr;  ///< shows how far it has come
  ShownFields* shown = nullptr;  ///< what goes with each document
  bool explain = false;          ///< so does an explanation of its score
  /// Above 0: the document of a query's own id is left out, and answers have so many hits at most;
  /// the settings ask for one more.
  std::uint32_t hits_beside_own = 0;
  /// Answers the next queries in the place of the engine; they come in their order.
  std::function<std::vector<SearchResult>(std::span<const Query>)> search{};
  bool are_distances = false;  ///< the scores of its answers
};

/// Answers all queries in their order. After a signal that an InterruptGuard caught, throws
/// Interrupted as soon as the queries under way (GPU: the batch) are answered.
void write_answers(const Snapshot& snapshot, const std::vector<QueryText>& texts,
                   QuerySyntax syntax, const SearchSettings& settings, SearchEngine& engine,
                   ResultWriter& writer, const AnswerWatch& watch = {});

/// Likewise for queries that come one after another: answers those that are there, flushes `out`,
/// which `writer` writes to, and waits for the next. `on_first` is called with the first ones,
/// before they are answered.
void write_stream_answers(const Snapshot& snapshot, QueryReader& queries, QuerySyntax syntax,
                          const SearchSettings& settings, SearchEngine& engine,
                          ResultWriter& writer, std::ostream& out,
                          const std::function<void(const std::vector<QueryText>&)>& on_first,
                          const AnswerWatch& watch = {});

}  // namespace warpdex::tools
