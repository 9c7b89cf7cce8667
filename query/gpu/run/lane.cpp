// Runs a batch part by part: which queries are a part, which are answered again, when it ends.
#include "gpu/run/lane.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/launch_overlap.hpp"
#include "warpdex/core/waiting.hpp"

namespace warpdex::gpu {
namespace {

std::vector<const PlacedIndex*> placed(const SearchedIndex& index, const ListStage* stage) {
  if (stage == nullptr) return index.segments;
  return {stage};
}

std::uint32_t tile_end(const SearchedIndex& index) {
  return (index.document_end + kTileDocuments - 1) >> kTileShift;
}

}  // namespace

Lane::Lane(const GpuIndex::State& index, const Removals& removed, const GpuEngineSettings& settings,
           std::shared_ptr<BatchBuilder::Slices> slices)
    : Lane(index, &index, removed, settings, std::move(slices), nullptr) {}

Lane::Lane(const SearchedIndex& joined, const GpuEngineSettings& settings,
           std::shared_ptr<BatchBuilder::Slices> slices, DeviceRows& rows)
    : Lane(joined, nullptr, {.bits = joined.removed_bits}, settings, std::move(slices), &rows) {}

Lane::Lane(const SearchedIndex& index, const GpuIndex::State* alone, const Removals& removed,
           const GpuEngineSettings& settings, std::shared_ptr<BatchBuilder::Slices> slices,
           DeviceRows* rows)
    : index_(index),
      cache_(alone == nullptr ? nullptr : alone->cache.get()),
      removed_(removed.bits),
      settings_(settings),
      stage_(alone == nullptr ? std::nullopt
                              : std::optional<ListStage>(std::in_place, *alone, removed)),
      builder_(placed(index, stage_ ? &*stage_ : nullptr), settings.ablation, std::move(slices)),
      rows_(rows),
      stream_(index.device),
      clock_(settings.ablation.time_stages, index.device),
      planner_({.documents = index.documents,
                .codec = index.codec_kind,
                .is_resident = cache_ == nullptr,
                .segments = index.documents_of_segments,
                .tile_end = tile_end(index)},
               settings.ablation),
      memory_(index, stream_),
      launcher_(index, stream_, clock_),
      part_(index.device),
      following_(index.device) {
  const CurrentDevice current_device(index.device);
  is_new_enough_ = launches_may_overlap();
  builder_.set_searches_stored(can_search_stored());
  if (rows_ != nullptr) rows_->add(stream_);
  ++index_.lanes;
}

Lane::~Lane() {
  abandon();
  --index_.lanes;
  if (rows_ != nullptr) rows_->remove(stream_);
}

void Lane::submit(SegmentPlans plans, std::span<const SearchSettings> settings) {
  slots_.resize(plans.size());
  std::iota(slots_.begin(), slots_.end(), 0U);
  start(plans, settings);
}

void Lane::submit(SegmentPlans plans, std::span<const SearchSettings> settings,
                  std::span<const std::uint32_t> slots) {
  slots_.assign(slots.begin(), slots.end());
  start(plans, settings);
}

void Lane::start(SegmentPlans plans, std::span<const SearchSettings> settings) {
  plans_ = plans;
  answers_.begin(plans.size(), settings);
  again_.clear();
  attempt_ = 0;
  set_busy(true);
  memory_.begin();
  try {
    take_queries();
    put_and_first();
    sort_by_kind();
    if (stage_) stage_->begin(plans, slots_, answers_, settings_.ablation, planner_, memory_);
    if (is_staging()) stage_next();
    start_part(part_);
    if (cache_ != nullptr) statistics_.bytes_uploaded += cache_->load(lists_);
  } catch (...) {
    abandon();
    throw;
  }
}

/// While it is busy, the lane counts in SearchedIndex::batches.
void Lane::set_busy(bool is_busy) noexcept {
  if (is_busy && !is_busy_) ++index_.batches;
  if (!is_busy && is_busy_) --index_.batches;
  is_busy_ = is_busy;
}

/// Leaves out queries with a list that no kernel can read.
void Lane::take_queries() {
  started_ = 0;
  if (cache_ == nullptr) return;
  cache_->begin(plans_, lists_);
  for (const std::uint32_t slot : lists_.unanswerable) answers_.is_unanswered[slot] = true;
  std::erase_if(slots_, [&](std::uint32_t slot) { return answers_.is_unanswered[slot]; });
}

/// Whether a query has more lists than kernels hold at a time, but not too many.
bool Lane::is_huge(std::uint32_t slot) const {
  const std::size_t terms = plans_[slot].terms.size();
  return terms > kMaxLists && terms <= kMaxGpuTerms;
}

/// Whether queries may be in the same part: all of a part have the same scorer and filter, and all
/// or none are huge.
bool Lane::are_alike(std::uint32_t one, std::uint32_t other) const {
  const SearchSettings& a = answers_.settings_of(one);
  const SearchSettings& b = answers_.settings_of(other);
  if (has_huge_ && is_huge(one) != is_huge(other)) return false;
  return a.documents == b.documents && a.scorer == b.scorer;
}

/// Puts those beside each other that may be in the same part.
void Lane::sort_by_kind() {
  has_huge_ = std::ranges::any_of(slots_, [this](std::uint32_t slot) { return is_huge(slot); });
  if (answers_.settings.size() <= 1 && !has_huge_) return;
  std::vector<std::uint32_t> kinds;                // a query of each
  std::vector<std::size_t> number(plans_.size());  // of the query's kind, by slot
  for (const std::uint32_t slot : slots_) {
    const auto found =
        std::ranges::find_if(kinds, [&](std::uint32_t query) { return are_alike(query, slot); });
    number[slot] = static_cast<std::size_t>(found - kinds.begin());
    if (found == kinds.end()) kinds.push_back(slot);
  }
  if (kinds.size() < 2) return;
  std::ranges::stable_sort(slots_, {}, [&](std::uint32_t slot) { return number[slot]; });
}

/// In a batch of few queries, those of AND come first, so that they may be answered first. A query
/// of one list is one of OR.
void Lane::put_and_first() {
  if (answers_.settings.size() <= 1 || slots_.size() > kFewAwaited) return;
  const auto is_and = [this](std::uint32_t slot) {
    return answers_.settings[slot].mode == QueryMode::kAnd && plans_[slot].terms.size() > 1;
  };
  std::partition(slots_.begin(), slots_.end(), is_and);
}

/// The next queries that are left, as many as there should be memory for.
std::span<const std::uint32_t> Lane::next_part() const {
  auto left = std::span<const std::uint32_t>(slots_).subspan(started_);
  if (is_staging()) left = left.first(stage_->queries_of_part(left));
  if ((answers_.settings.size() > 1 || has_huge_) && !left.empty()) {
    const auto end =
        std::ranges::find_if(left, [&](std::uint32_t slot) { return !are_alike(left[0], slot); });
    left = left.first(static_cast<std::size_t>(end - left.begin()));
  }
  return left.first(planner_.queries_of_part(plans_, left, answers_.k, attempt_, memory_.share()));
}

std::span<const std::uint32_t> Lane::early_answers() const {
  return part_.slots.first(std::min({part_.seen, part_.early, part_.slots.size()}));
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

/// Goes on as far as it can without waiting. Returns whether the batch is answered. A part is built
/// while the one before is answered, so that the GPU need not wait for the host. Both use the same
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
    // With the stage on, the next part's lists would overwrite those of the part under way.
    const bool may_follow = !is_staging() && !settings_.ablation.time_stages;
    if (may_follow && following_.slots.empty() && started_ < slots_.size()) start_part(following_);
    if (!has_ended(part_)) return false;
    finish_part(part_);
    std::swap(part_, following_);
  }
  return true;
}

