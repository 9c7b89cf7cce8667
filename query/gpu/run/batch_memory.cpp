// Lays out batches in a lane's memory.
#include "gpu/run/batch_memory.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {
namespace {

/// The least and the most candidates of a query that there is room for.
constexpr std::uint32_t kMinCapacity = 1U << 12;
constexpr std::uint32_t kMaxCapacity = 1U << 22;
constexpr std::size_t kCandidateBytes =
    sizeof(Candidate) + sizeof(unsigned long long);  ///< a candidate and its key
/// Documents that a round must have room for, for each query of a part, more if k is large. With
/// less room, found documents are not written: each warp looks up what it found, and chunks of
/// blocks are small.
constexpr std::size_t kFoundShare = std::size_t{1} << 16;
constexpr std::size_t kFoundShareOfMany = kFoundShare / 2 * 3;
constexpr std::uint32_t kManyAnswers = 64;
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

/// OR goes by bound only if the competitive blocks take no more than this share of the scratch
/// memory. The memory grows by the same share at most, beyond what is needed.
constexpr std::size_t kShares = 8;

/// Up to this size, a kernel copies the image and clears the counters: faster than a copy and a
/// memset.
constexpr std::size_t kFewBytes = std::size_t{1} << 19;

std::size_t block_share(std::uint32_t attempt) { return attempt == 0 ? kBlockShare : 1; }

}  // namespace

void grow(PinnedBuffer& buffer, std::size_t bytes) {
  if (buffer.size() >= bytes) return;
  buffer = PinnedBuffer();
  buffer = PinnedBuffer(bytes + bytes / 4);
}

/// Scratch memory that the parts of batches may take.
std::size_t BatchMemory::own_share() const {
  const std::size_t all = index_.scratch_share();
  return all - std::min(all, inline_counters_.size() + reserved_);
}

std::uint32_t BatchMemory::min_capacity(std::uint32_t k, std::uint32_t attempt) const {
  const std::uint64_t documents = std::max<std::uint64_t>(index_.index.counts().documents, 1);
  const std::uint64_t usual = std::max(kMinCapacity, 16 * k);
  return static_cast<std::uint32_t>(std::min(attempt == 1 ? kMore * usual : usual, documents));
}

BatchMemory::Estimate BatchMemory::estimate(const PlannedQuery& plan, std::uint32_t k,
                                            std::uint32_t attempt) const {
  const std::uint64_t tiles = index_.index.counts().documents / kTileDocuments + 2;
  const std::uint64_t candidates = min_capacity(k, attempt);
  const std::size_t for_query =
      candidates * kCandidateBytes + tiles * (sizeof(std::uint32_t) + sizeof(TileItem) + 1) +
      sizeof(QueryState) + kHistogramBins * sizeof(std::uint32_t) + 3 * sizeof(Query);
  const std::size_t for_list = tiles * (2 * sizeof(std::uint32_t) + 1) + sizeof(List) + 256;
  const std::size_t for_block = sizeof(std::uint32_t) + sizeof(Chunk) / kSearchedBlocks;
  Estimate estimate{for_query, 0};
  std::size_t fewest_blocks = 0;  // of AND's driver
  for (const PlannedTerm& term : plan.terms) {
    const std::size_t blocks = term.entry.document_frequency / kBlockSize + 1;
    fewest_blocks = estimate.rows == 0 ? blocks : std::min(fewest_blocks, blocks);
    estimate.bytes += for_list + blocks * for_block / block_share(attempt);
    if (term.entry.is_short()) estimate.bytes += 2 * kRawEntries * sizeof(std::uint32_t);
    estimate.rows += tiles;
  }
  estimate.bytes += fewest_blocks * sizeof(BlockRange) / kAndBlocks;
  return estimate;
}

std::size_t BatchMemory::queries_of_part(std::span<const PlannedQuery> plans,
                                         std::span<const std::uint32_t> slots, std::uint32_t k,
                                         std::uint32_t attempt) const {
  if (attempt == kMaxRetries) return std::min<std::size_t>(slots.size(), 1);
  const std::uint64_t candidates = min_capacity(k, attempt);
  const std::size_t share = own_share() / 8 * 7;  // the estimate may be too low
  Estimate sum{};
  std::size_t queries = 0;
  for (const std::uint32_t slot : slots) {
    const Estimate alone = estimate(plans[slot], k, attempt);
    sum.bytes += alone.bytes;
    sum.rows += alone.rows;
    if (queries > 0 && (sum.bytes > share || sum.rows > kMaxRowEntries ||
                        (queries + 1) * candidates > kMaxCandidates)) {
      break;
    }
    ++queries;
  }
  return queries;
}

