// OR by accumulating from lists that were decoded once for all queries of a batch, tile by tile, so
// that the tile's postings stay in the L2 cache while all queries read them. In a tile, MaxScore
// parts a query's lists. All postings of the essential ones are added up. Those of the others are
// added only to documents that can still reach the threshold. Documents whose sums cross it become
// candidates.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/or/tile_costs.cuh"
#include "gpu/kernels/stored/stored_plan.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kAdders = 128;  ///< threads that add up
constexpr std::uint32_t kThreads = kAdders + kWarp;
constexpr std::uint32_t kWarps = kAdders / kWarp;
constexpr std::uint32_t kItems = 32;  ///< queries of a CTA
constexpr std::uint32_t kRecorded = 256;
/// Bits of a stored posting that say where its document's accumulator is, in bytes.
constexpr std::uint32_t kPlaceMask = (1U << kStoredShift) - 1;

/// The accumulators of a tile are numbers of 16 bits, eight in one of these.
constexpr std::uint32_t kSumWords = kTileDocuments * 2 / sizeof(uint4);

struct StoredMemory {
  uint4 sums[kSumWords];
  StoredPlan plans[2];
  std::uint16_t recorded[kRecorded];  ///< documents whose sums crossed the threshold
  std::uint32_t recorded_count;
  std::uint32_t kept;
};

/// Adds up the tiles of queries. The CTA's first 4 warps.
template <class Units>
class StoredTile {
 public:
  __device__ StoredTile(const OrRounds& batch, std::uint32_t tile, const StoredPlan& plan,
                        StoredMemory& memory)
      : batch_(batch),
        query_(batch.queries[plan.query]),
        begin_(tile * kTileDocuments),
        plan_(plan),
        memory_(memory) {}

  /// A barrier for the warps that add up.
  static __device__ void sync() {
    __syncwarp();
    asm volatile("bar.sync 1, %0;" ::"n"(kAdders) : "memory");
  }

  /// The accumulators are 0 before and after.
  __device__ void run() {
    for_postings(0, plan_.essential_chunks,
                 [&](StoredPosting posting, std::uint32_t weight) { add(posting, weight); });
    sync();
    if (plan_.essential_chunks < plan_.chunks) {
      const std::uint32_t floor = plan_.floor;
      for_postings(plan_.essential_chunks, plan_.chunks,
                   [&](StoredPosting posting, std::uint32_t weight) {
                     if (sum_at(posting & kPlaceMask) >= floor) add(posting, weight);
                   });
      sync();
    }
    if (memory_.recorded_count > 0) {
      drop_prohibited();
      collect();
    }
    clear();
  }

 private:
  /// The accumulator at a place, in bytes.
  __device__ std::uint16_t& sum_at(std::uint32_t place) {
    return *reinterpret_cast<std::uint16_t*>(reinterpret_cast<std::uint8_t*>(memory_.sums) + place);
  }
  /// The word that it is in, and how many bits up.
  __device__ std::uint32_t& word_at(std::uint32_t place) {
    return *reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::uint8_t*>(memory_.sums) +
                                             place / 4 * 4);
  }
  static __device__ std::uint32_t shift_at(std::uint32_t place) { return place % 4 * 8; }

  __device__ const uint4* stored() const { return reinterpret_cast<const uint4*>(batch_.stored); }

  __device__ StoredFour load(std::uint32_t chunk) const {
    const std::uint32_t which = plan_.chunk[chunk];
    return {stored(), plan_.parts[which >> 8], which & 255};
  }

  /// Calls use(posting, weight) for the postings of chunks [first, last), which the warps take in
  /// turn. A warp's next ones are read while it uses those before.
  template <class Use>
  __device__ void for_postings(std::uint32_t first, std::uint32_t last, Use use) {
    std::uint32_t chunk = first + warp_id();
    if (chunk >= last) return;
    StoredFour next = load(chunk);
    do {
      const StoredFour four = next;
      chunk += kWarps;
      if (chunk < last) next = load(chunk);
      four.visit(use);
    } while (chunk < last);
  }

  __device__ void add(StoredPosting posting, std::uint32_t weight) {
    const std::uint32_t place = posting & kPlaceMask;
    const std::uint32_t units = Units::of_stored(posting, weight, plan_.cap);
    const std::uint32_t shift = shift_at(place);
    const std::uint32_t before = atomicAdd(&word_at(place), units << shift) >> shift & 0xFFFF;
    if (before < plan_.need && before + units >= plan_.need) record(place / 2);
  }

  __device__ void record(std::uint32_t slot) {
    const std::uint32_t place = atomicAdd(&memory_.recorded_count, 1);
    if (place < kRecorded) memory_.recorded[place] = static_cast<std::uint16_t>(slot);
  }

  __device__ void drop_prohibited() {
    if (plan_.scoring == plan_.lists) return;
    for (std::uint32_t list = plan_.scoring; list < plan_.lists; ++list) {
      const StoredPart& part = plan_.parts[list];
      for (std::uint32_t chunk = warp_id(); chunk < part.chunks(); chunk += kWarps) {
        StoredFour(stored(), part, chunk).visit([&](StoredPosting posting, std::uint32_t) {
          sum_at(posting & kPlaceMask) = 0;
        });
      }
    }
    sync();
  }

  /// Only documents of essential lists have sums above 0: other lists add to these alone.
  __device__ void clear() {
    if (plan_.clears_all) {
      for (std::uint32_t i = threadIdx.x; i < kSumWords; i += kAdders) {
        memory_.sums[i] = {0, 0, 0, 0};
      }
    } else {
      for_postings(0, plan_.essential_chunks,
                   [&](StoredPosting posting, std::uint32_t) { sum_at(posting & kPlaceMask) = 0; });
    }
  }

  /// Documents that reach the threshold become candidates, and raise it.
  __device__ void collect() {
    const std::uint32_t recorded = memory_.recorded_count;
    if (recorded <= kRecorded) {
      for (std::uint32_t i = threadIdx.x; i - lane_id() < recorded; i += kAdders) {
        const bool has = i < recorded;
        append(has, has ? memory_.recorded[i] : 0);
      }
    } else {
      for (std::uint32_t slot = threadIdx.x; slot < kTileDocuments; slot += kAdders) {
        append(true, slot);
      }
    }
    sync();
    if (warp_id() != 0) return;
    raise_threshold(batch_, query_);
    if (lane_id() != 0) return;
    if (memory_.kept >= query_.k && sums_are_exact(batch_, query_)) {
      atomicMax(&batch_.states[query_.state].tie,
                static_cast<unsigned long long>(plan_.need) << 32 |
                    static_cast<std::uint32_t>(~(begin_ + kTileDocuments - 1)));
    }
    memory_.recorded_count = 0;
    memory_.kept = 0;
  }

  /// A whole warp. Where many documents cross the threshold, it rises from time to time.
  __device__ void append(bool has, std::uint32_t slot) {
    const std::uint32_t sum = has ? sum_at(2 * slot) : 0;
    const std::uint32_t document = begin_ + slot;
    const bool reaches = sum >= plan_.need && !is_removed(batch_, document);
    const std::uint32_t reaching = __popc(__ballot_sync(kWholeWarp, reaches));
    if (reaching == 0) return;
    if (lane_id() == 0) atomicAdd(&memory_.kept, reaching);
    const bool stays = reaches && sum >= Threshold(batch_, query_).at(document);
    const std::uint32_t kept = __popc(__ballot_sync(kWholeWarp, stays));
    const std::uint32_t candidates =
        append_candidate<BatchUnits>(batch_, query_, stays, document, sum);
    const std::uint32_t step = max(query_.k, batch_.raise_every);
    if (kept == 0 || candidates / step == (candidates - kept) / step) return;
    raise_threshold(batch_, query_);
  }

  const OrRounds& batch_;
  const Query& query_;
  std::uint32_t begin_;  ///< the tile's first document
  const StoredPlan& plan_;
  StoredMemory& memory_;
};

