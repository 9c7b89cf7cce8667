// Which replica is asked when: choice, hedges, second tries, rests and deadlines. It knows no clock
// and no thread: each call is told the time, and one is made at a time. Internal.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replicas/latencies.hpp"
#include "warpdex/parts.hpp"

namespace warpdex::replicas {

using Time = std::chrono::steady_clock::time_point;

/// `seconds` behind `time`.
inline Time after(Time time, double seconds) {
  return time + std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(seconds));
}

/// One replica of a part.
struct Copy {
  std::uint32_t part = 0;
  std::string name{};
  std::deque<std::uint64_t> to_send{};  ///< calls
  bool is_sent_to = false;              ///< a thread is sending it one
  std::uint32_t under_way = 0;          ///< messages that it has not answered
  std::uint32_t failures = 0;           ///< since its last answer
  Time rests_until{};
  std::uint64_t last_asked = 0;
};

/// A message to a part, which goes to one replica, and to others where that one is slow or fails.
struct Race {
  std::uint32_t part = 0;
  std::shared_ptr<const std::string> bytes{};
  Time deadline{};
  bool is_over = false;
  ReplicaReply reply{};
  Time wake{};  ///< when advance() is due

  std::vector<std::shared_ptr<Copy>> tried{};  ///< but for those that may be asked again
  std::vector<std::uint64_t> running{};        ///< calls
  std::uint32_t lacking = 0;                   ///< of `tried`, those that lack the version
  std::vector<std::string> reasons{};
  std::optional<Time> hedge_at{};   ///< within the budget of hedges
  std::optional<Time> half_time{};  ///< when another one is asked whatever the budget
  std::optional<Time> retry_at{};   ///< where all were tried: when those that failed are again
  double pause = 0;
};

class Clockwork {
 public:
  Clockwork(std::size_t parts, const ReplicaSettings& settings,
            std::shared_ptr<ReplicaCounters> counters);

  std::size_t parts() const { return parts_.size(); }
  const std::vector<std::shared_ptr<Copy>>& copies(std::size_t part) const {
    return parts_[part].copies;
  }
  /// As ReplicaSet::take().
  void take(const std::vector<std::vector<std::string>>& names);

  std::shared_ptr<Race> begin(std::uint32_t part, std::string bytes, Time deadline, Time now);
  /// Does what is due at this time. Afterwards `wake` says when to call it again.
  void advance(const std::shared_ptr<Race>& race, Time now);
  bool has_to_send() const { return !ready_.empty(); }
  /// The next call to send; calls that nobody waits for are left out. Its replica gets no other one
  /// before sent().
  std::optional<ReplicaCall> next();
  void sent(std::uint64_t call);
  /// Both return the race that goes on or is over by this; null: nobody waits for it any more.
  std::shared_ptr<Race> answered(std::uint64_t call, std::string bytes, Time now);
  std::shared_ptr<Race> failed(std::uint64_t call, const std::string& why, bool lacks_version,
                               Time now);

 private:
  struct Part {
    std::vector<std::shared_ptr<Copy>> copies{};
    std::shared_ptr<Copy> last{};  ///< the one that was asked last
    std::uint32_t turns = 0;       ///< for which it is still preferred
    /// Of messages that are about as long as each other: a batch takes longer than a query.
    std::map<int, Latencies> latencies{};
  };
  /// A message to one replica. It goes on when nobody waits for it.
  struct Call {
    std::shared_ptr<Race> race{};
    std::shared_ptr<Copy> copy{};
    Time begin{};
    bool is_hedge = false;
  };

  Latencies& latencies_of(const Race& race);
  std::shared_ptr<Copy> choose(const Race& race, Time now);
  bool start(const std::shared_ptr<Race>& race, Time now, bool is_hedge = false);
  void hedge(const std::shared_ptr<Race>& race, Time now, bool is_counted);
  bool take_hedge();
  void retry(const std::shared_ptr<Race>& race, Time now);
  void end_without_answer(Race& race);
  /// Calls that nobody answered for too long fail.
  void give_up(Time now);
  void set_wake(Race& race) const;
  Call end_call(std::map<std::uint64_t, Call>::iterator place);

  const ReplicaSettings settings_;
  const std::shared_ptr<ReplicaCounters> counters_;
  std::vector<Part> parts_;
  std::map<std::uint64_t, Call> calls_;      ///< by their numbers, so the oldest first
  std::deque<std::shared_ptr<Copy>> ready_;  ///< with calls to send, which no thread sends to
  std::map<std::uint64_t, std::shared_ptr<Copy>> sending_;  ///< by calls
  std::uint64_t next_call_ = 1;
  std::uint64_t turn_ = 0;
  double budget_ = 3;  ///< of hedges
};

}  // namespace warpdex::replicas
