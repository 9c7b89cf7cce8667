// Finds the set of all documents that match, and counts columns over it.
#include "warpdex/query/gpu/gpu_facets.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "columns/make_facet.hpp"
#include "gpu/facets/column_store.hpp"
#include "gpu/hybrid/hybrid_kernels.hpp"
#include "gpu/hybrid/hybrid_segment.hpp"
#include "gpu/hybrid/query_lists.hpp"
#include "query_threads.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::gpu {
namespace {

struct FacetCounter {
  explicit FacetCounter(const GpuSnapshot& searched);

  /// A column of a facet in one of `segments`, with its tables behind the sets.
  struct Count {
    std::size_t facet;
    std::size_t segment;
    PlacedColumn column;
    std::size_t first;  ///< of its numbers: documents with values, then the tables
    std::size_t size() const {
      return 1 + std::size_t{column.entries} * (column.begins == nullptr ? 1 : 2);
    }
  };

  bool can_count(const PlannedQuery& plan) const { return has_lists && !excludes_words(plan); }
  bool find_columns(std::span<const FacetRequest> wanted);
  bool find_segments(const DocumentFilter* filter);
  bool take_memory();
  void match(const PlannedQuery& plan, const SearchSettings& settings);
  void count_values();
  std::uint64_t matches(const SearchSettings& settings) const;
  Facet facet_of(std::size_t facet, const FacetRequest& wanted) const;

  const GpuSnapshot snapshot;
  QueryThreads threads{1};
  bool has_lists = false;
  std::vector<std::size_t> numbers;  ///< of the segments that have documents
  std::size_t set_words = 0;         ///< of the set of all of them
  std::mutex mutex;                  ///< protects what follows
  Stream stream;
  std::optional<QueryLists> lists;
  ColumnStore columns;
  std::vector<HybridSegment> segments;  ///< those of `numbers`, without what the filter leaves out
  std::vector<FilterSets::Set> filters;
  std::vector<Count> counts;
  std::size_t numbers_to_come = 0;  ///< of the host: kReadings matches, then those of `counts`
  AccountedBuffer memory;
  PinnedBuffer host;
  HybridSegment* table = nullptr;  ///< these are parts of `memory`
  std::uint32_t* set = nullptr;
  std::uint32_t* found = nullptr;
};

FacetCounter::FacetCounter(const GpuSnapshot& searched)
    : snapshot(searched),
      stream(searched.device()),
      columns(snapshot.snapshot(), snapshot.state().resources.memory(), searched.device()) {
  std::vector<const PlacedIndex*> placed;
  const auto& all = snapshot.state().segments;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const GpuIndex::State& index = all[i].uploaded->placed;
    if (index.documents == 0) continue;
    numbers.push_back(i);
    placed.push_back(&index);
    segments.push_back(hybrid_segment(all[i], set_words));
    set_words += std::size_t{index.tiles()} * kTileDocuments / 32;
  }
  has_lists = !placed.empty() && std::ranges::all_of(numbers, [&](std::size_t number) {
    const GpuIndex::State& index = all[number].uploaded->placed;
    return index.cache == nullptr &&
           index.codec_kind == all[numbers[0]].uploaded->placed.codec_kind;
  });
  if (!has_lists) return;
  Resources& resources = snapshot.state().resources;
  lists.emplace(std::move(placed), numbers, threads, resources.memory(), resources.device());
}

/// False where one is not counted on the GPU.
bool FacetCounter::find_columns(std::span<const FacetRequest> wanted) {
  counts.clear();
  numbers_to_come = kReadings;
  for (std::size_t facet = 0; facet < wanted.size(); ++facet) {
    const std::size_t place = check_facet(snapshot.snapshot(), wanted[facet]);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::optional<PlacedColumn> column = columns.find(numbers[i], place);
      if (!column || (column->begins != nullptr && !wanted[facet].ranges.empty())) return false;
      counts.push_back({facet, i, *column, numbers_to_come});
      numbers_to_come += counts.back().size();
    }
  }
  return true;
}

/// Sets which documents count as removed. False where there is no memory for a filter.
bool FacetCounter::find_segments(const DocumentFilter* filter) {
  filters.clear();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const GpuSnapshot::State::Segment& segment = snapshot.state().segments[numbers[i]];
    segments[i].removed = segment.own_bits();
    if (filter == nullptr) continue;
    const std::optional<FilterSets::Set> set_of_filter =
        leave_out(*filter, segment, numbers[i], segments[i]);
    if (!set_of_filter) return false;
    filters.push_back(*set_of_filter);
  }
  return true;
}

bool FacetCounter::take_memory() {
  const auto lay_out = [&](void* begin) {
    Arena arena(begin);
    found = arena.take<std::uint32_t>(numbers_to_come);
    table = arena.take<HybridSegment>(segments.size());
    set = arena.take<std::uint32_t>(set_words);
    return arena.used();
  };
  const std::size_t bytes = lay_out(nullptr);
  Resources& resources = snapshot.state().resources;
  if (memory.size() < bytes && !memory.allocate(bytes, resources.memory(), resources.device())) {
    return false;
  }
  lay_out(memory.data());
  if (host.size() < numbers_to_come * sizeof(std::uint32_t)) {
    host = PinnedBuffer();
    host = PinnedBuffer(2 * numbers_to_come * sizeof(std::uint32_t));
  }
  return true;
}

