#include "open_index.hpp"

#include <algorithm>

#include "warpdex/core/parallel.hpp"
#include "warpdex/core/storage/same_sections.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex {
namespace {

std::vector<TextAnswer> finished(std::vector<SearchResult>&& found, const SearchLimits& limits) {
  limits.check_stop();
  if (limits.reports()) (*limits.on_progress)(found.size());
  std::vector<TextAnswer> answers;
  answers.reserve(found.size());
  for (SearchResult& each : found) answers.push_back({std::move(each)});
  return answers;
}

}  // namespace

OpenIndex::OpenIndex(const Snapshot& snapshot, std::size_t threads)
    : snapshot_(std::make_shared<const Snapshot>(snapshot)),
      threads_(threads),
      cpu_(make_cpu_text(snapshot, threads)) {}

OpenIndex::OpenIndex(const Snapshot& snapshot, std::size_t threads, const Gpu& gpu, Device device,
                     const OpenIndex* before)
    : OpenIndex(snapshot, threads) {
  gpu_ = gpu;
  if (before != nullptr && before->uploaded_) {
    uploaded_ = before->uploaded_->next(snapshot);
  } else {
    uploaded_.emplace(snapshot, gpu.resources());
  }
  if (before != nullptr) {
    const std::lock_guard lock(before->mutex_);
    if (before->uploaded_vectors_) uploaded_vectors_ = before->uploaded_vectors_->next(*uploaded_);
  }
  with_gpu_ = device == Device::kAuto ? make_scheduled_text(*uploaded_, threads)
                                      : make_gpu_text(*uploaded_, *cpu_);
}

Query OpenIndex::parse(std::string_view text, QuerySyntax syntax, std::string_view id) const {
  const auto analyzer =
      analyzers_.take([this] { return make_analyzer(snapshot_->settings().analyzer); });
  return parse_query(id, text, syntax, *analyzer);
}

std::vector<TextAnswer> OpenIndex::search(std::span<const Query> queries,
                                          const SearchSettings& settings,
                                          const SearchLimits& limits) const {
  constexpr std::size_t kFew = 256;  // are planned sooner than threads start
  std::vector<PlannedQuery> plans(queries.size());
  ProgressReport report(limits);
  parallel_for(queries.size() < kFew ? 1 : threads_, queries.size(),
               [&](std::size_t, std::size_t i) {
                 if (report.goes_on()) plans[i] = plan_query(*snapshot_, queries[i]);
               });
  report.finish();
  limits.check_stop();
  return (with_gpu_ ? *with_gpu_ : *cpu_).search(plans, settings, limits);
}

std::vector<TextAnswer> OpenIndex::search(std::span<const Query> queries,
                                          std::span<const float> vectors,
                                          const SearchSettings& settings,
                                          const FusionSettings& fusion,
                                          const SearchLimits& limits) const {
  const auto hybrid = take_hybrid(limits);
  return finished(hybrid->searcher.search(queries, vectors, settings, fusion), limits);
}

std::vector<TextAnswer> OpenIndex::nearest(std::span<const float> vectors, std::uint32_t k,
                                           const SearchLimits& limits) const {
  return finished(take_hybrid(limits)->searcher.nearest(vectors, k), limits);
}

Pool<OpenIndex::Hybrid>::Lease OpenIndex::take_hybrid(const SearchLimits& limits) const {
  limits.check_stop();
  auto hybrid = hybrids_.take([this] { return std::make_unique<Hybrid>(*this); });
  hybrid->limits = limits;
  return hybrid;
}

std::string OpenIndex::note() const {
  const std::lock_guard lock(mutex_);
  if (!uploaded_vectors_ || uploaded_vectors_->is_resident()) return "";
  return "the GPU's memory does not hold the vectors; the CPU searches them";
}

Pool<StoredReader>::Lease OpenIndex::stored_reader() const {
  return stored_.take([this] { return std::make_unique<StoredReader>(*snapshot_); });
}

OpenIndex::Hybrid::Hybrid(const OpenIndex& index) : searcher(index.make_hybrid(*this)) {}

/// Its text half is this index's own search, within the limits of the search that `of` is in. The
/// halves of a search with a deadline are complete: a fusion of parts would mean nothing.
HybridSearcher OpenIndex::make_hybrid(Hybrid& of) const {
  HybridSearcher::TextSearch text = [this, &of](std::span<const Query> queries,
                                                const SearchSettings& settings) {
    std::vector<SearchResult> results;
    for (TextAnswer& answer : search(queries, settings, {.stop = of.limits.stop})) {
      results.push_back(std::move(answer.result));
    }
    return results;
  };
  if (uploaded_) return HybridSearcher(gpu_vectors(), threads_, std::move(text));
  return HybridSearcher(*snapshot_, threads_, std::move(text));
}

/// Uploads them the first time.
const GpuVectors& OpenIndex::gpu_vectors() const {
  const std::lock_guard lock(mutex_);
  if (!uploaded_vectors_) uploaded_vectors_.emplace(*uploaded_);
  return *uploaded_vectors_;
}

bool are_same_commit(const Snapshot& one, const Snapshot& other) {
  const auto same_sections = [](const Snapshot::Segment& a, const Snapshot::Segment& b) {
    return are_same_sections(a.index->section_infos(), b.index->section_infos());
  };
  return one.commit() == other.commit() &&
         std::ranges::equal(one.segments(), other.segments(), same_sections);
}

}  // namespace warpdex
