// Searches as many phrases at a time as memory has room for.
#include "gpu/phrases/phrase_shard.hpp"

#include <algorithm>
#include <bit>

#include "gpu/hybrid/hybrid_segment.hpp"
#include "gpu/phrases/phrase_kernels.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::gpu {
namespace {

/// Candidates that a batch has room for, at most, unless a phrase alone may have more: 256 MiB.
constexpr std::uint64_t kCandidatesAtOnce = std::uint64_t{32} << 20;
/// Hits of a batch, likewise.
constexpr std::size_t kHitsAtOnce = std::size_t{4} << 20;

}  // namespace

PhraseShard::PhraseShard(const GpuPositions& positions, QueryThreads& threads)
    : positions_(positions),
      state_(positions_.state()),
      threads_(threads),
      stream_(state_.snapshot.device()),
      image_(state_, threads, resources().memory(), resources().device()) {
  if (!state_.is_resident || state_.segments.empty()) return;
  for (const std::size_t own : state_.numbers) {
    segments_.push_back(hybrid_segment(state_.snapshot.state().segments[own], 0));
  }
  const CurrentDevice current(resources().device());
  most_hits_ = most_phrase_hits();
  const std::size_t bytes = 2 * segments_.size() * sizeof(HybridSegment);
  if (!table_.allocate(bytes, resources().memory(), resources().device())) return;
  copy_to_gpu(static_cast<HybridSegment*>(table_.data()), segments_.data(), segments_.size(),
              stream_);
  stream_.synchronize();
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
              filtered.size(), stream_);
  stream_.synchronize();  // `filtered` goes
  return true;
}

void PhraseShard::search(std::span<PreparedPhrases> prepared, const SearchSettings& settings,
                         std::uint32_t k, std::span<std::optional<SearchResult>> results) {
  const CurrentDevice current(resources().device());
  const bool has_room = settings.documents == nullptr || filter(*settings.documents);
  std::size_t done = 0;  // phrases
  for (std::size_t first = 0; has_room && first < prepared.size();) {
    std::size_t end = first;
    std::size_t queries = 0;
    std::uint64_t candidates = 0;
    for (; end < prepared.size(); ++end) {
      std::uint64_t own = 0;
      for (const PhraseQuery& query : prepared[end].queries) own += query.capacity;
      const std::size_t more = prepared[end].queries.size();
      const bool fits =
          candidates + own <= kCandidatesAtOnce && (queries + more) * k <= kHitsAtOnce;
      if (end > first && !fits) break;
      candidates += own;
      queries += more;
    }
    run(prepared.subspan(first, end - first), settings, k, results.data() + done);
    done += queries;
    first = end;
  }
  sets_.clear();
}

/// Answers some phrases. False if memory does not suffice.
bool PhraseShard::run(std::span<PreparedPhrases> prepared, const SearchSettings& settings,
                      std::uint32_t k, std::optional<SearchResult>* results) {
  const IndexSettings& index = state_.snapshot.snapshot().settings();
  const ScorerSettings scorer = effective_scorer(index, settings.scorer);
  PhraseBatch batch{};
  batch.scorer_number = static_cast<std::uint8_t>(scorer.kind);
  const auto* const table = static_cast<const HybridSegment*>(table_.data());
  batch.segments = settings.documents == nullptr ? table : table + segments_.size();
  batch.counts = settings.count;
  if (!image_.upload(prepared, k, batch, stream_)) return false;
  launch_find_phrases(batch, index.codec.kind, stream_);
  launch_select_phrases(batch, stream_);
  image_.download(batch, stream_);
  stream_.synchronize();
  threads_.for_each(batch.query_count, [&](std::size_t i) {
    const PhraseState& state = image_.states()[i];
    const PhraseCandidate* const best = image_.best() + i * k;
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

}  // namespace warpdex::gpu
