// Takes a query through the segments of what it searches, with one set of best documents for all.
#include "warpdex/query/cpu/cpu_searcher.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "cpu/segment_search.hpp"
#include "plan/excluded_words.hpp"
#include "warpdex/query/filter/document_filter.hpp"

namespace warpdex {

struct CpuSearcher::State {
  explicit State(const Index& index) : plain(&index) { segments.emplace_back(index); }
  State(const Snapshot& searched, std::shared_ptr<const SnapshotBlocks> blocks_of_it)
      : snapshot(searched), blocks(std::move(blocks_of_it)) {
    if (searched.is_plain()) plain = searched.segments()[0].index.get();
    for (const Snapshot::Segment& segment : searched.segments()) {
      segments.emplace_back(*segment.index, segment.first_document);
      documents += segment.index->counts().documents;
    }
    for (std::size_t i = 0; blocks != nullptr && i < segments.size(); ++i) {
      segments[i].blocks = &blocks->of(i);
    }
  }

  const IndexSettings& settings() const {
    return plain != nullptr ? plain->settings() : snapshot->settings();
  }
  SearchResult run(const PlannedQuery& plan, const SearchSettings& wanted) {
    if (wanted.documents != nullptr) return run_filtered(plan, wanted);
    return excludes_words(plan) ? run_without_words(plan, wanted) : run_modes(plan, wanted);
  }
  SearchResult run_filtered(const PlannedQuery& plan, const SearchSettings& wanted);
  SearchResult run_modes(const PlannedQuery& plan, const SearchSettings& wanted);
  /// Runs the search as if documents were removed, by segment.
  template <class Run>
  SearchResult run_without(const std::vector<std::vector<std::uint64_t>>& excluded, const Run& run);
  SearchResult run_without_words(const PlannedQuery& plan, const SearchSettings& wanted);
  SearchResult run(const PlannedQuery& plan, bool unsigned_is_required,
                   const SearchSettings& settings);
  std::vector<SegmentSearch*> open(const PlannedQuery& plan, bool unsigned_is_required,
                                   const SearchSettings& settings);
  float run_segments(std::span<SegmentSearch* const> active, const SearchSettings& settings,
                     bool is_exact, SearchResult& result);
  SearchResult run_from(float seed, bool is_known, std::span<SegmentSearch* const> active,
                        const PlannedQuery& plan, const SearchSettings& settings);
  float likely_seed(std::span<SegmentSearch* const> active, std::uint32_t k) const;
  void bound_fallback(const PlannedQuery& plan, const SearchSettings& settings);
  std::vector<std::vector<std::uint64_t>> excluded(const vector::RowFilter& wanted) const;

