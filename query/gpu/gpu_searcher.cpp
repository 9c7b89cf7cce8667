// Runs batches: uploads what the builder made, launches the kernels, reads the answers.
#include "warpdex/query/gpu/gpu_searcher.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/gpu/batch_builder.hpp"
#include "warpdex/query/gpu/kernels.cuh"
#include "warpdex/query/gpu/stage_clock.hpp"

namespace warpdex {
namespace {

using namespace gpu;

/// Candidates of a query that there is always room for, and at most.
constexpr std::uint32_t kLeastCapacity = 1U << 14;
constexpr std::uint32_t kMostCapacity = 1U << 22;
/// Candidates of all queries of a batch; 16 bytes each.
constexpr std::uint64_t kMostCandidates = std::uint64_t{1} << 26;
/// Entries of the tile tables of a batch; 8 bytes each.
constexpr std::uint64_t kMostRowEntries = std::uint64_t{1} << 27;

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Hands out pieces of one buffer.
class Arena {
 public:
  explicit Arena(void* begin) : next_(static_cast<std::uint8_t*>(begin)), begin_(next_) {}

  template <typename T>
  T* take(std::size_t count) {
    auto* const piece = reinterpret_cast<T*>(next_);
    next_ += aligned(count * sizeof(T));
    return piece;
  }
  std::size_t used() const { return static_cast<std::size_t>(next_ - begin_); }

 private:
  std::uint8_t* next_;
  std::uint8_t* begin_;
};

/// Where a batch's parts lie in the three buffers.
struct Parts {
  // Uploaded.
  List* lists;
  gpu::Query* queries;
  gpu::Query* finals;
  Stretch* table_stretches;
  Stretch* and_stretches;
  std::uint32_t* raw;
  std::size_t image_bytes;
};

template <typename T>
void copy_to(const std::vector<T>& from, T* to) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(T));
}

Parts lay_out(const BatchImage& image, void* begin) {
  Arena arena(begin);
  Parts parts{};
  parts.lists = arena.take<List>(image.lists.size());
  parts.queries = arena.take<gpu::Query>(image.and_queries.size() + image.second_queries.size() +
                                    image.or_queries.size());
  parts.finals = arena.take<gpu::Query>(image.finals.size());
  parts.table_stretches = arena.take<Stretch>(image.table_stretches.size());
  parts.and_stretches =
      arena.take<Stretch>(image.and_stretches.size() + image.second_stretches.size());
  parts.raw = arena.take<std::uint32_t>(image.raw.size());
  parts.image_bytes = arena.used();
  return parts;
}

template <typename T>
void shift(const T*& pointer, const void* base) {
  pointer = reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(pointer) +
                                       reinterpret_cast<std::uintptr_t>(base));
}

/// Copies the image to pinned memory, its raw lists' offsets as pointers into the GPU's copy.
void write_image(const BatchImage& image, const Parts& host, const Parts& device) {
  copy_to(image.lists, host.lists);
  for (std::size_t i = 0; i < image.lists.size(); ++i) {
    List& list = host.lists[i];
    if ((list.flags & kRaw) == 0) continue;
    shift(list.docids.bytes, device.raw);
    shift(list.frequencies.bytes, device.raw);
    shift(list.last_docids, device.raw);
  }
  gpu::Query* queries = host.queries;
  for (const auto* part : {&image.and_queries, &image.second_queries, &image.or_queries}) {
    copy_to(*part, queries);
    queries += part->size();
  }
  copy_to(image.finals, host.finals);
  copy_to(image.table_stretches, host.table_stretches);
  copy_to(image.and_stretches, host.and_stretches);
  Stretch* second = host.and_stretches + image.and_stretches.size();
  copy_to(image.second_stretches, second);
  for (std::size_t i = 0; i < image.second_stretches.size(); ++i) {
    second[i].owner += static_cast<std::uint32_t>(image.and_queries.size());
  }
  copy_to(image.raw, host.raw);
}

