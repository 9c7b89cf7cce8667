// Takes a query through the segments of what it searches, with one set of best documents for all.
#include "warpdex/query/cpu/cpu_searcher.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "cpu/segment_search.hpp"

namespace warpdex {

struct CpuSearcher::State {
  explicit State(const Index& index) : plain(&index) { segments.emplace_back(index); }
  explicit State(const Snapshot& searched) : snapshot(searched) {
    if (searched.is_plain()) plain = searched.segments()[0].index.get();
    for (const Snapshot::Segment& segment : searched.segments()) {
      segments.emplace_back(*segment.index, segment.first_document);
      documents += segment.index->counts().documents;
    }
  }

  const IndexSettings& settings() const {
    return plain != nullptr ? plain->settings() : snapshot->settings();
  }
  SearchResult run(const PlannedQuery& plan, bool unsigned_is_required,
                   const SearchSettings& settings);
  void run_segments(std::span<SegmentSearch* const> active, const SearchSettings& settings,
                    bool is_exact, SearchResult& result);

  const Index* plain = nullptr;  ///< the one index; none where a plan has segments
  std::optional<Snapshot> snapshot;
  std::vector<SearchedSegment> segments;
  std::uint64_t documents = 0;  ///< of all segments
  SearchScratch scratch;
  std::vector<SegmentSearch> searches;  ///< by segment; keep their cursors between queries
  TopK top;
  std::vector<TopK::Entry> entries;
};

CpuSearcher::CpuSearcher(const Index& index) : state_(std::make_unique<State>(index)) {
  state_->documents = index.counts().documents;
  state_->searches.resize(1);
}
CpuSearcher::CpuSearcher(const Snapshot& snapshot) : state_(std::make_unique<State>(snapshot)) {
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

SearchResult CpuSearcher::run(const PlannedQuery& plan, const SearchSettings& wanted) {
  wanted.validate();
  SearchSettings settings = wanted;
  settings.scorer = effective_scorer(state_->settings(), wanted.scorer);
  if (settings.mode == QueryMode::kOr) return state_->run(plan, false, settings);
  SearchResult result = state_->run(plan, true, settings);
  if (settings.mode == QueryMode::kAndOr && result.matches < settings.and_or_min_matches()) {
    result = state_->run(plan, false, settings);
    result.fell_back_to_or = true;
  }
  return result;
}

SearchResult CpuSearcher::State::run(const PlannedQuery& plan, bool unsigned_is_required,
                                     const SearchSettings& settings) {
  SearchResult result;
  const auto k = static_cast<std::uint32_t>(std::min<std::uint64_t>(settings.k, documents));
  std::vector<SegmentSearch*> active;
  float seed = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const PlannedQuery& own = plain != nullptr ? plan : plan.segments[i];
    if (!searches[i].open(segments[i], own, unsigned_is_required, settings.scorer)) continue;
    active.push_back(&searches[i]);
    seed = std::max(seed, searches[i].seed(k));
  }
  if (active.empty()) return result;
  top.reset(k, seed);
  run_segments(active, settings, sums_are_exact(this->settings(), plan), result);
  top.take(entries);
  result.hits.reserve(entries.size());
  for (const TopK::Entry& entry : entries) result.hits.push_back({entry.id, entry.score});
  if (!active.front()->has_required() && !settings.count) result.matches = result.hits.size();
  return result;
}

void CpuSearcher::State::run_segments(std::span<SegmentSearch* const> active,
                                      const SearchSettings& settings, bool is_exact,
                                      SearchResult& result) {
  for (SegmentSearch* search : active) {
    std::uint64_t wanted = 0;  // matches to be seen before blocks may be passed over
    if (settings.count) {
      wanted = std::numeric_limits<std::uint64_t>::max();
    } else if (settings.mode == QueryMode::kAndOr) {
      const std::uint64_t min = settings.and_or_min_matches();
      wanted = min - std::min(min, result.matches);
    }
    result.matches += search->run(wanted, settings, is_exact, scratch, top);
  }
}

}  // namespace warpdex
