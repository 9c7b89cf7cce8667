// Lays batches out in a searcher's memory.
#include "gpu/run/batch_memory.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {
namespace {

/// Candidates of a query that there is always room for, and at most.
constexpr std::uint32_t kLeastCapacity = 1U << 12;
constexpr std::uint32_t kMostCapacity = 1U << 22;
constexpr std::size_t kCandidateBytes =
    sizeof(Candidate) + sizeof(unsigned long long);  ///< and key
/// Documents of a query that there must be room for in a round, in the one that the queries of a
/// part share, or they have none: warps look up what they find, of small chunks of blocks. More if
/// many answers are wanted.
constexpr std::size_t kFoundShare = std::size_t{1} << 16;
constexpr std::size_t kFoundShareOfMany = kFoundShare / 2 * 3;
constexpr std::uint32_t kManyAnswers = 64;
constexpr std::uint32_t kSearchedBlocks = 3;
constexpr std::size_t kFoundBytes = sizeof(Candidate) + sizeof(Chunk) / 16 + 1;
/// Of the blocks of a part's lists, those that a round reads, at most, are this share.
constexpr std::size_t kBlockShare = 8;
/// At a second attempt there is so many times the room for a query.
constexpr std::uint64_t kMore = 8;
/// Chunks of documents: so few that the kernels' count of documents, of which a chunk has 128 at
/// most, cannot pass 32 bits while there is room for one more.
constexpr std::size_t kMostChunks = (std::size_t{1} << 25) - 1;
/// Chunks of documents that are not full, since warps share the last chunks of blocks out: some a
/// warp of a large GPU.
constexpr std::size_t kCutChunks = std::size_t{1} << 15;
/// Candidates of all queries of a part of a batch.
constexpr std::uint64_t kMostCandidates = std::uint64_t{1} << 28;
/// Entries of the tile tables of a part, one for each list and tile.
constexpr std::uint64_t kMostRowEntries = std::uint64_t{1} << 27;

/// What a part takes beyond what it needs.
constexpr std::size_t kMostSpare = std::size_t{4} << 30;

/// Queries that have accumulators in global memory at a time, where memory allows: twice as many as
/// a large GPU has multiprocessors.
constexpr std::size_t kMostAccumulated = 256;

/// Promises are done without where they would take more than this share of a searcher's scratch
/// memory. It grows by no more than that beyond what is needed.
constexpr std::size_t kShares = 8;

/// A kernel fetches what is uploaded and cleared if it is no more: faster than two commands.
constexpr std::size_t kFewBytes = std::size_t{1} << 19;

std::size_t block_share(std::uint32_t attempt) { return attempt == 0 ? kBlockShare : 1; }

}  // namespace

void grow(PinnedBuffer& buffer, std::size_t bytes) {
  if (buffer.size() >= bytes) return;
  buffer = PinnedBuffer();
  buffer = PinnedBuffer(bytes + bytes / 4);
}

/// Of the index's scratch memory, what the parts of batches may take.
std::size_t BatchMemory::own_share() const {
  const std::size_t all = index_.scratch_share();
  return all - std::min(all, of_one_.size() + apart_);
}

std::uint32_t BatchMemory::least_capacity(std::uint32_t k, std::uint32_t attempt) const {
  const std::uint64_t documents = std::max<std::uint64_t>(index_.index.counts().documents, 1);
  const std::uint64_t usual = std::max(kLeastCapacity, 16 * k);
  return static_cast<std::uint32_t>(std::min(attempt == 1 ? kMore * usual : usual, documents));
}

