// Runs a batch part by part: has each built, uploaded and launched, and waits for its answers.
#include "gpu/run/lane.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <utility>

#include "gpu/index/gpu_index_state.hpp"
#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/waiting.hpp"

namespace warpdex::gpu {
namespace {

/// Queries of a part whose answers are awaited one by one, at most.
constexpr std::size_t kFewAwaited = 64;

}  // namespace

Lane::Lane(const GpuIndex& index, const GpuEngineSettings& settings)
    : index_(index),
      uploaded_(index.state()),
      settings_(settings),
      stage_(uploaded_),
      builder_(stage_, settings.ablation),
      stream_(index.device()),
      clock_(settings.ablation.time_stages, index.device()),
      memory_(uploaded_, settings.ablation, stream_),
      launcher_(uploaded_, settings.ablation, memory_, stream_, clock_),
      part_(index.device()),
      following_(index.device()) {
  const CurrentDevice current_device(index.device());
  is_new_enough_ = launches_may_overlap();
  ++uploaded_.searchers;
}

Lane::~Lane() {
  abandon();
  --uploaded_.searchers;
}

void Lane::submit(std::span<const PlannedQuery> plans, std::span<const SearchSettings> settings) {
  plans_ = plans;
  answers_.begin(plans.size(), settings);
  lost_.clear();
  attempt_ = 0;
  is_busy_ = true;
  try {
    take_queries();
    sort_by_scorer();
    stage_.begin(plans, slots_, answers_, settings_.ablation, memory_);
    if (stage_.is_on()) bring_next();
    start_part(part_);
    if (uploaded_.cache) statistics_.bytes_uploaded += uploaded_.cache->load(lists_);
  } catch (...) {
    abandon();
    throw;
  }
}

/// All of the batch, but for those of which no kernel can read a list.
void Lane::take_queries() {
  slots_.resize(plans_.size());
  std::iota(slots_.begin(), slots_.end(), 0U);
  started_ = 0;
  if (!uploaded_.cache) return;
  uploaded_.cache->begin(plans_, lists_);
  for (const std::uint32_t slot : lists_.unanswerable) answers_.is_unanswered[slot] = true;
  std::erase_if(slots_, [&](std::uint32_t slot) { return answers_.is_unanswered[slot]; });
}

/// Queries of one part have one scorer: those with the same come one behind the other.
void Lane::sort_by_scorer() {
  if (answers_.settings.size() <= 1) return;
  std::vector<ScorerSettings> scorers;
  std::vector<std::size_t> number(plans_.size());  // of its scorer, by slot
  for (const std::uint32_t slot : slots_) {
    const ScorerSettings& scorer = answers_.settings[slot].scorer;
    const auto found = std::find(scorers.begin(), scorers.end(), scorer);
    number[slot] = static_cast<std::size_t>(found - scorers.begin());
    if (found == scorers.end()) scorers.push_back(scorer);
  }
  if (scorers.size() < 2) return;
  std::stable_sort(slots_.begin(), slots_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return number[a] < number[b]; });
}

/// Queries that are left, as many as there should be memory for.
std::span<const std::uint32_t> Lane::next_part() const {
  auto left = std::span<const std::uint32_t>(slots_).subspan(started_);
  if (stage_.is_on()) left = left.first(stage_.queries_of_part(left));
  if (answers_.settings.size() > 1 && !left.empty()) {
    const ScorerSettings& scorer = answers_.settings[left[0]].scorer;
    const auto end = std::find_if(left.begin(), left.end(), [&](std::uint32_t slot) {
      return !(answers_.settings[slot].scorer == scorer);
    });
    left = left.first(static_cast<std::size_t>(end - left.begin()));
  }
  return left.first(memory_.queries_of_part(plans_, left, answers_.k, attempt_));
}

/// Starts the next part, or as much of it as there is memory for. While it is answered, what the
/// one behind it reads is brought.
void Lane::start_part(Part& target) {
  std::span<const std::uint32_t>& queries = target.slots;
  queries = stage_.is_on() ? next_ : next_part();
  while (!queries.empty() && !launch(target)) {
    if (queries.size() == 1) {
      answers_.is_unanswered[queries[0]] = true;
      ++started_;
    }
    queries = queries.first(queries.size() / 2);
  }
  started_ += queries.size();
  if (stage_.is_on()) bring_next();
}

