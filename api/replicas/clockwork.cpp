#include "replicas/clockwork.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex::replicas {
namespace {

constexpr double kFirstBudget = 3;
constexpr double kLargestBudget = 10;
constexpr std::size_t kReasonsTold = 3;
/// A replica is asked again so many times, if nothing is against it.
constexpr std::uint32_t kTurns = 31;

}  // namespace

Clockwork::Clockwork(std::size_t parts, const ReplicaSettings& settings,
                     std::shared_ptr<ReplicaCounters> counters)
    : settings_(settings), counters_(std::move(counters)), parts_(parts), budget_(kFirstBudget) {}

void Clockwork::take(const std::vector<std::vector<std::string>>& names) {
  if (names.size() != parts_.size()) {
    throw UsageError("there are replicas of " + std::to_string(names.size()) +
                     " parts where the "
                     "index has " +
                     std::to_string(parts_.size()) + "; give those of each part");
  }
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    std::vector<std::shared_ptr<Copy>> known = std::move(parts_[part].copies);
    parts_[part].copies.clear();
    for (const std::string& name : names[part]) {
      const auto place = std::ranges::find(known, name, &Copy::name);
      if (place != known.end()) {
        parts_[part].copies.push_back(std::move(*place));
        known.erase(place);
        continue;
      }
      std::shared_ptr<Copy> copy = std::make_shared<Copy>();
      copy->part = part;
      copy->name = name;
      parts_[part].copies.push_back(std::move(copy));
    }
  }
}

std::shared_ptr<Race> Clockwork::begin(std::uint32_t part, std::string bytes, Time deadline,
                                       Time now) {
  give_up(now);
  ++counters_->messages;
  budget_ = std::min(kLargestBudget, budget_ + settings_.hedge_share);
  auto race = std::make_shared<Race>();
  race->part = part;
  race->bytes = std::make_shared<const std::string>(std::move(bytes));
  race->deadline = deadline;
  race->pause = settings_.retry_pause;
  race->hedge_at = after(now, latencies_of(*race).hedge_after(race->bytes->size()));
  race->half_time = now + (deadline - now) / 2;
  if (now >= deadline) {
    end_without_answer(*race);
  } else if (!start(race, now)) {
    race->retry_at = after(now, race->pause);  // there may be one then
  }
  set_wake(*race);
  return race;
}

Latencies& Clockwork::latencies_of(const Race& race) {
  // Lengths of one class differ by a factor of four at most.
  const int length = static_cast<int>(std::bit_width(race.bytes->size())) / 2;
  return parts_.at(race.part).latencies.try_emplace(length, settings_).first->second;
}

void Clockwork::advance(const std::shared_ptr<Race>& race, Time now) {
  give_up(now);
  if (!race->is_over && now >= race->deadline) end_without_answer(*race);
  if (!race->is_over && race->retry_at && now >= *race->retry_at) retry(race, now);
  if (!race->is_over && !race->running.empty()) {
    if (race->hedge_at && now >= *race->hedge_at) {
      race->hedge_at.reset();
      hedge(race, now, true);
    }
    if (race->half_time && now >= *race->half_time) {
      hedge(race, now, false);
      // And half of what is left later the next one, until all are asked.
      const bool are_left = race->tried.size() < parts_[race->part].copies.size();
      race->half_time = are_left ? std::optional(now + (race->deadline - now) / 2) : std::nullopt;
    }
  }
  set_wake(*race);
}

/// All have been tried, and some failed a moment ago: one may be back. Others may stand still.
void Clockwork::retry(const std::shared_ptr<Race>& race, Time now) {
  ++counters_->retries;
  race->pause *= 2;
  race->retry_at.reset();
  race->tried.clear();
  for (const std::uint64_t call : race->running) race->tried.push_back(calls_.at(call).copy);
  race->lacking = 0;
  if (!start(race, now) && race->running.empty()) end_without_answer(*race);
}

void Clockwork::hedge(const std::shared_ptr<Race>& race, Time now, bool is_counted) {
  if (race->tried.size() >= parts_[race->part].copies.size()) return;
  if (!is_counted || take_hedge()) start(race, now, true);
}

bool Clockwork::take_hedge() {
  if (budget_ < 1) return false;
  budget_ -= 1;
  ++counters_->hedges;
  return true;
}

/// The one to ask next: none that was tried; one that failed lately last; the one with the fewest
/// messages under way; for some turns the same one, whose caches are warm; the one that was asked
/// longest ago.
std::shared_ptr<Copy> Clockwork::choose(const Race& race, Time now) {
  Part& part = parts_[race.part];
  std::shared_ptr<Copy> best;
  const auto rank = [&](const std::shared_ptr<Copy>& copy) {
    const bool is_other = part.turns == 0 || copy != part.last;
    return std::tuple(copy->rests_until > now, copy->under_way, is_other, copy->last_asked);
  };
  for (const std::shared_ptr<Copy>& copy : part.copies) {
    if (std::ranges::find(race.tried, copy) != race.tried.end()) continue;
    if (best == nullptr || rank(copy) < rank(best)) best = copy;
  }
  if (best == nullptr) return nullptr;
  const bool goes_on = best == part.last && part.turns > 0;
  part.turns = goes_on ? part.turns - 1 : kTurns;
  part.last = best;
  return best;
}