BatchMemory::Estimate BatchMemory::estimate(const PlannedQuery& plan, std::uint32_t k,
                                            std::uint32_t attempt) const {
  const std::uint64_t tiles = index_.index.counts().documents / kTileDocuments + 2;
  const std::uint64_t candidates = least_capacity(k, attempt);
  const std::size_t for_query =
      candidates * kCandidateBytes + tiles * (sizeof(std::uint32_t) + sizeof(TileItem) + 1) +
      sizeof(QueryState) + kBins * sizeof(std::uint32_t) + 3 * sizeof(Query);
  const std::size_t for_list = tiles * (2 * sizeof(std::uint32_t) + 1) + sizeof(List) + 256;
  const std::size_t for_block = sizeof(std::uint32_t) + sizeof(Chunk) / kSearchedBlocks;
  Estimate estimate{for_query, 0};
  std::size_t fewest_blocks = 0;  // of a list, which is AND's driver
  for (const PlannedTerm& term : plan.terms) {
    const std::size_t blocks = term.entry.document_frequency / kBlockSize + 1;
    fewest_blocks = estimate.rows == 0 ? blocks : std::min(fewest_blocks, blocks);
    estimate.bytes += for_list + blocks * for_block / block_share(attempt);
    if (term.entry.is_short()) estimate.bytes += 2 * kRawEntries * sizeof(std::uint32_t);
    estimate.rows += tiles;
  }
  estimate.bytes += fewest_blocks * sizeof(Stretch) / kAndBlocks;
  return estimate;
}

std::size_t BatchMemory::queries_of_part(std::span<const PlannedQuery> plans,
                                         std::span<const std::uint32_t> slots, std::uint32_t k,
                                         std::uint32_t attempt) const {
  if (attempt == kMostAttempts) return std::min<std::size_t>(slots.size(), 1);
  const std::uint64_t candidates = least_capacity(k, attempt);
  const std::size_t share = own_share() / 8 * 7;  // it is an estimate
  Estimate sum{};
  std::size_t queries = 0;
  for (const std::uint32_t slot : slots) {
    const Estimate alone = estimate(plans[slot], k, attempt);
    sum.bytes += alone.bytes;
    sum.rows += alone.rows;
    if (queries > 0 && (sum.bytes > share || sum.rows > kMostRowEntries ||
                        (queries + 1) * candidates > kMostCandidates)) {
      break;
    }
    ++queries;
  }
  return queries;
}

bool BatchMemory::has_room_for_each(std::span<const PlannedQuery> plans,
                                    std::span<const std::uint32_t> slots, std::uint32_t k,
                                    std::size_t apart) const {
  const std::size_t all = own_share() + apart_;
  const std::size_t share = (all - std::min(all, apart)) / 8 * 7;
  return std::ranges::all_of(slots, [&](std::uint32_t slot) {
    const PlannedQuery& plan = plans[slot];
    return plan.terms.size() > kMostLists || estimate(plan, k, 0).bytes <= share;
  });
}

void BatchMemory::set_apart(std::size_t bytes) {
  apart_ = bytes;
  if (scratch_.size() > own_share()) scratch_.reset();
}

bool BatchMemory::has_room_for_promises(const BatchShape& shape) const {
  return kClasses * shape.or_blocks * sizeof(Promise) <= own_share() / kShares;
}

/// Says where the pieces are, in what there is, or in more. False if there is no memory for them.
bool BatchMemory::make_room(std::size_t queries, const Pieces<std::size_t>& bytes) {
  const auto lay_out = [&](void* begin) {
    Arena arena(begin);
    places_.image = arena.take<std::uint8_t>(bytes.image);
    places_.cleared = arena.take<std::uint8_t>(bytes.cleared);
    places_.tables = arena.take<std::uint8_t>(bytes.tables);
    places_.candidates = arena.take<std::uint8_t>(bytes.candidates);
    places_.accumulators = arena.take<std::uint8_t>(bytes.accumulators);
    return arena.used();
  };
  const std::size_t needed = lay_out(nullptr);
  const std::size_t share = own_share();
  if (needed > share && queries > 1) return false;
  // The part before may be under way.
  if (scratch_.size() > share || scratch_.size() < needed) stream_.synchronize();
  if (scratch_.size() > share) scratch_.reset();  // there are more searchers than there were
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
  batch.histograms = arena.take<std::uint32_t>(std::size_t{batch.state_count} * kBins);
  batch.tile_passes = arena.take<TileCounters>(kTilePasses);
  batch.rounds = arena.take<RoundCounters>(kRounds);
  batch.promise_counters = arena.take<PromiseCounters>(1);
  WorkCounters* const counters = arena.take<WorkCounters>(1);
  if (ablation_.time_stages) batch.work = counters;
  return arena.used();
}

