// Takes a tree through the windows of each segment.
#include "warpdex/query/tree/tree_searcher.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "cpu/passing.hpp"
#include "cpu/searched_segment.hpp"
#include "tree/tree_clause.hpp"
#include "tree/tree_plan.hpp"
#include "warpdex/core/select/top_k.hpp"
#include "warpdex/query/filter/document_filter.hpp"

namespace warpdex {
namespace {

/// A tree in one segment.
class SegmentTree {
 public:
  SegmentTree(const PlannedTree& tree, const SearchedSegment& segment, std::size_t number,
              const ScorerSettings& scorer)
      : segment_(segment),
        root_(make_clause(tree.root, segment, number, scorer, tree.statistics)),
        scores_(tree.root.scores),
        slack_(sum_slack(false, tree.lists + 1)),
        documents_(static_cast<std::uint32_t>(segment.index->counts().documents)) {
    matches_.scores.resize(kTreeWindow);
  }

  /// Adds to `matches`, all of them if they are counted. Returns an upper bound of the scores of
  /// documents that were not looked at, since the watch ended the search; negative: there are none.
  float run(const Kernels& kernels, bool counts, SearchWatch* watch, TopK& top,
            std::uint64_t& matches);

  /// An upper bound of the scores from a document on, which there is.
  float bound_from(std::uint32_t begin) { return bound({begin, documents_}); }
  std::uint32_t documents() const { return documents_; }

  /// Appends the docIDs of all matches.
  void append(const Kernels& kernels, std::vector<std::uint32_t>& documents);

 private:
  bool can_enter(float bound, const TopK& top) const {
    return top.full() ? bound > top.threshold() : bound >= top.threshold();
  }
  /// A match that scores no more than this by the tree cannot enter; below 0: any can.
  float least(const TopK& top) const {
    const float least = (top.threshold() - segment_.static_bound) / slack_;
    return scores_ && least > 0 ? least * (1 - 1e-6F) : -1;
  }
  float bound(const TreeWindow& window) {
    return (root_->bound(window) + segment_.static_bound) * slack_;
  }
  /// That with a document, begun so that words of bits begin with it.
  TreeWindow window_of(std::uint32_t document) const {
    const std::uint32_t begin = document - document % 64;
    return {begin, std::min(documents_, begin + kTreeWindow)};
  }
  float walk(const Kernels& kernels, bool counts, SearchWatch* watch, TopK& top,
             std::uint64_t& matches);
  WindowBits live(const TreeWindow& window) const;
  std::uint64_t insert(const TreeWindow& window, TopK& top);
  void insert(const ScoredDocument& match, TopK& top) const;

  const SearchedSegment& segment_;
  std::unique_ptr<TreeClause> root_;
  bool scores_;
  float slack_;
  std::uint32_t documents_;
  WindowMatches matches_;
};

float SegmentTree::run(const Kernels& kernels, bool counts, SearchWatch* watch, TopK& top,
                       std::uint64_t& matches) {
  const bool walks = root_->is_walked() && !segment_.is_filtered;
  if (walks) return walk(kernels, counts, watch, top, matches);
  for (std::uint32_t end = 0; end < documents_;) {
    std::uint32_t next = root_->next_document(kernels, end);
    if (segment_.is_filtered) next = next_passing(segment_.removed, next, documents_);
    if (next >= documents_) break;
    TreeWindow window = window_of(next);
    if (watch != nullptr && !watch->goes_on()) return bound_from(window.begin);
    end = window.end;
    if (!counts && top.full()) {
      if (!can_enter(bound(window), top)) continue;
      window.least = least(top);
    }
    root_->match(kernels, window, live(window), matches_);
    matches += insert(window, top);
    top.compact();
  }
  return -1;
}

/// Without windows, of a root that knows how.
float SegmentTree::walk(const Kernels& kernels, bool counts, SearchWatch* watch, TopK& top,
                        std::uint64_t& matches) {
  std::vector<ScoredDocument> found;
  while (root_->walk(kernels, !counts && top.full() ? least(top) : -1, found)) {
    for (const ScoredDocument& match : found) {
      if (segment_.removed.contains(match.document)) continue;
      ++matches;
      insert(match, top);
    }
    if (!found.empty()) top.compact();
    found.clear();
    if (watch != nullptr && !watch->goes_on()) return bound_from(0);
  }
  return -1;
}

/// The documents of the window that were not removed.
WindowBits SegmentTree::live(const TreeWindow& window) const {
  WindowBits bits{};
  const auto removed = segment_.removed.words();
  const std::uint32_t count = window.end - window.begin;
  for (std::size_t i = 0; i * 64 < count; ++i) {
    bits[i] = ~std::uint64_t{0};
    const std::uint32_t rest = count - static_cast<std::uint32_t>(i) * 64;
    if (rest < 64) bits[i] = (std::uint64_t{1} << rest) - 1;
    const std::size_t word = window.begin / 64 + i;
    if (word < removed.size()) bits[i] &= ~removed[word];
  }
  return bits;
}

void SegmentTree::append(const Kernels& kernels, std::vector<std::uint32_t>& documents) {
  for (std::uint32_t end = 0; end < documents_;) {
    const std::uint32_t next = root_->next_document(kernels, end);
    if (next >= documents_) break;
    const TreeWindow window = window_of(next);
    end = window.end;
    root_->match(kernels, window, live(window), matches_);
    for_each_bit(matches_.bits, [&](std::uint32_t place) {
      documents.push_back(segment_.first_document + window.begin + place);
    });
  }
}

std::uint64_t SegmentTree::insert(const TreeWindow& window, TopK& top) {
  std::uint64_t count = 0;
  for_each_bit(matches_.bits, [&](std::uint32_t place) {
    ++count;
    const float score = scores_ ? matches_.scores[place] : 0;
    insert(ScoredDocument{window.begin + place, score}, top);
  });
  return count;
}

void SegmentTree::insert(const ScoredDocument& match, TopK& top) const {
  const auto static_scores = segment_.index->sections().static_scores;
  float score = match.score;
  if (!static_scores.empty()) score += static_scores[match.document];
  if (can_enter(score, top)) top.insert(score, segment_.first_document + match.document);
}

}  // namespace

struct TreeSearcher::State {
  explicit State(const Snapshot& of) : State(of, QueryPlanner(of)) {}
  State(const Snapshot& of, QueryPlanner planning) : snapshot(of), planner(std::move(planning)) {
    for (const Snapshot::Segment& segment : snapshot.segments()) {
      segments.emplace_back(*segment.index, segment.first_document);
      documents += segment.index->counts().documents;
    }
  }

