// One part of a batch: builds, uploads and launches it, sees when its answers are there, and counts
// the work that it was.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>

#include "gpu/kernels/kernels.cuh"
#include "gpu/run/lane.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {

/// Starts the next part, or as much of it as there is memory for. If the stage is on, copies the
/// lists of the part behind it meanwhile.
void Lane::start_part(Part& target) {
  std::span<const std::uint32_t>& queries = target.slots;
  queries = is_staging() ? next_ : next_part();
  while (!queries.empty() && !launch(target)) {
    if (queries.size() == 1) {
      answers_.is_unanswered[queries[0]] = true;
      ++started_;
    }
    queries = queries.first(queries.size() / 2);
  }
  started_ += queries.size();
  if (is_staging()) stage_next();
}

void Lane::stage_next() {
  next_ = next_part();
  if (!next_.empty()) statistics_.bytes_staged += stage_->stage(next_);
}

/// What kernels must know of a part that was written, beside its plan.
PartFacts Lane::facts_of(const BatchPlan& plan, const Part& part) const {
  const AnswerParts parts(answers_.memory.device_data(), plans_.size(), plan.k);
  PartFacts facts{};
  facts.form = builder_.form();
  facts.scorer = builder_.scorer_kind();
  if (plan.shape.lists > 0) {
    const ImageParts image = memory_.host();
    const bool is_sent = plan.shape.sends_entries;
    facts.c0 = is_sent ? image.uses[0].c0 : image.lists[0].c0;
    facts.c1 = is_sent ? image.uses[0].c1 : image.lists[0].c1;
  }
  facts.fields = builder_.fields();
  facts.hits = parts.hits;
  facts.answers = parts.answers;
  facts.removed = part.filter.memory ? part.filter.bits : removed_;
  facts.ticket = part.ticket;
  facts.has_clusters = is_new_enough_;
  // Kernels that start early hide the time between the kernels of a small batch, but slow down a
  // large one. While they wait, they keep places on the multiprocessors that batches beside theirs
  // could use.
  const bool is_alone = index_.batches == 1;
  facts.overlaps_launches = is_new_enough_ && plan.is_small && is_alone && !is_staging();
  facts.spares_bus = lists_.hits * 4 < lists_.uses.size() * 3;
  facts.skips_nothing = settings_.ablation.exhaustive;
  facts.stores_all = settings_.ablation.or_by == OrMethod::kDecodeOnce;
  return facts;
}

/// Finds the set of a part's filter. Returns false if there is no memory for it.
bool Lane::find_filter(Part& target) {
  target.filter = {};
  const DocumentFilter* const wanted = answers_.settings_of(target.slots[0]).documents;
  if (wanted == nullptr) return true;
  index_.filters->open();
  memory_.give_back();
  std::vector<FilterSets::Segment> segments;
  for (std::size_t i = 0; i < index_.segments.size(); ++i) {
    segments.push_back({plans_.number(i), index_.segments[i]->first_document});
  }
  if (segments.empty()) segments.push_back({plans_.number(0), builder_.first_document()});
  const std::optional<FilterSets::Set> set = index_.filters->get(*wanted, segments);
  if (set) target.filter = *set;
  return set.has_value();
}

/// Starts a part's queries. Returns false, and starts nothing, if there is no memory for them.
bool Lane::launch(Part& target) {
  clock_.start();
  const std::span<const std::uint32_t> queries = target.slots;
  if (!find_filter(target)) return false;
  // Of a few queries, answers are awaited one by one, and none may be made again.
  target.has_guesses = target.filter.memory && attempt_ == 0 && queries.size() > kFewAwaited;
  const BatchShape& shape =
      builder_.measure(plans_, queries, answers_.settings, attempt_ == 0 ? nullptr : answers_.list,
                       target.has_guesses);
  if (target.has_guesses) {
    guesses_.resize(plans_.size());
    builder_.read_guesses(guesses_);
  }
  BatchPlan plan = planner_.plan(shape, static_cast<std::uint32_t>(queries.size()), answers_.k,
                                 attempt_, memory_.share());
  const bool are_awaited = queries.size() <= kFewAwaited && !plan.counts_work;
  const bool is_whole_batch = attempt_ == 0 && queries.size() == slots_.size();
  if (are_awaited && is_whole_batch && plan.has_and_beside() && !plan.choice.shares_scores) {
    plan.early_queries = builder_.first_without_or();
  }
  target.ticket = are_awaited ? next_ticket(queries) : 0;
  target.seen = 0;
  target.polls = 0;
  if (!lay_out(plan)) return false;
  target.early = plan.early_queries;
  builder_.write(plan.capacity, memory_.host(), memory_.device());
  if (plan.shape.stored_ranges > 0) builder_.write_stored(memory_.host());
  const PartFacts facts = facts_of(plan, target);
  BatchStages stages = memory_.places();
  complete(plan, memory_.device(), index_, facts, stages);
  clock_.end(GpuStage::kBuild, stream_);

  const CurrentDevice current_device(index_.device);
  if (stage_) stage_->make_wait(stream_);
  if (rows_ != nullptr && plan.shape.sends_entries) rows_->upload(builder_.rows(), stream_);
  memory_.upload(facts.overlaps_launches);
  clock_.end(GpuStage::kUpload, stream_);
  launcher_.launch(stages, plan);
  if (plan.counts_work) copy_work();
  if (target.ticket == 0) target.ended.record(stream_);
  for (const std::uint32_t slot : builder_.unanswerable()) answers_.is_unanswered[slot] = true;
  ++statistics_.parts;
  count(plan.shape, plan.choice, statistics_.or_counts);
  return true;
}

