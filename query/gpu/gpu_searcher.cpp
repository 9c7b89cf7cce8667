// Runs batches, part by part: has them built, uploaded and launched, and waits for the answers.
#include "warpdex/query/gpu/gpu_searcher.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <utility>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/gpu/batch_builder.hpp"
#include "warpdex/query/gpu/batch_launcher.hpp"
#include "warpdex/query/gpu/batch_memory.hpp"
#include "warpdex/query/gpu/gpu_answers.hpp"
#include "warpdex/query/gpu/kernels.cuh"
#include "warpdex/query/gpu/list_stage.hpp"
#include "warpdex/query/gpu/stage_clock.hpp"

namespace warpdex {
namespace {

using namespace gpu;

/// Queries of a part whose answers are awaited one by one, at most.
constexpr std::size_t kFewAwaited = 64;

/// Queries that are under way together.
struct Part {
  explicit Part(int device) : ended(device, EventUse::kOrder) {}

  std::span<const std::uint32_t> slots;  ///< none: nothing is under way
  std::uint32_t ticket = 0;              ///< if its answers are awaited one by one
  Event ended;                           ///< if not
};

}  // namespace

struct GpuSearcher::State {
  State(const GpuIndex& searched, const GpuAblation& wanted);

  ~State();

  void begin(std::span<const PlannedQuery> plans, const SearchSettings& settings);
  void take_queries();
  std::span<const std::uint32_t> next_part() const;
  void start_part(Part& part);
  void bring_next();
  void finish_part(Part& part);
  void answer_left();
  void answer_lost();
  void answer_by_cpu();
  void add_work();
  std::uint32_t next_ticket(std::span<const std::uint32_t> queries);
  void await(const Part& part) const;
  void abandon() noexcept;
  bool launch(Part& part);
  Batch describe(const BatchShape& shape, std::span<const std::uint32_t> queries);
  void copy_work(const Batch& batch);

