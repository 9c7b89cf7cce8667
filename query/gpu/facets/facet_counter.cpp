// Finds the set of all documents that match, and counts columns over it.
#include "gpu/facets/facet_counter.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <utility>

#include "columns/make_facet.hpp"
#include "gpu/hybrid/hybrid_kernels.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::gpu {

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
  std::vector<std::size_t> in_plans;
  for (const std::size_t own : numbers) in_plans.push_back(snapshot.state().number(own));
  lists.emplace(std::move(placed), std::move(in_plans), threads, resources.memory(),
                resources.device());
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
        leave_out(*filter, segment, snapshot.state().number(numbers[i]), segments[i]);
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

/// Starts to count. False, and nothing is under way, where the GPU cannot.
bool FacetCounter::start(const PlannedQuery& plan, const SearchSettings& settings,
                         std::span<const FacetRequest> wanted) {
  const CurrentDevice current(snapshot.device());
  if (!can_count(plan) || !find_columns(wanted) || !find_segments(settings.documents) ||
      !take_memory()) {
    return false;
  }
  match(plan, settings);
  count_values();
  return true;
}

void FacetCounter::add_matches(Matches& sum) const {
  const auto* const as = static_cast<const std::uint32_t*>(host.data());
  sum.of_and += as[kReadAnd];
  sum.of_or += as[kReadOr];
}

/// Adds the counts of each segment. In segments without documents, nothing was counted.
void FacetCounter::add_counts(std::size_t facet, std::size_t place,
                              std::vector<ValueCounts>& to) const {
  const Snapshot& all = snapshot.snapshot();
  auto count = std::ranges::find(counts, facet, &Count::facet);
  for (std::size_t i = 0; i < all.segments().size(); ++i) {
    const ColumnView& column = all.segments()[i].index->columns()[place];
    if (count == counts.end() || count->facet != facet || numbers[count->segment] != i) {
      to.emplace_back(column, 0, std::span<const std::uint32_t>(),
                      std::span<const std::uint32_t>());
      continue;
    }
    const auto* const own = static_cast<const std::uint32_t*>(host.data()) + count->first;
    const std::uint32_t entries = count->column.entries;
    const std::uint32_t* const values = own + 1 + (count->column.begins == nullptr ? 0 : entries);
    to.emplace_back(column, *own, std::span(own + 1, entries), std::span(values, entries));
    ++count;
  }
}

}  // namespace warpdex::gpu
