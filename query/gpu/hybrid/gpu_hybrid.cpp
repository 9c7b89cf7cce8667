// Searches by vectors on the GPU, and what all searches there share.
#include "gpu/hybrid/gpu_hybrid.hpp"

#include <algorithm>
#include <string>

#include "gpu/hybrid/hybrid_segment.hpp"
#include "gpu/hybrid/hybrid_state.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::gpu {

std::vector<Hit> hits_of(const std::int32_t* rows, const float* distances, std::size_t k) {
  k = static_cast<std::size_t>(std::find(rows, rows + k, -1) - rows);
  std::vector<Hit> hits(k);
  for (std::size_t i = 0; i < k; ++i) hits[i] = {static_cast<std::uint32_t>(rows[i]), distances[i]};
  return hits;
}

GpuHybrid::State::State(const GpuVectors& searched, QueryThreads& use_threads)
    : vectors(searched), threads(use_threads) {
  const GpuSnapshot::State& text = vectors.snapshot().state();
  const GpuVectors::State& rows = vectors.state();
  if (!rows.searcher) return;
  std::vector<const PlacedIndex*> placed;
  for (const std::size_t number : rows.numbers) {
    segments.push_back(&text.segments[number]);
    placed.push_back(&segments.back()->uploaded->placed);
  }
  codec = segments[0]->uploaded->placed.codec_kind;
  has_lists = std::ranges::all_of(segments, [&](const GpuSnapshot::State::Segment* segment) {
    const GpuIndex::State& index = segment->uploaded->placed;
    return index.cache == nullptr && index.codec_kind == codec;
  });
  if (!has_lists) return;
  upload_segments();
  std::vector<std::size_t> numbers;
  for (const std::size_t own : rows.numbers) numbers.push_back(text.number(own));
  lists.emplace(std::move(placed), std::move(numbers), threads, resources().memory(),
                resources().device());
}

void GpuHybrid::State::upload_segments() {
  std::vector<HybridSegment> entries;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    entries.push_back(hybrid_segment(*segments[i], searcher().first_word(i)));
  }
  if (!table.allocate(entries.size() * sizeof(HybridSegment), resources().memory(),
                      resources().device())) {
    has_lists = false;  // and the CPU does what needs them
    return;
  }
  const Stream stream(resources().device());
  copy_to_gpu(static_cast<HybridSegment*>(table.data()), entries.data(), entries.size(), stream);
  stream.synchronize();
}

const HybridSegment* FilteredSegments::upload(const Stream& stream) const {
  if (!entries.empty()) copy_to_gpu(table, entries.data(), entries.size(), stream);
  return table;
}

FilteredSegments GpuHybrid::State::leave_out_of(const DocumentFilter* filter, bool only_unlisted) {
  if (filter == nullptr) return {static_cast<HybridSegment*>(table.data())};
  const std::size_t bytes = segments.size() * sizeof(HybridSegment);
  if (filtered_table.size() < bytes &&
      !filtered_table.allocate(bytes, resources().memory(), resources().device())) {
    throw Error("there is no GPU memory left for a filter; give more");
  }
  FilteredSegments filtered{static_cast<HybridSegment*>(filtered_table.data())};
  for (std::size_t i = 0; i < segments.size(); ++i) {
    HybridSegment& entry =
        filtered.entries.emplace_back(hybrid_segment(*segments[i], searcher().first_word(i)));
    if (only_unlisted && vectors.state().segments[i]->by_lists) entry.documents = 0;
    const std::optional<FilterSets::Set> set =
        leave_out(*filter, *segments[i],
                  vectors.snapshot().state().number(vectors.state().numbers[i]), entry);
    if (!set) throw Error("there is no GPU memory left for the documents of a filter; give more");
    filtered.bits.push_back(*set);
  }
  return filtered;
}

std::uint64_t GpuHybrid::State::passing(const DocumentFilter& filter) const {
  if (vectors.snapshot().state().is_all) return filter.count;
  const std::uint32_t begin = snapshot().docid_begin();
  return filter.documents.slice(begin, snapshot().docid_end() - begin).count();
}

HybridBatch GpuHybrid::State::start_batch(std::span<const PlannedQuery* const> plans,
                                          const SearchSettings& settings, const Stream& stream) {
  const ScorerSettings scorer = effective_scorer(snapshot().settings(), settings.scorer);
  HybridBatch batch{};
  batch.k = settings.k;
  batch.scorer_number = static_cast<std::uint8_t>(scorer.kind);
  batch.segments = static_cast<const HybridSegment*>(table.data());
  batch.segment_count = static_cast<std::uint32_t>(segments.size());
  batch.mode = settings.mode;
  batch.min_matches = settings.and_or_min_matches();
  lists->upload(plans, scorer, batch, stream);
  return batch;
}

void* GpuHybrid::State::take_scratch(std::size_t bytes) {
  if (scratch.size() < bytes &&
      !scratch.allocate(bytes, resources().memory(), resources().device())) {
    throw Error("there is no GPU memory left for the " + std::to_string(bytes >> 20) +
                " MiB of answers; give more, or ask for fewer at a time");
  }
  return scratch.data();
}

void* GpuHybrid::State::take_pinned(std::size_t bytes) {
  if (pinned.size() < bytes) {
    pinned = PinnedBuffer();
    pinned = PinnedBuffer(bytes);
  }
  return pinned.data();
}

GpuHybrid::GpuHybrid(const GpuVectors& vectors, QueryThreads& threads)
    : state_(std::make_unique<State>(vectors, threads)) {}
GpuHybrid::~GpuHybrid() = default;

bool GpuHybrid::has_vectors() const { return state_->vectors.state().searcher.has_value(); }
bool GpuHybrid::has_lists() const { return state_->has_lists; }

std::vector<std::vector<Hit>> GpuHybrid::nearest(std::span<const float> vectors, std::uint32_t k,
                                                 const vector::SearchOptions& depth,
                                                 const DocumentFilter* filter) {
  if (!state_->vectors.state().listed.empty()) {
    return state_->nearest_in_lists(vectors, k, depth, filter);
  }
  if (filter != nullptr) return state_->nearest_filtered(vectors, k, *filter, false);
  return state_->nearest_of_all(state_->searcher(), vectors, k);
}

std::vector<SearchResult> GpuHybrid::rerank(std::span<const std::span<const Hit>> text,
                                            std::span<const float> vectors, std::uint32_t k) {
  State& state = *state_;
  const CurrentDevice current(state.resources().device());
  std::vector<std::uint32_t> begins{0};
  std::size_t max_hits = 1;
  for (const std::span<const Hit>& hits : text) {
    begins.push_back(begins.back() + static_cast<std::uint32_t>(hits.size()));
    max_hits = std::max(max_hits, hits.size());
  }
  auto* const documents =
      static_cast<std::uint32_t*>(state.take_pinned(begins.back() * sizeof(std::uint32_t)));
  state.threads.for_each(text.size(), [&](std::size_t i) {
    std::ranges::transform(text[i], documents + begins[i], &Hit::document);
  });
  max_hits = std::min<std::size_t>(max_hits, k);
  std::vector<SearchResult> results(text.size());
  state.searcher().nearest_among(
      vectors, max_hits, {documents, begins.back()}, begins,
      state.taker(max_hits, [&](std::size_t query, std::vector<Hit> found) {
        results[query].hits = std::move(found);
        results[query].matches = results[query].hits.size();
      }));
  return results;
}

}  // namespace warpdex::gpu