void grow(DeviceBuffer& buffer, std::size_t bytes, int device) {
  if (buffer.size() >= bytes) return;
  buffer = DeviceBuffer();  // first, so that both need not fit
  buffer = DeviceBuffer(bytes + bytes / 4, device);
}

void grow(PinnedBuffer& buffer, std::size_t bytes) {
  if (buffer.size() >= bytes) return;
  buffer = PinnedBuffer();
  buffer = PinnedBuffer(bytes + bytes / 4);
}

/// Answers and hits of a batch in `memory`.
struct AnswerParts {
  AnswerParts(void* memory, std::size_t queries, std::size_t k) {
    Arena arena(memory);
    answers = arena.take<Answer>(queries);
    hits = arena.take<Hit>(queries * k);
    bytes = arena.used();
  }
  Answer* answers;
  Hit* hits;
  std::size_t bytes;
};

}  // namespace

struct GpuAnswers::State {
  std::size_t queries = 0;
  SearchSettings settings;
  PinnedBuffer memory;            ///< an Answer a query, then k hits a query
  const Answer* list = nullptr;
  const Hit* hits = nullptr;
  std::map<std::size_t, SearchResult> by_cpu;  ///< what the CPU answered, by query
};

std::size_t GpuAnswers::size() const { return state_->queries; }

std::span<const Hit> GpuAnswers::hits(std::size_t query) const {
  const auto found = state_->by_cpu.find(query);
  if (found != state_->by_cpu.end()) return found->second.hits;
  return {state_->hits + query * state_->settings.k, state_->list[query].hits};
}

SearchResult GpuAnswers::result(std::size_t query) const {
  const auto found = state_->by_cpu.find(query);
  if (found != state_->by_cpu.end()) return found->second;
  const Answer& answer = state_->list[query];
  const auto best = hits(query);
  SearchResult result;
  result.hits.assign(best.begin(), best.end());
  result.matches = std::max<std::uint64_t>(answer.matches, answer.hits);
  result.fell_back_to_or = state_->settings.mode == QueryMode::kAndOr &&
                           (answer.fell_back != 0 || answer.hits == 0);
  return result;
}

struct GpuSearcher::State {
  State(const GpuIndex& searched, const GpuAblation& wanted);

  std::uint32_t capacity_for(std::size_t queries) const;
  std::size_t part_size() const;
  void begin(std::span<const PlannedQuery> plans, const SearchSettings& settings);
  void start_part();
  void finish_part();
  void answer_lost();
  void answer_by_cpu(std::uint32_t slot);
  void launch(std::span<const std::uint32_t> part);

  const GpuIndex& index;
  const GpuIndex::State& uploaded;
  GpuAblation ablation;
  BatchBuilder builder;
  Stream stream;
  StageClock clock;
  BatchImage image;
  PinnedBuffer staging;   ///< the image
  DeviceBuffer uploads;   ///< its copy
  DeviceBuffer cleared;   ///< states, histograms, counters
  DeviceBuffer tables;    ///< of tiles
  DeviceBuffer candidates;
  GpuAnswers::State answers;
  std::span<const PlannedQuery> plans;
  std::vector<std::uint32_t> slots;  ///< the queries to be answered, in this order
  std::vector<std::uint32_t> lost;   ///< those of them that had more candidates than room
  bool lost_some = false;            ///< whether `slots` were lost before: they get more room
  std::size_t first = 0;             ///< of `slots`, of the part under way
  std::size_t size = 0;              ///< of it
  bool is_busy = false;
  std::optional<CpuSearcher> cpu;
  GpuStatistics statistics;
};

GpuSearcher::State::State(const GpuIndex& searched, const GpuAblation& wanted)
    : index(searched),
      uploaded(searched.state()),
      ablation(wanted),
      builder(searched.state(), wanted.exhaustive),
      stream(searched.device()),
      clock(wanted.time_stages, searched.device()) {}