  const Index* plain = nullptr;  ///< the one index; none where a plan has segments
  std::optional<Snapshot> snapshot;
  std::shared_ptr<const SnapshotBlocks> blocks;  ///< or none
  std::vector<SearchedSegment> segments;
  std::uint64_t documents = 0;  ///< of all segments
  bool is_restricted = false;   ///< to some documents: seeds may be of others
  double passing_share = 0;     ///< of the documents, of a filter; 0: not known
  SearchScratch scratch;
  std::vector<SegmentSearch> searches;  ///< by segment; keep their cursors between queries
  SearchProgress progress;              ///< of the query
  TopK top;
  std::vector<TopK::Entry> entries;
};

CpuSearcher::CpuSearcher(const Index& index) : state_(std::make_unique<State>(index)) {
  state_->documents = index.counts().documents;
  state_->searches.resize(1);
}
CpuSearcher::CpuSearcher(const Snapshot& snapshot, std::shared_ptr<const SnapshotBlocks> blocks)
    : state_(std::make_unique<State>(snapshot, std::move(blocks))) {
  state_->searches.resize(state_->segments.size());
}
CpuSearcher::~CpuSearcher() = default;
CpuSearcher::CpuSearcher(CpuSearcher&&) noexcept = default;
CpuSearcher& CpuSearcher::operator=(CpuSearcher&&) noexcept = default;

SearchResult CpuSearcher::search(const Query& query, const SearchSettings& settings) {
  return run(plan(query), settings);
}

PlannedQuery CpuSearcher::plan(const Query& query) const {
  if (state_->plain != nullptr) return plan_query(*state_->plain, query);
  return plan_query(*state_->snapshot, query);
}

SearchResult CpuSearcher::run(const PlannedQuery& plan, const SearchSettings& settings) {
  state_->scratch.watch = nullptr;
  return state_->run(plan, settings);
}

SearchResult CpuSearcher::run(const PlannedQuery& plan, const SearchSettings& settings,
                              SearchWatch& watch, SearchProgress& progress) {
  state_->scratch.watch = &watch;
  SearchResult result = state_->run(plan, settings);
  progress = state_->progress;
  return result;
}

/// Of each segment, the rows that are removed or not among `wanted`.
std::vector<std::vector<std::uint64_t>> CpuSearcher::State::excluded(
    const vector::RowFilter& wanted) const {
  std::vector<std::vector<std::uint64_t>> excluded;
  for (const SearchedSegment& segment : segments) {
    const vector::RowFilter own =
        wanted.slice(segment.first_document, segment.index->counts().documents);
    auto& words = excluded.emplace_back(own.words().begin(), own.words().end());
    for (std::uint64_t& word : words) word = ~word;
    const auto removed = segment.removed.words();
    for (std::size_t i = 0; i < removed.size(); ++i) words[i] |= removed[i];
  }
  return excluded;
}

template <class Run>
SearchResult CpuSearcher::State::run_without(
    const std::vector<std::vector<std::uint64_t>>& excluded, const Run& run) {
  const std::vector<SearchedSegment> unrestricted = segments;
  const bool was_restricted = is_restricted;
  const auto end = [&](State* restricted) {
    restricted->segments = unrestricted;
    restricted->is_restricted = was_restricted;
  };
  const std::unique_ptr<State, decltype(end)> guard(this, end);  // also where the search throws
  is_restricted = true;
  for (std::size_t i = 0; i < excluded.size(); ++i) segments[i].removed = RemovedRows(excluded[i]);
  return run();
}

/// Documents that the filter does not let through count as removed.
SearchResult CpuSearcher::State::run_filtered(const PlannedQuery& plan,
                                              const SearchSettings& wanted) {
  const DocumentFilter& filter = *wanted.documents;
  SearchSettings settings = wanted;
  settings.documents = nullptr;
  if (filter.count == 0) {
    settings.validate();
    progress = {};
    SearchResult nothing;
    nothing.fell_back_to_or = settings.mode == QueryMode::kAndOr;
    return nothing;
  }
  const auto search = [&] {
    for (SearchedSegment& segment : segments) segment.is_filtered = true;
    return run(plan, settings);
  };
  if (!is_restricted) {
    passing_share = static_cast<double>(filter.count) / static_cast<double>(documents);
    const auto end = [](double* share) { *share = 0; };
    const std::unique_ptr<double, decltype(end)> guard(&passing_share, end);
    return run_without(filter.excluded, search);
  }
  std::vector<std::vector<std::uint64_t>> excluded = filter.excluded;
  for (std::size_t i = 0; i < excluded.size(); ++i) {
    const auto removed = segments[i].removed.words();
    for (std::size_t word = 0; word < removed.size(); ++word) excluded[i][word] |= removed[word];
  }
  return run_without(excluded, search);
}

SearchResult CpuSearcher::run_within(const PlannedQuery& plan, const SearchSettings& settings,
                                     const vector::RowFilter& documents) {
  return state_->run_without(state_->excluded(documents), [&] { return run(plan, settings); });
}

/// Documents of excluded words count as removed.
SearchResult CpuSearcher::State::run_without_words(const PlannedQuery& plan,
                                                   const SearchSettings& wanted) {
  std::vector<std::vector<std::uint64_t>> excluded;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Index& index = *segments[i].index;
    const auto removed = segments[i].removed.words();
    std::vector<std::uint64_t>& words = excluded.emplace_back(removed.begin(), removed.end());
    words.resize(removed_words(index.counts().documents));
    mark_documents_of_words(index, (plain != nullptr ? plan : plan.segments[i]).excluded_words,
                            words);
  }
  return run_without(excluded, [&] { return run_modes(plan, wanted); });
}

SearchResult CpuSearcher::State::run_modes(const PlannedQuery& plan, const SearchSettings& wanted) {
  wanted.validate();
  progress = {};
  SearchSettings settings = wanted;
  settings.scorer = effective_scorer(this->settings(), wanted.scorer);
  if (settings.mode == QueryMode::kOr) return run(plan, false, settings);
  SearchResult result = run(plan, true, settings);
  if (settings.mode == QueryMode::kAndOr && result.matches < settings.and_or_min_matches()) {
    if (!progress.is_complete) {
      bound_fallback(plan, settings);
      return result;
    }
    result = run(plan, false, settings);
    result.fell_back_to_or = true;
  }
  return result;
}

