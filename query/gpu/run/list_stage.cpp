// Reserves room for staged lists, copies them, and gives their addresses to the batch builder.
#include "gpu/run/list_stage.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "gpu/lists/list_copy.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::size_t kStageAlignment = 256;
/// Each of the two halves is this share of a lane's scratch memory.
constexpr std::size_t kStageShares = 4;
/// With fewer queries, lists are read in place: the batch would wait for the first part's.
constexpr std::size_t kMinQueries = 65;

/// Batches that would need more parts read lists in place.
constexpr std::size_t kMaxParts = 64;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kStageAlignment - 1) / kStageAlignment * kStageAlignment;
}

/// Whether a search reads all blocks of its lists. A search that skips most blocks is faster if it
/// reads the rest over the bus than if the lists are copied.
bool reads_all(const SearchSettings& settings, const GpuAblation& ablation) {
  if (ablation.exhaustive) return true;
  return settings.mode == QueryMode::kOr && settings.count;
}

}  // namespace

ListStage::ListStage(const GpuIndex::State& placed, const Removals& removed)
    : PlacedIndex(placed.index),
      placed_(placed),
      stream_(placed.device),
      arrived_(placed.device, EventUse::kOrder) {
  tables = placed.tables;
  first_document = placed.first_document;
  longest_document = placed.longest_document;
  largest_static = placed.largest_static;
  removals = removed;
  fewest_raw = placed.fewest_raw;
  has_all_lists = placed.cache == nullptr;
}

ListStage::~ListStage() { cudaStreamSynchronize(stream_.handle()); }

void ListStage::place(const PostingsEntry& entry, ListSource& list) const {
  placed_.place(entry, list);
  if (staged_.empty()) return;
  const auto found = staged_.find(entry.first_block);
  if (found == staged_.end()) return;
  list.docids = found->second.docids;
  list.frequencies = found->second.frequencies;
}

void ListStage::begin(SegmentPlans plans, std::span<std::uint32_t> slots,
                      const LaneAnswers& answers, const GpuAblation& ablation,
                      const BatchPlanner& planner, BatchMemory& memory) {
  clear();
  if (placed_.cache == nullptr) return;
  const bool all_read_all = std::ranges::all_of(
      slots, [&](std::uint32_t slot) { return reads_all(answers.settings_of(slot), ablation); });
  if (slots.size() < kMinQueries || !all_read_all) return end(memory);
  const std::size_t room =
      placed_.scratch_share() / kStageShares / kStageAlignment * kStageAlignment;
  const auto bytes_of = [&](const PostingsEntry& list) -> std::size_t {
    const bool can_be_read = placed_.host_lists->find(list).docids != nullptr;
    return can_be_read && !placed_.cache->is_resident(list) ? aligned(copied_bytes(list)) : 0;
  };
  plan_ = StagePlan(plans, slots, room, bytes_of);
  if (plan_.bytes() > kMaxParts * room) plan_ = {};
  if (is_on() && half_bytes_ != room) {
    memory_.reset();
    half_bytes_ = room;
  }
  if (is_on() && take_room(plans, slots, answers.k, planner, memory)) return;
  end(memory);
}

/// Reserves both halves, of half_bytes_ each, if that leaves enough memory.
bool ListStage::take_room(SegmentPlans plans, std::span<const std::uint32_t> slots, std::uint32_t k,
                          const BatchPlanner& planner, BatchMemory& memory) {
  const std::size_t share = memory.share_beside(2 * half_bytes_);
  if (!planner.has_room_for_each(plans, slots, k, share)) return false;
  memory.reserve(2 * half_bytes_);
  if (memory_.size() != 0) return true;
  return memory_.allocate(2 * half_bytes_, *placed_.budget, placed_.device);
}

std::uint64_t ListStage::stage(std::span<const std::uint32_t> part) {
  staged_.clear();
  half_ = 1 - half_;
  const CurrentDevice current(placed_.device);
  auto* const begin = static_cast<std::uint8_t*>(memory_.data()) + half_ * half_bytes_;
  std::uint8_t* to = begin;
  for (const PostingsEntry* list : plan_.lists_of(part)) {
    queue_copy(*placed_.host_lists, *list, to, stream_);
    staged_[list->first_block] = copied_at(to, *list);
    to += aligned(copied_bytes(*list));
  }
  arrived_.record(stream_);
  return static_cast<std::uint64_t>(to - begin);
}

void ListStage::make_wait(const Stream& stream) const {
  if (!staged_.empty()) arrived_.make_wait(stream);
}

void ListStage::end(BatchMemory& memory) {
  clear();
  memory_.reset();
  memory.reserve(0);
}

void ListStage::abandon() noexcept {
  cudaStreamSynchronize(stream_.handle());
  clear();
}

void ListStage::clear() {
  plan_ = {};
  staged_.clear();
}

}  // namespace warpdex::gpu
