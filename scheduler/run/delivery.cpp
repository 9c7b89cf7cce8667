// Delivers the answers of batches. The GPU's thread delivers a few answers itself, and those that
// come before the end of their batch. Threads of their own deliver many, slice by slice, while the
// GPU's thread goes on.
#include <algorithm>
#include <cstdint>
#include <span>

#include "run/scheduler_state.hpp"

namespace warpdex {
namespace {

/// If delivering a batch takes less than this, in microseconds, no thread is woken for it.
constexpr float kShortDelivery = 30;
/// Jobs of a slice.
constexpr std::size_t kSliceJobs = 32;
/// Each delivery moves the expected time of a job by this part of the way.
constexpr float kLearningRate = 0.1F;

}  // namespace

bool JobScheduler::State::is_soon_delivered(const GpuSlot& slot) const {
  return static_cast<float>(slot.jobs.size() - slot.delivered) *
             delivery_time.load(std::memory_order_relaxed) <
         kShortDelivery;
}

void JobScheduler::State::hand_over(GpuSlot& slot) {
  const std::size_t jobs = slot.jobs.size();
  const std::size_t count = (jobs + kSliceJobs - 1) / kSliceJobs;
  slot.undelivered.store(count, std::memory_order_relaxed);
  {
    const std::lock_guard lock(delivery_mutex);
    for (std::size_t begin = 0; begin < jobs; begin += kSliceJobs) {
      slices.push_back({&slot, begin, std::min(jobs, begin + kSliceJobs)});
    }
  }
  delivery_changed.notify_one();
}

/// Delivers jobs whose answers are there before those of others in their batch: this time so many
/// that the GPU's thread is soon free for other work.
void JobScheduler::State::deliver_early(GpuSlot& slot) {
  const std::span<const std::uint32_t> places = slot.worker->early(slot.number);
  if (places.size() <= slot.delivered) return;
  const float most = std::max(1.F, kShortDelivery / delivery_time.load(std::memory_order_relaxed));
  const std::size_t left = places.size() - slot.delivered;
  const auto jobs = static_cast<std::size_t>(std::min(most, static_cast<float>(left)));
  const Micros begin = now();
  for (const std::uint32_t place : places.subspan(slot.delivered, jobs)) {
    deliver_job(slot, place, gpu_counters());
    slot.jobs[place] = nullptr;
  }
  slot.delivered += jobs;
  learn_delivery(jobs, now() - begin, gpu_counters());
}

/// Learns from the time that delivering some jobs took.
void JobScheduler::State::learn_delivery(std::size_t jobs, Micros took, Counters& mine) noexcept {
  if (jobs == 0) return;
  mine.deliveries.add(nanoseconds(took));
  const auto of_job = static_cast<float>(took / static_cast<double>(jobs));
  const float before = delivery_time.load(std::memory_order_relaxed);
  delivery_time.store(before + kLearningRate * (of_job - before), std::memory_order_relaxed);
}

/// Waits for a slice and takes it. False at the end.
bool JobScheduler::State::take_slice(BatchSlice& slice) {
  bool are_more = false;
  {
    std::unique_lock lock(delivery_mutex);
    delivery_changed.wait(lock, [this] { return delivery_ends || !slices.empty(); });
    if (slices.empty()) return false;
    slice = slices.front();
    slices.pop_front();
    are_more = !slices.empty();
  }
  if (are_more) delivery_changed.notify_one();
  return true;
}

void JobScheduler::State::run_delivery_thread(std::size_t number) {
  deliverer_role.enter();
  BatchSlice slice;
  while (take_slice(slice)) {
    awake_deliverers.fetch_add(1, std::memory_order_relaxed);
    deliver(slice, delivery_counters(number));
    awake_deliverers.fetch_sub(1, std::memory_order_relaxed);
  }
}

void JobScheduler::State::end_delivery() {
  {
    const std::lock_guard lock(delivery_mutex);
    delivery_ends = true;
  }
  delivery_changed.notify_all();
  delivery_threads.clear();
}

/// Frees the batch's slot with its last slice. Returns how long the deliveries took.
Micros JobScheduler::State::deliver(const BatchSlice& slice, Counters& mine) noexcept {
  GpuSlot& slot = *slice.slot;
  const Micros begin = now();
  std::size_t jobs = 0;
  for (std::size_t i = slice.begin; i < slice.end; ++i) {
    if (slot.jobs[i] == nullptr) continue;
    deliver_job(slot, i, mine);
    ++jobs;
  }
  const Micros all = now() - begin;
  learn_delivery(jobs, all, mine);
  if (slot.undelivered.fetch_sub(1, std::memory_order_acq_rel) > 1) return all;
  slot.worker->release(slot.number);
  slot.is_free.store(true, std::memory_order_release);
  return all;
}

void JobScheduler::State::deliver_job(GpuSlot& slot, std::size_t place, Counters& mine) noexcept {
  Job& job = *slot.jobs[place];
  if (job.cancelled.load(std::memory_order_acquire) ==
      job.generation.load(std::memory_order_relaxed)) {
    end(job, JobEnd::kCancelled, mine);
    return;
  }
  try {
    if (slot.worker->deliver(slot.number, place, job)) {
      end(job, JobEnd::kComplete, mine);
    } else {
      mine.moved_to_cpu.add(1);
      back_to_cpu(job);
    }
  } catch (...) {
    job.failure = std::current_exception();
    end(job, JobEnd::kFailed, mine);
  }
}

}  // namespace warpdex
