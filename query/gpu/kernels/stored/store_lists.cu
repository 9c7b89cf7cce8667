// Before a round of OR: decodes each list of a batch once for all of its queries. Where thousands
// of queries share their lists, to add a decoded posting up or to look it up takes a fraction of
// what decoding takes.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/device/list_reader.cuh"
#include "gpu/device/unit_table.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/or/tile_costs.cuh"
#include "gpu/kernels/stored/stored_rows.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;

/// Writes to a list's row of stored_starts what a block's postings decide: where the tiles between
/// two postings begin. A whole warp.
__device__ void write_starts(const OrRounds& batch, const Query& query, const List& list,
                             std::uint32_t block, const std::uint32_t (&docids)[4]) {
  std::uint32_t* const row = starts_of(batch, list.stored_row);
  std::uint32_t before = __shfl_up_sync(kWholeWarp, docids[3], 1);
  const bool is_first = block == 0 && lane_id() == 0;
  if (lane_id() == 0 && block > 0) before = list.last_docids[block - 1];
  std::uint32_t next = is_first ? query.first_tile : (before >> kTileShift) + 1;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (docids[i] == kNone) continue;
    const std::uint32_t posting = block * kBlockSize + lane_id() * 4 + i;
    const std::uint32_t tile = docids[i] >> kTileShift;
    for (; next <= tile; ++next) row[next] = posting;
    if (posting + 1 < list.size) continue;
    for (; next <= query.end_tile; ++next) row[next] = list.size;
  }
}

/// Work item: a block range of a list, a CTA of 256 threads; a block a warp. Shared memory: about
/// 4 KiB. Bound by decoding: some 200 instructions of a warp a block, which become 512 bytes.
template <CodecKind kCodec, class Units>
__global__ void __launch_bounds__(kThreads) store_lists(OrRounds batch, std::uint32_t round) {
  wait_for_previous();
  __shared__ device::WarpScratch scratches[kWarps];
  __shared__ UnitTable<Units> table;
  const BlockRange range = batch.stored_ranges[blockIdx.x];
  if (range.blocks == 0 || !uses_store(batch, round)) return;
  if (round > 0 && uses_store(batch, 0)) return;  // it is done
  table.fill(batch);
  const List& list = batch.lists[range.owner];
  const Query& query = batch.queries[batch.and_queries + list.or_query];
  const ListWeight weight = table.weigh(batch, query, list);
  device::WarpScratch& scratch = scratches[warp_id()];
  auto* const stored = reinterpret_cast<uint4*>(batch.stored);
  for (std::uint32_t i = warp_id(); i < range.blocks; i += kWarps) {
    const std::uint32_t block = range.first + i;
    std::uint32_t docids[4];
    std::uint32_t values[4];
    std::uint8_t codes[4];
    read_docids<kCodec>(batch, range.owner, block, scratch, docids);
    table.read_codes(batch, weight, docids, codes);
    read_values<kCodec>(batch, range.owner, block, scratch, values);
    StoredPosting four[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      four[j] = docids[j] % kTileDocuments * 2 |
                Units::stored_value(values[j], table.part(weight, codes[j]));
    }
    stored[(std::size_t{list.stored_block} + block) * (kBlockSize / 4) + lane_id()] = {
        four[0], four[1], four[2], four[3]};
    write_starts(batch, query, list, block, docids);
    __syncwarp();
  }
}

}  // namespace

void launch_store_lists(const OrRounds& batch, std::uint32_t round, CodecKind codec,
                        cudaStream_t stream) {
  if (batch.stored_range_count == 0) return;
  with_codec(codec, [&]<CodecKind kCodec>() {
    launch_with(StoredUnits(), batch, [&]<class Units>() {
      launch("store_lists", store_lists<kCodec, Units>, batch.stored_range_count, kThreads, 0,
             stream, batch, round);
    });
  });
}

}  // namespace warpdex::gpu
