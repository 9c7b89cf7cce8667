// Runs batches: uploads what the builder made, launches the kernels, reads the answers.
#include "warpdex/query/gpu/gpu_searcher.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/gpu/arena.hpp"
#include "warpdex/query/gpu/batch_builder.hpp"
#include "warpdex/query/gpu/batch_image.hpp"
#include "warpdex/query/gpu/gpu_answers.hpp"
#include "warpdex/query/gpu/kernels.cuh"
#include "warpdex/query/gpu/list_uploader.hpp"
#include "warpdex/query/gpu/part_planner.hpp"
#include "warpdex/query/gpu/stage_clock.hpp"

namespace warpdex {
namespace {

using namespace gpu;

/// Candidates of a query that there is always room for, and at most.
constexpr std::uint32_t kLeastCapacity = 1U << 12;
constexpr std::uint32_t kMostCapacity = 1U << 22;
/// A candidate and its key; of a query, the documents that it looks up in a round, or more where
/// others need less.
constexpr std::size_t kCandidateBytes = 2 * sizeof(Candidate);
constexpr std::size_t kFoundShare = std::size_t{1} << 14;
constexpr std::size_t kFoundBytes = sizeof(Candidate) + sizeof(Chunk) / 16 + 1;
/// Batches of no more postings are answered in one round: more take longer than what they save.
constexpr std::uint64_t kVeryFewPostings = 6'000'000;
/// Documents that there is room to look up in any batch, if memory allows.
constexpr std::size_t kLeastFound = std::size_t{1} << 20;
/// Candidates of all queries of a part of a batch, where memory allows.
constexpr std::uint64_t kMostCandidates = std::uint64_t{1} << 26;
/// Entries of the tile tables of a part, likewise, one for each list and tile.
constexpr std::uint64_t kMostRowEntries = std::uint64_t{1} << 27;
/// What such an entry takes, its share of what there is for each query and tile and of the items of
/// work included, about.
constexpr std::uint64_t kEntryBytes = 24;

/// Parts of a searcher's scratch memory: one half is for candidates, a quarter for tables, an
/// eighth for what is cleared, an eighth for what is uploaded.
constexpr std::size_t kShares = 8;
/// Parts of the list cache: what one part of a batch may bring in, so that it arrives while the
/// part before runs, and what it may pin, so that there is room for the next.
constexpr std::size_t kLoadShares = 8;
constexpr std::size_t kPinShares = 2;

/// False if there is no memory for it. A quarter more is taken if that is no more than `most`.
bool grow(AccountedBuffer& buffer, std::size_t bytes, std::size_t most, MemoryBudget& budget,
          int device) {
  if (buffer.size() >= bytes) return true;
  return buffer.allocate(std::max(bytes, std::min(bytes + bytes / 4, most)), budget, device) ||
         buffer.allocate(bytes, budget, device);
}

void grow(PinnedBuffer& buffer, std::size_t bytes) {
  if (buffer.size() >= bytes) return;
  buffer = PinnedBuffer();
  buffer = PinnedBuffer(bytes + bytes / 4);
}

}  // namespace

struct GpuSearcher::State {
  State(const GpuIndex& searched, const GpuAblation& wanted);

  ~State();

  std::uint64_t most_candidates() const;
  std::uint32_t capacity_for(std::size_t queries) const;
  PartLimits limits() const;
  void begin(std::span<const PlannedQuery> plans, const SearchSettings& settings);
  void prepare(Part& part);
  void upload_lists(const Part& part);
  void start_part();
  void finish_part();
  void answer_left();
  void answer_lost();
  void answer_by_cpu();
  void add_work();
  void abandon() noexcept;
  bool make_room(std::size_t queries, std::size_t for_uploads, std::size_t for_cleared,
                 std::size_t for_tables, std::size_t for_candidates);
  bool launch(std::span<const std::uint32_t> part);
  void launch_or(const Batch& batch);