std::size_t BatchMemory::lay_out_tables(void* begin, const BatchShape& shape, Batch& batch) const {
  Arena arena(begin);
  batch.first_blocks = arena.take<std::uint32_t>(shape.row_entries);
  batch.rests = arena.take<std::uint32_t>(shape.row_entries);
  batch.tile_bounds = arena.take<std::uint32_t>(shape.tile_entries);
  if (batch.round_count == 0) {
    batch.promises = arena.take<Promise>(kClasses * shape.or_blocks);
    batch.most_promises = static_cast<std::uint32_t>(shape.or_blocks);
  } else {
    batch.tile_states = arena.take<std::uint8_t>(shape.tile_entries);
    batch.tile_items = arena.take<TileItem>(shape.tile_entries);
    batch.blocks = arena.take<std::uint32_t>(batch.most_blocks);
    batch.block_chunks = arena.take<Chunk>(batch.most_block_chunks);
  }
  batch.tails =
      arena.take<std::uint8_t>(tails_bytes(index_.index.settings().codec.kind, shape.lists));
  batch.wanted_tiles =
      arena.take<std::uint32_t>(std::size_t{shape.lists} * ((batch.tiles + 31) / 32));
  return arena.used();
}

/// Keys are made when no document is looked up any more, so they lie in the same place.
std::size_t BatchMemory::lay_out_candidates(void* begin, std::uint32_t capacity,
                                            Batch& batch) const {
  Arena arena(begin);
  const std::size_t candidates = std::size_t{batch.state_count} * capacity;
  batch.candidates = arena.take<Candidate>(candidates);
  Arena other = arena;
  batch.keys = arena.take<unsigned long long>(candidates);
  batch.found = other.take<Candidate>(batch.most_found);
  batch.found_chunks = other.take<Chunk>(batch.most_found_chunks);
  return std::max(arena.used(), other.used());
}

/// Sets what there is room for in the rounds of OR.
void BatchMemory::set_round_room(const BatchShape& shape, std::size_t blocks, std::size_t found,
                                 Batch& batch) const {
  const bool has_rounds = batch.round_count > 0 && shape.or_queries > 0;
  const std::size_t stretches = shape.table_stretches;
  blocks = has_rounds ? std::min(blocks, shape.or_blocks) : 0;
  found = has_rounds ? std::min<std::size_t>({found, shape.or_postings, kNone / 2}) : 0;
  batch.most_blocks = static_cast<std::uint32_t>(blocks);
  batch.most_block_chunks =
      static_cast<std::uint32_t>(has_rounds ? blocks / batch.chunk_blocks + stretches : 0);
  batch.most_found = static_cast<std::uint32_t>(found);
  const std::size_t chunks = found / 16 + 2 * stretches + std::min(blocks, kCutChunks);
  batch.most_found_chunks =
      static_cast<std::uint32_t>(has_rounds ? std::min({chunks, found, kMostChunks}) : 0);
}