void FacetCounter::match(const PlannedQuery& plan, const SearchSettings& settings) {
  check_cuda(cudaMemsetAsync(found, 0, numbers_to_come * sizeof(*found), stream.handle()),
             "cudaMemsetAsync");
  copy_to_gpu(table, segments.data(), segments.size(), stream);
  const IndexSettings& index = snapshot.snapshot().settings();
  MatchBatch batch{};
  batch.segments = table;
  batch.segment_count = static_cast<std::uint32_t>(segments.size());
  batch.mode = settings.mode;
  batch.min_matches = settings.and_or_min_matches();
  const PlannedQuery* const one = &plan;
  lists->upload({&one, 1}, effective_scorer(index, settings.scorer), batch, stream);
  batch.sets = set;
  batch.set_words = static_cast<std::uint32_t>(set_words);
  batch.matches = found;
  launch_match(batch, index.codec.kind, stream);
}

void FacetCounter::count_values() {
  for (const Count& count : counts) {
    const HybridSegment& segment = segments[count.segment];
    std::uint32_t* const own = found + count.first;
    const ValueCounters to{
        own, own + 1, count.column.begins == nullptr ? nullptr : own + 1 + count.column.entries};
    launch_count_values(set + segment.first_word, (segment.documents + 31) / 32, count.column, to,
                        stream);
  }
  copy_to_host(static_cast<std::uint32_t*>(host.data()), found, numbers_to_come, stream);
}

std::uint64_t FacetCounter::matches(const SearchSettings& settings) const {
  const auto* const as = static_cast<const std::uint32_t*>(host.data());
  const bool is_and =
      settings.mode == QueryMode::kAnd ||
      (settings.mode == QueryMode::kAndOr && as[kReadAnd] >= settings.and_or_min_matches());
  return as[is_and ? kReadAnd : kReadOr];
}

/// Of segments without documents, nothing is counted.
Facet FacetCounter::facet_of(std::size_t facet, const FacetRequest& wanted) const {
  const Snapshot& all = snapshot.snapshot();
  const std::size_t place = check_facet(all, wanted);
  std::vector<ValueCounts> of_segments;
  auto count = std::ranges::find(counts, facet, &Count::facet);
  for (std::size_t i = 0; i < all.segments().size(); ++i) {
    const ColumnView& column = all.segments()[i].index->columns()[place];
    if (count == counts.end() || count->facet != facet || numbers[count->segment] != i) {
      of_segments.emplace_back(column, 0, std::span<const std::uint32_t>(),
                               std::span<const std::uint32_t>());
      continue;
    }
    const auto* const own = static_cast<const std::uint32_t*>(host.data()) + count->first;
    const std::uint32_t entries = count->column.entries;
    const std::uint32_t* const values = own + 1 + (count->column.begins == nullptr ? 0 : entries);
    of_segments.emplace_back(column, *own, std::span(own + 1, entries), std::span(values, entries));
    ++count;
  }
  return make_facet(all, wanted, of_segments, nullptr);
}

}  // namespace
}  // namespace warpdex::gpu

namespace warpdex {

struct GpuFacets::State : gpu::FacetCounter {
  using FacetCounter::FacetCounter;
};

GpuFacets::GpuFacets(const GpuSnapshot& snapshot) : state_(std::make_unique<State>(snapshot)) {}
GpuFacets::~GpuFacets() = default;
GpuFacets::GpuFacets(GpuFacets&&) noexcept = default;
GpuFacets& GpuFacets::operator=(GpuFacets&&) noexcept = default;

struct GpuFacets::Counting::State {
  GpuFacets::State& counter;
  std::unique_lock<std::mutex> lock;
  const SearchSettings& settings;
  std::span<const FacetRequest> wanted;
};

GpuFacets::Counting::Counting(std::unique_ptr<State> state) : state_(std::move(state)) {}
GpuFacets::Counting::Counting(Counting&&) noexcept = default;

GpuFacets::Counting::~Counting() {
  if (!state_) return;
  cudaStreamSynchronize(state_->counter.stream.handle());  // what fails there was of no use
  state_->counter.filters.clear();
}

GpuFacets::Found GpuFacets::Counting::finish() {
  const std::unique_ptr<State> state = std::move(state_);
  gpu::FacetCounter& counter = state->counter;
  counter.stream.synchronize();
  counter.filters.clear();  // others may need the memory
  Found found{counter.matches(state->settings), {}};
  for (std::size_t i = 0; i < state->wanted.size(); ++i) {
    found.facets.push_back(counter.facet_of(i, state->wanted[i]));
  }
  return found;
}

std::optional<GpuFacets::Counting> GpuFacets::start(const PlannedQuery& plan,
                                                    const SearchSettings& settings,
                                                    std::span<const FacetRequest> wanted) {
  State& state = *state_;
  if (!state.can_count(plan)) return std::nullopt;
  auto counting = std::make_unique<Counting::State>(
      Counting::State{state, std::unique_lock(state.mutex), settings, wanted});
  const CurrentDevice current(state.snapshot.device());
  if (!state.find_columns(wanted) || !state.find_segments(settings.documents) ||
      !state.take_memory()) {
    return std::nullopt;
  }
  Counting started(std::move(counting));  // waits where the next throw
  state.match(plan, settings);
  state.count_values();
  return started;
}

std::optional<GpuFacets::Found> GpuFacets::count(const PlannedQuery& plan,
                                                 const SearchSettings& settings,
                                                 std::span<const FacetRequest> wanted) {
  std::optional<Counting> counting = start(plan, settings, wanted);
  if (!counting) return std::nullopt;
  return counting->finish();
}

}  // namespace warpdex
