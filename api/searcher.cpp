// Keeps the commit that is searched, and puts a later one in its place.
#include "warpdex/searcher.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "answer_maker.hpp"
#include "column_search.hpp"
#include "open_index.hpp"
#include "search_settings.hpp"
#include "usable_gpu.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/query/hybrid/fusion.hpp"
#include "warpdex/query/index_vectors.hpp"

namespace warpdex {
namespace {

SearchLimits limits_of(const SearchOptions& options) {
  SearchLimits limits{
      .stop = options.stop, .threads = options.threads, .on_progress = &options.on_progress};
  const auto now = SearchLimits::Clock::now();
  // Later than the clock can tell is never.
  if (options.deadline < std::chrono::hours(24 * 365)) limits.end = now + options.deadline;
  return limits;
}

/// Whether requests have vectors. UsageError where some have and some have not.
bool have_vectors(std::span<const SearchRequest> requests) {
  const auto has = [](const SearchRequest& request) { return !request.vector.empty(); };
  if (std::none_of(requests.begin(), requests.end(), has)) return false;
  if (std::all_of(requests.begin(), requests.end(), has)) return true;
  throw UsageError(
      "some requests of the batch have a vector and some have none; search for them "
      "apart");
}

/// Of the vectors that are compared. Throws UsageError where there are none.
std::size_t dimension_of(const Snapshot& snapshot, const SearchOptions& options) {
  return vector_settings(snapshot, find_vectors(snapshot, options.vector_field)).dimension;
}

/// Throws UsageError for what a search by vectors cannot do.
void check_vectors(std::size_t dimension, std::size_t queries, std::size_t components,
                   const SearchOptions& options) {
  if (options.explain || options.count) {
    throw UsageError(
        "only searches by words alone are explained and counted; leave the vectors, or "
        "explain and count, out");
  }
  if (components == queries * dimension) return;
  throw UsageError(std::to_string(queries) + (queries == 1 ? " query" : " queries") +
                   " came with " + std::to_string(components) + " components; give a vector of " +
                   std::to_string(dimension) + " for each");
}

/// Throws UsageError for what has no columns.
void check_columns(bool by_words, const SearchOptions& options) {
  if (!options.search_after.empty() && options.sort.empty()) {
    throw UsageError("search_after is for a sorted search; sort by a column");
  }
  if (by_words || !asks_columns(options)) return;
  throw UsageError(
      "only searches by words alone are sorted and have facets; leave the vectors, or sort and "
      "facets, out");
}

/// What engines found, and how it is scored.
struct Found {
  std::vector<TextAnswer> answers;
  bool are_distances = false;
};

OpenIndex::Reading reading_of(const SearchOptions& options) {
  return {options.syntax, options.mode, options.searched};
}

/// Searches one commit.
Found find(const OpenIndex& index, std::span<const Query> queries, std::span<const float> vectors,
           const SearchOptions& options, const SearchLimits& limits) {
  SearchSettings settings = search_settings(options, index.has_several_texts());
  settings.validate();
  const std::shared_ptr<const DocumentFilter> filter = index.filter(options.filter);
  settings.documents = filter.get();
  const bool by_words = vectors.empty();
  if (by_words && options.vectors_alone && !queries.empty()) {
    throw UsageError("a search by vectors alone needs vectors; give one for each query");
  }
  check_columns(by_words, options);
  if (asks_columns(options)) {
    Found found;
    for (const Query& query : queries) {
      found.answers.push_back(search_columns(index, query, settings, options, limits));
    }
    return found;
  }
  if (by_words) return {index.search(queries, settings, limits)};
  const std::size_t set = find_vectors(index.snapshot(), options.vector_field);
  const vector::RowSettings rows = vector_settings(index.snapshot(), set);
  check_vectors(rows.dimension, queries.size(), vectors.size(), options);
  if (options.vectors_alone) {
    return {index.nearest(vectors, set, settings.k, options.fusion, filter.get(), limits),
            !larger_is_nearer(rows.metric)};
  }
  const OpenIndex::Decided decided = index.decide(queries, settings, limits);
  Found found{index.search(decided.queries, vectors, set, settings, options.fusion, limits),
              scores_are_distances(options.fusion.fusion, rows.metric)};
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (decided.fell_back[i]) found.answers[i].result.fell_back_to_or = true;
  }
  return found;
}

/// The same of texts. Without any, vectors are searched alone.
Found find(const OpenIndex& index, std::span<const std::string_view> texts,
           std::span<const float> vectors, const SearchOptions& options,
           const SearchLimits& limits) {
  if (vectors.empty() && !options.vectors_alone) {
    SearchSettings settings = search_settings(options, index.has_several_texts());
    settings.validate();
    const std::shared_ptr<const DocumentFilter> filter = index.filter(options.filter);
    settings.documents = filter.get();
    return {index.search(texts, reading_of(options), settings, limits)};
  }
  if (!texts.empty()) {
    return find(index, index.parse(texts, reading_of(options), limits), vectors, options, limits);
  }
  SearchOptions alone = options;
  alone.vectors_alone = true;
  const std::size_t dimension = dimension_of(index.snapshot(), options);
  return find(index, std::vector<Query>(vectors.size() / dimension), vectors, alone, limits);
}

std::vector<Answer> answer(const std::shared_ptr<const OpenIndex>& index,
                           std::span<const Query> queries, std::span<const float> vectors,
                           const SearchOptions& options) {
  Found found = find(*index, queries, vectors, options, limits_of(options));
  AnswerMaker maker(index, options, found.are_distances);
  std::vector<Answer> answers;
  answers.reserve(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    answers.push_back(maker.make(queries[i], std::move(found.answers[i])));
  }
  return answers;
}

void write_row(const TextAnswer& found, std::size_t row, BatchAnswer& answer) {
  answer.counts[row] = static_cast<std::uint32_t>(found.result.hits.size());
  answer.is_complete = answer.is_complete && found.is_complete;
  std::size_t place = row * answer.k;
  for (const Hit& hit : found.result.hits) {
    answer.documents[place] = hit.document;
    answer.scores[place++] = hit.score;
  }
}

}  // namespace

