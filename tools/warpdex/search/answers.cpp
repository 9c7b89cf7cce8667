// Runs query logs through the engine and hands the answers to a writer.
#include "search/answers.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <span>

#include "output/interrupt.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/query/evaluation/trec_run.hpp"
#include "warpdex/query/results_json.hpp"

namespace warpdex::tools {
namespace {

// Answers in memory at a time: 8 bytes a hit, so 32 MB at most.
constexpr std::size_t kHitsAtOnce = std::size_t{4} << 20;
constexpr std::size_t kQueriesAtOnce = 1024;

/// Looks out for signals and tells the progress, as queries are answered by any thread.
class AnswerCounter {
 public:
  AnswerCounter(std::size_t queries, Progress* progress) : queries_(queries), progress_(progress) {}

  void add(std::size_t count) {
    InterruptGuard::check();
    if (progress_ == nullptr) return;
    const std::lock_guard lock(mutex_);
    answered_ += count;
    progress_->update("searching", grouped(answered_) + " of " + counted(queries_, "query"),
                      answered_, queries_, Progress::Unit::kItems);
  }

 private:
  const std::size_t queries_;
  Progress* const progress_;
  std::mutex mutex_;
  std::size_t answered_ = 0;
};

}  // namespace

void AnswerOptions::add_to(CommandLine& command, const std::string& without_output) {
  const std::string output =
      "where the answers go; written beside and renamed, so it is whole or not there. Default: " +
      without_output;
  po::options_description group = option_group("Output");
  group.add_options()("output", output_value(&output_)->value_name("FILE"), output.c_str())(
      "output-format",
      po::value(&output_format_)->value_name("FORMAT")->default_value(output_format_),
      "trec (qid Q0 docno rank score tag) or json")(
      "tag", po::value(&tag_)->value_name("TAG")->default_value(tag_),
      "the run's name, the last column of trec");
  command.add(group);
}

void AnswerOptions::check(const CommandLine& command, bool readable) const {
  if (!command.given("tag") || (!readable && !is_json())) return;
  throw UsageError("--tag is for --output-format trec; add that or leave it out");
}

std::unique_ptr<ResultWriter> AnswerOptions::make_writer(std::ostream& out) const {
  if (output_format_ == "trec") return std::make_unique<TrecRunWriter>(out, tag_);
  if (output_format_ == "json") return std::make_unique<JsonResultWriter>(out);
  throw UsageError("--output-format takes trec or json, not '" + output_format_ + "'");
}

NamedAnswer::NamedAnswer(const Answer& answer, std::string_view own, std::size_t most,
                         bool is_sorted) {
  hits_.reserve(answer.size());
  for (std::size_t i = 0; i < answer.size() && hits_.size() < most; ++i) {
    const AnswerHit hit = answer[i];
    if (!own.empty() && hit.id() == own) continue;
    NamedHit& named = hits_.emplace_back();
    named.document = hit.id();
    named.score = hit.score();
    named.fields = hit.fields();
    named.explanation = hit.explanation();
    if (is_sorted) named.cursor = hit.cursor();
  }
  view_.id = answer.id;
  view_.hits = hits_;
  view_.matches = answer.matches;
  view_.matches_exact = answer.matches_exact;
  view_.fell_back_to_or = answer.fell_back_to_or;
  view_.terms_cut = answer.terms_cut;
  view_.scores_are_distances = answer.scores_are_distances;
  view_.facets = answer.facets;
}

namespace {

/// Queries that are answered at a time.
std::size_t chunk_size(const warpdex::SearchOptions& options) {
  return std::clamp<std::size_t>(kHitsAtOnce / std::max(1U, options.k), 1, kQueriesAtOnce);
}

/// Answers these queries into a writer.
class ChunkWriter {
 public:
  ChunkWriter(const Searcher& searcher, QuerySyntax syntax, const warpdex::SearchOptions& options,
              ResultWriter& writer, const AnswerWatch& watch)
      : searcher_(searcher),
        analyzers_(IndexReader(searcher).settings()),
        syntax_(syntax),
        mode_(options.mode),
        options_(options),
        writer_(writer),
        watch_(watch) {
    options_.syntax = syntax;  // it has read the mode, where the syntax is lucene
  }

  void write(std::span<const QueryText> texts,
             const std::function<void(std::size_t)>& on_progress) {
    const std::vector<Query> queries =
        parse_queries(texts, syntax_, analyzers_, options_.searched, watch_.skipped, mode_);
    if (watch_.on_queries) watch_.on_queries(queries);
    std::span<const float> vectors;
    if (watch_.next_vectors) vectors = watch_.next_vectors(queries.size());
    options_.on_progress = on_progress;
    const std::vector<Answer> answers = searcher_.search(queries, vectors, options_);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const bool leaves_out = watch_.hits_beside_own > 0;
      const NamedAnswer named(answers[i], leaves_out ? queries[i].id : "",
                              leaves_out ? watch_.hits_beside_own : kMaxK, !options_.sort.empty());
      writer_.write(named.view());
      if (watch_.on_answer) watch_.on_answer(queries[i], answers[i]);
    }
  }

 private:
  const Searcher& searcher_;
  TextAnalyzers analyzers_;
  QuerySyntax syntax_;
  QueryMode mode_;
  warpdex::SearchOptions options_;
  ResultWriter& writer_;
  const AnswerWatch& watch_;
};

/// The next queries, of which the first may be waited for; none at the end. Those before one that
/// cannot be read are to be answered: what that throws goes to `failure`.
std::vector<QueryText> take_queries(QueryReader& reader, std::size_t max,
                                    std::exception_ptr& failure) {
  std::vector<QueryText> queries;
  try {
    for (QueryText query; queries.size() < max && (queries.empty() || reader.has_more_at_hand()) &&
                          reader.next(query);) {
      queries.push_back(std::move(query));
    }
  } catch (...) {
    failure = std::current_exception();
  }
  return queries;
}

}  // namespace

void write_answers(const Searcher& searcher, const std::vector<QueryText>& texts,
                   QuerySyntax syntax, const warpdex::SearchOptions& options, ResultWriter& writer,
                   const AnswerWatch& watch) {
  ChunkWriter chunks(searcher, syntax, options, writer, watch);
  const std::size_t chunk = chunk_size(options);
  AnswerCounter answered(texts.size(), watch.progress);
  for (std::size_t first = 0; first < texts.size(); first += chunk) {
    const std::size_t count = std::min(chunk, texts.size() - first);
    chunks.write(std::span(texts).subspan(first, count),
                 [&](std::size_t more) { answered.add(more); });
  }
  writer.finish();
}

void write_stream_answers(const Searcher& searcher, QueryReader& queries, QuerySyntax syntax,
                          const warpdex::SearchOptions& options, ResultWriter& writer,
                          std::ostream& out,
                          const std::function<void(const std::vector<QueryText>&)>& on_first,
                          const AnswerWatch& watch) {
  ChunkWriter chunks(searcher, syntax, options, writer, watch);
  std::exception_ptr failure;
  for (bool is_first = true;; is_first = false) {
    const std::vector<QueryText> texts = take_queries(queries, chunk_size(options), failure);
    if (is_first) on_first(texts);
    chunks.write(texts, [](std::size_t) { InterruptGuard::check(); });
    out.flush();
    if (failure) std::rethrow_exception(failure);
    if (texts.empty()) break;
  }
  writer.finish();
}

}  // namespace warpdex::tools
