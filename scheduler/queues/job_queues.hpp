// The queues: what runs where, and next. Starts no thread and reads no clock, so that the scheduler
// and the simulator decide by the same code. (Ding et al., section on scheduling.) Internal.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "queues/client_shares.hpp"
#include "queues/job_heap.hpp"
#include "queues/work_count.hpp"
#include "warpdex/scheduler/job.hpp"
#include "warpdex/scheduler/placement.hpp"

namespace warpdex {

/// Predicted times on the CPU are off by more than those on the GPU, where long lists cost little.
/// The CPU must be predicted to be faster by this factor.
inline constexpr double kCaution = 1.2;

/// The queues that a job can be in.
enum class Lane : std::uint8_t {
  kGpu,   ///< prefers the GPU
  kCpu,   ///< prefers the CPU
  kHuge,  ///< for the GPU, alone in its batch
};
inline constexpr std::size_t kLanes = 3;

/// Predicted time that a job which comes now waits until it starts.
struct Waits {
  Micros cpu = 0;
  Micros gpu = 0;
};

/// A batch that was taken, as the queues count it.
struct BatchClaim {
  double work = 0;  ///< predicted
  bool is_huge = false;
};

/// One per client and lane: a heap. Of the clients that have jobs in a lane, the one that has had
/// the smallest share by its weight so far is served next; of its jobs, the one on top. O(clients +
/// log jobs) for each job.
///
/// For several threads: whoever uses the heap of the CPU's lane holds the CPU's lock, and whoever
/// uses those of the GPU's lanes, or what is under way there, holds the GPU's. Each function says
/// which it needs. Loads are counted atomically, so that place() and waits() need neither.
class JobQueues {
 public:
  JobQueues(const PlacementSettings& settings, std::size_t cpu_threads, bool has_gpu);

  // Without a lock.

  /// Chooses the lane that suits the load, for a job whose cost, arrival and deadline are set. The
  /// job counts there from now on; put() or forget() follows.
  Lane place(Job& job, Micros now);
  void forget(Job& job);
  /// A job that a CPU thread took has run, with the cost that it was predicted to have there.
  void cpu_done(float work) { cpu_running_.remove(work); }
  Waits waits(Micros now) const;
  /// Jobs that were placed and not taken.
  std::size_t size(Lane lane) const { return lane_of(lane).load.jobs(); }
  std::size_t size() const;
  /// What those that a CPU thread takes without stealing are predicted to take.
  Micros queued_cpu_work() const { return lane_of(Lane::kCpu).load.work(); }
  /// CPU threads that take jobs from now on, 1 or more.
  void use_cpu_threads(std::size_t threads) {
    cpu_threads_.store(static_cast<double>(threads), std::memory_order_relaxed);
  }
  bool has_gpu() const { return has_gpu_.load(std::memory_order_relaxed); }
  /// All that comes from now on goes to the CPU.
  void give_up_gpu() { has_gpu_.store(false, std::memory_order_relaxed); }

  // With the lock of the job's processor.

  void put(Job& job);
  /// Takes a job that is queued out.
  void remove(Job& job);

  // With the CPU's lock.

  /// The next job for a CPU thread; null if there is none. Counts as running until cpu_done().
  Job* take_for_cpu();
  /// Jobs that take_for_cpu() gives.
  std::size_t for_cpu() const { return lane_of(Lane::kCpu).queued; }

  // With the GPU's lock.

  /// The same from the GPU's queue; null if none should run on the CPU.
  Job* steal_for_cpu(Micros now);
  /// Fills `batch` with the next batch for the GPU, all of one class of work; leaves it empty if
  /// none should start now. Counts as under way until batch_done(). If it may steal from the CPU's
  /// queue, it needs both locks.
  BatchClaim take_batch(Micros now, std::vector<Job*>& batch, bool may_steal);
  void batch_done(const BatchClaim& claim, Micros now);
  /// When take_batch() gives a batch of the jobs that are here, if it does not steal: 0 for at
  /// once, kNever if another batch must be done first, or there are none.
  Micros next_batch_time() const;
  std::size_t for_gpu() const { return lane_of(Lane::kGpu).queued + lane_of(Lane::kHuge).queued; }

  // With both locks.

  /// Sends all that is queued to the lanes that suit the load now.
  void place_again(Micros now);
  /// All jobs that are queued, taken out.
  std::vector<Job*> take_all();

  /// For one thread alone.
  void push(Job& job, Micros now) {
    place(job, now);
    put(job);
  }

 private:
  struct LaneState {
    /// Of the jobs that were placed and not taken, on the lane's processor. Callers write it.
    alignas(64) WorkCount load;
    alignas(64) std::vector<JobHeap> heaps;  ///< by client
    std::size_t queued = 0;                  ///< jobs in these
    std::uint64_t last_number = 0;
  };

  LaneState& lane_of(Lane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  const LaneState& lane_of(Lane lane) const { return lanes_[static_cast<std::size_t>(lane)]; }
  static float work_in(Lane lane, const Job& job);
  double gpu_cost_now(const Job& job) const;
  double cpu_cost_now(const Job& job) const;
  float cpu_load() const;
  Lane choose_lane(const Job& job, Micros now) const;
  bool prefers_gpu(const Job& job) const;
  std::size_t next_client(Lane lane) const;
  Job* top_of(Lane lane);
  void take(Job& job);
  void serve(Job& job);
  void run_on_cpu(Job& job);
  void steal_from_cpu(Micros now, std::vector<Job*>& batch);
  Micros next_usual_batch_time() const;
  bool may_join(const Job& job, const std::vector<Job*>& batch, double work) const;
  void fill_batch(std::vector<Job*>& batch);
  void fill_batch_from(JobHeap& heap, std::vector<Job*>& batch);

  const PlacementSettings settings_;
  std::atomic<double> cpu_threads_;
  std::atomic<bool> has_gpu_;
  ClientShares clients_;
  std::array<LaneState, kLanes> lanes_;
  alignas(64) WorkCount cpu_running_;
  /// When what is under way is predicted to be done.
  alignas(64) std::atomic<Micros> gpu_free_at_ = 0;
  double gpu_work_under_way_ = 0;
  std::size_t batches_under_way_ = 0;
  std::size_t huge_under_way_ = 0;
};

/// What the jobs of a batch add up to. Small batches take no longer than their jobs one by one.
class BatchCost {
 public:
  void add(const JobCost& cost) {
    ++jobs_;
    alone_ += static_cast<double>(cost.gpu_alone);
    base_ = std::max(base_, static_cast<double>(cost.gpu_base));
    shares_ += static_cast<double>(cost.gpu_share);
  }
  Micros time() const { return jobs_ == 1 ? alone_ : std::min(alone_, base_ + shares_); }

 private:
  std::size_t jobs_ = 0;
  double alone_ = 0;
  double base_ = 0;
  double shares_ = 0;
};

/// The predicted time of a batch.
double batch_work(const std::vector<Job*>& batch);

/// What a batch that runs beside others takes from the end of the one before on, as a part of what
/// it would take alone: as a rule, since batches of a loaded GPU overlap.
inline constexpr float kPartBesideOthers = 0.55F;

/// Whether a job that comes now is predicted to meet its deadline on the processor that is done
/// with it first.
bool can_meet_deadline(const Job& job, const Waits& waits, bool has_gpu, Micros now);

}  // namespace warpdex