bool BatchMemory::has_room_for_each(std::span<const PlannedQuery> plans,
                                    std::span<const std::uint32_t> slots, std::uint32_t k,
                                    std::size_t apart) const {
  const std::size_t all = own_share() + reserved_;
  const std::size_t share = (all - std::min(all, apart)) / 8 * 7;
  return std::ranges::all_of(slots, [&](std::uint32_t slot) {
    const PlannedQuery& plan = plans[slot];
    return plan.terms.size() > kMaxLists || estimate(plan, k, 0).bytes <= share;
  });
}

void BatchMemory::reserve(std::size_t bytes) {
  reserved_ = bytes;
  if (scratch_.size() > own_share()) scratch_.reset();
}

bool BatchMemory::has_room_for_competitive_blocks(const BatchShape& shape) const {
  return kBoundClasses * shape.or_blocks * sizeof(CompetitiveBlock) <= own_share() / kShares;
}

/// Finds the places of the pieces, in the memory that there is or in more. False if there is not
/// enough.
bool BatchMemory::make_room(std::size_t queries, const Pieces<std::size_t>& bytes) {
  const auto lay_out = [&](void* begin) {
    Arena arena(begin);
    places_.image = arena.take<std::uint8_t>(bytes.image);
    places_.cleared = arena.take<std::uint8_t>(bytes.cleared);
    places_.tables = arena.take<std::uint8_t>(bytes.tables);
    places_.candidates = arena.take<std::uint8_t>(bytes.candidates);
    return arena.used();
  };
  const std::size_t needed = lay_out(nullptr);
  const std::size_t share = own_share();
  if (needed > share && queries > 1) return false;
  // The part before may still be under way.
  if (scratch_.size() > share || scratch_.size() < needed) stream_.synchronize();
  if (scratch_.size() > share) scratch_.reset();  // the number of lanes has grown
  const std::size_t more = std::min(needed + std::min(needed / 4, share / kShares), share);
  const auto allocate = [&](std::size_t size) {
    return scratch_.allocate(size, *index_.budget, index_.device);
  };
  if (scratch_.size() < needed && !(more > needed && allocate(more)) && !allocate(needed)) {
    return false;
  }
  lay_out(scratch_.data());
  return true;
}

std::size_t BatchMemory::lay_out_cleared(void* begin, Batch& batch) const {
  Arena arena(begin);
  batch.states = arena.take<QueryState>(batch.state_count);
  batch.histograms = arena.take<std::uint32_t>(std::size_t{batch.state_count} * kHistogramBins);
  batch.tile_passes = arena.take<TileCounters>(kTilePasses);
  batch.rounds = arena.take<RoundCounters>(kRounds);
  batch.competitive_counters = arena.take<CompetitiveCounters>(1);
  WorkCounters* const counters = arena.take<WorkCounters>(1);
  if (ablation_.time_stages) batch.work = counters;
  return arena.used();
}

std::size_t BatchMemory::lay_out_tables(void* begin, const BatchShape& shape, Batch& batch) const {
  Arena arena(begin);
  batch.first_blocks = arena.take<std::uint32_t>(shape.row_entries);
  batch.suffix_bounds = arena.take<std::uint32_t>(shape.row_entries);
  batch.tile_bounds = arena.take<std::uint32_t>(shape.tile_entries);
  if (batch.round_count == 0) {
    batch.competitive_blocks = arena.take<CompetitiveBlock>(kBoundClasses * shape.or_blocks);
    batch.max_competitive_blocks = static_cast<std::uint32_t>(shape.or_blocks);
  } else {
    batch.tile_states = arena.take<std::uint8_t>(shape.tile_entries);
    batch.tile_items = arena.take<TileItem>(shape.tile_entries);
    batch.blocks = arena.take<std::uint32_t>(batch.max_blocks);
    batch.block_chunks = arena.take<Chunk>(batch.max_block_chunks);
  }
  batch.exception_tails =
      arena.take<std::uint8_t>(tails_bytes(index_.index.settings().codec.kind, shape.lists));
  batch.competitive_tiles =
      arena.take<std::uint32_t>(std::size_t{shape.lists} * ((batch.tiles + 31) / 32));
  return arena.used();
}

/// Keys are made after all lookups, so they share memory with the documents to look up.
std::size_t BatchMemory::lay_out_candidates(void* begin, std::uint32_t capacity,
                                            Batch& batch) const {
  Arena arena(begin);
  const std::size_t candidates = std::size_t{batch.state_count} * capacity;
  batch.candidates = arena.take<Candidate>(candidates);
  Arena other = arena;
  batch.keys = arena.take<unsigned long long>(candidates);
  batch.lookup_documents = other.take<Candidate>(batch.max_documents);
  batch.document_chunks = other.take<Chunk>(batch.max_document_chunks);
  return std::max(arena.used(), other.used());
}