  const GpuIndex& index;
  const GpuIndex::State& uploaded;
  GpuAblation ablation;
  ListStage stage;
  BatchBuilder builder;
  bool is_new_enough = false;  ///< the GPU, for clusters and kernels that overlap
  Stream stream;
  StageClock clock;
  BatchMemory memory;
  BatchLauncher launcher;
  PinnedBuffer work;  ///< counters of the part under way, if they are wanted
  GpuAnswers::State answers;
  std::span<const PlannedQuery> plans;
  BatchLists lists;                     ///< with a list cache
  std::vector<std::uint32_t> slots;     ///< queries that the GPU is to answer
  std::size_t started = 0;              ///< of them, so far
  std::span<const std::uint32_t> next;  ///< of them, the part whose lists were brought
  Part part;                            ///< of them, those that are answered next
  Part following;                       ///< and those behind it, if they were started
  std::uint32_t last_ticket = 0;
  std::vector<std::uint32_t> for_cpu;  ///< queries that the GPU cannot answer
  std::vector<std::uint32_t> lost;     ///< those that had more candidates than room
  std::uint32_t attempt = 0;           ///< how often all were lost before: they get more room
  bool is_busy = false;
  std::optional<CpuSearcher> cpu;
  GpuStatistics statistics;
};

GpuSearcher::State::State(const GpuIndex& searched, const GpuAblation& wanted)
    : index(searched),
      uploaded(searched.state()),
      ablation(wanted),
      stage(searched.state()),
      builder(stage, wanted),
      stream(searched.device()),
      clock(wanted.time_stages, searched.device()),
      memory(searched.state(), wanted, stream),
      launcher(searched.state(), wanted, memory, stream, clock),
      part(searched.device()),
      following(searched.device()) {
  const CurrentDevice current_device(searched.device());
  is_new_enough = launches_may_overlap();
  ++uploaded.searchers;
}

GpuSearcher::State::~State() {
  abandon();
  --uploaded.searchers;
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
  attempt = 0;
  is_busy = true;
  take_queries();
  stage.begin(plans, slots, wanted, ablation, memory);
  if (stage.is_on()) bring_next();
  start_part(part);
  if (uploaded.cache) statistics.bytes_uploaded += uploaded.cache->load(lists);
}

/// All of the batch, but for those of which no kernel can read a list.
void GpuSearcher::State::take_queries() {
  slots.resize(plans.size());
  std::iota(slots.begin(), slots.end(), 0U);
  started = 0;
  if (!uploaded.cache) return;
  uploaded.cache->begin(plans, lists);
  for_cpu = lists.unanswerable;
  if (for_cpu.empty()) return;
  std::erase_if(slots, [&](std::uint32_t slot) {
    return std::binary_search(for_cpu.begin(), for_cpu.end(), slot);
  });
}

/// Queries that are left, as many as there should be memory for.
std::span<const std::uint32_t> GpuSearcher::State::next_part() const {
  auto left = std::span<const std::uint32_t>(slots).subspan(started);
  if (stage.is_on()) left = left.first(stage.queries_of_part(left));
  return left.first(memory.queries_of_part(plans, left, answers.settings.k, attempt));
}

/// Starts the next part, or as much of it as there is memory for. While it is answered, what the
/// one behind it reads is brought.
void GpuSearcher::State::start_part(Part& target) {
  std::span<const std::uint32_t>& queries = target.slots;
  queries = stage.is_on() ? next : next_part();
  while (!queries.empty() && !launch(target)) {
    if (queries.size() == 1) {
      for_cpu.push_back(queries[0]);
      ++started;
    }
    queries = queries.first(queries.size() / 2);
  }
  started += queries.size();
  if (stage.is_on()) bring_next();
}

void GpuSearcher::State::bring_next() {
  next = next_part();
  if (!next.empty()) statistics.bytes_staged += stage.bring(next);
}

/// What a part is to do and how, but for where things are in memory; takes the part's ticket.
Batch GpuSearcher::State::describe(const BatchShape& shape,
                                   std::span<const std::uint32_t> queries) {
  Batch batch{};
  // Few postings: more warps with less work each, and no or fewer rounds, as each takes its time.
  const bool are_few = shape.stretch_blocks < kStretchBlocks;
  const bool is_at_once = are_few && !shape.needs_rounds && attempt == 0 &&
                          ablation.or_by == OrMethod::kByCost &&
                          memory.has_room_for_promises(shape);
  batch.k = answers.settings.k;
  batch.chunk_blocks = are_few ? 1 : 16;
  batch.round_count = is_at_once ? 0 : kRounds;
  batch.raise_every = is_at_once ? 16 : 256;
  batch.first_promises = std::max({256U, 2 * batch.k, 64 * shape.or_queries});
  batch.state_count = static_cast<std::uint32_t>(queries.size());
  const bool are_awaited = queries.size() <= kFewAwaited && !ablation.time_stages;
  batch.ticket = are_awaited ? next_ticket(queries) : 0;
  batch.tiles = builder.tiles();
  const AnswerParts parts(answers.memory.device_data(), plans.size(), batch.k);
  batch.answers = parts.answers;
  batch.hits = parts.hits;
  // What a kernel's early start saves is little beside a large batch's work, which it slows.
  batch.overlaps_launches = is_new_enough && are_few && !stage.is_on();
  batch.has_clusters = is_new_enough;
  batch.spares_bus = lists.hits * 4 < lists.uses.size() * 3;
  batch.skips_nothing = ablation.exhaustive;
  return batch;
}

/// Starts a part's queries. False, and they are not under way, if there is no memory for them.
bool GpuSearcher::State::launch(Part& target) {
  const SearchSettings& settings = answers.settings;
  clock.start();
  const BatchShape& shape = builder.measure(plans, target.slots, settings);
  Batch batch = describe(shape, target.slots);
  target.ticket = batch.ticket;
  const std::optional<std::uint32_t> capacity = memory.lay_out(shape, attempt, batch);
  if (!capacity) return false;
  const ImageParts image = memory.host();
  builder.write(*capacity, attempt == 0 ? nullptr : answers.list, image, memory.device());
  if (shape.lists > 0) {
    batch.c0 = image.lists[0].c0;
    batch.c1 = image.lists[0].c1;
  }
  batch.form = builder.form(settings);
  clock.end(GpuStage::kBuild, stream);

  const CurrentDevice current_device(index.device());
  stage.hold_back(stream);
  memory.upload(batch);
  clock.end(GpuStage::kUpload, stream);
  launcher.launch(batch, shape, settings.mode);
  if (batch.work != nullptr) copy_work(batch);
  if (batch.ticket == 0) target.ended.record(stream);
  builder.append_cpu_queries(for_cpu);
  ++statistics.parts;
  return true;
}

void GpuSearcher::State::copy_work(const Batch& batch) {
  grow(work, sizeof(WorkCounters));
  check_cuda(cudaMemcpyAsync(work.data(), batch.work, sizeof(WorkCounters), cudaMemcpyDeviceToHost,
                             stream.handle()),
             "cudaMemcpyAsync of counters");
}

/// Not 0, and not what an answer has that is to be written.
std::uint32_t GpuSearcher::State::next_ticket(std::span<const std::uint32_t> queries) {
  if (++last_ticket == 0) ++last_ticket;
  for (const std::uint32_t slot : queries) answers.list[slot].ticket = 0;
  return last_ticket;
}

/// Returns when the part's answers are there. A kernel's end is told some microseconds after its
/// last write; so few answers are watched for themselves. After the last ticket, kernels touch
/// no list and nothing of the host's, so these may be written, or freed, from then on; all else is
/// in the stream's order.
void GpuSearcher::State::await(const Part& awaited) const {
  if (awaited.ticket == 0) return awaited.ended.synchronize();
  constexpr std::uint32_t kLooks = 1024;  // between two looks at whether the kernels failed
  std::uint32_t looks = 0;
  for (const std::uint32_t slot : awaited.slots) {
    const std::atomic_ref written(answers.list[slot].ticket);
    while (written.load(std::memory_order_acquire) != awaited.ticket) {
      if (++looks % kLooks == 0 && stream.is_idle()) return stream.synchronize();
    }
  }
}

/// Waits for a part, if it is under way. What the CPU has to answer, it answers meanwhile.
void GpuSearcher::State::finish_part(Part& target) {
  answer_by_cpu();
  if (target.slots.empty()) return;
  await(target);
  clock.add_to(statistics);
  add_work();
  for (const std::uint32_t slot : target.slots) {
    if (answers.list[slot].overflow != 0) lost.push_back(slot);
  }
  target.slots = {};
}

void GpuSearcher::State::add_work() {
  if (!ablation.time_stages) return;
  const auto& counted = *static_cast<const WorkCounters*>(work.data());
  statistics.tiles += counted.tiles;
  statistics.or_blocks += counted.or_blocks;
  statistics.lookups += counted.lookups;
  statistics.and_blocks += counted.and_blocks;
  statistics.exact_scores += counted.rescored;
  for (std::size_t i = 0; i < kGpuPhases; ++i) {
    statistics.match_phases[i] += counted.match_cycles[i];
    statistics.tile_phases[i] += counted.tile_cycles[i];
  }
}

void GpuSearcher::State::answer_by_cpu() {
  for (const std::uint32_t slot : for_cpu) {
    if (!cpu) cpu.emplace(index.index());
    answers.by_cpu[slot] = cpu->run(plans[slot], answers.settings);
    ++statistics.cpu_queries;
  }
  for_cpu.clear();
}

/// All that is left. A part is built while the one before is answered, so that the GPU need not
/// wait for the host: both use the same memory, one after the other.
void GpuSearcher::State::answer_left() {
  for (;;) {
    // What the stage brings next would lie where the part under way has its lists.
    const bool may_follow = !part.slots.empty() && !stage.is_on() && !ablation.time_stages;
    if (may_follow) start_part(following);
    finish_part(part);
    std::swap(part, following);
    if (!part.slots.empty()) continue;
    if (started == slots.size() && for_cpu.empty()) return;
    start_part(part);
  }
}

/// Again with more room, and with as much as there can be; what is lost even then goes to the CPU.
void GpuSearcher::State::answer_lost() {
  statistics.candidates_lost += lost.size();
  if (!lost.empty()) stage.end(memory);
  while (!lost.empty() && attempt < kMostAttempts) {
    slots = std::move(lost);
    lost.clear();
    started = 0;
    ++attempt;
    answer_left();
  }
  for_cpu = std::move(lost);
  lost.clear();
  answer_by_cpu();
}

/// Ends what is under way, after a failure, too.
void GpuSearcher::State::abandon() noexcept {
  is_busy = false;
  part.slots = {};
  following.slots = {};
  launcher.abandon();
  stage.abandon();
  memory.distrust();
  if (uploaded.cache) uploaded.cache->end(lists);
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
  if (state.uploaded.cache) state.uploaded.cache->end(state.lists);
  state.statistics.cache_hits += state.lists.hits;
  state.statistics.cache_misses += state.lists.uses.size() - state.lists.hits;
  state.statistics.gpu_queries += state.plans.size() - state.answers.by_cpu.size();
  return GpuAnswers(state.answers);
}

const GpuStatistics& GpuSearcher::statistics() const { return state_->statistics; }

}  // namespace warpdex
