#include "open_index.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/core/storage/same_sections.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/query/index_vectors.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex {
namespace {

/// So few queries are analysed or planned sooner than threads start.
constexpr std::size_t kFew = 256;

/// So many of what `take` returns.
template <class Take>
auto many(std::size_t count, const Take& take) {
  std::vector<decltype(take())> taken;
  taken.reserve(count);
  while (taken.size() < count) taken.push_back(take());
  return taken;
}

/// Those that are wanted; `before`: of the commit before, if there was one. What comes in the place
/// of an index of impacts later may hold frequencies, and goes without.
std::shared_ptr<const SnapshotBlocks> make_blocks(
    const Snapshot& snapshot, const SearcherOptions& options,
    const std::shared_ptr<const SnapshotBlocks>* before) {
  if (!options.document_blocks) return nullptr;
  if (before != nullptr && !snapshot.settings().impacts) return nullptr;
  return std::make_shared<const SnapshotBlocks>(snapshot, options.threads,
                                                before != nullptr ? before->get() : nullptr);
}

}  // namespace

OpenIndex::OpenIndex(const Snapshot& snapshot, const SearcherOptions& options,
                     const OpenIndex* before)
    : snapshot_(std::make_shared<const Snapshot>(snapshot)),
      threads_(options.threads),
      blocks_(make_blocks(snapshot, options, before != nullptr ? &before->blocks_ : nullptr)),
      cpu_(make_cpu_text(snapshot, threads_, blocks_)),
      hybrids_(vector_sets(snapshot.settings()).size()) {}

OpenIndex::OpenIndex(const Snapshot& snapshot, std::span<const Gpu> gpus,
                     const SearcherOptions& options, const OpenIndex* before)
    : OpenIndex(snapshot, options, before) {
  gpus_.assign(gpus.begin(), gpus.end());
  std::vector<Resources*> resources;
  for (const Gpu& gpu : gpus_) resources.push_back(&gpu.resources());
  if (before != nullptr && before->uploaded_) {
    uploaded_ = before->uploaded_->next(snapshot);
  } else {
    before = nullptr;
    uploaded_.emplace(snapshot, resources, options.shards);
  }
  if (blocks_ && options.device == Device::kGpu && options.shards == 1) {
    gpu_blocks_ = upload_blocks(snapshot, *blocks_, resources, before);
    lacks_gpu_blocks_ = gpu_blocks_ == nullptr;
  }
  for (std::size_t i = 0; i < uploaded_->replicas(); ++i) {
    replicas_.push_back(std::make_unique<GpuReplica>(
        snapshot, uploaded_->replica(i), options.threads, options.device,
        before != nullptr ? before->replicas_[i].get() : nullptr));
  }
  hybrids_ = std::vector<Pool<Hybrid>>(replicas_.size() * hybrids_.size());
  with_gpu_ = options.device == Device::kAuto ? make_scheduled_text(*uploaded_, options.threads)
                                              : make_gpu_text(*uploaded_, gpu_blocks_, *cpu_);
}

/// Null where a later commit's do not fit beside those before: its searches go by lists.
std::shared_ptr<const GpuBlocks> OpenIndex::upload_blocks(const Snapshot& snapshot,
                                                          const SnapshotBlocks& blocks,
                                                          std::span<Resources* const> gpus,
                                                          const OpenIndex* before) {
  if (before == nullptr) return std::make_shared<const GpuBlocks>(snapshot, blocks, gpus);
  try {
    return std::make_shared<const GpuBlocks>(snapshot, blocks, gpus, before->gpu_blocks_.get());
  } catch (const UsageError&) {
    return nullptr;
  }
}

std::size_t OpenIndex::threads_for(std::size_t queries, const SearchLimits& limits) const {
  if (queries < kFew) return 1;
  const std::size_t wanted = limits.threads == 0 ? threads_ : limits.threads;
  return wanted == 0 ? default_threads() : wanted;
}

Pool<TextAnalyzers>::Lease OpenIndex::take_analyzers() const {
  return analyzers_.take([this] { return std::make_unique<TextAnalyzers>(snapshot_->settings()); });
}

bool OpenIndex::has_several_texts() const { return text_count(snapshot_->settings().schema) > 1; }

Pool<QueryPlanner>::Lease OpenIndex::take_planner() const {
  return planners_.take([this] { return std::make_unique<QueryPlanner>(*snapshot_); });
}

Query OpenIndex::parse(std::string_view text, const Reading& reading, std::string_view id) const {
  return parse_query(id, text, reading.syntax, *take_analyzers(), reading.fields, {}, reading.mode);
}

Query OpenIndex::parse(const QueryNode& tree, const SearchedFields& fields) const {
  Query query;
  take_tree(query, tree, *take_analyzers(), fields);
  return query;
}

std::vector<Query> OpenIndex::parse(std::span<const std::string_view> texts, const Reading& reading,
                                    const SearchLimits& limits) const {
  std::vector<Query> queries(texts.size());
  const std::size_t threads = threads_for(texts.size(), limits);
  const auto analyzers = many(threads, [this] { return take_analyzers(); });
  ProgressReport report(limits);
  kept_threads_.parallel_for(threads, texts.size(), [&](std::size_t thread, std::size_t i) {
    if (!report.goes_on()) return;
    queries[i] = parse_query(std::to_string(i), texts[i], reading.syntax, *analyzers[thread],
                             reading.fields, {}, reading.mode);
  });
  report.finish();
  limits.check_stop();
  return queries;
}

