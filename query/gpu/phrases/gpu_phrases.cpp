// Plans some phrases on many threads while all shards search those before, and merges what they
// find.
#include "warpdex/query/gpu/gpu_phrases.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "gpu/phrases/phrase_shard.hpp"
#include "gpu/phrases/prepared_phrases.hpp"
#include "query_threads.hpp"
#include "tree/tree_plan.hpp"
#include "warpdex/query/plan/query_planner.hpp"

namespace warpdex {
namespace {

/// Phrases that a thread plans at a time.
constexpr std::size_t kTakenAtATime = 8;
/// Threads that plan at a time, at most; each remembers where terms are.
constexpr std::size_t kPlannings = 32;
/// Phrases are cut into so many batches: one is planned while the GPUs answer the other. A batch
/// has kFewest or more, to keep a GPU busy, and kMost or fewer, so that planning one takes little
/// memory.
constexpr std::size_t kBatches = 2;
constexpr std::size_t kFewest = 64;
constexpr std::size_t kMost = 4096;

using Found = std::vector<std::optional<SearchResult>>;

/// Adds what a shard found of the documents that follow.
void merge(std::optional<SearchResult>& so_far, std::optional<SearchResult>& more,
           std::uint32_t k) {
  if (!so_far || !more) {
    so_far.reset();
    return;
  }
  std::vector<Hit>& hits = so_far->hits;
  const auto before = static_cast<std::ptrdiff_t>(hits.size());
  hits.insert(hits.end(), more->hits.begin(), more->hits.end());
  std::ranges::inplace_merge(hits, hits.begin() + before, [](const Hit& a, const Hit& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  });
  hits.resize(std::min<std::size_t>(hits.size(), k));
  so_far->matches += more->matches;
}

/// Nothing is under way when it ends, also by an exception.
class Search {
 public:
  explicit Search(const std::vector<std::unique_ptr<gpu::PhraseShard>>& shards) : shards_(shards) {}
  ~Search() {
    for (const auto& shard : shards_) shard->abandon();
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

 private:
  const std::vector<std::unique_ptr<gpu::PhraseShard>>& shards_;
};

}  // namespace

struct GpuPhrases::State {
  State(const Snapshot& searched, std::span<const GpuPositions> parts, std::size_t count)
      : snapshot(searched), threads(count) {
    for (const GpuPositions& part : parts) {
      if (part.snapshot().snapshot().segments().empty() && parts.size() > 1) continue;
      shards.push_back(std::make_unique<gpu::PhraseShard>(part, threads));
    }
  }

  /// What a thread plans with.
  struct Planning {
    explicit Planning(const Snapshot& snapshot) : planner(snapshot) {}
    QueryPlanner planner;
    FilterCache filters{1};
  };
  using Prepared = std::vector<gpu::PreparedPhrases>;

  bool can_search(std::uint32_t k) const {
    return !shards.empty() &&
           std::ranges::all_of(shards, [k](const auto& shard) { return shard->can_search(k); });
  }
  std::vector<Prepared> prepare(std::span<const QueryNode* const> trees,
                                const ScorerSettings& scorer);

  const Snapshot snapshot;
  QueryThreads threads;
  std::vector<std::unique_ptr<gpu::PhraseShard>> shards;
  std::vector<std::unique_ptr<Planning>> plannings;
};

/// By shard: parts of the phrases, in order.
std::vector<GpuPhrases::State::Prepared> GpuPhrases::State::prepare(
    std::span<const QueryNode* const> trees, const ScorerSettings& scorer) {
  const std::size_t slices = (trees.size() + kTakenAtATime - 1) / kTakenAtATime;
  while (plannings.size() < std::min(slices, kPlannings)) {
    plannings.push_back(std::make_unique<Planning>(snapshot));
  }
  std::vector<Prepared> prepared(shards.size(), Prepared(slices));
  std::atomic<std::size_t> next = 0;
  threads.for_each(plannings.size(), [&](std::size_t own) {
    Planning& planning = *plannings[own];
    for (std::size_t slice = next++; slice < slices; slice = next++) {
      const std::size_t end = std::min(trees.size(), (slice + 1) * kTakenAtATime);
      for (std::size_t i = slice * kTakenAtATime; i < end; ++i) {
        const PlannedTree tree = plan_tree(snapshot, planning.planner, planning.filters, *trees[i]);
        for (std::size_t shard = 0; shard < shards.size(); ++shard) {
          prepared[shard][slice].add(shards[shard]->state(), tree, scorer);
        }
      }
    }
  });
  return prepared;
}

GpuPhrases::GpuPhrases(const GpuPositions& positions, std::size_t threads)
    : GpuPhrases(positions.snapshot().snapshot(), std::span(&positions, 1), threads) {}
GpuPhrases::GpuPhrases(const Snapshot& snapshot, std::span<const GpuPositions> shards,
                       std::size_t threads)
    : state_(std::make_unique<State>(snapshot, shards, threads)) {}
GpuPhrases::~GpuPhrases() = default;
GpuPhrases::GpuPhrases(GpuPhrases&&) noexcept = default;
GpuPhrases& GpuPhrases::operator=(GpuPhrases&&) noexcept = default;

const Snapshot& GpuPhrases::snapshot() const { return state_->snapshot; }

std::vector<std::optional<SearchResult>> GpuPhrases::search(std::span<const QueryNode* const> trees,
                                                            const SearchSettings& settings) {
  settings.validate();
  State& state = *state_;
  const auto k =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(settings.k, state.snapshot.documents()));
  if (k == 0) return Found(trees.size(), SearchResult{});  // no document is left
  if (trees.empty() || !state.can_search(k)) return Found(trees.size());
  const ScorerSettings scorer = effective_scorer(state.snapshot.settings(), settings.scorer);
  const Search search(state.shards);
  for (const auto& shard : state.shards) shard->begin(settings, k);
  std::vector<Found> found(state.shards.size(), Found(trees.size()));
  const std::size_t at_once = std::clamp((trees.size() + kBatches - 1) / kBatches, kFewest, kMost);
  for (std::size_t first = 0; first < trees.size(); first += at_once) {
    const std::size_t count = std::min(at_once, trees.size() - first);
    std::vector<State::Prepared> prepared = state.prepare(trees.subspan(first, count), scorer);
    for (std::size_t i = 0; i < prepared.size(); ++i) {
      state.shards[i]->start(prepared[i], std::span(found[i]).subspan(first, count));
    }
  }
  for (const auto& shard : state.shards) shard->finish();
  Found results = std::move(found[0]);
  for (std::size_t shard = 1; shard < found.size(); ++shard) {
    for (std::size_t i = 0; i < results.size(); ++i) merge(results[i], found[shard][i], k);
  }
  return results;
}

}  // namespace warpdex
