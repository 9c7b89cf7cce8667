// Takes a batch through passes: AND or OR, each over all parts.
#include "gpu/run/snapshot_batch.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "warpdex/query/shards/merge.hpp"

namespace warpdex::gpu {
namespace {

/// With fewer queries, other threads would wake up too late to help.
constexpr std::size_t kQueriesToShare = 64;

/// Calls work(item) for each item, on several threads if the queries are many. A thread that waits
/// for the last ones must not take other tasks meanwhile: these might want the same part.
template <class Work>
void for_each(std::size_t items, std::size_t queries, const Work& work) {
  if (queries < kQueriesToShare) {
    for (std::size_t i = 0; i < items; ++i) work(i);
    return;
  }
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, items, work); });
}

/// Calls work(item) for each of some items, one for each helper that is awake. Ends all; throws
/// what the first one threw.
template <class Work>
void share(std::span<const std::unique_ptr<AlertThread>> helpers, std::size_t items,
           const Work& work) {
  std::vector<AlertThread*> started;
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < items; ++i) {
    if (i < helpers.size() && helpers[i]->start([&work, i] { work(i); })) {
      started.push_back(helpers[i].get());
    } else {
      left.push_back(i);
    }
  }
  std::exception_ptr failure;
  const auto attempt = [&](const auto& step) {
    try {
      step();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  };
  for (const std::size_t i : left) attempt([&] { work(i); });
  for (AlertThread* const helper : started) attempt([&] { helper->wait(); });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

double SearchedParts::largest_share() const {
  std::uint64_t largest = 0;
  std::uint64_t sum = 0;
  for (const SearchedPart& part : all) {
    largest = std::max(largest, part.documents);
    sum += part.documents;
  }
  const bool are_at_once = others.empty() && sum > 0;
  return are_at_once ? static_cast<double>(largest) / static_cast<double>(sum) : 1;
}

SnapshotBatch::SnapshotBatch(SearchedParts& parts, std::span<const PlannedQuery> plans,
                             std::span<const SearchSettings> settings)
    : parts_(parts),
      plans_(plans),
      settings_(settings.begin(), settings.end()),
      slots_(plans.size()),
      answers_(std::make_shared<MergedAnswers>(plans.size())) {
  std::iota(slots_.begin(), slots_.end(), 0U);
  try {
    begin_pass(false);
  } catch (...) {
    abandon();
    throw;
  }
}

SnapshotBatch::~SnapshotBatch() { abandon(); }

/// Starts on the parts that come first.
void SnapshotBatch::begin_pass(bool is_fallback) {
  has_fallen_back_ = is_fallback;
  has_started_others_ = false;
  is_short_ = false;
  const double share = parts_.largest_share();
  const bool pays = parts_.short_answers.pay();
  now_ = settings_;
  for (SearchSettings& each : now_) {
    const bool may_fall_back = each.mode == QueryMode::kAndOr && !is_fallback;
    if (each.mode == QueryMode::kAndOr) {
      each.mode = is_fallback ? QueryMode::kOr : QueryMode::kAnd;
      each.known_threshold = 0;
    }
    // Before a fallback all matches up to k are wanted.
    if (share < 1 && !may_fall_back) shorten(each, share, pays);
  }
  start(parts_.first);
}

/// Asks for little more than a part's share of k, if that saves a tenth, and if it pays.
void SnapshotBatch::shorten(SearchSettings& settings, double share, bool pays) {
  const std::uint32_t k = shards::first_k(settings.k, share);
  if (k > settings.k / 10 * 9) return;
  if (pays) {
    is_short_ = true;
    settings.k = k;
  } else {
    parts_.short_answers.note(now_.size() == 1 ? slots_.size() : 1, 0);
  }
}

/// Starts parts with the settings and the queries that are left.
void SnapshotBatch::start(std::span<const std::size_t> which) {
  std::vector<Ticket> tickets(which.size());
  const auto submit = [&](std::size_t i) {
    const SearchedPart& part = parts_.all[which[i]];
    tickets[i] = part.searcher->submit(part.plans(plans_), now_, slots_);
  };
  const auto note_started = [&] {
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (tickets[i] != Ticket{}) flights_.push_back({which[i], tickets[i]});
    }
  };
  flights_.reserve(which.size());
  try {
    if (slots_.size() < kQueriesToShare && which.size() == parts_.helpers.size() + 1) {
      share(parts_.helpers, which.size(), submit);
    } else {
      for_each(which.size(), slots_.size(), submit);
    }
  } catch (...) {
    note_started();
    throw;
  }
  note_started();
}

bool SnapshotBatch::poll() {
  for (;;) {
    bool are_done = true;
    for (Flight& flight : flights_) {
      if (!flight.is_done) {
        flight.is_done = parts_.all[flight.part].searcher->poll(flight.ticket);
      }
      are_done &= flight.is_done;
    }
    if (!are_done) return false;
    if (!advance()) return true;
  }
}

void SnapshotBatch::wait() {
  while (advance()) {
  }
}