/// Sets the room for blocks, documents and chunks in the rounds of OR.
void BatchMemory::set_round_room(const BatchShape& shape, std::size_t blocks, std::size_t found,
                                 Batch& batch) const {
  const bool has_rounds = batch.round_count > 0 && shape.or_queries > 0;
  const std::size_t ranges = shape.table_ranges;
  blocks = has_rounds ? std::min(blocks, shape.or_blocks) : 0;
  found = has_rounds ? std::min<std::size_t>({found, shape.or_postings, kNone / 2}) : 0;
  batch.max_blocks = static_cast<std::uint32_t>(blocks);
  batch.max_block_chunks =
      static_cast<std::uint32_t>(has_rounds ? blocks / batch.chunk_blocks + ranges : 0);
  batch.max_documents = static_cast<std::uint32_t>(found);
  const std::size_t chunks = found / 16 + 2 * ranges + std::min(blocks, kCutChunks);
  batch.max_document_chunks =
      static_cast<std::uint32_t>(has_rounds ? std::min({chunks, found, kMaxChunks}) : 0);
}

/// Divides the memory between blocks, documents and candidates: each gets what it needs at least,
/// and more if there is memory beside the `needed` bytes. Returns the room for candidates of a
/// query.
std::uint32_t BatchMemory::divide_memory(std::size_t needed, const BatchShape& shape,
                                         std::uint32_t attempt, Batch& batch) const {
  const std::size_t queries = batch.state_count;
  const std::uint32_t floor = min_capacity(batch.k, attempt);
  const std::size_t blocks = shape.or_blocks / block_share(attempt);
  set_round_room(shape, blocks, 0, batch);
  const std::size_t share = own_share();
  const std::size_t taken =
      needed + lay_out_tables(nullptr, shape, batch) + lay_out_candidates(nullptr, floor, batch);
  if (taken >= share) return floor;
  // The rest is for chunks, which may become smaller than full.
  const std::size_t spare = std::min((share - taken) / 8 * 7, kMaxSpare);
  set_round_room(shape, std::max(blocks, spare / 4 / (sizeof(std::uint32_t) + 1)),
                 batch.has_document_room ? spare / 2 / kFoundBytes : 0, batch);
  const std::uint64_t documents = std::max<std::uint64_t>(index_.index.counts().documents, 1);
  const std::uint64_t more = std::min<std::uint64_t>(spare / 2 / kCandidateBytes, kMaxCandidates);
  const std::uint64_t capacity = std::max<std::uint64_t>(floor, more / queries);
  return static_cast<std::uint32_t>(
      std::min({capacity, documents, attempt == 0 ? std::uint64_t{kMaxCapacity} : documents}));
}

/// Decides whether found documents have room of their own, and how many rounds OR has. Two rounds
/// look up more documents than three, but take less time, unless lists are read over the bus.
void BatchMemory::set_rounds(const BatchShape& shape, std::uint32_t attempt, Batch& batch) const {
  if (batch.round_count == 0) return;
  const std::size_t share = batch.k > kManyAnswers ? kFoundShareOfMany : kFoundShare;
  const std::size_t wanted = std::min(batch.state_count * share, shape.or_postings / 4);
  batch.has_document_room =
      attempt == 0 && batch.max_documents >= wanted && ablation_.or_by != OrMethod::kFusedLookUp;
  const bool is_fast = shape.range_blocks < kRangeBlocks || index_.cache == nullptr;
  batch.round_count = shape.adds_up_only || (attempt == 0 && is_fast) ? 2 : kRounds;
}

/// Bytes of an image before the block ranges of OR's lists.
std::size_t BatchMemory::inline_bytes() const {
  return static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(host().table_ranges) -
                                  static_cast<const std::uint8_t*>(staging().data()));
}

/// Whether the batch is a single query of OR whose image can be an argument of its first kernel: no
/// other kernel runs before, it has no raw lists, and there is memory for its own counters.
bool BatchMemory::can_inline(const BatchShape& shape, const Batch& batch) {
  const bool is_alone = batch.state_count == 1 && shape.or_queries == 1 &&
                        shape.and_queries + shape.and_fallback_queries == 0;
  const bool can = is_alone && batch.round_count == 0 && shape.raw_lists == 0 &&
                   inline_bytes() <= kInlineWords * sizeof(uint4) &&
                   tails_bytes(index_.index.settings().codec.kind, 1) == 0;
  if (!can || inline_counters_.size() != 0) return can;
  inline_counter_bytes_ = cleared_bytes_;
  return inline_counters_.allocate(2 * inline_counter_bytes_, *index_.budget, index_.device);
}