struct Searcher::State {
  State(const std::filesystem::path& searched, const SearcherOptions& wanted);
  /// At the same commit.
  State(const State& of) : folder(of.folder), options(of.options), gpus(of.gpus) {
    const std::lock_guard lock(of.mutex);
    index = of.index;
    why_cpu = of.why_cpu;
  }

  std::shared_ptr<const OpenIndex> current() const {
    const std::lock_guard lock(mutex);
    return index;
  }
  std::shared_ptr<const OpenIndex> open(const Snapshot& snapshot, const OpenIndex* before) const;
  bool refresh();
  void follow(const std::stop_token& stop);

  const std::filesystem::path folder;
  const SearcherOptions options;
  std::vector<Gpu> gpus;     ///< none: the CPU searches
  std::mutex refreshing;     ///< one refresh at a time
  mutable std::mutex mutex;  ///< protects what follows
  std::shared_ptr<const OpenIndex> index;
  std::string why_cpu;
  std::string last_failure;  ///< of a look for a commit
  std::condition_variable_any woken;
  std::jthread follower;  ///< last: it ends before the rest
};

Searcher::State::State(const std::filesystem::path& searched, const SearcherOptions& wanted)
    : folder(std::filesystem::absolute(searched)), options(wanted) {
  const Snapshot snapshot = Snapshot::open(folder);
  if (options.device != Device::kCpu) {
    try {
      gpus = usable_gpus(options.gpus);
      index = open(snapshot, nullptr);
    } catch (const Error& error) {
      if (options.device == Device::kGpu || !is_of_gpu(error)) throw;
      why_cpu = error.what();
      gpus.clear();
    }
  }
  if (!index) index = open(snapshot, nullptr);
  if (options.follow > std::chrono::milliseconds(0)) {
    follower = std::jthread([this](const std::stop_token& stop) { follow(stop); });
  }
}

std::shared_ptr<const OpenIndex> Searcher::State::open(const Snapshot& snapshot,
                                                       const OpenIndex* before) const {
  if (gpus.empty()) return std::make_shared<const OpenIndex>(snapshot, options, before);
  return std::make_shared<const OpenIndex>(snapshot, gpus, options, before);
}

bool Searcher::State::refresh() {
  const std::lock_guard one_at_a_time(refreshing);
  const std::shared_ptr<const OpenIndex> old = current();
  const Snapshot snapshot = Snapshot::open(folder);
  if (are_same_commit(snapshot, old->snapshot())) return false;
  std::shared_ptr<const OpenIndex> opened = open(snapshot, old.get());
  const std::lock_guard lock(mutex);
  index.swap(opened);
  return true;
}

void Searcher::State::follow(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::string failure;
    try {
      refresh();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    std::unique_lock lock(mutex);
    last_failure = std::move(failure);
    woken.wait_for(lock, stop, options.follow, [] { return false; });
  }
}

Searcher::Searcher(const std::filesystem::path& folder, const SearcherOptions& options)
    : state_(std::make_unique<State>(folder, options)) {}