/// AND was stopped before it was known whether the answer is OR's: a bound that holds for that too.
void CpuSearcher::State::bound_fallback(const PlannedQuery& plan, const SearchSettings& settings) {
  const bool is_exact = sums_are_exact(this->settings(), plan);
  progress.max_missing_score = 0;
  for (SegmentSearch* search : open(plan, false, settings)) {
    progress.max_missing_score = std::max(progress.max_missing_score, search->bound(is_exact));
  }
  progress.threshold = 0;
}

/// The segments where something can match.
std::vector<SegmentSearch*> CpuSearcher::State::open(const PlannedQuery& plan,
                                                     bool unsigned_is_required,
                                                     const SearchSettings& settings) {
  std::vector<SegmentSearch*> active;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const PlannedQuery& own = plain != nullptr ? plan : plan.segments[i];
    if (searches[i].open(segments[i], own, unsigned_is_required, settings)) {
      active.push_back(&searches[i]);
    }
  }
  return active;
}

SearchResult CpuSearcher::State::run(const PlannedQuery& plan, bool unsigned_is_required,
                                     const SearchSettings& settings) {
  const auto k = static_cast<std::uint32_t>(std::min<std::uint64_t>(settings.k, documents));
  std::vector<SegmentSearch*> active = open(plan, unsigned_is_required, settings);
  if (active.empty()) return {};
  float seed = settings.start_threshold();
  for (SegmentSearch* search : active) {
    if (!is_restricted) seed = std::max(seed, search->seed(k));
  }
  const float likely = likely_seed(active, k);
  if (likely > seed) {
    SearchResult result = run_from(likely, false, active, plan, settings);
    if (result.hits.size() == k || !progress.is_complete) return result;
    active = open(plan, unsigned_is_required, settings);
  }
  return run_from(seed, true, active, plan, settings);
}

/// A score that k documents of a filter reach if these are spread evenly: that of so many of all
/// documents that three times k of them pass on average. 0 if none is known.
float CpuSearcher::State::likely_seed(std::span<SegmentSearch* const> active,
                                      std::uint32_t k) const {
  constexpr double kSpare = 3;
  const double rank = kSpare * k / passing_share;
  if (passing_share == 0 || rank > kSeedRanks.back()) return 0;
  float seed = 0;
  for (SegmentSearch* search : active) {
    seed = std::max(seed, search->seed(static_cast<std::uint32_t>(rank) + 1));
  }
  return seed;
}

/// Finds the k best documents of a score of `seed` or more; `is_known`: k matches have that.
SearchResult CpuSearcher::State::run_from(float seed, bool is_known,
                                          std::span<SegmentSearch* const> active,
                                          const PlannedQuery& plan,
                                          const SearchSettings& settings) {
  SearchResult result;
  const auto k = static_cast<std::uint32_t>(std::min<std::uint64_t>(settings.k, documents));
  top.reset(k, seed);
  const float unseen =
      run_segments(active, settings, sums_are_exact(this->settings(), plan), result);
  top.take(entries);
  result.hits.reserve(entries.size());
  for (const TopK::Entry& entry : entries) result.hits.push_back({entry.id, entry.score});
  if (!active.front()->has_required() && !settings.count) result.matches = result.hits.size();
  if (unseen >= 0) {
    // It was stopped. A document that is missing was not looked at, or it scores no more than the
    // last one of k, or less than the threshold.
    const float last = result.hits.size() == k ? result.hits.back().score : 0;
    progress.is_complete = false;
    progress.threshold = std::max(top.threshold(), last);
    progress.max_missing_score = std::max(progress.threshold, unseen);
    if (!is_known && result.hits.size() < k) progress.threshold = 0;
  }
  return result;
}

/// Returns an upper bound of the scores of documents that were not looked at, since the watch
/// stopped the search; negative if there are none.
float CpuSearcher::State::run_segments(std::span<SegmentSearch* const> active,
                                       const SearchSettings& settings, bool is_exact,
                                       SearchResult& result) {
  for (std::size_t i = 0; i < active.size(); ++i) {
    std::uint64_t wanted = 0;  // matches to be seen before blocks may be passed over
    if (settings.count) {
      wanted = std::numeric_limits<std::uint64_t>::max();
    } else if (settings.mode == QueryMode::kAndOr) {
      const std::uint64_t min = settings.and_or_min_matches();
      wanted = min - std::min(min, result.matches);
    }
    result.matches += active[i]->run(wanted, settings, is_exact, scratch, top);
    float unseen = scratch.max_unseen_score;
    if (unseen < 0) continue;
    for (SegmentSearch* search : active.subspan(i + 1)) {
      unseen = std::max(unseen, search->bound(is_exact));
    }
    return unseen;
  }
  return -1;
}

}  // namespace warpdex