std::vector<TextAnswer> OpenIndex::search(std::span<const std::string_view> texts,
                                          const Reading& reading, const SearchSettings& settings,
                                          const SearchLimits& limits) const {
  if (reading.syntax == QuerySyntax::kLucene || reading.syntax == QuerySyntax::kJson ||
      reading.fields.synonyms || has_several_texts()) {
    return search(parse(texts, reading, limits), settings, limits);
  }
  std::vector<PlannedQuery> plans(texts.size());
  const std::size_t threads = threads_for(texts.size(), limits);
  const auto analyzers = many(threads, [this] { return take_analyzers(); });
  const auto planners = many(threads, [this] { return take_planner(); });
  ProgressReport report(limits);
  kept_threads_.parallel_for(threads, texts.size(), [&](std::size_t thread, std::size_t i) {
    if (!report.goes_on()) return;
    plans[i] = planners[thread]->plan(parse_query(std::to_string(i), texts[i], reading.syntax,
                                                  *analyzers[thread], reading.fields));
  });
  report.finish();
  return search(plans, settings, limits);
}

/// Trees: exact phrases on the GPU, others on threads of the CPU; one on its caller's.
std::vector<TextAnswer> OpenIndex::search_trees(std::span<const Query> queries,
                                                const SearchSettings& settings,
                                                const SearchLimits& limits) const {
  std::vector<TextAnswer> answers(queries.size());
  std::vector<std::size_t> left(queries.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  if (!replicas_.empty()) left = search_phrases(queries, settings, limits, answers);
  ProgressReport report(limits);
  report.add(queries.size() - left.size());
  const std::size_t wanted = limits.threads == 0 ? threads_ : limits.threads;
  const std::size_t threads = left.size() == 1 ? 1 : wanted == 0 ? default_threads() : wanted;
  kept_threads_.parallel_for(threads, left.size(), [&](std::size_t, std::size_t place) {
    if (!report.goes_on()) return;
    const std::size_t i = left[place];
    const auto searcher =
        tree_searchers_.take([this] { return std::make_unique<TreeSearcher>(*snapshot_); });
    LimitWatch watch(limits, report);
    SearchProgress progress;
    TreeResult found = searcher->search(*queries[i].tree, settings, &watch, &progress);
    answers[i] = {.result = std::move(found.result),
                  .is_complete = progress.is_complete,
                  .max_missing_score = progress.max_missing_score,
                  .terms_cut = found.was_cut};
    report.add(1);
  });
  report.finish();
  limits.check_stop();
  return answers;
}

/// Queries that are trees go to the CPU, the others to the engines.
std::vector<TextAnswer> OpenIndex::search_apart(std::span<const Query> queries,
                                                const SearchSettings& settings,
                                                const SearchLimits& limits) const {
  std::vector<Query> parts[2];
  for (const Query& query : queries) parts[query.tree ? 1 : 0].push_back(query);
  std::vector<TextAnswer> found[2] = {search_terms(parts[0], settings, limits),
                                      search_trees(parts[1], settings, limits)};
  std::vector<TextAnswer> answers;
  std::size_t next[2] = {0, 0};
  for (const Query& query : queries) {
    const std::size_t part = query.tree ? 1 : 0;
    answers.push_back(std::move(found[part][next[part]++]));
  }
  return answers;
}

std::vector<TextAnswer> OpenIndex::search_terms(std::span<const Query> queries,
                                                const SearchSettings& settings,
                                                const SearchLimits& limits) const {
  std::vector<PlannedQuery> plans(queries.size());
  const std::size_t threads = threads_for(queries.size(), limits);
  const auto planners = many(threads, [this] { return take_planner(); });
  ProgressReport report(limits);
  kept_threads_.parallel_for(threads, queries.size(), [&](std::size_t thread, std::size_t i) {
    if (report.goes_on()) plans[i] = planners[thread]->plan(queries[i]);
  });
  report.finish();
  return search(plans, settings, limits);
}

std::vector<TextAnswer> OpenIndex::search(std::span<const PlannedQuery> plans,
                                          const SearchSettings& settings,
                                          const SearchLimits& limits) const {
  limits.check_stop();
  return (with_gpu_ ? *with_gpu_ : *cpu_).search(plans, settings, limits);
}

std::shared_ptr<const DocumentFilter> OpenIndex::filter(std::string_view text) const {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return nullptr;
  return filters_.get(*snapshot_, text);
}

Pool<StoredReader>::Lease OpenIndex::stored_reader() const {
  return stored_.take([this] { return std::make_unique<StoredReader>(*snapshot_); });
}

bool are_same_commit(const Snapshot& one, const Snapshot& other) {
  const auto same_sections = [](const Snapshot::Segment& a, const Snapshot::Segment& b) {
    return are_same_sections(a.index->section_infos(), b.index->section_infos());
  };
  return one.commit() == other.commit() &&
         std::ranges::equal(one.segments(), other.segments(), same_sections);
}

}  // namespace warpdex