/// Waits for all that is under way, each on a thread that does the host's work for it.
void SnapshotBatch::take_answers() {
  std::vector<std::optional<BatchAnswers>> answers(flights_.size());
  const std::vector<Flight> flights = std::exchange(flights_, {});  // of no use after a failure
  std::vector<std::exception_ptr> failures(flights.size());
  for_each(flights.size(), slots_.size(), [&](std::size_t i) {
    try {
      answers[i] = parts_.all[flights[i].part].searcher->wait(flights[i].ticket);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  for (std::size_t i = 0; i < flights.size(); ++i) {
    found_.push_back({std::move(*answers[i]), parts_.all[flights[i].part].first_document});
  }
}

/// Takes the answers of what is under way, and starts what follows. Returns whether anything does.
bool SnapshotBatch::advance() {
  if (is_done_) return false;
  if (!flights_.empty()) take_answers();
  if (!has_started_others_) {
    has_started_others_ = true;
    if (!found_.empty()) raise_thresholds();
    if (!slots_.empty() && !parts_.others.empty()) {
      start(parts_.others);
      return true;
    }
  }
  merge();
  if (ask_again()) return true;
  found_.clear();
  is_done_ = !fall_back();
  return !is_done_;
}

/// The k-th best score of a part is one that k matches reach. Queries that a part leaves are left.
void SnapshotBatch::raise_thresholds() {
  if (parts_.others.empty()) return;
  if (now_.size() == 1) now_.resize(plans_.size(), now_[0]);
  std::erase_if(slots_, [&](std::uint32_t slot) {
    SearchSettings& settings = now_[slot];
    for (const SegmentAnswers& part : found_) {
      const AnswerView answer = part.answers[slot];
      if (!answer.is_answered) {
        answers_->leave(slot);
        return true;
      }
      if (answer.hits.size() == settings.k) {
        settings.known_threshold = std::max(settings.known_threshold, answer.hits.back().score);
      }
    }
    return false;
  });
}

void SnapshotBatch::merge() {
  for_each(slots_.size(), slots_.size(),
           [&](std::size_t i) { answers_->merge(slots_[i], found_, settings_of(slots_[i]).k); });
}

/// Whether a part may have left out a document of a query's answer, which is merged.
bool SnapshotBatch::may_lack(std::uint32_t slot) const {
  if (!answers_->is_answered(slot)) return false;
  const std::uint32_t k = settings_of(slot).k;
  const std::uint32_t asked = now_of(slot).k;
  const std::span<const Hit> merged = answers_->answer(slot).hits;
  return is_short(slot) && std::ranges::any_of(found_, [&](const SegmentAnswers& part) {
           const std::span<const Hit> hits = part.answers[slot].hits;
           if (hits.size() < asked) return false;
           const Hit last{hits.back().document + part.first_document, hits.back().score};
           return merged.size() < k || comes_before(last, merged.back());
         });
}

/// Starts the queries of which a part may have left out a document anew, for k. Returns whether
/// there are any. When these are done, goes on with all queries of the pass.
bool SnapshotBatch::ask_again() {
  if (!is_short_) {
    if (!pass_slots_.empty()) slots_ = std::exchange(pass_slots_, {});
    return false;
  }
  is_short_ = false;
  std::vector<std::uint32_t> again;
  std::ranges::copy_if(slots_, std::back_inserter(again),
                       [&](std::uint32_t slot) { return may_lack(slot); });
  const auto asked =
      std::ranges::count_if(slots_, [&](std::uint32_t slot) { return is_short(slot); });
  parts_.short_answers.note(static_cast<std::size_t>(asked), again.size());
  if (again.empty()) return false;
  pass_slots_ = std::exchange(slots_, std::move(again));
  if (now_.size() == 1) now_.resize(plans_.size(), now_[0]);
  for (const std::uint32_t slot : slots_) {
    SearchSettings& settings = now_[slot];
    settings.k = settings_of(slot).k;
    const std::span<const Hit> merged = answers_->answer(slot).hits;
    if (merged.size() < settings.k) continue;
    settings.known_threshold = std::max(settings.known_threshold, merged.back().score);
  }
  found_.clear();
  start(parts_.first);
  return true;
}

/// Starts OR for the queries of AND+OR that matched too few. Returns whether there are any.
bool SnapshotBatch::fall_back() {
  if (has_fallen_back_) return false;
  std::erase_if(slots_, [&](std::uint32_t slot) {
    const SearchSettings& settings = settings_of(slot);
    return settings.mode != QueryMode::kAndOr || !answers_->is_answered(slot) ||
           answers_->matches(slot) >= settings.and_or_min_matches();
  });
  if (slots_.empty()) return false;
  for (const std::uint32_t slot : slots_) answers_->fall_back(slot);
  begin_pass(true);
  return true;
}

/// Waits for all parts that are under way, and drops their answers.
void SnapshotBatch::abandon() noexcept {
  for (const Flight& flight : flights_) {
    try {
      parts_.all[flight.part].searcher->wait(flight.ticket);
    } catch (...) {
      // It has failed, so nothing of it is under way.
    }
  }
  flights_.clear();
  found_.clear();
}

}  // namespace warpdex::gpu
