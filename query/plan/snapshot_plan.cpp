// Looks a query's terms up in every segment, and gives all segments the statistics of the whole.
#include <optional>
#include <string>
#include <vector>

#include "plan/excluded_words.hpp"
#include "plan/find_term.hpp"
#include "plan/live_entry.hpp"
#include "plan/term_uses.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/plan/plan.hpp"

namespace warpdex {
namespace {

class SnapshotPlanner {
 public:
  /// `whole`: that the snapshot is a part of; null: it is all.
  SnapshotPlanner(const Snapshot& snapshot, const FindTerm& find, const WholeStatistics* whole)
      : snapshot_(snapshot), find_(find), statistics_(whole) {
    plan_.segments.resize(snapshot.segments().size());
    plan_.statistics = whole != nullptr ? whole->collection : snapshot.statistics();
    plan_.text_statistics = whole != nullptr ? whole->texts : snapshot.text_statistics();
    for (PlannedQuery& segment : plan_.segments) {
      segment.statistics = plan_.statistics;
      segment.text_statistics = plan_.text_statistics;
    }
  }

  PlannedQuery plan(const Query& query) {
    for_each_term(sorted_uses(query), [this](std::string_view term, std::span<const TermUse> uses) {
      add(term, uses);
    });
    sort_canonically(plan_.terms);
    for (PlannedQuery& segment : plan_.segments) sort_canonically(segment.terms);
    return std::move(plan_);
  }

 private:
  void add(std::string_view term, std::span<const TermUse> uses) {
    PlannedTerm whole = planned({}, uses);
    whole.number = terms_++;
    TermFrequencies here;
    std::vector<std::optional<LiveEntry>> found;
    for (const Snapshot::Segment& segment : snapshot_.segments()) {
      const Index& index = *segment.index;
      found.push_back(live_entry(index, find_(found.size(), index, term)));
      if (!found.back()) continue;
      whole.entry.field = found.back()->entry.field;
      const TermFrequencies of_segment = frequencies_of(index, *found.back());
      here.documents += of_segment.documents;
      here.occurrences += of_segment.occurrences;
    }
    const TermFrequencies all = statistics_ != nullptr ? statistics_->of(term) : here;
    if (all.documents == 0) found.assign(found.size(), std::nullopt);
    whole.document_frequency = all.documents;
    whole.collection_frequency = all.occurrences;
    if (all.documents == 0 || here.documents == 0) {
      note_missing(plan_, uses);
    } else {
      whole.entry.document_frequency = static_cast<std::uint32_t>(here.documents);
      plan_.terms.push_back(whole);
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      add_to_segment(plan_.segments[i], *snapshot_.segments()[i].index, found[i], whole, uses);
    }
  }

  static void add_to_segment(PlannedQuery& segment, const Index& index,
                             const std::optional<LiveEntry>& found, const PlannedTerm& whole,
                             std::span<const TermUse> uses) {
    if (!found) {
      note_missing(segment, uses);
      return;
    }
    PlannedTerm term = whole;
    term.entry = found->entry;
    term.removed = removed_postings(index, *found);
    segment.terms.push_back(term);
  }

  const Snapshot& snapshot_;
  const FindTerm& find_;
  const WholeStatistics* statistics_;
  PlannedQuery plan_;
  std::uint32_t terms_ = 0;  ///< so far
};

void check_texts(const Snapshot& snapshot, const WholeStatistics& whole) {
  const std::size_t texts = text_names_of(snapshot.settings().schema).size();
  if (whole.texts.size() == (texts > 1 ? texts : 0)) return;
  throw UsageError("the statistics are of " + std::to_string(whole.texts.size()) +
                   " text fields, and the index '" + snapshot.folder().string() + "' has " +
                   std::to_string(texts) + "; take those of indexes with the same schema");
}

}  // namespace

PlannedQuery plan_query(const Snapshot& snapshot, const Query& query) {
  return plan_query(
      snapshot, query,
      [](std::size_t, const Index& index, std::string_view term) { return index.find(term); },
      nullptr);
}

PlannedQuery plan_query(const Snapshot& snapshot, const Query& query,
                        const WholeStatistics& whole) {
  return plan_query(
      snapshot, query,
      [](std::size_t, const Index& index, std::string_view term) { return index.find(term); },
      &whole);
}

PlannedQuery plan_query(const Snapshot& snapshot, const Query& query, const FindTerm& find,
                        const WholeStatistics* whole) {
  if (whole != nullptr) check_texts(snapshot, *whole);
  if (snapshot.is_plain()) return plan_query(*snapshot.segments()[0].index, query, find, whole);
  if (!has_excluded_words(query)) return SnapshotPlanner(snapshot, find, whole).plan(query);
  const QueryAndWords parts = part_excluded_words(query);
  PlannedQuery plan = SnapshotPlanner(snapshot, find, whole).plan(parts.query);
  for (std::size_t i = 0; i < plan.segments.size(); ++i) {
    plan.segments[i].excluded_words = plan_words(*snapshot.segments()[i].index, parts.words);
  }
  return plan;
}

}  // namespace warpdex