void Lane::bring_next() {
  next_ = next_part();
  if (!next_.empty()) statistics_.bytes_staged += stage_.bring(next_);
}

/// What a part is to do and how, but for where things are in memory; takes the part's ticket.
Batch Lane::describe(const BatchShape& shape, std::span<const std::uint32_t> queries) {
  const GpuAblation& ablation = settings_.ablation;
  Batch batch{};
  // Few postings: more warps with less work each, and no or fewer rounds, as each takes its time.
  const bool are_few = shape.stretch_blocks < kStretchBlocks;
  const bool is_at_once = are_few && !shape.needs_rounds && attempt_ == 0 &&
                          ablation.or_by == OrMethod::kByCost &&
                          memory_.has_room_for_promises(shape);
  batch.k = answers_.k;
  batch.chunk_blocks = are_few ? 1 : 16;
  batch.round_count = is_at_once ? 0 : kRounds;
  batch.raise_every = is_at_once ? 16 : 256;
  batch.first_promises = std::max({256U, 2 * batch.k, 64 * shape.or_queries});
  batch.state_count = static_cast<std::uint32_t>(queries.size());
  const bool are_awaited = queries.size() <= kFewAwaited && !ablation.time_stages;
  batch.ticket = are_awaited ? next_ticket(queries) : 0;
  batch.tiles = builder_.tiles();
  const AnswerParts parts(answers_.memory.device_data(), plans_.size(), batch.k);
  batch.answers = parts.answers;
  batch.hits = parts.hits;
  // What a kernel's early start saves is little beside a large batch's work, which it slows.
  batch.overlaps_launches = is_new_enough_ && are_few && !stage_.is_on();
  batch.has_clusters = is_new_enough_;
  batch.spares_bus = lists_.hits * 4 < lists_.uses.size() * 3;
  batch.skips_nothing = ablation.exhaustive;
  return batch;
}

/// Starts a part's queries. False, and they are not under way, if there is no memory for them.
bool Lane::launch(Part& target) {
  clock_.start();
  const BatchShape& shape = builder_.measure(plans_, target.slots, answers_.settings);
  Batch batch = describe(shape, target.slots);
  target.ticket = batch.ticket;
  target.seen = 0;
  target.looks = 0;
  const std::optional<std::uint32_t> capacity = memory_.lay_out(shape, attempt_, batch);
  if (!capacity) return false;
  const ImageParts image = memory_.host();
  builder_.write(*capacity, attempt_ == 0 ? nullptr : answers_.list, image, memory_.device());
  if (shape.lists > 0) {
    batch.c0 = image.lists[0].c0;
    batch.c1 = image.lists[0].c1;
  }
  batch.form = builder_.form();
  clock_.end(GpuStage::kBuild, stream_);

  const CurrentDevice current_device(index_.device());
  stage_.hold_back(stream_);
  memory_.upload(batch);
  clock_.end(GpuStage::kUpload, stream_);
  launcher_.launch(batch, shape);
  if (batch.work != nullptr) copy_work(batch);
  if (batch.ticket == 0) target.ended.record(stream_);
  for (const std::uint32_t slot : builder_.unanswerable()) answers_.is_unanswered[slot] = true;
  ++statistics_.parts;
  return true;
}

/// Not 0, and not what an answer has that is to be written.
std::uint32_t Lane::next_ticket(std::span<const std::uint32_t> queries) {
  if (++last_ticket_ == 0) ++last_ticket_;
  for (const std::uint32_t slot : queries) answers_.list[slot].ticket = 0;
  return last_ticket_;
}

bool Lane::poll() {
  try {
    return advance();
  } catch (...) {
    abandon();
    throw;
  }
}

void Lane::wait() {
  try {
    while (!advance()) wait_until([this] { return has_ended(part_); }, settings_.spin);
  } catch (...) {
    abandon();
    throw;
  }
}