void* BatchMemory::inline_counters(std::uint32_t turn) const {
  return static_cast<std::uint8_t*>(inline_counters_.data()) + turn * inline_counter_bytes_;
}

std::optional<std::uint32_t> BatchMemory::lay_out(const BatchShape& shape, std::uint32_t attempt,
                                                  Batch& batch) {
  Pieces<std::size_t> bytes;
  bytes.image = gpu::lay_out(shape, nullptr).image_bytes;
  bytes.cleared = lay_out_cleared(nullptr, batch);
  batch.has_document_room = true;
  std::uint32_t capacity = divide_memory(bytes.image + bytes.cleared, shape, attempt, batch);
  set_rounds(shape, attempt, batch);
  if (!batch.has_document_room) {
    batch.chunk_blocks = std::min(batch.chunk_blocks, kSearchedBlocks);
    capacity = divide_memory(bytes.image + bytes.cleared, shape, attempt, batch);
  }
  bytes.tables = lay_out_tables(nullptr, shape, batch);
  bytes.candidates = lay_out_candidates(nullptr, capacity, batch);
  if (!make_room(batch.state_count, bytes)) return {};
  shape_ = shape;
  image_bytes_ = bytes.image;
  cleared_bytes_ = bytes.cleared;
  turn_of_staging_ = 1 - turn_of_staging_;
  grow(stagings_[turn_of_staging_], image_bytes_);
  is_inline_ = can_inline(shape, batch);
  if (is_inline_) turn_ = 1 - turn_;
  lay_out_cleared(is_inline_ ? inline_counters(turn_) : places_.cleared, batch);
  lay_out_tables(places_.tables, shape, batch);
  lay_out_candidates(places_.candidates, capacity, batch);
  describe(batch);
  return capacity;
}

/// Fills in pointers and counts of the image and of the index.
void BatchMemory::describe(Batch& batch) const {
  const ImageParts parts = device();
  batch.lists = parts.lists;
  batch.queries = parts.queries;
  batch.final_queries = parts.final_queries;
  batch.table_ranges = parts.table_ranges;
  batch.and_ranges = parts.and_ranges;
  batch.lengths = index_.lengths;
  batch.static_scores = index_.static_scores;
  batch.static_bounds = index_.static_bounds;
  batch.documents = static_cast<std::uint32_t>(index_.index.counts().documents);
  batch.and_fallback_queries = shape_.and_fallback_queries;
  batch.and_queries = shape_.and_queries + shape_.and_fallback_queries;
  batch.or_queries = shape_.or_queries;
  batch.table_range_count = shape_.table_ranges;
  batch.and_fallback_range_count = shape_.and_fallback_ranges;
  batch.and_range_count = shape_.and_ranges + shape_.and_fallback_ranges;
  batch.range_blocks = shape_.range_blocks;
  batch.list_count = shape_.lists;
}

void BatchMemory::upload(const Batch& batch) {
  const cudaStream_t stream = stream_.handle();
  const auto words = [](std::size_t bytes) {
    return static_cast<std::uint32_t>(bytes / sizeof(uint4));  // pieces of arenas are multiples of
                                                               // 16 bytes
  };
  if (is_inline_) {
    if (!is_clear_) {
      check_cuda(cudaMemsetAsync(inline_counters_.data(), 0, inline_counters_.size(), stream),
                 "cudaMemsetAsync");
    }
    is_clear_ = true;
    inline_query_.ranges = device().table_ranges;
    inline_query_.to = static_cast<uint4*>(places_.image);
    inline_query_.cleared = static_cast<uint4*>(inline_counters(1 - turn_));
    inline_query_.words = words(inline_bytes());
    inline_query_.cleared_words = words(inline_counter_bytes_);
    std::memcpy(inline_query_.content, staging().data(), inline_bytes());
    return;
  }
  if (std::max(image_bytes_, cleared_bytes_) <= kFewBytes) {
    const ImageFetch image{static_cast<const uint4*>(staging().device_data()),
                           static_cast<uint4*>(places_.image), words(image_bytes_),
                           static_cast<uint4*>(places_.cleared), words(cleared_bytes_)};
    return launch_fetch(batch, image, stream);
  }
  check_cuda(cudaMemcpyAsync(places_.image, staging().data(), image_bytes_, cudaMemcpyHostToDevice,
                             stream),
             "cudaMemcpyAsync of a batch");
  check_cuda(cudaMemsetAsync(places_.cleared, 0, cleared_bytes_, stream),
             "cudaMemsetAsync of a batch's state");
}

}  // namespace warpdex::gpu