/// CTAs that share the queries of a tile.
__host__ __device__ std::uint32_t ctas_of_tile(const OrRounds& batch) {
  return (batch.or_queries + kItems - 1) / kItems;
}

/// Work item: a tile of 32 queries, a CTA of 160 threads: 4 warps add up, one plans the next query.
/// Shared memory: StoredMemory, 36 KiB. Bound by shared memory: clearing a tile's accumulators
/// takes 256 cycles, adding 32 postings some 7, or looking at them some 4; and by reading 4 bytes a
/// posting from the L2 cache.
template <class Units>
__global__ void __launch_bounds__(kThreads, 6) add_stored(OrRounds batch) {
  wait_for_previous();
  extern __shared__ __align__(16) unsigned char bytes[];
  auto& memory = *reinterpret_cast<StoredMemory*>(bytes);
  const std::uint32_t ctas = ctas_of_tile(batch);
  const std::uint32_t tile = blockIdx.x / ctas;
  const std::uint32_t first = blockIdx.x % ctas * kItems;
  const std::uint32_t count = stored_counts_of(batch, 1)[tile];
  if (first >= count) return;
  const std::uint32_t items = min(kItems, count - first);
  const std::uint32_t* const queries =
      batch.stored_items + std::size_t{tile} * batch.or_queries + first;
  for (std::uint32_t i = threadIdx.x; i < kSumWords; i += kThreads) {
    memory.sums[i] = {0, 0, 0, 0};
  }
  if (threadIdx.x == 0) memory.recorded_count = memory.kept = 0;
  const bool plans = warp_id() == kWarps;
  if (plans) plan_tile<Units>(batch, tile, queries[0], memory.plans[0]);
  for (std::uint32_t item = 0; item < items; ++item) {
    // Racecheck does not see that reads behind a barrier of some warps precede the next one of all.
    if (!plans) StoredTile<Units>::sync();
    __syncthreads();
    StoredPlan& plan = memory.plans[item % 2];
    if (plans) {
      if (item + 1 < items) {
        plan_tile<Units>(batch, tile, queries[item + 1], memory.plans[(item + 1) % 2]);
      }
    } else if (plan.lists > 0) {
      StoredTile<Units>(batch, tile, plan, memory).run();
    }
  }
  if (batch.work != nullptr && threadIdx.x == 0) {
    atomicAdd(&batch.work->tiles, static_cast<unsigned long long>(items));
  }
}

}  // namespace

void launch_add_stored(const OrRounds& batch, cudaStream_t stream) {
  launch_with(StoredUnits(), batch, [&]<class Units>() {
    launch("add_stored", add_stored<typename Units::OfStored>, batch.tiles * ctas_of_tile(batch),
           kThreads, sizeof(StoredMemory), stream, batch);
  });
}

}  // namespace warpdex::gpu
