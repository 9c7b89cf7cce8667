// What the simulator knows of the host beside its CPU threads: their queue, which one uses at a
// time, the GPU's thread, which builds batches one after the other, threads that deliver answers,
// and processors for all. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "warpdex/scheduler/simulator.hpp"

namespace warpdex {

class SimulatedHost {
 public:
  explicit SimulatedHost(const SimulatedHostSettings& settings)
      : settings_(settings), deliverers_(std::max<std::size_t>(1, settings.deliverers), 0) {}

  /// When the GPU's thread has time for the next batch, or for one that is done.
  Micros free_at() const { return free_at_; }

  /// A job is put into the CPU's queue and taken from it, where one thread does that at a time. The
  /// GPU's thread is the only one at its own queue: start() has that.
  void use_cpu_queue(Micros now) {
    cpu_queue_free_at_ = std::max(now, cpu_queue_free_at_) + settings_.cpu_queue;
  }
  /// When a job that is to be taken now is.
  Micros taken_at(Micros now) const { return std::max(now, cpu_queue_free_at_); }

  /// When a batch that is taken now has been started.
  Micros start(Micros now, std::size_t jobs) {
    free_at_ = std::max(now, free_at_) + settings_.start * static_cast<double>(jobs);
    builds_until_ = free_at_;
    return free_at_;
  }

  /// When the answer at each place of a batch that is done now has been delivered.
  void end(Micros now, std::size_t jobs, std::vector<Micros>& ends) {
    free_at_ = std::max(now, free_at_) + settings_.end * static_cast<double>(jobs);
    deliver(free_at_, jobs, ends);
  }

  /// What a CPU thread takes beside a search.
  Micros run() const { return settings_.run; }

  /// How many times as long a run on the CPU takes while so many run and batches are under way: CPU
  /// threads leave processors to all others.
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
  std::vector<Micros> deliverers_;  ///< when each has time
};

}  // namespace warpdex
