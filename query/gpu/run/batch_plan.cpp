// Estimates what queries need, and divides the memory of a part.
#include "gpu/run/batch_plan.hpp"

#include <algorithm>

#include "gpu/batch/batch_image.hpp"
#include "gpu/kernels/kernels.cuh"
#include "gpu/run/batch_places.hpp"

namespace warpdex::gpu {
namespace {

/// The least and the most candidates of a query that there is room for.
constexpr std::uint32_t kMinCapacity = 1U << 12;
constexpr std::uint32_t kMaxCapacity = 1U << 22;
constexpr std::size_t kCandidateBytes =
    sizeof(Candidate) + sizeof(unsigned long long);  ///< a candidate and its key
/// Blocks of a chunk, at most, where each warp looks up what it found.
constexpr std::uint32_t kSearchedBlocks = 3;
constexpr std::size_t kFoundBytes = sizeof(Candidate) + sizeof(Chunk) / 16 + 1;
/// A round has room for this share of the blocks of a part's lists.
constexpr std::size_t kBlockShare = 8;
/// Factor of the room for a query at the second attempt.
constexpr std::uint64_t kMore = 8;
/// Chunks of documents, at most. A chunk has 128 documents at most, so the kernels' 32-bit count of
/// documents cannot overflow before the chunks do.
constexpr std::size_t kMaxChunks = (std::size_t{1} << 25) - 1;
/// Further chunks, which are not full since warps share the last chunks of blocks: some for each
/// warp of a large GPU.
constexpr std::size_t kCutChunks = std::size_t{1} << 15;
/// Candidates of all queries of a part, at most.
constexpr std::uint64_t kMaxCandidates = std::uint64_t{1} << 28;
/// Entries of a part's tables by list and tile, at most.
constexpr std::uint64_t kMaxRowEntries = std::uint64_t{1} << 27;
/// Bytes that a part takes beyond what it needs, at most.
constexpr std::size_t kMaxSpare = std::size_t{4} << 30;

/// A block of a round.
constexpr std::size_t kBlockBytes = sizeof(std::uint32_t) + sizeof(Chunk) / kSearchedBlocks;

/// Bytes of a query without its lists and tiles.
std::size_t of_query(std::uint64_t candidates) {
  return candidates * kCandidateBytes + sizeof(QueryState) +
         kHistogramBins * sizeof(std::uint32_t) + sizeof(Query) + sizeof(QueryTiles);
}

std::size_t block_share(std::uint32_t attempt) { return attempt == 0 ? kBlockShare : 1; }

/// Most of a share: an estimate may be too low.
std::size_t estimated_share(std::size_t share) { return share / 8 * 7; }

/// Sets the room for blocks, documents and chunks in the rounds of OR.
void set_round_room(std::size_t blocks, std::size_t found, BatchPlan& plan) {
  const BatchShape& shape = plan.shape;
  const bool has_rounds = !plan.choice.is_by_bound() && shape.or_queries > 0;
  const std::size_t ranges = shape.table_ranges;
  blocks = has_rounds ? std::min(blocks, shape.or_blocks) : 0;
  found = has_rounds ? std::min<std::size_t>({found, shape.or_postings, kNone / 2}) : 0;
  plan.max_blocks = static_cast<std::uint32_t>(blocks);
  plan.max_block_chunks =
      static_cast<std::uint32_t>(has_rounds ? blocks / plan.chunk_blocks + ranges : 0);
  plan.max_documents = static_cast<std::uint32_t>(found);
  const std::size_t chunks = found / 16 + 2 * ranges + std::min(blocks, kCutChunks);
  plan.max_document_chunks =
      static_cast<std::uint32_t>(has_rounds ? std::min({chunks, found, kMaxChunks}) : 0);
}

/// Bytes of all regions of a part.
std::size_t bytes_of(const BatchPlan& plan) {
  BatchStages nowhere{};
  ImageParts none{};
  return plan.image_bytes + place_cleared(nullptr, plan, nowhere) +
         place_tables(nullptr, plan, nowhere) + place_documents(nullptr, plan, nowhere) +
         lay_out_made(plan.shape, nullptr, none);
}

}  // namespace

std::uint32_t BatchPlanner::min_capacity(std::uint32_t k, std::uint32_t attempt) const {
  const std::uint64_t documents = std::max<std::uint64_t>(collection_.documents, 1);
  const std::uint64_t usual = std::max(kMinCapacity, 16 * k);
  return static_cast<std::uint32_t>(std::min(attempt == 1 ? kMore * usual : usual, documents));
}

BatchPlanner::Estimate BatchPlanner::estimate(const SegmentPlans& plans, std::uint32_t slot,
                                              std::uint32_t k, std::uint32_t attempt) const {
  const std::uint64_t candidates = min_capacity(k, attempt);
  Estimate estimate{of_query(candidates), 0};
  for (std::size_t i = 0; i < collection_.segments.size(); ++i) {
    add_estimate(plans.in(slot, i), collection_.segments[i], attempt, estimate);
  }
  return estimate;
}

/// Adds what a query needs in a segment.
void BatchPlanner::add_estimate(const PlannedQuery& plan, std::uint64_t documents,
                                std::uint32_t attempt, Estimate& estimate) const {
  const std::uint64_t tiles = documents / kTileDocuments + 2;
  const std::size_t words = collection_.tile_end / 32 * sizeof(std::uint32_t);
  const std::size_t for_list = tiles * (2 * sizeof(std::uint32_t) + 1) + words + sizeof(List) +
                               sizeof(ListSource) + sizeof(ListUse) + 256;
  estimate.bytes += tiles * (sizeof(std::uint32_t) + sizeof(TileItem) + 1) +
                    2 * (sizeof(Query) + sizeof(EntrySource)) + sizeof(ListSpan);
  std::size_t fewest_blocks = 0;  // of AND's driver
  for (const PlannedTerm& term : plan.terms) {
    const std::size_t blocks = term.entry.document_frequency / kBlockSize + 1;
    fewest_blocks = fewest_blocks == 0 ? blocks : std::min(fewest_blocks, blocks);
    estimate.bytes += for_list + blocks * kBlockBytes / block_share(attempt);
    if (term.entry.is_short()) estimate.bytes += 2 * kRawEntries * sizeof(std::uint32_t);
    estimate.rows += tiles;
  }
  estimate.bytes += fewest_blocks * sizeof(BlockRange) / kAndBlocks;
}

/// Whether all queries make one part, as if each segment had all their terms. This reads the plan
/// of the whole only, and of that no term if the longest lists would fit. Lists are as many and as
/// long as in all segments together, save for removed documents; blocks take little of the memory.
bool BatchPlanner::fit_by_whole(SegmentPlans plans, std::span<const std::uint32_t> slots,
                                std::uint32_t k, std::size_t share) const {
  PlannedQuery one_term;
  one_term.terms.resize(1);
  one_term.terms[0].entry.document_frequency = 1;  // the most bytes: it is short
  Estimate none{};
  Estimate with_term{};
  for (const std::uint64_t documents : collection_.segments) {
    add_estimate({}, documents, 0, none);
    add_estimate(one_term, documents, 0, with_term);
  }
  std::uint64_t terms = 0;
  for (const std::uint32_t slot : slots) terms += plans[slot].terms.size();
  const std::uint64_t candidates = min_capacity(k, 0);
  if (terms * with_term.rows > kMaxRowEntries || slots.size() * candidates > kMaxCandidates) {
    return false;
  }
  const std::uint64_t bytes =
      slots.size() * (of_query(candidates) + none.bytes) + terms * (with_term.bytes - none.bytes);
  const auto fit = [&](std::uint64_t blocks) {
    return bytes + blocks * (kBlockBytes + sizeof(BlockRange) / kAndBlocks + 1) <=
           estimated_share(share);
  };
  if (fit(terms * (collection_.documents / kBlockSize + 1))) return true;
  std::uint64_t blocks = 0;
  for (const std::uint32_t slot : slots) {
    for (const PlannedTerm& term : plans[slot].terms) {
      blocks += term.entry.document_frequency / kBlockSize;
    }
  }
  return fit(blocks);
}

std::size_t BatchPlanner::queries_of_part(SegmentPlans plans, std::span<const std::uint32_t> slots,
                                          std::uint32_t k, std::uint32_t attempt,
                                          std::size_t share) const {
  if (attempt == kMaxRetries) return std::min<std::size_t>(slots.size(), 1);
  if (attempt == 0 && fit_by_whole(plans, slots, k, share)) {
    return slots.size();
  }
  const std::uint64_t candidates = min_capacity(k, attempt);
  Estimate sum{};
  std::size_t queries = 0;
  for (const std::uint32_t slot : slots) {
    const Estimate alone = estimate(plans, slot, k, attempt);
    sum.bytes += alone.bytes;
    sum.rows += alone.rows;
    if (queries > 0 && (sum.bytes > estimated_share(share) || sum.rows > kMaxRowEntries ||
                        (queries + 1) * candidates > kMaxCandidates)) {
      break;
    }
    ++queries;
  }
  return queries;
}

bool BatchPlanner::has_room_for_each(SegmentPlans plans, std::span<const std::uint32_t> slots,
                                     std::uint32_t k, std::size_t share) const {
  return std::ranges::all_of(slots, [&](std::uint32_t slot) {
    return plans[slot].terms.size() > kMaxGpuTerms ||
           estimate(plans, slot, k, 0).bytes <= estimated_share(share);
  });
}

BatchPlan BatchPlanner::plan(const BatchShape& shape, std::uint32_t queries, std::uint32_t k,
                             std::uint32_t attempt, std::size_t share) const {
  BatchPlan plan = start_plan(shape, queries, k);
  finish_plan(attempt, {.share = share}, plan);
  if (!plan.choice.has_stored || bytes_of(plan) <= share) return plan;
  plan = start_plan(shape, queries, k);
  finish_plan(attempt, {.share = share, .has_stored = false}, plan);
  return plan;
}

/// What does not depend on the memory.
BatchPlan BatchPlanner::start_plan(const BatchShape& shape, std::uint32_t queries,
                                   std::uint32_t k) const {
  BatchPlan plan;
  plan.shape = shape;
  plan.queries = queries;
  plan.k = k;
  const std::uint64_t largest = *std::ranges::max_element(collection_.segments);
  plan.max_tiles = static_cast<std::uint32_t>((largest + kTileDocuments - 1) / kTileDocuments);
  plan.tiles = std::max(plan.max_tiles, collection_.tile_end);
  plan.is_small = shape.range_blocks < kRangeBlocks;
  plan.counts_work = ablation_.time_stages;
  plan.tails_bytes = tails_bytes(collection_.codec, shape.lists);
  return plan;
}

/// The rest. Whether found documents have room between two kernels follows from the room that they
/// would get.
void BatchPlanner::finish_plan(std::uint32_t attempt, OrMemory memory, BatchPlan& plan) const {
  choose_or(attempt, memory, plan);
  plan.image_bytes = lay_out(plan.shape, nullptr).image_bytes;
  divide_memory(attempt, memory.share, plan);
  if (plan.choice.is_by_bound() || !plan.choice.has_document_room) return;
  memory.documents = plan.max_documents;
  choose_or(attempt, memory, plan);
  if (!plan.choice.has_document_room) divide_memory(attempt, memory.share, plan);
}

/// Chooses how OR is answered, and sets what follows from it.
void BatchPlanner::choose_or(std::uint32_t attempt, const OrMemory& memory, BatchPlan& plan) const {
  BatchShape& shape = plan.shape;
  plan.choice = choose(shape,
                       {.k = plan.k,
                        .attempt = attempt,
                        .or_by = ablation_.or_by,
                        .documents = collection_.documents,
                        .tiles = plan.tiles,
                        .is_resident = collection_.is_resident},
                       memory);
  if (!plan.choice.has_stored) {
    shape.stored_rows = shape.stored_blocks = shape.stored_ranges = shape.stored_marked = 0;
  }
  const bool is_by_bound = plan.choice.is_by_bound();
  plan.chunk_blocks = plan.is_small ? 1 : 16;
  if (!plan.choice.has_document_room)
    plan.chunk_blocks = std::min(plan.chunk_blocks, kSearchedBlocks);
  plan.raise_every = is_by_bound ? 16 : 256;
  plan.first_phase_blocks = std::max({256U, 2 * plan.k, 24 * shape.or_states});
  plan.max_competitive_blocks = is_by_bound ? static_cast<std::uint32_t>(shape.or_blocks) : 0;
}

/// Divides the memory between blocks, documents and candidates: each gets what it needs at least,
/// and more if there is memory beside.
void BatchPlanner::divide_memory(std::uint32_t attempt, std::size_t share, BatchPlan& plan) const {
  const std::size_t blocks = plan.shape.or_blocks / block_share(attempt);
  plan.capacity = min_capacity(plan.k, attempt);
  set_round_room(blocks, 0, plan);
  const std::size_t taken = bytes_of(plan);
  if (taken >= share) return;
  // The rest is for chunks, which may become smaller than full.
  const std::size_t spare = std::min((share - taken) / 8 * 7, kMaxSpare);
  set_round_room(std::max(blocks, spare / 4 / (sizeof(std::uint32_t) + 1)),
                 plan.choice.has_document_room ? spare / 2 / kFoundBytes : 0, plan);
  const std::uint64_t documents = std::max<std::uint64_t>(collection_.documents, 1);
  const std::uint64_t more = std::min<std::uint64_t>(spare / 2 / kCandidateBytes, kMaxCandidates);
  const std::uint64_t capacity = std::max<std::uint64_t>(plan.capacity, more / plan.queries);
  plan.capacity = static_cast<std::uint32_t>(
      std::min({capacity, documents, attempt == 0 ? std::uint64_t{kMaxCapacity} : documents}));
}

}  // namespace warpdex::gpu
