// Replicas that are imitated, on a clock that jumps to the next thing that happens.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "replicas/clockwork.hpp"

namespace warpdex::test {

using Names = std::vector<std::string>;
inline constexpr double kNever = 1e6;  // seconds

/// How an imitated replica behaves.
struct Behaviour {
  double seconds = 0.01;
  bool fails = false;
  bool lacks_version = false;
  std::uint64_t calls = 0;
};

class Simulation {
 public:
  /// `names`: the replicas of each part.
  explicit Simulation(std::vector<Names> names, ReplicaSettings settings = {})
      : clockwork_(names.size(), settings, counters_), names_(std::move(names)) {
    clockwork_.take(names_);
  }

  Behaviour& operator[](const std::string& name) { return behaviours_[name]; }
  ReplicaCounters& counters() { return *counters_; }
  replicas::Copy& copy(std::size_t part, std::size_t number) {
    return *clockwork_.copies(part)[number];
  }
  double now() const { return std::chrono::duration<double>(now_.time_since_epoch()).count(); }

  void add(std::size_t part, const std::string& name) {
    names_[part].push_back(name);
    clockwork_.take(names_);
  }
  /// Calls it so many seconds from now.
  void later(double seconds, std::function<void()> action) {
    events_.emplace(replicas::after(now_, seconds), std::move(action));
  }

  std::shared_ptr<replicas::Race> begin(std::uint32_t part, double seconds = 1,
                                        const std::string& bytes = "x") {
    races_.push_back(clockwork_.begin(part, bytes, replicas::after(now_, seconds), now_));
    send();
    return races_.back();
  }
  /// Until all messages have their replies.
  void finish() {
    while (is_open()) step(replicas::Time::max());
    races_.clear();
  }
  void pass(double seconds) {
    const replicas::Time end = replicas::after(now_, seconds);
    while (step(end)) {
    }
    now_ = end;
  }
  /// One message, its reply, and how long that took.
  std::pair<ReplicaReply, double> ask(std::uint32_t part = 0, double seconds = 1) {
    const double start = now();
    const std::shared_ptr<replicas::Race> race = begin(part, seconds);
    finish();
    return {race->reply, now() - start};
  }
  std::uint32_t under_way() const {
    std::uint32_t sum = 0;
    for (std::size_t part = 0; part < clockwork_.parts(); ++part) {
      for (const auto& copy : clockwork_.copies(part)) sum += copy->under_way;
    }
    return sum;
  }

 private:
  bool is_open() const {
    return std::ranges::any_of(races_, [](const auto& race) { return !race->is_over; });
  }

  /// The next thing that happens, no later than `end`; false: there is none.
  bool step(replicas::Time end) {
    replicas::Time next = events_.empty() ? replicas::Time::max() : events_.begin()->first;
    for (const auto& race : races_) {
      if (!race->is_over) next = std::min(next, race->wake);
    }
    if (next > end || next == replicas::Time::max()) return false;
    now_ = std::max(now_, next);
    while (!events_.empty() && events_.begin()->first <= now_) {
      const auto event = events_.extract(events_.begin());
      event.mapped()();
    }
    for (const auto& race : races_) {
      if (!race->is_over && race->wake <= now_) clockwork_.advance(race, now_);
    }
    send();
    return true;
  }

  void send() {
    while (const auto call = clockwork_.next()) {
      clockwork_.sent(call->number);
      answer(*call);
    }
  }
  void answer(const ReplicaCall& call) {
    Behaviour& how = behaviours_[call.name];
    ++how.calls;
    if (how.seconds >= kNever) return;
    later(how.seconds, [this, call, how] {
      if (how.fails || how.lacks_version) {
        clockwork_.failed(call.number, "gone", how.lacks_version, now_);
      } else {
        clockwork_.answered(call.number, call.name + ":" + *call.bytes, now_);
      }
    });
  }

  std::shared_ptr<ReplicaCounters> counters_ = std::make_shared<ReplicaCounters>();
  replicas::Clockwork clockwork_;
  std::vector<Names> names_;
  replicas::Time now_{};
  std::map<std::string, Behaviour> behaviours_;
  std::multimap<replicas::Time, std::function<void()>> events_;
  std::vector<std::shared_ptr<replicas::Race>> races_;
};

}  // namespace warpdex::test
