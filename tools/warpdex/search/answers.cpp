// Runs query logs through the engine and hands the answers to a writer.
#include "search/answers.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <span>

#include "output/interrupt.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/evaluation/trec_run.hpp"
#include "warpdex/query/explain/explain.hpp"
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

void write_answer(const Snapshot& snapshot, const Query& query, const SearchResult& result,
                  bool counted, bool are_distances, ShownFields* shown, ResultWriter& writer,
                  const ScorerSettings* explained) {
  std::vector<NamedHit> hits;
  hits.reserve(result.hits.size());
  std::vector<std::vector<ShownField>> fields(shown != nullptr ? result.hits.size() : 0);
  std::vector<Explanation> explanations(explained != nullptr ? result.hits.size() : 0);
  for (const Hit& hit : result.hits) {
    NamedHit& named = hits.emplace_back(snapshot.document_name(hit.document), hit.score);
    if (explained != nullptr) {
      Explanation& explanation = explanations[hits.size() - 1];
      explanation = explain(snapshot, query, *explained, hit.document);
      named.explanation = &explanation;
    }
    if (shown == nullptr) continue;
    fields[hits.size() - 1] = shown->of(hit.document, query);
    named.fields = fields[hits.size() - 1];
  }
  QueryAnswer answer;
  answer.id = query.id;
  answer.hits = hits;
  answer.matches = result.matches;
  answer.matches_exact = counted;
  answer.fell_back_to_or = result.fell_back_to_or;
  answer.scores_are_distances = are_distances;
  writer.write(answer);
}

namespace {

/// Queries that are answered at a time.
std::size_t chunk_size(const SearchSettings& settings) {
  return std::clamp<std::size_t>(kHitsAtOnce / std::max(1U, settings.k), 1, kQueriesAtOnce);
}

/// Answers these queries into a writer.
class ChunkWriter {
 public:
  ChunkWriter(const Snapshot& snapshot, QuerySyntax syntax, const SearchSettings& settings,
              SearchEngine& engine, ResultWriter& writer, const AnswerWatch& watch)
      : snapshot_(snapshot),
        analyzer_(make_analyzer(snapshot.settings().analyzer)),
        syntax_(syntax),
        settings_(settings),
        engine_(engine),
        writer_(writer),
        watch_(watch) {}

  void write(std::span<const QueryText> texts, const SearchEngine::OnProgress& on_progress) {
    const std::vector<Query> queries = parse_queries(texts, syntax_, *analyzer_, watch_.skipped);
    if (watch_.on_queries) watch_.on_queries(queries);
    std::vector<SearchResult> results =
        watch_.search ? watch_.search(queries) : engine_.search(queries, settings_, on_progress);
    if (watch_.search) on_progress(queries.size());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (watch_.hits_beside_own > 0) leave_out_own(queries[i], results[i].hits);
      write_answer(snapshot_, queries[i], results[i], settings_.count, watch_.are_distances,
                   watch_.shown, writer_, watch_.explain ? &settings_.scorer : nullptr);
      if (watch_.on_answer) watch_.on_answer(queries[i], results[i]);
    }
  }

 private:
  void leave_out_own(const Query& query, std::vector<Hit>& hits) const {
    std::erase_if(
        hits, [&](const Hit& hit) { return snapshot_.document_name(hit.document) == query.id; });
    if (hits.size() > watch_.hits_beside_own) hits.resize(watch_.hits_beside_own);
  }

  const Snapshot& snapshot_;
  std::unique_ptr<Analyzer> analyzer_;
  QuerySyntax syntax_;
  const SearchSettings& settings_;
  SearchEngine& engine_;
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

void write_answers(const Snapshot& snapshot, const std::vector<QueryText>& texts,
                   QuerySyntax syntax, const SearchSettings& settings, SearchEngine& engine,
                   ResultWriter& writer, const AnswerWatch& watch) {
  ChunkWriter chunks(snapshot, syntax, settings, engine, writer, watch);
  const std::size_t chunk = chunk_size(settings);
  AnswerCounter answered(texts.size(), watch.progress);
  for (std::size_t first = 0; first < texts.size(); first += chunk) {
    const std::size_t count = std::min(chunk, texts.size() - first);
    chunks.write(std::span(texts).subspan(first, count),
                 [&](std::size_t more) { answered.add(more); });
  }
  writer.finish();
}

void write_stream_answers(const Snapshot& snapshot, QueryReader& queries, QuerySyntax syntax,
                          const SearchSettings& settings, SearchEngine& engine,
                          ResultWriter& writer, std::ostream& out,
                          const std::function<void(const std::vector<QueryText>&)>& on_first,
                          const AnswerWatch& watch) {
  ChunkWriter chunks(snapshot, syntax, settings, engine, writer, watch);
  std::exception_ptr failure;
  for (bool is_first = true;; is_first = false) {
    const std::vector<QueryText> texts = take_queries(queries, chunk_size(settings), failure);
    if (is_first) on_first(texts);
    chunks.write(texts, [](std::size_t) { InterruptGuard::check(); });
    out.flush();
    if (failure) std::rethrow_exception(failure);
    if (texts.empty()) break;
  }
  writer.finish();
}

}  // namespace warpdex::tools