bool Clockwork::start(const std::shared_ptr<Race>& race, Time now, bool is_hedge) {
  std::shared_ptr<Copy> copy = choose(*race, now);
  if (copy == nullptr) return false;
  const std::uint64_t number = next_call_++;
  copy->last_asked = ++turn_;
  ++copy->under_way;
  if (copy->to_send.empty() && !copy->is_sent_to) ready_.push_back(copy);
  copy->to_send.push_back(number);
  race->tried.push_back(copy);
  race->running.push_back(number);
  calls_.emplace(number, Call{race, std::move(copy), now, is_hedge});
  return true;
}

std::optional<ReplicaCall> Clockwork::next() {
  while (!ready_.empty()) {
    const std::shared_ptr<Copy> copy = std::move(ready_.front());
    ready_.pop_front();
    while (!copy->to_send.empty()) {
      const std::uint64_t number = copy->to_send.front();
      copy->to_send.pop_front();
      const auto place = calls_.find(number);
      if (place == calls_.end()) continue;  // it was given up
      const std::shared_ptr<Race> race = place->second.race;
      if (race->is_over) {
        end_call(place);
        continue;
      }
      copy->is_sent_to = true;
      sending_.emplace(number, copy);
      return ReplicaCall{number, copy->part, copy->name, race->bytes};
    }
  }
  return std::nullopt;
}

void Clockwork::sent(std::uint64_t call) {
  const auto place = sending_.find(call);
  if (place == sending_.end()) return;
  const std::shared_ptr<Copy> copy = std::move(place->second);
  sending_.erase(place);
  copy->is_sent_to = false;
  if (!copy->to_send.empty()) ready_.push_back(copy);
}

Clockwork::Call Clockwork::end_call(std::map<std::uint64_t, Call>::iterator place) {
  Call call = std::move(place->second);
  std::erase(call.race->running, place->first);
  --call.copy->under_way;
  calls_.erase(place);
  return call;
}

std::shared_ptr<Race> Clockwork::answered(std::uint64_t number, std::string bytes, Time now) {
  const auto place = calls_.find(number);
  if (place == calls_.end()) return nullptr;
  const Call call = end_call(place);
  call.copy->failures = 0;
  call.copy->rests_until = {};
  const double seconds = std::chrono::duration<double>(now - call.begin).count();
  latencies_of(*call.race).add(seconds);
  if (call.race->is_over) return nullptr;
  if (call.is_hedge) ++counters_->hedges_won;
  call.race->reply.bytes = std::move(bytes);
  call.race->is_over = true;
  return call.race;
}

std::shared_ptr<Race> Clockwork::failed(std::uint64_t number, const std::string& why,
                                        bool lacks_version, Time now) {
  const auto place = calls_.find(number);
  if (place == calls_.end()) return nullptr;
  const Call call = end_call(place);
  Copy& copy = *call.copy;
  const double rest = std::ldexp(settings_.rest, static_cast<int>(std::min(copy.failures, 20u)));
  ++copy.failures;
  copy.rests_until = after(now, std::min(rest, settings_.longest_rest));
  Race& race = *call.race;
  if (race.is_over) return nullptr;
  const std::string reason = copy.name + ": " + (why.empty() ? "it failed" : why);
  if (std::ranges::find(race.reasons, reason) == race.reasons.end()) race.reasons.push_back(reason);
  if (lacks_version) ++race.lacking;
  if (start(call.race, now)) {
    ++counters_->retries;
  } else if (race.running.empty() && race.lacking == race.tried.size()) {
    end_without_answer(race);
  } else if (!race.retry_at) {
    race.retry_at = after(now, race.pause);
  }
  set_wake(race);
  return call.race;
}

void Clockwork::end_without_answer(Race& race) {
  ++counters_->failures;
  race.is_over = true;
  const bool is_of_version = race.tried.empty() || race.lacking < race.tried.size();
  std::string why = is_of_version ? "no answer in time" : "its version is not open";
  for (std::size_t i = 0; i < std::min(race.reasons.size(), kReasonsTold); ++i) {
    why += (i == 0 ? " (" : "; ") + race.reasons[i];
  }
  if (!race.reasons.empty()) why += ")";
  race.reply = {.failure = std::move(why), .is_of_version = is_of_version};
}

void Clockwork::give_up(Time now) {
  while (!calls_.empty() && after(calls_.begin()->second.begin, settings_.abandon) <= now) {
    failed(calls_.begin()->first, "it stands still", false, now);
  }
}

void Clockwork::set_wake(Race& race) const {
  race.wake = race.deadline;
  if (race.retry_at) race.wake = std::min(race.wake, *race.retry_at);
  if (race.running.empty()) return;
  const auto first = calls_.find(race.running.front());
  race.wake = std::min(race.wake, after(first->second.begin, settings_.abandon));
  if (race.hedge_at) race.wake = std::min(race.wake, *race.hedge_at);
  if (race.half_time) race.wake = std::min(race.wake, *race.half_time);
}

}  // namespace warpdex::replicas
