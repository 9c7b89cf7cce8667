// Lays batches out in a searcher's memory.
#include "warpdex/query/gpu/batch_memory.hpp"

#include <algorithm>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/query/gpu/arena.hpp"
#include "warpdex/query/gpu/kernels.cuh"

namespace warpdex::gpu {
namespace {

/// Candidates of a query that there is always room for, and at most.
constexpr std::uint32_t kLeastCapacity = 1U << 12;
constexpr std::uint32_t kMostCapacity = 1U << 22;
/// A candidate and its key; of a query, the documents that it looks up in a round, or more where
/// others need less.
constexpr std::size_t kCandidateBytes = 2 * sizeof(Candidate);
constexpr std::size_t kFoundShare = std::size_t{1} << 14;
constexpr std::size_t kFoundBytes = sizeof(Candidate) + sizeof(Chunk) / 16 + 1;
/// Chunks of documents: so few that the kernels' count of documents, of which a chunk has 128 at
/// most, cannot pass 32 bits while there is room for one more.
constexpr std::size_t kMostChunks = (std::size_t{1} << 25) - 1;
/// Documents that there is room to look up in any batch, if memory allows.
constexpr std::size_t kLeastFound = std::size_t{1} << 20;
/// Candidates of all queries of a part of a batch, where memory allows.
constexpr std::uint64_t kMostCandidates = std::uint64_t{1} << 26;
/// Entries of the tile tables of a part, likewise, one for each list and tile.
constexpr std::uint64_t kMostRowEntries = std::uint64_t{1} << 27;
/// What such an entry takes, its share of what there is for each query and tile and of the items of
/// work included, about.
constexpr std::uint64_t kEntryBytes = 24;

/// Queries that have accumulators in global memory at a time, where memory allows: twice as many as
/// a large GPU has multiprocessors.
constexpr std::size_t kMostAccumulated = 256;

/// Parts of a searcher's scratch memory: one half is for candidates, a quarter for tables, an
/// eighth for what is cleared, an eighth for what is uploaded.
constexpr std::size_t kShares = 8;

/// A kernel fetches what is uploaded and cleared if it is no more: faster than two commands.
constexpr std::size_t kFewBytes = std::size_t{1} << 16;

/// False if there is no memory for it. A quarter more is taken if that is no more than `most`.
bool grow(AccountedBuffer& buffer, std::size_t bytes, std::size_t most, MemoryBudget& budget,
          int device) {
  if (buffer.size() >= bytes) return true;
  return buffer.allocate(std::max(bytes, std::min(bytes + bytes / 4, most)), budget, device) ||
         buffer.allocate(bytes, budget, device);
}

}  // namespace

void grow(PinnedBuffer& buffer, std::size_t bytes) {
  if (buffer.size() >= bytes) return;
  buffer = PinnedBuffer();
  buffer = PinnedBuffer(bytes + bytes / 4);
}

/// Of all queries of a part together.
std::uint64_t BatchMemory::most_candidates() const {
  const std::uint64_t room = index_.scratch_share() / 2 / kCandidateBytes;
  return std::min(room, kMostCandidates);
}

std::uint32_t BatchMemory::capacity_for(std::size_t queries, std::uint32_t k, bool lost) const {
  const std::uint64_t documents = std::max<std::uint64_t>(index_.index.counts().documents, 1);
  const std::uint64_t least = std::max(kLeastCapacity, 16 * k);
  const std::uint64_t share = most_candidates() / queries;
  const std::uint64_t most = lost ? share : std::min<std::uint64_t>(share, kMostCapacity);
  return static_cast<std::uint32_t>(std::min(std::max(least, most), documents));
}

PartLimits BatchMemory::limits(std::uint32_t k, bool lost) const {
  const std::size_t share = index_.scratch_share() / kShares;
  const std::uint64_t documents = index_.index.counts().documents;
  const std::uint64_t tiles = documents / kTileDocuments + 2;
  const std::uint64_t least = std::max(kLeastCapacity, 16 * k);
  const std::uint64_t room =
      std::min(lost ? std::max<std::uint64_t>(most_candidates(), 1) : least, documents);
  PartLimits limits;
  limits.queries = std::min<std::size_t>(
      {most_candidates() / std::max<std::uint64_t>(room, 1),
       kShares / 2 * share / (room * kCandidateBytes + kFoundShare * kFoundBytes),
       share / (sizeof(QueryState) + kBins * sizeof(std::uint32_t))});
  limits.queries = std::max<std::size_t>(limits.queries, 1);
  limits.terms = std::min<std::uint64_t>(kMostRowEntries, 2 * share / kEntryBytes) / tiles;
  return limits;
}

bool BatchMemory::has_room_for_promises(const BatchImage& image) const {
  return kClasses * image.or_blocks * sizeof(Promise) <= index_.scratch_share() / kShares;
}

/// Frees what other batches needed if there is no room else. False if there is none even so.
bool BatchMemory::make_room(std::size_t queries, std::size_t for_uploads, std::size_t for_cleared,
                            std::size_t for_tables, std::size_t for_candidates,
                            std::size_t for_accumulators) {
  const std::size_t share = index_.scratch_share();
  const std::size_t needed =
      for_uploads + for_cleared + for_tables + for_candidates + for_accumulators;
  if (needed > share && queries > 1) return false;
  AccountedBuffer* const buffers[] = {&uploads_, &cleared_, &tables_, &candidates_, &accumulators_};
  const auto free_all = [&] {
    for (AccountedBuffer* buffer : buffers) buffer->reset();
  };
  std::size_t held = 0;
  for (const AccountedBuffer* buffer : buffers) held += buffer->size();
  if (held > share) free_all();  // there are more searchers than there were
  for (int attempt = 0; attempt < 2; ++attempt) {
    MemoryBudget& budget = *index_.budget;
    const int device = index_.device;
    if (grow(uploads_, for_uploads, share / kShares, budget, device) &&
        grow(cleared_, for_cleared, share / kShares, budget, device) &&
        grow(tables_, for_tables, 2 * share / kShares, budget, device) &&
        grow(candidates_, for_candidates, share / 2, budget, device) &&
        grow(accumulators_, for_accumulators, 0, budget, device)) {
      return true;
    }
    free_all();
  }
  return false;
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

std::size_t BatchMemory::lay_out_tables(void* begin, const BatchImage& image, Batch& batch) const {
  Arena arena(begin);
  batch.first_blocks = arena.take<std::uint32_t>(image.row_entries);
  batch.rests = arena.take<std::uint32_t>(image.row_entries);
  batch.tile_bounds = arena.take<std::uint32_t>(image.tile_entries);
  if (batch.round_count == 0) {
    batch.promises = arena.take<Promise>(kClasses * image.or_blocks);
    batch.most_promises = static_cast<std::uint32_t>(image.or_blocks);
  } else {
    batch.tile_states = arena.take<std::uint8_t>(image.tile_entries);
    batch.tile_items = arena.take<TileItem>(image.tile_entries);
    batch.blocks = arena.take<std::uint32_t>(image.or_blocks);
    batch.block_chunks =
        arena.take<Chunk>(image.or_blocks / batch.chunk_blocks + image.table_stretches.size());
  }
  batch.tails =
      arena.take<std::uint8_t>(tails_bytes(index_.index.settings().codec.kind, image.lists.size()));
  batch.wanted_tiles = arena.take<std::uint32_t>(image.lists.size() * ((batch.tiles + 31) / 32));
  return arena.used();
}

std::size_t BatchMemory::lay_out_candidates(void* begin, const BatchImage& image,
                                            std::uint32_t capacity, bool lost, Batch& batch) const {
  Arena arena(begin);
  const std::size_t queries = batch.state_count;
  batch.candidates = arena.take<Candidate>(queries * capacity);
  const std::size_t most = queries * capacity;
  batch.keys = arena.take<unsigned long long>(most);
  if (batch.round_count == 0) return arena.used();
  const std::size_t least_found =
      std::min(kLeastFound, index_.scratch_share() / kShares / kFoundBytes);
  const std::size_t usual =
      std::max({index_.cache ? most : 2 * most, queries * kFoundShare, least_found});
  const std::size_t found = std::min<std::size_t>(
      {image.or_postings, lost ? std::max(usual, index_.scratch_share() / 4 / kFoundBytes) : usual,
       kNone / 2});
  const std::size_t chunks = std::min(found / 16 + 2 * image.table_stretches.size(), kMostChunks);
  batch.found = arena.take<Candidate>(found);
  batch.found_chunks = arena.take<Chunk>(chunks);
  batch.most_found = static_cast<std::uint32_t>(found);
  batch.most_found_chunks = static_cast<std::uint32_t>(chunks);
  return arena.used();
}

/// Decides for how many queries at a time OR has accumulators in global memory, if it is to add up
/// there: for as many as there is room for beside what is `needed` else, but one at least. Returns
/// the bytes that they take.
std::size_t BatchMemory::share_out_accumulators(std::size_t needed, const BatchImage& image,
                                                Batch& batch) const {
  if (ablation_.or_by != OrMethod::kGlobalMemory || image.or_queries.empty()) return 0;
  const std::size_t bytes = std::size_t{batch.tiles} * kTileDocuments * sizeof(std::uint32_t);
  const std::size_t share = index_.scratch_share();
  const std::size_t left = share - std::min(share, needed + needed / 4);  // as grow() may take
  const std::size_t most = std::min(kMostAccumulated, image.or_queries.size());
  const std::size_t at_once = std::clamp<std::size_t>(left / bytes, 1, most);
  batch.accumulated_queries = static_cast<std::uint32_t>(at_once);
  return at_once * bytes;
}

bool BatchMemory::lay_out(const BatchImage& image, std::uint32_t capacity, bool lost,
                          Batch& batch) {
  const std::size_t image_bytes = gpu::lay_out(image, nullptr).image_bytes;
  const std::size_t cleared_bytes = lay_out_cleared(nullptr, batch);
  const std::size_t table_bytes = lay_out_tables(nullptr, image, batch);
  const std::size_t candidate_bytes = lay_out_candidates(nullptr, image, capacity, lost, batch);
  const std::size_t accumulator_bytes = share_out_accumulators(
      image_bytes + cleared_bytes + table_bytes + candidate_bytes, image, batch);
  if (!make_room(batch.state_count, image_bytes, cleared_bytes, table_bytes, candidate_bytes,
                 accumulator_bytes)) {
    return false;
  }
  image_bytes_ = image_bytes;
  cleared_bytes_ = lay_out_cleared(cleared_.data(), batch);
  lay_out_tables(tables_.data(), image, batch);
  lay_out_candidates(candidates_.data(), image, capacity, lost, batch);
  batch.accumulators = static_cast<std::uint32_t*>(accumulators_.data());
  grow(staging_, image_bytes);
  const ImageParts host = gpu::lay_out(image, staging_.data());
  const ImageParts device = gpu::lay_out(image, uploads_.data());
  write_image(image, host, device);
  describe(image, device, batch);
  return true;
}

/// Fills in what was uploaded, with this batch or with the index.
void BatchMemory::describe(const BatchImage& image, const ImageParts& device, Batch& batch) const {
  batch.lists = device.lists;
  batch.queries = device.queries;
  batch.finals = device.finals;
  batch.table_stretches = device.table_stretches;
  batch.and_stretches = device.and_stretches;
  batch.lengths = index_.lengths;
  batch.length_codes = index_.length_codes;
  batch.static_scores = index_.static_scores;
  batch.static_bounds = index_.static_bounds;
  batch.documents = static_cast<std::uint32_t>(index_.index.counts().documents);
  batch.second_queries = static_cast<std::uint32_t>(image.second_queries.size());
  batch.and_queries = static_cast<std::uint32_t>(image.and_queries.size()) + batch.second_queries;
  batch.or_queries = static_cast<std::uint32_t>(image.or_queries.size());
  batch.table_stretch_count = static_cast<std::uint32_t>(image.table_stretches.size());
  batch.second_stretch_count = static_cast<std::uint32_t>(image.second_stretches.size());
  batch.and_stretch_count =
      static_cast<std::uint32_t>(image.and_stretches.size()) + batch.second_stretch_count;
  batch.stretch_blocks = image.stretch_blocks;
  batch.list_count = static_cast<std::uint32_t>(image.lists.size());
  batch.pfor_levels = index_.index.settings().codec.pfor_levels;
  if (!image.lists.empty()) {
    batch.c0 = image.lists[0].c0;
    batch.c1 = image.lists[0].c1;
  }
}

void BatchMemory::upload(const Batch& batch, cudaStream_t stream) const {
  if (std::max(image_bytes_, cleared_bytes_) <= kFewBytes) {
    const auto words = [](std::size_t bytes) {
      return static_cast<std::uint32_t>(bytes / sizeof(uint4));  // pieces of arenas: no rest
    };
    const Fetched image{static_cast<const uint4*>(staging_.device_data()),
                        static_cast<uint4*>(uploads_.data()), words(image_bytes_),
                        static_cast<uint4*>(cleared_.data()), words(cleared_bytes_)};
    return launch_fetch(batch, image, stream);
  }
  check_cuda(cudaMemcpyAsync(uploads_.data(), staging_.data(), image_bytes_, cudaMemcpyHostToDevice,
                             stream),
             "cudaMemcpyAsync of a batch");
  check_cuda(cudaMemsetAsync(cleared_.data(), 0, cleared_bytes_, stream),
             "cudaMemsetAsync of a batch's state");
}

}  // namespace warpdex::gpu
