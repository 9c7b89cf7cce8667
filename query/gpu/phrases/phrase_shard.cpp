// Searches as many phrases at a time as memory has room for, two batches under way.
#include "gpu/phrases/phrase_shard.hpp"

#include <algorithm>
#include <bit>
#include <exception>

#include "gpu/hybrid/hybrid_segment.hpp"
#include "gpu/phrases/phrase_kernels.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::gpu {
namespace {

/// Candidates that a batch has room for, at most, unless a phrase alone may have more: 128 MiB.
constexpr std::uint64_t kCandidatesAtOnce = std::uint64_t{16} << 20;
/// Hits of a batch, likewise.
constexpr std::size_t kHitsAtOnce = std::size_t{2} << 20;
/// Batches under way.
constexpr std::size_t kRuns = 2;

}  // namespace

PhraseShard::PhraseShard(const GpuPositions& positions, QueryThreads& threads)
    : positions_(positions), state_(positions_.state()), threads_(threads) {
  if (!state_.is_resident || state_.segments.empty()) return;
  for (std::size_t i = 0; i < kRuns; ++i) {
    runs_.push_back({Stream(resources().device()),
                     PhraseImage(state_, threads, resources().memory(), resources().device())});
  }
  for (const std::size_t own : state_.numbers) {
    segments_.push_back(hybrid_segment(state_.snapshot.state().segments[own], 0));
  }
  const CurrentDevice current(resources().device());
  most_hits_ = most_phrase_hits();
  const std::size_t bytes = 2 * segments_.size() * sizeof(HybridSegment);
  if (!table_.allocate(bytes, resources().memory(), resources().device())) return;
  copy_to_gpu(static_cast<HybridSegment*>(table_.data()), segments_.data(), segments_.size(),
              runs_[0].stream);
  runs_[0].stream.synchronize();
}

/// Writes the segments as a filter leaves them. False if there is no memory for it.
bool PhraseShard::filter(const DocumentFilter& documents) {
  const GpuSnapshot::State& snapshot = state_.snapshot.state();
  std::vector<HybridSegment> filtered = segments_;
  for (std::size_t i = 0; i < filtered.size(); ++i) {
    const std::size_t own = state_.numbers[i];
    const std::optional<FilterSets::Set> set =
        leave_out(documents, snapshot.segments[own], snapshot.number(own), filtered[i]);
    if (!set) return false;
    sets_.push_back(*set);
  }
  copy_to_gpu(static_cast<HybridSegment*>(table_.data()) + segments_.size(), filtered.data(),
              filtered.size(), runs_[0].stream);
  runs_[0].stream.synchronize();  // `filtered` goes
  return true;
}

void PhraseShard::begin(const SearchSettings& settings, std::uint32_t k) {
  const CurrentDevice current(resources().device());
  has_room_ = settings.documents == nullptr || filter(*settings.documents);
  const IndexSettings& index = state_.snapshot.snapshot().settings();
  codec_ = index.codec.kind;
  search_ = {};
  search_.scorer_number = static_cast<std::uint8_t>(effective_scorer(index, settings.scorer).kind);
  const auto* const table = static_cast<const HybridSegment*>(table_.data());
  search_.segments = settings.documents == nullptr ? table : table + segments_.size();
  search_.counts = settings.count;
  search_.k = k;
}

void PhraseShard::start(std::span<PreparedPhrases> prepared,
                        std::span<std::optional<SearchResult>> results) {
  const CurrentDevice current(resources().device());
  std::size_t done = 0;  // phrases
  for (std::size_t first = 0; has_room_ && first < prepared.size();) {
    std::size_t end = first;
    std::size_t queries = 0;
    std::uint64_t candidates = 0;
    for (; end < prepared.size(); ++end) {
      std::uint64_t own = 0;
      for (const PhraseQuery& query : prepared[end].queries) own += query.capacity;
      const std::size_t more = prepared[end].queries.size();
      const bool fits =
          candidates + own <= kCandidatesAtOnce && (queries + more) * search_.k <= kHitsAtOnce;
      if (end > first && !fits) break;
      candidates += own;
      queries += more;
    }
    launch(prepared.subspan(first, end - first), results.data() + done);
    done += queries;
    first = end;
  }
}

/// Queues a batch, when the one before the last is done.
void PhraseShard::launch(std::span<PreparedPhrases> prepared,
                         std::optional<SearchResult>* results) {
  Run& run = runs_[next_++ % runs_.size()];
  take(run);
  run.batch = search_;
  if (!run.image.upload(prepared, search_.k, run.batch, run.stream)) return;
  run.results = results;
  launch_find_phrases(run.batch, codec_, run.stream);
  launch_select_phrases(run.batch, run.stream);
  run.image.download(run.batch, run.stream);
}

/// Waits for a batch that is under way, and takes its answers.
void PhraseShard::take(Run& run) {
  if (run.results == nullptr) return;
  run.stream.synchronize();
  const std::uint32_t k = search_.k;
  threads_.for_each(run.batch.query_count, [&](std::size_t i) {
    const PhraseState& state = run.image.states()[i];
    const PhraseCandidate* const best = run.image.best() + i * k;
    SearchResult& result = run.results[i].emplace();
    result.matches = state.matches;
    result.hits.resize(std::min(k, state.candidates));
    for (std::size_t hit = 0; hit < result.hits.size(); ++hit) {
      result.hits[hit] = {static_cast<std::uint32_t>(best[hit]),
                          std::bit_cast<float>(~static_cast<std::uint32_t>(best[hit] >> 32))};
    }
  });
  run.results = nullptr;
}

void PhraseShard::finish() {
  const CurrentDevice current(resources().device());
  for (std::size_t i = 0; i < runs_.size(); ++i) take(runs_[next_++ % runs_.size()]);
  sets_.clear();
}

void PhraseShard::abandon() noexcept {
  for (Run& run : runs_) {
    try {
      run.stream.synchronize();
    } catch (const std::exception&) {  // who began the search has heard of it
    }
    run.results = nullptr;
  }
  sets_.clear();
}

}  // namespace warpdex::gpu
