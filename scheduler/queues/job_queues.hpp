// The queues: which processor a job runs on, and which job is next. They start no thread and read
// no clock, so that the scheduler and the laboratory's simulator decide by the same code. (Ding et
// al., section 9.) Internal.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "queues/client_shares.hpp"
#include "queues/job_heap.hpp"
#include "queues/lane_choice.hpp"
#include "queues/work_count.hpp"
#include "warpdex/scheduler/job.hpp"
#include "warpdex/scheduler/placement.hpp"

namespace warpdex {

/// What the queues count of a batch that is under way.
struct BatchClaim {
  double work = 0;  ///< predicted microseconds
  bool is_huge = false;
};

/// Each client has a heap in each lane. Of the clients that have jobs in a lane, the one with the
/// least work done from this lane for its weight is served next, and of its jobs the one on top.
/// Lanes are counted apart: a client whose jobs are large and in one lane must not wait for a
/// client whose jobs are small and in another. O(clients + log jobs) for each job.
///
/// For several threads. The CPU's lock protects the heaps of the CPU's lane. The GPU's lock
/// protects those of the GPU's lanes and the counts of batches under way. Callers hold the locks;
/// the functions are grouped by those that they need. Loads are counted atomically, so that place()
/// and waits() need no lock.
class JobQueues {
 public:
  JobQueues(const PlacementSettings& settings, std::size_t cpu_threads, bool has_gpu);

  // Without a lock.

  /// Chooses a lane by the load, for a job whose cost, arrival and deadline are set. The job counts
  /// in that lane from now on. put() or forget() must follow.
  Lane place(Job& job, Micros now);
  void forget(Job& job);
  /// A job that a CPU thread took has run. `work` is its predicted cost there.
  void cpu_done(float work) { cpu_running_.remove(work); }
  /// A job that was taken has not run: its client is no longer charged for it. Before the job's
  /// cost or place changes.
  void take_back(const Job& job);
  /// Whether a job that arrives now is predicted to meet its deadline.
  bool can_meet_deadline(const Job& job, Micros now) const;
  Waits waits(Micros now) const;
  /// Jobs that were placed and not yet taken.
  std::size_t size(Lane lane) const { return lane_of(lane).load.jobs(); }
  std::size_t size() const;
  /// The predicted time of all jobs that are placed in the CPU's lane.
  Micros queued_cpu_work() const { return lane_of(Lane::kCpu).load.work(); }
  /// Sets how many CPU threads take jobs from now on; 1 or more.
  void use_cpu_threads(std::size_t threads) {
    cpu_threads_.store(static_cast<double>(threads), std::memory_order_relaxed);
  }
  bool has_gpu() const { return has_gpu_.load(std::memory_order_relaxed); }
  /// From now on, place() sends all jobs to the CPU.
  void give_up_gpu() { has_gpu_.store(false, std::memory_order_relaxed); }

  // With the lock of the job's processor.

  void put(Job& job);
  /// Removes a job that is queued, without running it. O(log jobs) amortised.
  void remove(Job& job);

  // With the CPU's lock.

  /// Takes the next job for a CPU thread; null if there is none. It counts as running until
  /// cpu_done().
  Job* take_for_cpu();
  /// Jobs that take_for_cpu() can take.
  std::size_t for_cpu() const { return lane_of(Lane::kCpu).queued; }

  // With the GPU's lock.

  /// Takes a job of the GPU's queue for a CPU thread; null if none should run on the CPU. It counts
  /// as running until cpu_done().
  Job* steal_for_cpu(Micros now);
  /// Fills `batch` with the next batch for the GPU, all of one class of work; leaves it empty if
  /// none should start now. The batch counts as under way until batch_done().
  BatchClaim take_batch(Micros now, std::vector<Job*>& batch);
  void batch_done(const BatchClaim& claim, Micros now);
  /// When take_batch() would give a batch of the jobs that are queued now. 0: at once; kNever:
  /// another batch must be done first, or there are no jobs.
  Micros next_batch_time() const;
  std::size_t for_gpu() const { return lane_of(Lane::kGpu).queued + lane_of(Lane::kHuge).queued; }

  // With both locks.

  /// Places all queued jobs again, by the load as it is now.
  void place_again(Micros now);
  /// Removes all queued jobs and returns them.
  std::vector<Job*> take_all();

  /// place() and put(), for a program of one thread.
  void push(Job& job, Micros now) {
    place(job, now);
    put(job);
  }

 private:
  struct LaneState {
    explicit LaneState(const std::vector<double>& weights)
        : clients(weights), heaps(weights.size()) {}

    ClientShares clients;
    /// The jobs that were placed and not taken, and their work on the lane's processor. Callers
    /// write it.
    alignas(64) WorkCount load;
    alignas(64) std::vector<JobHeap> heaps;  ///< by client
    std::size_t queued = 0;                  ///< jobs in these heaps
    std::uint64_t last_number = 0;
  };

  LaneState& lane_of(Lane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  const LaneState& lane_of(Lane lane) const { return lanes_[static_cast<std::size_t>(lane)]; }
  static float work_in(Lane lane, const Job& job);
  Lane choose_lane(const Job& job, Micros now) const;
  std::size_t next_client(Lane lane) const;
  Job* top_of(Lane lane);  // at the first place of its heap
  void take(Job& job, std::size_t place);
  void serve(Job& job);
  void run_on_cpu(Job& job, std::size_t place);
  Micros next_usual_batch_time() const;
  bool may_join(const Job& job, const std::vector<Job*>& batch, double work) const;
  void fill_batch(std::vector<Job*>& batch);
  void fill_batch_from(JobHeap& heap, std::vector<Job*>& batch);

  const PlacementSettings settings_;
  std::atomic<double> cpu_threads_;
  std::atomic<bool> has_gpu_;
  std::array<LaneState, kLanes> lanes_;
  alignas(64) WorkCount cpu_running_;
  /// When the batches under way are predicted to be done.
  alignas(64) std::atomic<Micros> gpu_free_at_ = 0;
  double gpu_work_under_way_ = 0;
  std::size_t batches_under_way_ = 0;
  std::size_t huge_under_way_ = 0;
};

/// Sums up the predicted time of a batch. A small batch takes no longer than its jobs one by one.
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

/// Batches of a loaded GPU overlap. So for a batch that runs beside others, the time from the end
/// of the one before to its own is usually this part of the time that it would take alone.
inline constexpr float kPartBesideOthers = 0.55F;

}  // namespace warpdex
