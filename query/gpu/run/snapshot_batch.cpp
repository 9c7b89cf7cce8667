// Takes a batch through passes: AND or OR, each over all segments.
#include "gpu/run/snapshot_batch.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <numeric>

namespace warpdex::gpu {
namespace {

/// With fewer queries, other threads would wake up too late to help.
constexpr std::size_t kQueriesToShare = 64;

/// Calls work(item) for each item, on several threads if the queries are many. A thread that waits
/// for the last ones must not take other tasks meanwhile: these might want the same segment.
template <class Work>
void for_each(std::size_t items, std::size_t queries, const Work& work) {
  if (queries < kQueriesToShare) {
    for (std::size_t i = 0; i < items; ++i) work(i);
    return;
  }
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, items, work); });
}

}  // namespace

SnapshotBatch::SnapshotBatch(SearchedSegments& segments, std::span<const PlannedQuery> plans,
                             std::span<const SearchSettings> settings)
    : segments_(segments),
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

/// Starts on the largest segment.
void SnapshotBatch::begin_pass(bool is_fallback) {
  has_fallen_back_ = is_fallback;
  has_started_others_ = false;
  now_ = settings_;
  for (SearchSettings& each : now_) {
    if (each.mode != QueryMode::kAndOr) continue;
    each.mode = is_fallback ? QueryMode::kOr : QueryMode::kAnd;
    each.known_threshold = 0;
  }
  if (segments_.searchers.empty()) return;
  start(std::span(&segments_.largest, 1));
}

/// Starts segments with the settings and the queries that are left.
void SnapshotBatch::start(std::span<const std::size_t> which) {
  std::vector<Ticket> tickets(which.size());
  const auto submit = [&](std::size_t i) {
    tickets[i] =
        segments_.searchers[which[i]]->submit(SegmentPlans(plans_, which[i]), now_, slots_);
  };
  const auto note_started = [&] {
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (tickets[i] != Ticket{}) flights_.push_back({which[i], tickets[i]});
    }
  };
  flights_.reserve(which.size());
  try {
    for_each(which.size(), slots_.size(), submit);
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
        flight.is_done = segments_.searchers[flight.segment]->poll(flight.ticket);
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

/// Takes the answers of what is under way, and starts what follows. Returns whether anything does.
bool SnapshotBatch::advance() {
  if (is_done_) return false;
  while (!flights_.empty()) {
    const Flight flight = flights_.back();
    flights_.pop_back();  // its ticket is of no use after a failure
    parts_.push_back({segments_.searchers[flight.segment]->wait(flight.ticket),
                      segments_.first_documents[flight.segment]});
  }
  if (!has_started_others_) {
    has_started_others_ = true;
    if (!parts_.empty()) raise_thresholds();
    start_others();
    return true;
  }
  merge();
  parts_.clear();
  is_done_ = !fall_back();
  return !is_done_;
}

void SnapshotBatch::start_others() {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < segments_.searchers.size(); ++i) {
    if (i != segments_.largest) others.push_back(i);
  }
  if (!slots_.empty()) start(others);
}

/// The k-th best score of the largest segment is one that k matches reach. Queries that this
/// segment leaves are left.
void SnapshotBatch::raise_thresholds() {
  if (segments_.searchers.size() == 1) return;
  const BatchAnswers& largest = parts_[0].answers;
  if (now_.size() == 1) now_.resize(plans_.size(), now_[0]);
  std::erase_if(slots_, [&](std::uint32_t slot) {
    const AnswerView answer = largest[slot];
    if (!answer.is_answered) {
      answers_->leave(slot);
      return true;
    }
    SearchSettings& settings = now_[slot];
    if (answer.hits.size() == settings.k) {
      settings.known_threshold = std::max(settings.known_threshold, answer.hits.back().score);
    }
    return false;
  });
}

void SnapshotBatch::merge() {
  for_each(slots_.size(), slots_.size(),
           [&](std::size_t i) { answers_->merge(slots_[i], parts_, settings_of(slots_[i]).k); });
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

/// Waits for all segments that are under way, and drops their answers.
void SnapshotBatch::abandon() noexcept {
  for (const Flight& flight : flights_) {
    try {
      segments_.searchers[flight.segment]->wait(flight.ticket);
    } catch (...) {
      // It has failed, so nothing of it is under way.
    }
  }
  flights_.clear();
  parts_.clear();
}

}  // namespace warpdex::gpu