/// Decides how many blocks, documents and candidates there is room for: the least, and more where
/// there is memory for it beside what is `needed` else. Returns the candidates of a query.
std::uint32_t BatchMemory::share_out(std::size_t needed, const BatchShape& shape,
                                     std::uint32_t attempt, Batch& batch) const {
  const std::size_t queries = batch.state_count;
  const std::uint32_t least = least_capacity(batch.k, attempt);
  const std::size_t blocks = shape.or_blocks / block_share(attempt);
  set_round_room(shape, blocks, 0, batch);
  const std::size_t share = own_share();
  const std::size_t taken =
      needed + lay_out_tables(nullptr, shape, batch) + lay_out_candidates(nullptr, least, batch);
  if (taken >= share) return least;
  // Some stays for chunks, which may become smaller.
  const std::size_t spare = std::min((share - taken) / 8 * 7, kMostSpare);
  set_round_room(shape, std::max(blocks, spare / 4 / (sizeof(std::uint32_t) + 1)),
                 batch.has_found_room ? spare / 2 / kFoundBytes : 0, batch);
  const std::uint64_t documents = std::max<std::uint64_t>(index_.index.counts().documents, 1);
  const std::uint64_t more = std::min<std::uint64_t>(spare / 2 / kCandidateBytes, kMostCandidates);
  const std::uint64_t capacity = std::max<std::uint64_t>(least, more / queries);
  return static_cast<std::uint32_t>(
      std::min({capacity, documents, attempt == 0 ? std::uint64_t{kMostCapacity} : documents}));
}

/// Decides whether what is found has room of its own, and how many rounds OR has. Two look more
/// documents up than three, which takes less time than another round, unless lists are read over
/// the bus.
void BatchMemory::set_rounds(const BatchShape& shape, std::uint32_t attempt, Batch& batch) const {
  if (batch.round_count == 0) return;
  const std::size_t share = batch.k > kManyAnswers ? kFoundShareOfMany : kFoundShare;
  const std::size_t wanted = std::min(batch.state_count * share, shape.or_postings / 4);
  batch.has_found_room =
      attempt == 0 && batch.most_found >= wanted && ablation_.or_by != OrMethod::kSearching;
  const bool is_fast = shape.stretch_blocks < kStretchBlocks || index_.cache == nullptr;
  batch.round_count = shape.adds_up_only || (attempt == 0 && is_fast) ? 2 : kRounds;
}

/// Decides for how many queries at a time OR has accumulators in global memory, if it is to add up
/// there: for as many as there is room for beside what is `needed` else, but one at least. Returns
/// the bytes that they take.
std::size_t BatchMemory::share_out_accumulators(std::size_t needed, const BatchShape& shape,
                                                Batch& batch) const {
  if (ablation_.or_by != OrMethod::kGlobalMemory || shape.or_queries == 0) return 0;
  const std::size_t bytes = std::size_t{batch.tiles} * kTileDocuments * sizeof(std::uint32_t);
  const std::size_t share = own_share();
  const std::size_t left = share - std::min(share, needed + needed / 4);  // as grow() may take
  const std::size_t most = std::min<std::size_t>(kMostAccumulated, shape.or_queries);
  const std::size_t at_once = std::clamp<std::size_t>(left / bytes, 1, most);
  batch.accumulated_queries = static_cast<std::uint32_t>(at_once);
  return at_once * bytes;
}

/// Of an image, what comes before the stretches of OR's lists.
std::size_t BatchMemory::carried_bytes() const {
  return static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(host().table_stretches) -
                                  static_cast<const std::uint8_t*>(staging().data()));
}

/// Whether the batch is a single query of OR alone, whose first kernel can carry all that it
/// brings: nothing runs before, and no list is among it, but for where it is. There is memory for
/// its counters then.
bool BatchMemory::can_carry(const BatchShape& shape, const Batch& batch) {
  const bool is_alone = batch.state_count == 1 && shape.or_queries == 1 &&
                        shape.and_queries + shape.second_queries == 0;
  const bool can = is_alone && batch.round_count == 0 && shape.raw_lists == 0 &&
                   carried_bytes() <= kCarriedWords * sizeof(uint4) &&
                   tails_bytes(index_.index.settings().codec.kind, 1) == 0;
  if (!can || of_one_.size() != 0) return can;
  bytes_of_one_ = cleared_bytes_;
  return of_one_.allocate(2 * bytes_of_one_, *index_.budget, index_.device);
}

void* BatchMemory::counters_of_one(std::uint32_t turn) const {
  return static_cast<std::uint8_t*>(of_one_.data()) + turn * bytes_of_one_;
}

