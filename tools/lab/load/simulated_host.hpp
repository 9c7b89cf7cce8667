// The simulated host: the CPU's queue, which one thread uses at a time; the GPU's thread, which
// builds batches one after the other; threads that deliver answers; and processors for all.
// Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "load/simulator.hpp"

namespace warpdex::tools {

class SimulatedHost {
 public:
  explicit SimulatedHost(const SimulatedHostSettings& settings)
      : settings_(settings), deliverers_(std::max<std::size_t>(1, settings.deliverers), 0) {}

  /// When the GPU's thread has time to start the next batch or to end one.
  Micros free_at() const { return free_at_; }

  /// A job is put into the CPU's queue and taken from it, which one thread does at a time. Only the
  /// GPU's thread uses the GPU's queue; start() includes that time.
  void use_cpu_queue(Micros now) {
    cpu_queue_free_at_ = std::max(now, cpu_queue_free_at_) + settings_.cpu_queue;
  }
  /// When a thread that wants a job now gets it from the CPU's queue.
  Micros taken_at(Micros now) const { return std::max(now, cpu_queue_free_at_); }

  /// Builds and starts a batch from now on. Returns when it has been started.
  Micros start(Micros now, std::size_t jobs) {
    free_at_ = std::max(now, free_at_) + settings_.start * static_cast<double>(jobs);
    builds_until_ = free_at_;
    return free_at_;
  }

  /// Ends a batch that is done now. `ends` gets, by place, when each answer has been delivered.
  void end(Micros now, std::size_t jobs, std::vector<Micros>& ends) {
    free_at_ = std::max(now, free_at_) + settings_.end * static_cast<double>(jobs);
    deliver(free_at_, jobs, ends);
  }

  /// The time that a CPU thread takes for a job beside its search.
  Micros run() const { return settings_.run; }

  /// The factor by which runs on the CPU are slower, while `running` of them and `batches` batches
  /// are under way. CPU threads get only the processors that all others leave.
  double slowdown(Micros now, std::size_t running, std::size_t batches) const {
    std::size_t others = settings_.callers + (batches > 0 ? 1 : 0);
    if (now < builds_until_) others += settings_.builders - 1;
    for (const Micros until : deliverers_) others += now < until ? 1 : 0;
    const std::size_t left = settings_.processors - std::min(settings_.processors - 1, others);
    return std::max(1.0, static_cast<double>(running) / static_cast<double>(left));
  }

 private:
  static constexpr std::size_t kPieceJobs = 32;

  void deliver(Micros now, std::size_t jobs, std::vector<Micros>& ends) {
    ends.clear();
    for (std::size_t first = 0; first < jobs; first += kPieceJobs) {
      Micros& thread = *std::min_element(deliverers_.begin(), deliverers_.end());
      thread = std::max(now, thread);
      for (std::size_t i = first; i < std::min(jobs, first + kPieceJobs); ++i) {
        thread += settings_.deliver;
        ends.push_back(thread);
      }
    }
  }

  const SimulatedHostSettings settings_;
  Micros cpu_queue_free_at_ = 0;
  Micros free_at_ = 0;
  Micros builds_until_ = 0;
  std::vector<Micros> deliverers_;  ///< when each thread has time
};

}  // namespace warpdex::tools
