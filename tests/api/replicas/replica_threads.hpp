// Replicas that are imitated by threads.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
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

/// The replicas of a set: threads that send, as many as replicas, and of each replica one that
/// answers.
class ReplicaThreads {
 public:
  using Clock = std::chrono::steady_clock;

  ReplicaThreads(ReplicaSet& set, const std::vector<std::vector<std::string>>& names,
                 std::uint64_t seed)
      : set_(set) {
    for (const std::vector<std::string>& of_part : names) {
      for (const std::string& name : of_part) {
        Host& host = hosts_[name];
        host.answerer = std::thread([this, &host] { answer(host); });
      }
    }
    set.take(names);
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      senders_.emplace_back([this, own = seed + i] { send(own); });
    }
  }
  /// Ends the set, too.
  ~ReplicaThreads() {
    set_.close();
    for (std::thread& sender : senders_) sender.join();
    for (auto& [name, host] : hosts_) {
      {
        const std::lock_guard lock(host.mutex);
        host.is_over = true;
      }
      host.changed.notify_one();
      host.answerer.join();
    }
  }

  void set(const std::string& name, Kind kind) { hosts_.at(name).kind = kind; }
  /// By part: what an answer begins with.
  static std::string prefix(std::uint32_t part) { return "part" + std::to_string(part) + ":"; }

 private:
  struct Host {
    std::atomic<Kind> kind{Kind::kWell};
    std::mutex mutex;
    std::condition_variable changed;
    std::multimap<Clock::time_point, ReplicaCall> due;
    bool is_over = false;
    std::thread answerer;
  };

  void send(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uint64_t sent = 0;
    while (const std::optional<ReplicaCall> call = set_.next(sent)) {
      sent = call->number;
      Host& host = hosts_.at(call->name);
      const Kind kind = host.kind;
      if (kind == Kind::kSilent) continue;
      if (kind == Kind::kFailing) {
        set_.failed(sent, "gone", false);
        continue;
      }
      if (kind == Kind::kStuck) std::this_thread::sleep_for(std::chrono::milliseconds(300));
      const std::chrono::microseconds takes(random() % (kind == Kind::kSlow ? 60'000 : 2'000));
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
        set_.answered(call.number, prefix(call.part) + *call.bytes);
        lock.lock();
      }
    }
  }

  ReplicaSet& set_;
  std::map<std::string, Host> hosts_;
  std::vector<std::thread> senders_;
};

}  // namespace warpdex::test
