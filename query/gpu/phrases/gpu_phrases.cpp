// Plans phrases on many threads, then searches as many at a time as memory has room for.
#include "warpdex/query/gpu/gpu_phrases.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "gpu/phrases/gpu_positions_state.hpp"
#include "gpu/phrases/phrase_image.hpp"
#include "gpu/phrases/phrase_kernels.hpp"
#include "gpu/phrases/prepared_phrases.hpp"
#include "query_threads.hpp"
#include "tree/tree_plan.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/query/plan/query_planner.hpp"

namespace warpdex {
namespace {

/// Phrases that a thread plans at a time.
constexpr std::size_t kTakenAtATime = 8;
/// Threads that plan at a time, at most; each remembers where terms are.
constexpr std::size_t kPlannings = 32;
/// Candidates that a batch has room for, at most, unless a phrase alone may have more: 256 MiB.
constexpr std::uint64_t kCandidatesAtOnce = std::uint64_t{32} << 20;
/// Hits of a batch, likewise.
constexpr std::size_t kHitsAtOnce = std::size_t{4} << 20;

std::vector<gpu::HybridSegment> segments_of(const GpuPositions::State& index) {
  std::vector<gpu::HybridSegment> segments;
  for (const std::size_t number : index.numbers) {
    const GpuSnapshot::State::Segment& segment = index.snapshot.state().segments[number];
    const GpuIndex::State& placed = segment.uploaded->placed;
    segments.push_back({.lengths = placed.lengths,
                        .static_scores = placed.static_scores,
                        .removed = segment.own_bits(),
                        .first_document = placed.first_document,
                        .documents = static_cast<std::uint32_t>(placed.documents),
                        .snapshot_document = segment.first_document,
                        .first_word = 0});
  }
  return segments;
}

}  // namespace

struct GpuPhrases::State {
  State(const GpuPositions& searched, std::size_t count)
      : positions(searched),
        index(positions.state()),
        threads(count),
        stream(index.snapshot.device()),
        image(index, threads, resources().memory(), resources().device()) {
    if (!index.is_resident || index.segments.empty()) return;
    const std::vector<gpu::HybridSegment> segments = segments_of(index);
    const std::size_t bytes = segments.size() * sizeof(gpu::HybridSegment);
    const CurrentDevice current(resources().device());
    most_hits = gpu::most_phrase_hits();
    if (!table.allocate(bytes, resources().memory(), resources().device())) return;
    copy_to_gpu(static_cast<gpu::HybridSegment*>(table.data()), segments.data(), segments.size(),
                stream);
    stream.synchronize();
  }

  Resources& resources() const { return index.snapshot.state().resources; }
  const Snapshot& snapshot() const { return index.snapshot.snapshot(); }

  /// What a thread plans with.
  struct Planning {
    explicit Planning(const Snapshot& snapshot) : planner(snapshot) {}
    QueryPlanner planner;
    FilterCache filters{1};
  };

  std::vector<gpu::PreparedPhrases> prepare(std::span<const QueryNode* const> trees,
                                            const ScorerSettings& scorer);
  bool run(std::span<gpu::PreparedPhrases> prepared, const SearchSettings& settings,
           std::uint32_t k, std::optional<SearchResult>* results);

