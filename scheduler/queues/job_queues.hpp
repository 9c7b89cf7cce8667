// The queues: what runs where, and next. Knows neither threads nor clocks, so that the scheduler
// and the simulator decide by the same code. (Ding et al., section on scheduling.) Internal.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "queues/job_heap.hpp"
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
/// log jobs) for each job. Not for several threads at once.
class JobQueues {
 public:
  JobQueues(const PlacementSettings& settings, std::size_t cpu_threads, bool has_gpu);

  /// Adds a job whose cost, arrival and deadline are set, to the lane that suits the load.
  void push(Job& job, Micros now);
  /// The next job for a CPU thread; null if there is none that should run on the CPU. Counts as
  /// running until cpu_done(), with the cost that it was predicted to have there.
  Job* take_for_cpu(Micros now);
  void cpu_done(float work);
  /// Fills `batch` with the next batch for the GPU, all of one class of work; leaves it empty if
  /// none should start now. Counts as under way until batch_done().
  BatchClaim take_batch(Micros now, std::vector<Job*>& batch);
  void batch_done(const BatchClaim& claim, Micros now);
  /// When take_batch() gives a batch of the jobs that are here, if it does not steal: 0 for at
  /// once, kNever if another batch must be done first, or there are none.
  Micros next_batch_time() const;

  /// Takes a job that is queued out.
  void remove(Job& job);
  /// Sends all that is queued to the CPU, and all that comes.
  void give_up_gpu(Micros now);
  /// All jobs that are queued, taken out.
  std::vector<Job*> take_all();

  Waits waits(Micros now) const;
  std::size_t size(Lane lane) const { return lanes_[index(lane)].jobs; }
  std::size_t size() const;
  /// Jobs that a CPU thread takes without stealing.
  std::size_t for_cpu() const { return size(Lane::kCpu); }
  /// What those are predicted to take.
  Micros queued_cpu_work() const { return lanes_[index(Lane::kCpu)].work; }
  std::size_t for_gpu() const { return size(Lane::kGpu) + size(Lane::kHuge); }
  bool has_gpu() const { return has_gpu_; }

 private:
  struct ClientState {
    double weight = 1;
    double pass = 0;  ///< work done by weight
    std::size_t jobs = 0;
  };
  struct LaneState {
    std::vector<JobHeap> heaps;  ///< by client
    std::size_t jobs = 0;
    double work = 0;  ///< predicted, on the lane's processor
  };

  static constexpr std::size_t index(Lane lane) { return static_cast<std::size_t>(lane); }
  static double work_in(Lane lane, const Job& job);
  double gpu_cost_now(const Job& job) const;
  double cpu_cost_now(const Job& job) const;
  float cpu_load() const;
  Lane choose_lane(const Job& job, Micros now) const;
  bool prefers_gpu(const Job& job) const;
  void put(Job& job, Lane lane);
  Job* top_of(Lane lane) const;
  void take(Job& job);
  void serve(Job& job);
  Job* steal_from_gpu(Micros now);
  void steal_from_cpu(Micros now, std::vector<Job*>& batch);
  Micros next_usual_batch_time() const;
  void fill_batch(std::vector<Job*>& batch);

  const PlacementSettings settings_;
  const double cpu_threads_;
  bool has_gpu_;
  std::vector<ClientState> clients_;
  std::array<LaneState, kLanes> lanes_;
  double virtual_time_ = 0;  ///< pass of the client that was served last
  std::uint64_t last_number_ = 0;
  double cpu_running_work_ = 0;
  std::size_t cpu_running_ = 0;
  double gpu_work_under_way_ = 0;
  Micros gpu_free_at_ = 0;  ///< when what is under way is predicted to be done
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
