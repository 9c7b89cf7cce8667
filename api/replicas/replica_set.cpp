// The clockwork by the machine's clock, for any number of threads.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <span>
#include <utility>

#include "replicas/clockwork.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/parts.hpp"
#include "warpdex/query/shards/messages.hpp"

namespace warpdex {
namespace replicas {
namespace {

Time now() { return std::chrono::steady_clock::now(); }

/// A thread that has not sent a message within this time may stand still: another one takes over.
constexpr double kSendTime = 0.002;

thread_local SearchTime* search_time = nullptr;

}  // namespace

/// The messages of a thread that waits in ReplicaSet::ask().
struct Asked {
  std::condition_variable changed{};
  std::vector<std::shared_ptr<Race>> races{};
  std::size_t open = 0;  ///< races that are not over
};

struct SetState {
  SetState(std::size_t parts, const ReplicaSettings& settings,
           std::shared_ptr<ReplicaCounters> counters, ReplicaSet::FindFault find)
      : clockwork(parts, settings, std::move(counters)), find_fault(std::move(find)) {}

  void begin(Asked& asked, PartMessage&& message, Time deadline) {
    asked.races.push_back(clockwork.begin(message.part, std::move(message.bytes), deadline, now()));
    waiting.emplace(asked.races.back().get(), &asked);
    ++asked.open;
    settle(*asked.races.back());
  }

  /// Where there is something to send: wakes a thread for it, unless one is about to come. One does
  /// all the work where none stands still: several would only wait for each other's locks.
  void wake_sender(Time time) {
    if (!clockwork.has_to_send() || is_one_woken || idle == 0) return;
    for (const auto& [call, begin] : sending) {
      if (after(begin, kSendTime) > time) return;
    }
    is_one_woken = true;
    has_work.notify_one();
  }

  /// Does what is due. Returns when more is.
  Time advance(Asked& asked, Time deadline) {
    Time wake = deadline;
    for (const std::shared_ptr<Race>& race : asked.races) {
      if (!race->is_over) clockwork.advance(race, now());
      settle(*race);
      if (!race->is_over) wake = std::min(wake, race->wake);
    }
    wake_sender(now());
    if (clockwork.has_to_send()) wake = std::min(wake, after(now(), kSendTime));
    return wake;
  }

  /// Whether this was the last of its thread's races to end.
  bool settle(const Race& race) {
    if (!race.is_over) return false;
    const auto place = waiting.find(&race);
    if (place == waiting.end()) return false;
    Asked& asked = *place->second;
    waiting.erase(place);
    return --asked.open == 0;
  }

  /// The thread that waits for a race that changed wakes up, if that is of use.
  void tell(const std::shared_ptr<Race>& race) {
    if (race == nullptr) return;
    const auto place = waiting.find(race.get());
    if (place == waiting.end()) return;
    Asked& asked = *place->second;
    if (!race->is_over || settle(*race)) asked.changed.notify_one();
  }