std::uint32_t GpuSearcher::State::capacity_for(std::size_t queries) const {
  const std::uint64_t documents = std::max<std::uint64_t>(index.index().counts().documents, 1);
  if (lost_some) return static_cast<std::uint32_t>(std::min(documents, kMostCandidates));
  const std::uint64_t least = std::max(kLeastCapacity, 16 * answers.settings.k);
  const std::uint64_t share = kMostCandidates / queries;
  return static_cast<std::uint32_t>(
      std::min({std::max(least, std::min<std::uint64_t>(share, kMostCapacity)), documents}));
}

/// How many of the queries that are left go into the next part of the batch.
std::size_t GpuSearcher::State::part_size() const {
  const std::uint64_t tiles = index.index().counts().documents / kTileDocuments + kRegionTiles + 1;
  std::uint64_t rows = 0;
  std::size_t count = 0;
  while (first + count < slots.size()) {
    rows += plans[slots[first + count]].terms.size() * tiles;
    const std::uint64_t candidate_room = std::uint64_t{capacity_for(count + 1)} * (count + 1);
    if (count > 0 && (rows > kMostRowEntries || candidate_room > kMostCandidates)) break;
    ++count;
  }
  return count;
}

void GpuSearcher::State::begin(std::span<const PlannedQuery> given, const SearchSettings& wanted) {
  wanted.validate();
  if (is_busy) {
    throw UsageError("a batch is under way; take its answers by wait() before the next submit()");
  }
  plans = given;
  answers.queries = given.size();
  answers.settings = wanted;
  answers.by_cpu.clear();
  grow(answers.memory, AnswerParts(nullptr, given.size(), wanted.k).bytes);
  const AnswerParts parts(answers.memory.data(), given.size(), wanted.k);
  answers.list = parts.answers;
  answers.hits = parts.hits;
  slots.resize(given.size());
  std::iota(slots.begin(), slots.end(), 0U);
  lost.clear();
  lost_some = false;
  first = 0;
  is_busy = true;
  start_part();
}

void GpuSearcher::State::start_part() {
  size = part_size();
  if (size == 0) return;
  try {
    launch(std::span(slots).subspan(first, size));
  } catch (...) {
    is_busy = false;
    throw;
  }
}