  const GpuIndex& index;
  const GpuIndex::State& uploaded;
  GpuAblation ablation;
  BatchBuilder builder;
  bool overlaps_launches = false;
  Stream stream;
  StageClock clock;
  BatchImage image;
  PinnedBuffer staging;     ///< the image
  AccountedBuffer uploads;  ///< its copy
  AccountedBuffer cleared;  ///< states, histograms, counters
  AccountedBuffer tables;   ///< of tiles
  AccountedBuffer candidates;
  PinnedBuffer work;  ///< counters of the part under way, if they are wanted
  GpuAnswers::State answers;
  std::span<const PlannedQuery> plans;
  PartPlanner planner;
  std::optional<ListUploader> uploader;  ///< with a list cache, from the first upload on
  Part current;                          ///< the part under way
  Part next;                             ///< the one after it, whose lists are being uploaded
  std::vector<std::uint32_t> for_cpu;    ///< queries that the GPU cannot answer
  std::vector<std::uint32_t> lost;       ///< those that had more candidates than room
  bool lost_some = false;                ///< whether all were lost before: they get more room
  bool is_busy = false;
  std::optional<CpuSearcher> cpu;
  GpuStatistics statistics;
};

GpuSearcher::State::State(const GpuIndex& searched, const GpuAblation& wanted)
    : index(searched),
      uploaded(searched.state()),
      ablation(wanted),
      builder(searched.state(), wanted),
      stream(searched.device()),
      clock(wanted.time_stages, searched.device()),
      planner(searched.index(), searched.state().cache.get()) {
  const CurrentDevice current_device(searched.device());
  overlaps_launches = launches_may_overlap();
  ++uploaded.searchers;
}

GpuSearcher::State::~State() {
  abandon();
  --uploaded.searchers;
}

/// Of all queries of a part together.
std::uint64_t GpuSearcher::State::most_candidates() const {
  const std::uint64_t room = uploaded.scratch_share() / 2 / kCandidateBytes;
  return std::min(room, kMostCandidates);
}

std::uint32_t GpuSearcher::State::capacity_for(std::size_t queries) const {
  const std::uint64_t documents = std::max<std::uint64_t>(index.index().counts().documents, 1);
  const std::uint64_t least = std::max(kLeastCapacity, 16 * answers.settings.k);
  const std::uint64_t share = most_candidates() / queries;
  const std::uint64_t most = lost_some ? share : std::min<std::uint64_t>(share, kMostCapacity);
  return static_cast<std::uint32_t>(std::min(std::max(least, most), documents));
}

PartLimits GpuSearcher::State::limits() const {
  const std::size_t share = uploaded.scratch_share() / kShares;
  const std::uint64_t documents = index.index().counts().documents;
  const std::uint64_t tiles = documents / kTileDocuments + 2;
  const std::uint64_t least = std::max(kLeastCapacity, 16 * answers.settings.k);
  const std::uint64_t room =
      std::min(lost_some ? std::max<std::uint64_t>(most_candidates(), 1) : least, documents);
  PartLimits limits;
  limits.queries = std::min<std::size_t>(
      {most_candidates() / std::max<std::uint64_t>(room, 1),
       kShares / 2 * share / (room * kCandidateBytes + kFoundShare * kFoundBytes),
       share / (sizeof(QueryState) + kBins * sizeof(std::uint32_t))});
  limits.queries = std::max<std::size_t>(limits.queries, 1);
  limits.terms = std::min<std::uint64_t>(kMostRowEntries, 2 * share / kEntryBytes) / tiles;
  if (uploaded.cache) {
    limits.loads = uploaded.cache->capacity() / kLoadShares;
    limits.pinned = uploaded.cache->capacity() / kPinShares;
  }
  return limits;
}

void GpuSearcher::State::begin(std::span<const PlannedQuery> given, const SearchSettings& wanted) {
  plans = given;
  answers.queries = given.size();
  answers.settings = wanted;
  answers.by_cpu.clear();
  grow(answers.memory, AnswerParts(nullptr, given.size(), wanted.k).bytes);
  const AnswerParts parts(answers.memory.data(), given.size(), wanted.k);
  answers.list = parts.answers;
  answers.hits = parts.hits;
  for_cpu.clear();
  lost.clear();
  lost_some = false;
  is_busy = true;
  std::vector<std::uint32_t> slots(given.size());
  std::iota(slots.begin(), slots.end(), 0U);
  planner.start(plans, slots);
  prepare(current);
  start_part();
}

/// Takes queries that are left into an empty part, and starts to upload their lists.
void GpuSearcher::State::prepare(Part& part) {
  if (planner.left() == 0) return;
  planner.next(limits(), part);
  if (part.pinned.transfer) upload_lists(part);
}

void GpuSearcher::State::upload_lists(const Part& part) {
  gpu::ListCache& cache = *uploaded.cache;
  if (!uploader) uploader.emplace(cache.capacity(), *uploaded.pinned, index.device());
  for (const ListSpace::Id list : part.pinned.loads) {
    uploader->add(list, ListImage(index.index(), planner.entry(list)), cache.address(list));
  }
  uploader->flush(part.pinned.transfer->arrived);
  cache.queued(part.pinned);
}

/// Starts the current part, or as much of it as there is memory for.
void GpuSearcher::State::start_part() {
  while (!current.slots.empty() && !launch(current.slots)) {
    if (current.slots.size() == 1) {
      for_cpu.push_back(current.slots[0]);
      current.slots.clear();
    } else {
      planner.give_back(current, current.slots.size() / 2);
    }
  }
}

/// Frees what other batches needed if there is no room else. False if there is none even so.
bool GpuSearcher::State::make_room(std::size_t queries, std::size_t for_uploads,
                                   std::size_t for_cleared, std::size_t for_tables,
                                   std::size_t for_candidates) {
  const std::size_t share = uploaded.scratch_share();
  const std::size_t needed = for_uploads + for_cleared + for_tables + for_candidates;
  if (needed > share && queries > 1) return false;
  AccountedBuffer* const buffers[] = {&uploads, &cleared, &tables, &candidates};
  const auto free_all = [&] {
    for (AccountedBuffer* buffer : buffers) buffer->reset();
  };
  std::size_t held = 0;
  for (const AccountedBuffer* buffer : buffers) held += buffer->size();
  if (held > share) free_all();  // there are more searchers than there were
  for (int attempt = 0; attempt < 2; ++attempt) {
    MemoryBudget& budget = *uploaded.budget;
    const int device = index.device();
    if (grow(uploads, for_uploads, share / kShares, budget, device) &&
        grow(cleared, for_cleared, share / kShares, budget, device) &&
        grow(tables, for_tables, 2 * share / kShares, budget, device) &&
        grow(candidates, for_candidates, share / 2, budget, device)) {
      return true;
    }
    free_all();
  }
  return false;
}

/// Starts the queries. False, and nothing is under way, if there is no memory for them.
bool GpuSearcher::State::launch(std::span<const std::uint32_t> part) {
  const SearchSettings& settings = answers.settings;
  const auto queries = static_cast<std::uint32_t>(part.size());
  clock.start();
  const std::uint32_t capacity = capacity_for(queries);
  builder.build(plans, part, settings, capacity, image);

  const std::size_t image_bytes = lay_out(image, nullptr).image_bytes;
  Batch batch{};
  // Few postings: more warps with less work each, and fewer rounds, as each takes its time.
  const bool are_few = image.stretch_blocks < kStretchBlocks;
  batch.chunk_blocks = are_few ? 1 : 16;
  batch.chunk_documents = are_few ? 16 : 128;
  batch.adds_up = image.needs_tiles || image.postings > kVeryFewPostings || lost_some;
  batch.round_count = !are_few || lost_some ? kRounds : batch.adds_up ? 2 : 1;
  const auto lay_out_cleared = [&](void* begin) {
    Arena arena(begin);
    batch.states = arena.take<QueryState>(queries);
    batch.histograms = arena.take<std::uint32_t>(std::size_t{queries} * kBins);
    batch.tile_passes = arena.take<TileCounters>(kTilePasses);
    batch.rounds = arena.take<RoundCounters>(kRounds);
    WorkCounters* const counters = arena.take<WorkCounters>(1);
    if (ablation.time_stages) batch.work = counters;
    return arena.used();
  };
  const auto lay_out_tables = [&](void* begin) {
    Arena arena(begin);
    batch.first_blocks = arena.take<std::uint32_t>(image.row_entries);
    batch.rests = arena.take<std::uint32_t>(image.row_entries);
    batch.tile_bounds = arena.take<std::uint32_t>(image.tile_entries);
    batch.tile_states = arena.take<std::uint8_t>(image.tile_entries);
    batch.tile_items = arena.take<TileItem>(image.tile_entries);
    batch.blocks = arena.take<std::uint32_t>(image.or_blocks);
    batch.block_chunks =
        arena.take<Chunk>(image.or_blocks / batch.chunk_blocks + image.table_stretches.size());
    batch.wanted_tiles =
        arena.take<std::uint32_t>(image.lists.size() * ((builder.tiles() + 31) / 32));
    return arena.used();
  };
  const auto lay_out_candidates = [&](void* begin) {
    Arena arena(begin);
    batch.candidates = arena.take<Candidate>(std::size_t{queries} * capacity);
    const std::size_t most = std::size_t{queries} * capacity;
    batch.keys = arena.take<unsigned long long>(most);
    const std::size_t least_found =
        std::min(kLeastFound, uploaded.scratch_share() / kShares / kFoundBytes);
    const std::size_t found = std::min<std::size_t>(
        {image.or_postings,
         std::max({uploaded.cache ? most : 2 * most, queries * kFoundShare, least_found}),
         kNone / 2});
    const std::size_t chunks = found / 16 + 2 * image.table_stretches.size();
    batch.found = arena.take<Candidate>(found);
    batch.found_chunks = arena.take<Chunk>(chunks);
    batch.most_found = static_cast<std::uint32_t>(found);
    batch.most_found_chunks = static_cast<std::uint32_t>(chunks);
    return arena.used();
  };
  if (!make_room(queries, image_bytes, lay_out_cleared(nullptr), lay_out_tables(nullptr),
                 lay_out_candidates(nullptr))) {
    return false;
  }
  const std::size_t cleared_bytes = lay_out_cleared(cleared.data());
  lay_out_tables(tables.data());
  lay_out_candidates(candidates.data());
  grow(staging, image_bytes);
  const ImageParts host = lay_out(image, staging.data());
  const ImageParts device = lay_out(image, uploads.data());
  write_image(image, host, device);
  batch.lists = device.lists;
  batch.queries = device.queries;
  batch.finals = device.finals;
  batch.table_stretches = device.table_stretches;
  batch.and_stretches = device.and_stretches;
  const AnswerParts parts(answers.memory.device_data(), plans.size(), settings.k);
  batch.answers = parts.answers;
  batch.hits = parts.hits;
  batch.k = settings.k;

  batch.lengths = uploaded.lengths;
  batch.length_codes = uploaded.length_codes;
  batch.static_scores = uploaded.static_scores;
  batch.static_bounds = uploaded.static_bounds;
  batch.documents = static_cast<std::uint32_t>(index.index().counts().documents);
  batch.second_queries = static_cast<std::uint32_t>(image.second_queries.size());
  batch.and_queries = static_cast<std::uint32_t>(image.and_queries.size()) + batch.second_queries;
  batch.or_queries = static_cast<std::uint32_t>(image.or_queries.size());
  batch.state_count = queries;
  batch.table_stretch_count = static_cast<std::uint32_t>(image.table_stretches.size());
  batch.second_stretch_count = static_cast<std::uint32_t>(image.second_stretches.size());
  batch.and_stretch_count =
      static_cast<std::uint32_t>(image.and_stretches.size()) + batch.second_stretch_count;
  batch.tiles = builder.tiles();
  batch.stretch_blocks = image.stretch_blocks;
  batch.overlaps_launches = overlaps_launches;
  batch.pfor_levels = index.index().settings().codec.pfor_levels;
  batch.form = builder.form(settings);
  if (!image.lists.empty()) {
    batch.c0 = image.lists[0].c0;
    batch.c1 = image.lists[0].c1;
  }

  clock.end(GpuStage::kBuild, stream);
  const CurrentDevice current_device(index.device());
  if (image_bytes > 0) {
    check_cuda(cudaMemcpyAsync(uploads.data(), staging.data(), image_bytes, cudaMemcpyHostToDevice,
                               stream.handle()),
               "cudaMemcpyAsync of a batch");
  }
  check_cuda(cudaMemsetAsync(cleared.data(), 0, cleared_bytes, stream.handle()),
             "cudaMemsetAsync of a batch's state");
  if (uploaded.cache) uploaded.cache->await(current.pinned, stream);
  clock.end(GpuStage::kUpload, stream);
  const CodecKind codec = index.index().settings().codec.kind;
  launch_and_chunks(batch, codec, stream.handle());
  clock.end(GpuStage::kMatch, stream);
  if (batch.or_queries > 0) launch_or(batch);
  launch_finish(batch, codec, settings.k, stream.handle());
  clock.end(GpuStage::kFinish, stream);
  if (batch.work != nullptr) {
    grow(work, sizeof(WorkCounters));
    check_cuda(cudaMemcpyAsync(work.data(), batch.work, sizeof(WorkCounters),
                               cudaMemcpyDeviceToHost, stream.handle()),
               "cudaMemcpyAsync of counters");
  }
  for_cpu.insert(for_cpu.end(), image.cpu_queries.begin(), image.cpu_queries.end());
  return true;
}

void GpuSearcher::State::launch_or(const Batch& batch) {
  const CodecKind codec = index.index().settings().codec.kind;
  launch_find_tile_blocks(batch, stream.handle());
  clock.end(GpuStage::kTables, stream);
  launch_bound_tiles(batch, stream.handle());
  clock.end(GpuStage::kBounds, stream);
  for (std::uint32_t round = 0; round < batch.round_count; ++round) {
    launch_begin_round(batch, round, stream.handle());
    clock.end(GpuStage::kPlan, stream);
    launch_or_lookups(batch, round, codec, stream.handle());
    clock.end(GpuStage::kLookups, stream);
    if ((round != 0 && round + 1 != batch.round_count) || !batch.adds_up) continue;
    launch_or_tiles(batch, round == 0 ? 0 : 1, codec, stream.handle());
    clock.end(GpuStage::kTiles, stream);
  }
}

/// Waits for the current part, if any, and lets go of its lists. What the CPU has to answer, it
/// answers meanwhile.
void GpuSearcher::State::finish_part() {
  answer_by_cpu();
  if (!current.slots.empty()) {
    stream.synchronize();
    clock.add_to(statistics);
    add_work();
    for (const std::uint32_t slot : current.slots) {
      if (answers.list[slot].overflow != 0) lost.push_back(slot);
    }
  } else if (current.pinned.transfer) {
    uploader->wait_quietly();  // nothing was launched that has waited for it
  }
  if (uploaded.cache) uploaded.cache->unpin(current.pinned);
  current.slots.clear();
}

void GpuSearcher::State::add_work() {
  if (!ablation.time_stages) return;
  const auto& counted = *static_cast<const WorkCounters*>(work.data());
  statistics.tiles += counted.tiles;
  statistics.or_blocks += counted.or_blocks;
  statistics.lookups += counted.lookups;
  statistics.and_blocks += counted.and_blocks;
  statistics.exact_scores += counted.rescored;
}

void GpuSearcher::State::answer_by_cpu() {
  for (const std::uint32_t slot : for_cpu) {
    if (!cpu) cpu.emplace(index.index());
    answers.by_cpu[slot] = cpu->run(plans[slot], answers.settings);
    ++statistics.cpu_queries;
  }
  for_cpu.clear();
}

/// Part by part: while one runs, the lists of the next are uploaded.
void GpuSearcher::State::answer_left() {
  for (;;) {
    prepare(next);
    finish_part();
    std::swap(current, next);
    if (current.slots.empty()) {
      prepare(current);  // what the part before had pinned is free now
      if (current.slots.empty() && planner.left() > 0) for_cpu.push_back(planner.take());
    }
    if (current.slots.empty() && for_cpu.empty() && planner.left() == 0) return;
    start_part();
  }
}

/// Once more with as much room as there can be; what is lost even then goes to the CPU.
void GpuSearcher::State::answer_lost() {
  if (lost.empty()) return;
  statistics.candidates_lost += lost.size();
  const std::vector<std::uint32_t> slots = std::move(lost);
  lost.clear();
  lost_some = true;
  planner.start(plans, slots);
  answer_left();
  for_cpu = std::move(lost);
  lost.clear();
  answer_by_cpu();
}

/// Ends what is under way, after a failure, too.
void GpuSearcher::State::abandon() noexcept {
  is_busy = false;
  planner.stop();
  if (uploader) uploader->wait_quietly();
  cudaStreamSynchronize(stream.handle());
  for (Part* part : {&current, &next}) {
    if (uploaded.cache) uploaded.cache->unpin(part->pinned);
    part->slots.clear();
  }
}

GpuSearcher::GpuSearcher(const GpuIndex& index, const GpuAblation& ablation)
    : state_(std::make_unique<State>(index, ablation)) {}
GpuSearcher::~GpuSearcher() = default;
GpuSearcher::GpuSearcher(GpuSearcher&&) noexcept = default;
GpuSearcher& GpuSearcher::operator=(GpuSearcher&&) noexcept = default;

GpuAnswers GpuSearcher::run(std::span<const PlannedQuery> plans, const SearchSettings& settings) {
  submit(plans, settings);
  return wait();
}

void GpuSearcher::submit(std::span<const PlannedQuery> plans, const SearchSettings& settings) {
  settings.validate();
  if (state_->is_busy) {
    throw UsageError("a batch is under way; take its answers by wait() before the next submit()");
  }
  try {
    state_->begin(plans, settings);
  } catch (...) {
    state_->abandon();
    throw;
  }
}

GpuAnswers GpuSearcher::wait() {
  State& state = *state_;
  if (!state.is_busy) throw UsageError("no batch is under way; start one by submit()");
  try {
    state.answer_left();
    state.answer_lost();
  } catch (...) {
    state.abandon();
    throw;
  }
  state.is_busy = false;
  state.statistics.cache_hits = state.planner.hits();
  state.statistics.cache_misses = state.planner.misses();
  if (state.uploader) state.statistics.bytes_uploaded = state.uploader->bytes();
  state.statistics.gpu_queries += state.plans.size() - state.answers.by_cpu.size();
  return GpuAnswers(state.answers);
}

const GpuStatistics& GpuSearcher::statistics() const { return state_->statistics; }

}  // namespace warpdex