Searcher::Searcher(std::unique_ptr<State> state) : state_(std::move(state)) {}
Searcher::~Searcher() = default;
Searcher::Searcher(Searcher&&) noexcept = default;
Searcher& Searcher::operator=(Searcher&&) noexcept = default;

Answer Searcher::search(std::string_view text, const SearchOptions& options) const {
  return search(SearchRequest{.text = std::string(text)}, options);
}

Answer Searcher::search(const SearchRequest& request, const SearchOptions& options) const {
  return std::move(search(std::span(&request, 1), options).front());
}

std::vector<Answer> Searcher::search(std::span<const SearchRequest> requests,
                                     const SearchOptions& options) const {
  std::vector<Query> queries;
  std::vector<float> vectors;
  const bool with_vectors = have_vectors(requests);
  const std::shared_ptr<const OpenIndex> index = state_->current();
  const std::size_t dimension = with_vectors ? dimension_of(index->snapshot(), options) : 0;
  for (const SearchRequest& request : requests) {
    queries.push_back(index->parse(request.text, reading_of(options), request.id));
    if (request.vector.size() != dimension) {
      throw UsageError("the vector of the request '" + request.id + "' has " +
                       std::to_string(request.vector.size()) +
                       " components, and those of the index have " + std::to_string(dimension));
    }
    vectors.insert(vectors.end(), request.vector.begin(), request.vector.end());
  }
  const bool have_words = std::any_of(requests.begin(), requests.end(),
                                      [](const auto& request) { return !request.text.empty(); });
  if (!with_vectors || have_words) return answer(index, queries, vectors, options);
  SearchOptions by_vectors = options;
  by_vectors.vectors_alone = true;
  return answer(index, queries, vectors, by_vectors);
}

std::vector<Answer> Searcher::search(std::span<const Query> queries, std::span<const float> vectors,
                                     const SearchOptions& options) const {
  return answer(state_->current(), queries, vectors, options);
}

BatchAnswer Searcher::search_batch(std::span<const std::string_view> texts,
                                   std::span<const float> vectors,
                                   const SearchOptions& options) const {
  if (!options.fields.empty() || options.explain || options.count || asks_columns(options) ||
      !options.search_after.empty()) {
    throw UsageError(
        "answers that are arrays have no fields, explanations, counts, facets and order of their "
        "own; search for them");
  }
  const SearchLimits limits = limits_of(options);
  const std::shared_ptr<const OpenIndex> index = state_->current();
  const Found found = find(*index, texts, vectors, options, limits);
  BatchAnswer answer;
  answer.k = options.k;
  answer.documents.assign(found.answers.size() * answer.k, BatchAnswer::kNoDocument);
  answer.scores.resize(answer.documents.size());
  answer.counts.resize(found.answers.size());
  answer.scores_are_distances = found.are_distances;
  answer.snapshot_ = index->shared_snapshot();
  for (std::size_t row = 0; row < found.answers.size(); ++row) {
    write_row(found.answers[row], row, answer);
  }
  return answer;
}

Answer Searcher::search_tree(const QueryNode& tree, const SearchOptions& options) const {
  const std::shared_ptr<const OpenIndex> index = state_->current();
  const Query query = index->parse(tree, options.searched);
  SearchOptions as_or = options;
  as_or.mode = QueryMode::kOr;
  return std::move(answer(index, {&query, 1}, {}, as_or).front());
}

Query Searcher::parse_tree(const QueryNode& tree, const SearchedFields& fields) const {
  return state_->current()->parse(tree, fields);
}

Query Searcher::parse(std::string_view text, QuerySyntax syntax, std::string_view id,
                      QueryMode mode, const SearchedFields& fields) const {
  return state_->current()->parse(text, {syntax, mode, fields}, id);
}

std::vector<TermStatistics> Searcher::suggest(std::string_view prefix, std::size_t count,
                                              std::string_view field) const {
  return IndexReader(*this).suggest(prefix, count, field);
}

Searcher Searcher::at_this_commit() const { return Searcher(std::make_unique<State>(*state_)); }

bool Searcher::refresh() { return state_->refresh(); }
std::uint64_t Searcher::commit() const { return snapshot().commit(); }
std::uint64_t Searcher::documents() const { return snapshot().documents(); }
Snapshot Searcher::snapshot() const { return state_->current()->snapshot(); }

Device Searcher::device() const {
  return state_->gpus.empty() ? Device::kCpu : state_->options.device;
}

std::string Searcher::problem() const {
  std::shared_ptr<const OpenIndex> index;
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->last_failure.empty()) return state_->last_failure;
    if (!state_->why_cpu.empty()) return state_->why_cpu;
    index = state_->index;
  }
  return index->note();  // which may wait for an upload
}

}  // namespace warpdex
