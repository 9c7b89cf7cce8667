// Replicas that are imitated by threads.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "warpdex/parts.hpp"

namespace warpdex::test {

/// What a replica does with messages from now on.
enum class Kind : int {
  kWell,     ///< answers within 2 ms
  kSlow,     ///< within 60
  kSilent,   ///< never answers
  kFailing,  ///< fails at once, or refuses to take a message
  kStuck,    ///< its thread stands still for 0.3 s with each message, as a host that is cut off
};

/// The replicas of a set: of each a thread that sends, and one that answers.
class ReplicaThreads {
 public:
  using Clock = std::chrono::steady_clock;

  ReplicaThreads(ReplicaSet& set, std::vector<std::vector<std::string>> names, std::uint64_t seed)
      : set_(set) {
    for (Replica& replica : set.take(names)) {
      Host& host = *hosts_.emplace_back(std::make_unique<Host>(std::move(replica), ++seed));
      by_name_[host.replica.name()] = &host;
      host.sender = std::thread([this, &host] { send(host); });
      host.answerer = std::thread([this, &host] { answer(host); });
    }
  }
  /// Ends the set, too.
  ~ReplicaThreads() {
    set_.close();
    for (const auto& host : hosts_) host->sender.join();
    for (const auto& host : hosts_) {
      {
        const std::lock_guard lock(host->mutex);
        host->is_over = true;
      }
      host->changed.notify_one();
      host->answerer.join();
    }
  }

  void set(const std::string& name, Kind kind) { by_name_.at(name)->kind = kind; }
  /// By part: what an answer begins with.
  static std::string prefix(std::uint32_t part) { return "part" + std::to_string(part) + ":"; }

 private:
  struct Host {
    Host(Replica of, std::uint64_t seed) : replica(std::move(of)), random(seed) {}
    const Replica replica;
    std::atomic<Kind> kind{Kind::kWell};
    std::mt19937_64 random;  ///< of `sender`
    std::mutex mutex;
    std::condition_variable changed;
    std::multimap<Clock::time_point, ReplicaCall> due;
    bool is_over = false;
    std::thread sender;
    std::thread answerer;
  };

  void send(Host& host) {
    while (const std::optional<ReplicaCall> call = host.replica.next()) {
      const Kind kind = host.kind;
      if (kind == Kind::kSilent) continue;
      if (kind == Kind::kFailing) {
        set_.failed(call->number, "gone", false);
        continue;
      }
      if (kind == Kind::kStuck) std::this_thread::sleep_for(std::chrono::milliseconds(300));
      const std::chrono::microseconds takes(host.random() % (kind == Kind::kSlow ? 60'000 : 2'000));
      {
        const std::lock_guard lock(host.mutex);
        host.due.emplace(Clock::now() + takes, *call);
      }
      host.changed.notify_one();
    }
  }
  void answer(Host& host) {
    std::unique_lock lock(host.mutex);
    while (!host.is_over) {
      if (host.due.empty()) {
        host.changed.wait(lock);
      } else if (const auto next = host.due.begin()->first; next > Clock::now()) {
        host.changed.wait_until(lock, next);
      } else {
        const ReplicaCall call = host.due.extract(host.due.begin()).mapped();
        lock.unlock();
        set_.answered(call.number, prefix(host.replica.part()) + *call.bytes);
        lock.lock();
      }
    }
  }

  ReplicaSet& set_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::map<std::string, Host*> by_name_;
};

}  // namespace warpdex::test
