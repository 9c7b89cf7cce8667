// A batch over segments, or over several of them at a time, on one GPU or on several. Those that
// come first, one on each GPU, are searched at the same time. The scores of their k-th answers are
// the first thresholds of all others. If there are no others, each is asked for little more than
// its share of k, and again for k where it may have left out a document of the answer. AND+OR is
// AND, then OR for the queries that matched too few in all segments together. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/run/merged_answers.hpp"
#include "gpu/run/segment_searcher.hpp"
#include "warpdex/core/alert_thread.hpp"

namespace warpdex::gpu {

/// What a searcher searches: one segment, or several that are joined.
struct SearchedPart {
  /// The part of a plan that it takes.
  enum class Plan {
    kWhole,    ///< all of it: the snapshot is plain
    kSegment,  ///< that for `first_segment`
    kJoined,   ///< those for the segments from that one on
  };

  std::unique_ptr<SegmentSearcher> searcher;
  std::size_t first_segment = 0;  ///< its number in the plans
  Plan plan = Plan::kSegment;
  std::uint32_t first_document = 0;  ///< to be added to the docIDs that it finds
  std::uint64_t documents = 0;       ///< live ones of its GPU

  SegmentPlans plans(std::span<const PlannedQuery> all) const {
    if (plan == Plan::kWhole) return all;
    return plan == Plan::kJoined ? SegmentPlans::of_all(all, first_segment)
                                 : SegmentPlans(all, first_segment);
  }
};

/// Whether it pays to ask parts for fewer documents than k at first: where the best ones are spread
/// over all of them. If they are together in one, it is tried again after some queries.
class ShortAnswers {
 public:
  bool pay() const { return debt_ == 0; }
  /// `queries` were asked for fewer, or could have been; `again` of them had to be asked again.
  void note(std::size_t queries, std::size_t again) {
    debt_ += kMostAgain * again;
    debt_ -= std::min<std::uint64_t>(debt_, queries);
  }

 private:
  static constexpr std::uint64_t kMostAgain = 32;  ///< one of so many

  std::uint64_t debt_ = 0;  ///< queries
};

struct SearchedParts {
  std::vector<SearchedPart> all;
  std::vector<std::size_t> first;   ///< those that are searched first
  std::vector<std::size_t> others;  ///< those that are searched then
  /// One less than `first`: they start few queries on one GPU each while the caller does on its.
  std::vector<std::unique_ptr<AlertThread>> helpers;
  ShortAnswers short_answers;

  /// Of the documents, that the largest part has; 1 if the parts do not share them out at once.
  double largest_share() const;
};

/// Used by one thread at a time. Has at most one batch under way in each part.
class SnapshotBatch {
 public:
  /// Starts on a batch. Keeps a reference to the parts. The plans live until the batch is done.
  /// Throws as Engine::submit() does.
  SnapshotBatch(SearchedParts& parts, std::span<const PlannedQuery> plans,
                std::span<const SearchSettings> settings);
  /// Waits for the searches that are under way.
  ~SnapshotBatch();
  SnapshotBatch(const SnapshotBatch&) = delete;
  SnapshotBatch& operator=(const SnapshotBatch&) = delete;

  /// Goes on as far as it can without waiting. Returns whether the batch is answered. After a
  /// failure the batch cannot go on.
  bool poll();
  /// Returns when it is answered.
  void wait();
  /// The answers; valid once the batch is answered.
  std::shared_ptr<const MergedAnswers> answers() const { return answers_; }

 private:
  /// A part that is searched.
  struct Flight {
    std::size_t part;
    Ticket ticket;
    bool is_done = false;
  };

  const SearchSettings& settings_of(std::uint32_t slot) const {
    return settings_[settings_.size() == 1 ? 0 : slot];
  }
  const SearchSettings& now_of(std::uint32_t slot) const {
    return now_[now_.size() == 1 ? 0 : slot];
  }
  void begin_pass(bool is_fallback);
  void shorten(SearchSettings& settings, double share, bool pays);
  void start(std::span<const std::size_t> which);
  void take_answers();
  bool advance();
  void raise_thresholds();
  void merge();
  bool is_short(std::uint32_t slot) const { return now_of(slot).k < settings_of(slot).k; }
  bool may_lack(std::uint32_t slot) const;
  bool ask_again();
  bool fall_back();
  void abandon() noexcept;

  SearchedParts& parts_;
  std::span<const PlannedQuery> plans_;
  std::vector<SearchSettings> settings_;   ///< one for all queries or one for each
  std::vector<SearchSettings> now_;        ///< likewise, as the parts get them in this pass
  std::vector<std::uint32_t> slots_;       ///< the queries of this pass that are left
  std::vector<std::uint32_t> pass_slots_;  ///< those before some were asked again
  bool is_short_ = false;                  ///< parts are asked for fewer than k
  bool has_fallen_back_ = false;           ///< this pass is OR, after AND
  bool has_started_others_ = false;        ///< all parts are under way, or were
  bool is_done_ = false;
  std::vector<Flight> flights_;
  std::vector<SegmentAnswers> found_;  ///< in this pass
  std::shared_ptr<MergedAnswers> answers_;
};

}  // namespace warpdex::gpu