  Snapshot snapshot;
  QueryPlanner planner;  ///< remembers where terms are
  FilterCache filters{std::uint64_t{8} << 20};
  std::vector<SearchedSegment> segments;
  std::uint64_t documents = 0;
};

TreeSearcher::TreeSearcher(const Snapshot& snapshot) : state_(std::make_unique<State>(snapshot)) {}
TreeSearcher::TreeSearcher(const Snapshot& snapshot, const WholeStatistics& whole)
    : state_(std::make_unique<State>(snapshot, QueryPlanner(snapshot, whole))) {}
TreeSearcher::~TreeSearcher() = default;
TreeSearcher::TreeSearcher(TreeSearcher&&) noexcept = default;
TreeSearcher& TreeSearcher::operator=(TreeSearcher&&) noexcept = default;

TreeResult TreeSearcher::search(const QueryNode& tree, const SearchSettings& settings,
                                SearchWatch* watch, SearchProgress* progress) {
  settings.validate();
  TreeResult found;
  const auto k = static_cast<std::uint32_t>(std::min<std::uint64_t>(settings.k, state_->documents));
  if (k == 0) return found;
  const PlannedTree plan = plan_tree(state_->snapshot, state_->planner, state_->filters, tree);
  found.was_cut = plan.was_cut;
  found.most_terms = plan.most_terms;
  const ScorerSettings scorer = effective_scorer(state_->snapshot.settings(), settings.scorer);
  TopK top;
  top.reset(k);
  float unseen = -1;
  for (std::size_t i = 0; i < state_->segments.size(); ++i) {
    SearchedSegment searched = state_->segments[i];
    if (settings.documents != nullptr) {
      searched.removed = RemovedRows(settings.documents->excluded[i]);
      searched.is_filtered = true;
    }
    SegmentTree segment(plan, searched, i, scorer);
    if (segment.documents() == 0) continue;
    unseen = unseen < 0 ? segment.run(kernels(), settings.count, watch, top, found.result.matches)
                        : std::max(unseen, segment.bound_from(0));
  }
  std::vector<TopK::Entry> entries;
  top.take(entries);
  for (const TopK::Entry& entry : entries) found.result.hits.push_back({entry.id, entry.score});
  if (progress == nullptr) return found;
  *progress = {};
  if (unseen < 0) return found;
  progress->is_complete = false;
  progress->threshold = found.result.hits.size() == k ? found.result.hits.back().score : 0;
  progress->max_missing_score = std::max(progress->threshold, unseen);
  return found;
}

TreeMatches TreeSearcher::matches(const QueryNode& tree) {
  const PlannedTree plan =
      plan_tree(state_->snapshot, state_->planner, state_->filters, tree, false);
  TreeMatches found{.documents = {}, .was_cut = plan.was_cut, .most_terms = plan.most_terms};
  for (std::size_t i = 0; i < state_->segments.size(); ++i) {
    SegmentTree(plan, state_->segments[i], i, {}).append(kernels(), found.documents);
  }
  return found;
}

}  // namespace warpdex