std::optional<std::uint32_t> BatchMemory::lay_out(const BatchShape& shape, std::uint32_t attempt,
                                                  Batch& batch) {
  Pieces<std::size_t> bytes;
  bytes.image = gpu::lay_out(shape, nullptr).image_bytes;
  bytes.cleared = lay_out_cleared(nullptr, batch);
  batch.has_found_room = true;
  std::uint32_t capacity = share_out(bytes.image + bytes.cleared, shape, attempt, batch);
  set_rounds(shape, attempt, batch);
  if (!batch.has_found_room) {
    batch.chunk_blocks = std::min(batch.chunk_blocks, kSearchedBlocks);
    capacity = share_out(bytes.image + bytes.cleared, shape, attempt, batch);
  }
  bytes.tables = lay_out_tables(nullptr, shape, batch);
  bytes.candidates = lay_out_candidates(nullptr, capacity, batch);
  bytes.accumulators = share_out_accumulators(
      bytes.image + bytes.cleared + bytes.tables + bytes.candidates, shape, batch);
  if (!make_room(batch.state_count, bytes)) return {};
  shape_ = shape;
  image_bytes_ = bytes.image;
  cleared_bytes_ = bytes.cleared;
  turn_of_staging_ = 1 - turn_of_staging_;
  grow(stagings_[turn_of_staging_], image_bytes_);
  is_carried_ = can_carry(shape, batch);
  if (is_carried_) turn_ = 1 - turn_;
  lay_out_cleared(is_carried_ ? counters_of_one(turn_) : places_.cleared, batch);
  lay_out_tables(places_.tables, shape, batch);
  lay_out_candidates(places_.candidates, capacity, batch);
  batch.accumulators = static_cast<std::uint32_t*>(places_.accumulators);
  if (bytes.accumulators == 0) batch.accumulators = nullptr;
  describe(batch);
  return capacity;
}

/// Fills in what is uploaded, with this batch or with the index.
void BatchMemory::describe(Batch& batch) const {
  const ImageParts parts = device();
  batch.lists = parts.lists;
  batch.queries = parts.queries;
  batch.finals = parts.finals;
  batch.table_stretches = parts.table_stretches;
  batch.and_stretches = parts.and_stretches;
  batch.lengths = index_.lengths;
  batch.static_scores = index_.static_scores;
  batch.static_bounds = index_.static_bounds;
  batch.documents = static_cast<std::uint32_t>(index_.index.counts().documents);
  batch.second_queries = shape_.second_queries;
  batch.and_queries = shape_.and_queries + shape_.second_queries;
  batch.or_queries = shape_.or_queries;
  batch.table_stretch_count = shape_.table_stretches;
  batch.second_stretch_count = shape_.second_stretches;
  batch.and_stretch_count = shape_.and_stretches + shape_.second_stretches;
  batch.stretch_blocks = shape_.stretch_blocks;
  batch.list_count = shape_.lists;
  batch.pfor_levels = index_.index.settings().codec.pfor_levels;
}

void BatchMemory::upload(const Batch& batch) {
  const cudaStream_t stream = stream_.handle();
  const auto words = [](std::size_t bytes) {
    return static_cast<std::uint32_t>(bytes / sizeof(uint4));  // pieces of arenas: no rest
  };
  if (is_carried_) {
    if (!is_clear_) {
      check_cuda(cudaMemsetAsync(of_one_.data(), 0, of_one_.size(), stream), "cudaMemsetAsync");
    }
    is_clear_ = true;
    carried_.stretches = device().table_stretches;
    carried_.to = static_cast<uint4*>(places_.image);
    carried_.cleared = static_cast<uint4*>(counters_of_one(1 - turn_));
    carried_.words = words(carried_bytes());
    carried_.cleared_words = words(bytes_of_one_);
    std::memcpy(carried_.content, staging().data(), carried_bytes());
    return;
  }
  if (std::max(image_bytes_, cleared_bytes_) <= kFewBytes) {
    const Fetched image{static_cast<const uint4*>(staging().device_data()),
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