  GpuPositions positions;
  const GpuPositions::State& index;
  QueryThreads threads;
  Stream stream;
  gpu::PhraseImage image;
  AccountedBuffer table;  ///< HybridSegment of each
  std::uint32_t most_hits = 0;
  std::vector<std::unique_ptr<Planning>> plannings;
};

/// Parts of the phrases, in order.
std::vector<gpu::PreparedPhrases> GpuPhrases::State::prepare(
    std::span<const QueryNode* const> trees, const ScorerSettings& scorer) {
  const std::size_t slices = (trees.size() + kTakenAtATime - 1) / kTakenAtATime;
  while (plannings.size() < std::min(slices, kPlannings)) {
    plannings.push_back(std::make_unique<Planning>(snapshot()));
  }
  std::vector<gpu::PreparedPhrases> prepared(slices);
  std::atomic<std::size_t> next = 0;
  threads.for_each(plannings.size(), [&](std::size_t own) {
    Planning& planning = *plannings[own];
    for (std::size_t slice = next++; slice < slices; slice = next++) {
      const std::size_t end = std::min(trees.size(), (slice + 1) * kTakenAtATime);
      for (std::size_t i = slice * kTakenAtATime; i < end; ++i) {
        prepared[slice].add(
            index, plan_tree(snapshot(), planning.planner, planning.filters, *trees[i]), scorer);
      }
    }
  });
  return prepared;
}

/// Answers some phrases. False if memory does not suffice.
bool GpuPhrases::State::run(std::span<gpu::PreparedPhrases> prepared,
                            const SearchSettings& settings, std::uint32_t k,
                            std::optional<SearchResult>* results) {
  const ScorerSettings scorer = effective_scorer(snapshot().settings(), settings.scorer);
  const CodecKind codec = snapshot().settings().codec.kind;
  gpu::PhraseBatch batch{};
  batch.scorer_number = static_cast<std::uint8_t>(scorer.kind);
  batch.segments = static_cast<const gpu::HybridSegment*>(table.data());
  batch.counts = settings.count;
  if (!image.upload(prepared, k, batch, stream)) return false;
  gpu::launch_find_phrases(batch, codec, stream);
  gpu::launch_select_phrases(batch, stream);
  image.download(batch, stream);
  stream.synchronize();
  threads.for_each(batch.query_count, [&](std::size_t i) {
    const gpu::PhraseState& state = image.states()[i];
    const gpu::PhraseCandidate* const best = image.best() + i * k;
    SearchResult& result = results[i].emplace();
    result.matches = state.matches;
    result.hits.resize(std::min(k, state.candidates));
    for (std::size_t hit = 0; hit < result.hits.size(); ++hit) {
      result.hits[hit] = {static_cast<std::uint32_t>(best[hit]),
                          std::bit_cast<float>(~static_cast<std::uint32_t>(best[hit] >> 32))};
    }
  });
  return true;
}

GpuPhrases::GpuPhrases(const GpuPositions& positions, std::size_t threads)
    : state_(std::make_unique<State>(positions, threads)) {}
GpuPhrases::~GpuPhrases() = default;
GpuPhrases::GpuPhrases(GpuPhrases&&) noexcept = default;
GpuPhrases& GpuPhrases::operator=(GpuPhrases&&) noexcept = default;

const GpuPositions& GpuPhrases::positions() const { return state_->positions; }

std::vector<std::optional<SearchResult>> GpuPhrases::search(std::span<const QueryNode* const> trees,
                                                            const SearchSettings& settings) {
  settings.validate();
  State& state = *state_;
  std::vector<std::optional<SearchResult>> results(trees.size());
  const auto k =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(settings.k, state.snapshot().documents()));
  if (trees.empty() || state.table.size() == 0 || settings.documents != nullptr || k == 0 ||
      k > state.most_hits) {
    return results;
  }
  const CurrentDevice current(state.resources().device());
  const ScorerSettings scorer = effective_scorer(state.snapshot().settings(), settings.scorer);
  std::vector<gpu::PreparedPhrases> prepared = state.prepare(trees, scorer);
  std::size_t done = 0;  // phrases
  for (std::size_t first = 0; first < prepared.size();) {
    std::size_t end = first;
    std::size_t queries = 0;
    std::uint64_t candidates = 0;
    for (; end < prepared.size(); ++end) {
      std::uint64_t own = 0;
      for (const gpu::PhraseQuery& query : prepared[end].queries) own += query.capacity;
      const std::size_t more = prepared[end].queries.size();
      const bool fits =
          candidates + own <= kCandidatesAtOnce && (queries + more) * k <= kHitsAtOnce;
      if (end > first && !fits) break;
      candidates += own;
      queries += more;
    }
    state.run(std::span(prepared).subspan(first, end - first), settings, k, results.data() + done);
    done += queries;
    first = end;
  }
  return results;
}

}  // namespace warpdex
