// Levenshtein's distance, a thread a pair: bit vectors (Myers, 1999; Hyyrö, 2003) whose words hold
// the query, so that all threads of a CTA share one table of its units.
#include <algorithm>

#include "metric/gpu/bit_columns.cuh"
#include "metric/gpu/kernels.hpp"
#include "metric/gpu/pair_grid.cuh"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::metric {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr int kGroup = kGroupUnits;
/// Memory for steps of bands that a search takes at most, in words, if one CTA needs no more.
constexpr std::size_t kMaxBandWords = std::size_t{64} << 20;

struct QueryUnits {
  const std::uint32_t* units;
  std::uint32_t length;
};

__device__ __forceinline__ QueryUnits query_units(const DeviceQueries& queries,
                                                  std::uint32_t query) {
  const std::uint64_t begin = queries.begins[query];
  return {queries.values + begin, static_cast<std::uint32_t>(queries.begins[query + 1] - begin)};
}

/// The largest whole distance within the limit, as an int.
__device__ __forceinline__ int whole_limit(float limit) {
  constexpr float kMax = 2e9F;
  return limit < kMax ? static_cast<int>(limit) : 2'000'000'000;
}

/// The distance from a query of 1 to kBits units to a text; once it is certain to be past the
/// limit, any number past it.
template <class Unit, class Word>
__device__ __forceinline__ std::uint32_t one_band(const void* groups, const TextPlace& place,
                                                  const BandTable<Unit, Word>& table,
                                                  std::uint32_t length, int limit) {
  constexpr int kStepsOfCheck = 4;
  BitColumn<Word> column(length);
  std::uint32_t distance = length;
  std::uint64_t group = place.group;
  for (int left = static_cast<int>(place.units); left > 0; left -= kGroup, ++group) {
    const UnitGroup<Unit> some(groups, group);
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      if (i >= left) break;
      Word more = 1;
      Word less = 0;
      column.step(table.find(some.unit(i)), more, less);
      distance += static_cast<std::uint32_t>(more) - static_cast<std::uint32_t>(less);
      // Each unit that is left may lessen it by one.
      if (i % kStepsOfCheck == kStepsOfCheck - 1 &&
          static_cast<int>(distance) - (left - i - 1) > limit) {
        return distance;
      }
    }
  }
  return distance;
}

template <class Unit, class Word>
__device__ void compare_short(const PairTask& task, const QueryUnits& own,
                              BandTable<Unit, Word>& table) {
  const std::uint32_t query = blockIdx.y;
  const int limit = whole_limit(task.limit);
  table.build(own.units, own.length, BitColumn<Word>::kBits - own.length);
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < task.count;
       i += gridDim.x * kThreads) {
    const TextPlace place = task.objects.places[object_of(task, query, i)];
    const int apart = abs(static_cast<int>(place.units) - static_cast<int>(own.length));
    float distance = kNoLimit;
    if (own.length == 0) {
      distance = static_cast<float>(place.units);
    } else if (apart <= limit) {
      distance = static_cast<float>(
          one_band<Unit, Word>(task.objects.groups, place, table, own.length, limit));
    }
    task.out[query * task.out_stride + i] = distance;
  }
}

/// Work item: a query of up to 64 units and some of its objects; a CTA. Shared memory: the tables.
/// Instructions bound it: some 20 for each unit of the text, or 35 where the query has more than 32
/// units. Threads of a warp wait for the longest of 32 texts.
template <class Unit>
__global__ void __launch_bounds__(kThreads) levenshtein_short(PairTask task) {
  __shared__ BandTable<Unit, NarrowWord> narrow;
  __shared__ BandTable<Unit, WideWord> wide;
  const QueryUnits own = query_units(task.queries, blockIdx.y);
  if (own.length > kBandUnits) return;
  if (own.length <= BitColumn<NarrowWord>::kBits) {
    compare_short<Unit, NarrowWord>(task, own, narrow);
  } else {
    compare_short<Unit, WideWord>(task, own, wide);
  }
}

/// A thread's words of steps: two bits for each unit of its text, whether the distance grows and
/// whether it falls in the last row of the band before. Threads lie beside each other.
struct OwnSteps {
  std::uint32_t* words;
  __device__ std::uint32_t& of(std::uint32_t group) const {
    return words[std::size_t{group} * kThreads];
  }
};

struct Band {
  std::uint32_t units;
  bool is_first;
  bool is_last;
};