/// Early answers need more room. Without it, all answers come together.
bool Lane::lay_out(BatchPlan& plan) {
  if (memory_.lay_out(plan)) return true;
  if (plan.early_queries == 0) return false;
  plan.early_queries = 0;
  return memory_.lay_out(plan);
}

/// Returns a ticket that is not 0 and that no answer of these queries has.
std::uint32_t Lane::next_ticket(std::span<const std::uint32_t> queries) {
  if (++last_ticket_ == 0) ++last_ticket_;
  for (const std::uint32_t slot : queries) answers_.list[slot].ticket = 0;
  return last_ticket_;
}

/// Whether the part's answers are there. The end of a kernel is visible only some microseconds
/// after its last write, so a few answers are watched themselves. After the last ticket, kernels
/// read no list and nothing of the host's, so these may be written or freed. All else is ordered by
/// the stream.
bool Lane::has_ended(Part& awaited) const {
  if (awaited.ticket == 0) return awaited.ended.has_passed();
  constexpr std::uint32_t kPolls = 1024;  // polls between two checks for failed kernels
  if (++awaited.polls % kPolls == 0 && stream_.is_idle()) return true;
  for (; awaited.seen < awaited.slots.size(); ++awaited.seen) {
    const std::uint32_t slot = awaited.slots[awaited.seen];
    const std::atomic_ref written(answers_.list[slot].ticket);
    if (written.load(std::memory_order_acquire) != awaited.ticket) return false;
    const bool is_final = answers_.list[slot].overflow == 0 && !answers_.is_unanswered[slot];
    if (!is_final) awaited.early = std::min(awaited.early, awaited.seen);
  }
  return true;
}

void Lane::finish_part(Part& target) {
  clock_.add_to(statistics_.stages);
  add_work();
  for (const std::uint32_t slot : target.slots) {
    if (answers_.is_unanswered[slot]) continue;
    if (answers_.list[slot].overflow != 0) {
      statistics_.candidates_lost += attempt_ == 0 ? 1 : 0;
      again_.push_back(slot);
    } else if (has_guessed_wrong(target, slot)) {
      again_.push_back(slot);
    } else {
      continue;
    }
    if (target.has_guesses) answers_.list[slot].threshold = 0;  // it is not known to be reached
  }
  target.slots = {};
  target.filter = {};
}

/// Whether fewer than k documents reached the score that was a guess, and not known to be reached.
/// By scores, not by sums in units: these are rounded up, so k sums may reach a threshold that k
/// scores do not.
bool Lane::has_guessed_wrong(const Part& part, std::uint32_t slot) const {
  const SearchSettings& settings = answers_.settings_of(slot);
  if (!part.has_guesses || guesses_[slot] <= std::max(0.F, settings.start_threshold())) {
    return false;
  }
  const std::span<const Hit> hits = answers_.view(slot).hits;
  return hits.size() < settings.k || hits.back().score < guesses_[slot];
}

void Lane::copy_work() {
  grow(work_, sizeof(WorkCounters));
  check_cuda(cudaMemcpyAsync(work_.data(), memory_.places().rounds.work, sizeof(WorkCounters),
                             cudaMemcpyDeviceToHost, stream_.handle()),
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

}  // namespace warpdex::gpu