/// Goes as far as there is to go without waiting. Whether the batch is answered. A part is built
/// while the one before is answered, so that the GPU need not wait for the host: both use the same
/// memory, one after the other.
bool Lane::advance() {
  while (is_busy_) {
    if (part_.slots.empty()) {
      if (started_ < slots_.size()) {
        start_part(part_);
      } else if (!start_again()) {
        end_batch();
      }
      continue;
    }
    // What the stage brings next would lie where the part under way has its lists.
    const bool may_follow = !stage_.is_on() && !settings_.ablation.time_stages;
    if (may_follow && following_.slots.empty() && started_ < slots_.size()) start_part(following_);
    if (!has_ended(part_)) return false;
    finish_part(part_);
    std::swap(part_, following_);
  }
  return true;
}

/// What was lost is to be answered again, with more room, and then with as much as there can be.
/// False if nothing was, or if that did not help.
bool Lane::start_again() {
  statistics_.candidates_lost += attempt_ == 0 ? lost_.size() : 0;
  if (lost_.empty()) return false;
  stage_.end(memory_);
  if (attempt_ == kMostAttempts) {
    for (const std::uint32_t slot : lost_) answers_.is_unanswered[slot] = true;
    return false;
  }
  slots_ = std::exchange(lost_, {});
  started_ = 0;
  ++attempt_;
  return true;
}

/// Whether the part's answers are there. A kernel's end is told some microseconds after its last
/// write; so few answers are watched for themselves. After the last ticket, kernels touch no list
/// and nothing of the host's, so these may be written, or freed, from then on; all else is in the
/// stream's order.
bool Lane::has_ended(Part& awaited) const {
  if (awaited.ticket == 0) return awaited.ended.has_passed();
  constexpr std::uint32_t kLooks = 1024;  // between two looks at whether the kernels failed
  if (++awaited.looks % kLooks == 0 && stream_.is_idle()) return true;
  for (; awaited.seen < awaited.slots.size(); ++awaited.seen) {
    const std::atomic_ref written(answers_.list[awaited.slots[awaited.seen]].ticket);
    if (written.load(std::memory_order_acquire) != awaited.ticket) return false;
  }
  return true;
}

void Lane::finish_part(Part& target) {
  clock_.add_to(statistics_.stages);
  add_work();
  for (const std::uint32_t slot : target.slots) {
    if (answers_.is_unanswered[slot]) continue;
    if (answers_.list[slot].overflow != 0) lost_.push_back(slot);
  }
  target.slots = {};
}

void Lane::copy_work(const Batch& batch) {
  grow(work_, sizeof(WorkCounters));
  check_cuda(cudaMemcpyAsync(work_.data(), batch.work, sizeof(WorkCounters), cudaMemcpyDeviceToHost,
                             stream_.handle()),
             "cudaMemcpyAsync of counters");
}

void Lane::add_work() {
  if (!settings_.ablation.time_stages) return;
  const auto& counted = *static_cast<const WorkCounters*>(work_.data());
  statistics_.tiles += counted.tiles;
  statistics_.or_blocks += counted.or_blocks;
  statistics_.lookups += counted.lookups;
  statistics_.and_blocks += counted.and_blocks;
  statistics_.exact_scores += counted.rescored;
  for (std::size_t i = 0; i < kGpuPhases; ++i) {
    statistics_.match_phases[i] += counted.match_cycles[i];
    statistics_.tile_phases[i] += counted.tile_cycles[i];
  }
}

void Lane::end_batch() {
  is_busy_ = false;
  lost_.clear();
  if (uploaded_.cache) uploaded_.cache->end(lists_);
  statistics_.cache_hits += lists_.hits;
  statistics_.cache_misses += lists_.uses.size() - lists_.hits;
  const auto unanswered = static_cast<std::uint64_t>(
      std::count(answers_.is_unanswered.begin(), answers_.is_unanswered.end(), true));
  statistics_.unanswered_queries += unanswered;
  statistics_.queries += plans_.size() - unanswered;
}

/// Ends what is under way, after a failure, too.
void Lane::abandon() noexcept {
  is_busy_ = false;
  part_.slots = {};
  following_.slots = {};
  lost_.clear();
  launcher_.abandon();
  stage_.abandon();
  memory_.distrust();
  if (uploaded_.cache) uploaded_.cache->end(lists_);
}

}  // namespace warpdex::gpu