/// Goes along a text in one band of the query. Returns how much the distance grows in the last row.
template <class Unit>
__device__ int next_band(const void* groups, const TextPlace& place,
                         const BandTable<Unit, WideWord>& table, const Band& band,
                         const OwnSteps& steps) {
  constexpr std::uint32_t kAllGrow = 0x55555555;
  BitColumn<WideWord> column(band.units);
  int grown = 0;
  const std::uint32_t count = (place.units + kGroupUnits - 1) / kGroupUnits;
  for (std::uint32_t g = 0; g < count; ++g) {
    const UnitGroup<Unit> some(groups, place.group + g);
    const std::uint32_t above = band.is_first ? kAllGrow : steps.of(g);
    const int left = static_cast<int>(place.units - g * kGroupUnits);
    std::uint32_t below = 0;
#pragma unroll 4
    for (int i = 0; i < kGroup; ++i) {
      if (i >= left) break;
      WideWord more = above >> (2 * i) & 1;
      WideWord less = above >> (2 * i + 1) & 1;
      column.step(table.find(some.unit(i)), more, less);
      below |= static_cast<std::uint32_t>(more | less << 1) << (2 * i);
      grown += static_cast<int>(more) - static_cast<int>(less);
    }
    if (!band.is_last) steps.of(g) = below;
  }
  return grown;
}

/// Work item: a query of more than 64 units and 256 of its objects; a CTA, again and again. All
/// texts go through one band of the query after the other. Shared memory: the table of the band.
/// Instructions bound it: some 50 for each unit of the text and band.
template <class Unit>
__global__ void __launch_bounds__(kThreads)
    levenshtein_long(PairTask task, std::uint32_t* all_steps, std::uint32_t groups_of_longest) {
  __shared__ BandTable<Unit, WideWord> table;
  const OwnSteps steps{all_steps + std::size_t{blockIdx.x} * groups_of_longest * kThreads +
                       threadIdx.x};
  const std::uint32_t tiles = (task.count + kThreads - 1) / kThreads;
  const std::uint64_t items = std::uint64_t{tiles} * task.query_count;
  for (std::uint64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const auto query = static_cast<std::uint32_t>(item / tiles);
    const std::uint32_t i = static_cast<std::uint32_t>(item % tiles) * kThreads + threadIdx.x;
    const QueryUnits own = query_units(task.queries, query);
    if (own.length <= kBandUnits) continue;
    TextPlace place;
    if (i < task.count) place = task.objects.places[object_of(task, query, i)];
    const std::uint32_t bands = (own.length + kBandUnits - 1) / kBandUnits;
    int grown = 0;
    for (std::uint32_t b = 0; b < bands; ++b) {
      const std::uint32_t end = own.length - (bands - 1 - b) * kBandUnits;
      const std::uint32_t begin = b == 0 ? 0 : end - kBandUnits;
      const Band band{end - begin, b == 0, b + 1 == bands};
      __syncthreads();  // all are done with the table of the band before
      table.build(own.units + begin, band.units, kBandUnits - band.units);
      grown = next_band<Unit>(task.objects.groups, place, table, band, steps);
    }
    if (i < task.count) {
      task.out[query * task.out_stride + i] =
          static_cast<float>(own.length + static_cast<std::uint32_t>(grown));
    }
  }
}

std::size_t words_of_cta(const DeviceObjects& objects) {
  return std::size_t{objects.longest / kGroupUnits + 1} * kThreads;
}

template <class Unit>
void launch_kernels(const PairTask& task, const BandScratch& bands, const Stream& stream) {
  const auto kernel = levenshtein_short<Unit>;
  launch({.name = "levenshtein_short",
          .ctas = pair_grid(task, kThreads),
          .threads = kThreads,
          .stream = stream.handle()},
         kernel, task);
  if (bands.size == 0) return;
  const auto kernel_of_bands = levenshtein_long<Unit>;
  const std::size_t room = bands.size / words_of_cta(task.objects);
  const std::size_t held = resident_ctas(kernel_of_bands, kThreads, 0);
  const std::size_t items = std::size_t{(task.count + kThreads - 1) / kThreads} * task.query_count;
  launch({.name = "levenshtein_long",
          .ctas = static_cast<unsigned>(std::min({room, held, items})),
          .threads = kThreads,
          .stream = stream.handle()},
         kernel_of_bands, task, bands.steps,
         static_cast<std::uint32_t>(words_of_cta(task.objects) / kThreads));
}

}  // namespace

std::size_t needed_band_words(const DeviceObjects& objects) { return words_of_cta(objects); }

std::size_t wanted_band_words(const DeviceObjects& objects) {
  const std::size_t held = objects.is_wide
                               ? resident_ctas(levenshtein_long<std::uint32_t>, kThreads, 0)
                               : resident_ctas(levenshtein_long<std::uint8_t>, kThreads, 0);
  const std::size_t one = words_of_cta(objects);
  return std::max(one, std::min(held * one, kMaxBandWords));
}

void compute_levenshtein(const PairTask& task, const BandScratch& bands, const Stream& stream) {
  (task.objects.is_wide ? launch_kernels<std::uint32_t> : launch_kernels<std::uint8_t>)(task, bands,
                                                                                        stream);
}

}  // namespace warpdex::metric
