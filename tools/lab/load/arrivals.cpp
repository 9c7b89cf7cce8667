// Draws arrival times, or takes those of a log.
#include <algorithm>
#include <cmath>
#include <random>

#include "load/open_load.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/number_text.hpp"

namespace warpdex::tools {
namespace {

/// Eight gigabytes of arrival times.
constexpr double kMaxArrivals = 1e9;

// A period consists, on average, of a quiet time and a burst. A burst takes kBurstTime of the
// period and has kBurstShare of its arrivals.
constexpr Micros kPeriod = 200'000;
constexpr double kBurstTime = 0.1;
constexpr double kBurstShare = 0.5;

/// An exponentially distributed time with this mean, by the inverse of the distribution. Unlike the
/// standard library's function, it gives the same times everywhere.
double exponential(std::mt19937_64& random, double mean) {
  const double u = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
  return -mean * std::log(u);
}

/// Calls a function from time to time.
class Steps {
 public:
  explicit Steps(const std::function<void()>& on_step) : on_step_(on_step) {}
  void operator()() {
    if (++count_ % kStep == 0 && on_step_) on_step_();
  }

 private:
  static constexpr std::uint64_t kStep = 1 << 16;  // takes some milliseconds
  const std::function<void()>& on_step_;
  std::uint64_t count_ = 0;
};

/// Adds Poisson arrivals from `begin` to before `end`.
void add_poisson(std::mt19937_64& random, Micros begin, Micros end, double per_micro, Steps& step,
                 std::vector<Micros>& times) {
  for (Micros time = begin + exponential(random, 1 / per_micro); time < end;
       time += exponential(random, 1 / per_micro)) {
    times.push_back(time);
    step();
  }
}

}  // namespace

std::vector<Micros> arrival_times(ArrivalKind kind, double rate, double seconds, std::uint64_t seed,
                                  const std::function<void()>& on_step) {
  if (!(rate > 0) || !(seconds > 0) || kind == ArrivalKind::kReplay) {
    throw UsageError("a load needs a rate and a time above 0, and no replay here; " +
                     shortest(rate) + " queries a second for " + shortest(seconds) +
                     " s was asked for");
  }
  if (rate * seconds > kMaxArrivals) {
    throw UsageError("a load has at most a billion queries; lower its rate, or make it shorter");
  }
  std::mt19937_64 random(seed);
  std::vector<Micros> times;
  times.reserve(static_cast<std::size_t>(rate * seconds * 1.01) + 100);  // it seldom grows
  Steps step(on_step);
  const Micros end = seconds * 1e6;
  const double per_micro = rate / 1e6;
  if (kind == ArrivalKind::kPoisson) {
    add_poisson(random, 0, end, per_micro, step, times);
    return times;
  }
  const double in_burst = per_micro * kBurstShare / kBurstTime;
  const double between = per_micro * (1 - kBurstShare) / (1 - kBurstTime);
  for (Micros begin = 0; begin < end;) {
    const Micros burst = std::min(end, begin + exponential(random, kPeriod * (1 - kBurstTime)));
    add_poisson(random, begin, burst, between, step, times);
    begin = std::min(end, burst + exponential(random, kPeriod * kBurstTime));
    add_poisson(random, burst, begin, in_burst, step, times);
    step();
  }
  return times;
}

std::vector<Micros> replayed_times(std::span<const double> log_times, double rate) {
  std::vector<Micros> times(log_times.begin(), log_times.end());
  std::sort(times.begin(), times.end());
  if (times.size() < 2 || !(times.back() > times.front()) || !(rate > 0)) {
    throw UsageError("a replay needs two queries or more at different times, and a rate above 0");
  }
  const double first = times.front();
  const double span = times.back() - first;
  const double wanted = static_cast<double>(times.size()) / rate * 1e6;
  for (Micros& time : times) time = (time - first) / span * wanted;
  return times;
}

}  // namespace warpdex::tools