/// Starts over with the queries whose candidates overflowed, with more room, then with all there
/// is; and with those whose thresholds were too high. Returns false if there are none, or if the
/// last attempt has failed.
bool Lane::start_again() {
  if (again_.empty()) return false;
  if (stage_) stage_->end(memory_);
  if (attempt_ == kMaxRetries) {
    for (const std::uint32_t slot : again_) answers_.is_unanswered[slot] = true;
    return false;
  }
  slots_ = std::exchange(again_, {});
  started_ = 0;
  ++attempt_;
  return true;
}

void Lane::end_batch() {
  set_busy(false);
  again_.clear();
  if (cache_ != nullptr) cache_->end(lists_);
  statistics_.cache_hits += lists_.hits;
  statistics_.cache_misses += lists_.uses.size() - lists_.hits;
  const auto unanswered = static_cast<std::uint64_t>(
      std::count(answers_.is_unanswered.begin(), answers_.is_unanswered.end(), true));
  statistics_.unanswered_queries += unanswered;
  statistics_.queries += plans_.size() - unanswered;
}

/// Ends what is under way. Also after a failure.
void Lane::abandon() noexcept {
  set_busy(false);
  launcher_.abandon();
  for (Part* const part : {&part_, &following_}) {
    part->slots = {};
    part->filter = {};
  }
  again_.clear();
  if (stage_) stage_->abandon();
  if (cache_ != nullptr) cache_->end(lists_);
}

}  // namespace warpdex::gpu