  std::mutex mutex;
  std::condition_variable has_work;       ///< for threads that send
  std::size_t idle = 0;                   ///< of them
  bool is_one_woken = false;              ///< of these, and it has not come yet
  std::map<std::uint64_t, Time> sending;  ///< calls, and since when
  bool is_closed = false;
  Clockwork clockwork;
  std::map<const Race*, Asked*> waiting;  ///< of races that are not over
  const ReplicaSet::FindFault find_fault;
};

}  // namespace replicas

ReplicaSet::ReplicaSet(std::size_t parts, const ReplicaSettings& settings,
                       std::shared_ptr<ReplicaCounters> counters, FindFault find_fault) {
  if (counters == nullptr) counters = std::make_shared<ReplicaCounters>();
  state_ = std::make_unique<replicas::SetState>(parts, settings, std::move(counters),
                                                std::move(find_fault));
}

ReplicaSet::~ReplicaSet() = default;

std::size_t ReplicaSet::parts() const { return state_->clockwork.parts(); }

void ReplicaSet::take(const std::vector<std::vector<std::string>>& names) {
  const std::lock_guard lock(state_->mutex);
  state_->clockwork.take(names);
}

void ReplicaSet::close() {
  const std::lock_guard lock(state_->mutex);
  state_->clockwork.take(std::vector<std::vector<std::string>>(parts()));
  state_->is_closed = true;
  state_->has_work.notify_all();
}

std::optional<ReplicaCall> ReplicaSet::next(std::uint64_t sent) {
  replicas::SetState& state = *state_;
  std::unique_lock lock(state.mutex);
  state.clockwork.sent(sent);
  state.sending.erase(sent);
  while (!state.is_closed) {
    if (std::optional<ReplicaCall> call = state.clockwork.next()) {
      state.sending.emplace(call->number, replicas::now());
      return call;
    }
    ++state.idle;
    state.has_work.wait(lock);
    --state.idle;
    state.is_one_woken = false;
  }
  return std::nullopt;
}

std::vector<ReplicaReply> ReplicaSet::ask(std::vector<PartMessage> messages,
                                          replicas::Time deadline) {
  for (const PartMessage& message : messages) {
    if (message.part < parts()) continue;
    throw UsageError("there is no part " + std::to_string(message.part) + "; there are " +
                     std::to_string(parts()));
  }
  replicas::Asked asked;
  std::unique_lock lock(state_->mutex);
  for (PartMessage& message : messages) state_->begin(asked, std::move(message), deadline);
  while (asked.open > 0) {
    const replicas::Time wake = state_->advance(asked, deadline);
    if (asked.open > 0) asked.changed.wait_until(lock, wake);
  }
  lock.unlock();
  std::vector<ReplicaReply> replies;
  for (const std::shared_ptr<replicas::Race>& race : asked.races) {
    replies.push_back(std::move(race->reply));
  }
  return replies;
}

void ReplicaSet::answered(std::uint64_t call, std::string bytes) {
  if (state_->find_fault) {
    if (const std::string fault = state_->find_fault(bytes); !fault.empty()) {
      failed(call, fault, false);
      return;
    }
  }
  const std::lock_guard lock(state_->mutex);
  state_->tell(state_->clockwork.answered(call, std::move(bytes), replicas::now()));
}

void ReplicaSet::failed(std::uint64_t call, const std::string& why, bool lacks_version) {
  const std::lock_guard lock(state_->mutex);
  state_->tell(state_->clockwork.failed(call, why, lacks_version, replicas::now()));
  state_->wake_sender(replicas::now());
}

SearchTime::SearchTime(replicas::Time deadline, bool is_partial)
    : of_statistics_(deadline), deadline_(deadline), outer_(replicas::search_time) {
  const replicas::Time now = replicas::now();
  if (is_partial) of_statistics_ = now + (deadline - now) / 2;
  replicas::search_time = this;
}
SearchTime::~SearchTime() { replicas::search_time = outer_; }

namespace {

bool ask_for_statistics(std::span<const PartMessage> messages) {
  if (messages.empty()) return false;
  const shards::MessageKind kind = shards::kind_of(messages[0].bytes);
  return kind == shards::MessageKind::kTermsRequest ||
         kind == shards::MessageKind::kNearWordsRequest ||
         kind == shards::MessageKind::kFoundTermsRequest;
}

}  // namespace

AskParts ask_replicas(std::shared_ptr<ReplicaSet> set) {
  return [set = std::move(set)](std::vector<PartMessage> messages) {
    SearchTime* const time = replicas::search_time;
    if (time == nullptr) {
      throw UsageError("a search by replicas needs its time; make a SearchTime on its thread");
    }
    std::vector<PartReply> replies;
    const replicas::Time deadline =
        ask_for_statistics(messages) ? time->of_statistics_ : time->deadline_;
    for (ReplicaReply& reply : set->ask(std::move(messages), deadline)) {
      if (!reply.is_of_version) time->is_version_gone_ = true;
      replies.push_back({std::move(reply.bytes), std::move(reply.failure)});
    }
    return replies;
  };
}

}  // namespace warpdex