void GpuSearcher::State::launch(std::span<const std::uint32_t> part) {
  const SearchSettings& settings = answers.settings;
  const auto queries = static_cast<std::uint32_t>(part.size());
  clock.start();
  const std::uint32_t capacity = capacity_for(queries);
  builder.build(plans, part, settings, capacity, image);

  const std::size_t image_bytes = lay_out(image, nullptr).image_bytes;
  grow(staging, image_bytes);
  grow(uploads, image_bytes, index.device());
  const Parts host = lay_out(image, staging.data());
  const Parts device = lay_out(image, uploads.data());
  write_image(image, host, device);

  Batch batch{};
  batch.lists = device.lists;
  batch.queries = device.queries;
  batch.finals = device.finals;
  batch.table_stretches = device.table_stretches;
  batch.and_stretches = device.and_stretches;

  const auto lay_out_cleared = [&](void* begin) {
    Arena arena(begin);
    batch.states = arena.take<QueryState>(queries);
    batch.histograms = arena.take<std::uint32_t>(std::size_t{queries} * kBins);
    batch.counters = arena.take<std::uint32_t>(1);
    batch.work = arena.take<WorkCounters>(1);
    return arena.used();
  };
  grow(cleared, lay_out_cleared(nullptr), index.device());
  const std::size_t cleared_bytes = lay_out_cleared(cleared.data());
  const auto lay_out_tables = [&](void* begin) {
    Arena arena(begin);
    batch.first_blocks = arena.take<std::uint32_t>(image.row_entries);
    batch.upper_bounds = arena.take<std::uint32_t>(image.row_entries);
    batch.region_order = arena.take<std::uint32_t>(image.order_entries);
    batch.region_bounds = arena.take<std::uint32_t>(image.order_entries);
    return arena.used();
  };
  grow(tables, lay_out_tables(nullptr), index.device());
  lay_out_tables(tables.data());
  const auto lay_out_candidates = [&](void* begin) {
    Arena arena(begin);
    batch.candidates = arena.take<Candidate>(std::size_t{queries} * capacity);
    batch.keys = arena.take<unsigned long long>(std::size_t{queries} * capacity);
    return arena.used();
  };
  grow(candidates, lay_out_candidates(nullptr), index.device());
  lay_out_candidates(candidates.data());
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
  batch.regions = image.regions;
  batch.pfor_levels = index.index().settings().codec.pfor_levels;
  batch.form = builder.form(settings);
  if (!image.lists.empty()) {
    batch.c0 = image.lists[0].c0;
    batch.c1 = image.lists[0].c1;
  }

  clock.end(GpuStage::kBuild, stream);
  const CurrentDevice current(index.device());
  if (image_bytes > 0) {
    check_cuda(cudaMemcpyAsync(uploads.data(), staging.data(), image_bytes, cudaMemcpyHostToDevice,
                               stream.handle()),
               "cudaMemcpyAsync of a batch");
  }
  check_cuda(cudaMemsetAsync(cleared.data(), 0, cleared_bytes, stream.handle()),
             "cudaMemsetAsync of a batch's state");
  clock.end(GpuStage::kUpload, stream);
  const CodecKind codec = index.index().settings().codec.kind;
  launch_and_chunks(batch, codec, stream.handle());
  clock.end(GpuStage::kMatch, stream);
  if (batch.or_queries > 0) launch_find_tile_blocks(batch, stream.handle());
  clock.end(GpuStage::kTables, stream);
  if (batch.or_queries > 0) launch_order_tiles(batch, stream.handle());
  clock.end(GpuStage::kOrder, stream);
  if (batch.or_queries > 0) launch_or_tiles(batch, codec, stream.handle());
  clock.end(GpuStage::kTiles, stream);
  launch_gather(batch, stream.handle());
  clock.end(GpuStage::kGather, stream);
  launch_rescore(batch, codec, stream.handle());
  clock.end(GpuStage::kRescore, stream);
  launch_select(batch, settings.k, stream.handle());
  clock.end(GpuStage::kSelect, stream);
}

void GpuSearcher::State::finish_part() {
  if (size == 0) return;
  stream.synchronize();
  clock.add_to(statistics);
  for (const std::uint32_t slot : image.cpu_queries) answer_by_cpu(slot);
  for (std::size_t i = first; i < first + size; ++i) {
    if (answers.list[slots[i]].overflow != 0) lost.push_back(slots[i]);
  }
  first += size;
}

void GpuSearcher::State::answer_by_cpu(std::uint32_t slot) {
  if (!cpu) cpu.emplace(index.index());
  answers.by_cpu[slot] = cpu->run(plans[slot], answers.settings);
  ++statistics.cpu_queries;
}

/// Once more with as much room as there can be; what is lost even then goes to the CPU.
void GpuSearcher::State::answer_lost() {
  if (lost.empty()) return;
  statistics.candidates_lost += lost.size();
  slots = std::move(lost);
  lost.clear();
  lost_some = true;
  first = 0;
  while (first < slots.size()) {
    start_part();
    finish_part();
  }
  for (const std::uint32_t slot : lost) answer_by_cpu(slot);
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
  state_->begin(plans, settings);
}

GpuAnswers GpuSearcher::wait() {
  State& state = *state_;
  if (!state.is_busy) throw UsageError("no batch is under way; start one by submit()");
  state.is_busy = false;
  state.finish_part();
  while (state.first < state.slots.size()) {
    state.start_part();
    state.finish_part();
  }
  state.answer_lost();
  state.statistics.gpu_queries += state.plans.size() - state.answers.by_cpu.size();
  return GpuAnswers(state.answers);
}

const GpuStatistics& GpuSearcher::statistics() const { return state_->statistics; }

}  // namespace warpdex
