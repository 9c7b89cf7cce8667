// Looks a query's terms up in every segment, and gives all segments the statistics of the whole.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "plan/excluded_words.hpp"
#include "plan/find_term.hpp"
#include "plan/term_uses.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/query/plan/plan.hpp"

namespace warpdex {
namespace {

/// A term in one segment.
struct Found {
  PostingsEntry entry;
  FrequencyChange removed;  ///< with what was removed; zeros where that is not known
};

std::uint64_t occurrences(const Index& index, const PostingsEntry& entry) {
  if (!entry.is_short()) return entry.collection_frequency;
  std::array<std::uint32_t, kBlockSize> docids;
  std::array<std::uint32_t, kBlockSize> frequencies;
  read_short_list(index.settings().codec, index.sections(), entry, index.counts().documents,
                  docids.data(), frequencies.data());
  return std::accumulate(frequencies.begin(), frequencies.begin() + entry.document_frequency,
                         std::uint64_t{0});
}

class SnapshotPlanner {
 public:
  SnapshotPlanner(const Snapshot& snapshot, const FindTerm& find)
      : snapshot_(snapshot), find_(find) {
    plan_.segments.resize(snapshot.segments().size());
    plan_.statistics = snapshot.statistics();
    plan_.text_statistics = snapshot.text_statistics();
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
    std::vector<std::optional<Found>> found;
    for (const Snapshot::Segment& segment : snapshot_.segments()) {
      found.push_back(find(found.size(), *segment.index, term));
      if (!found.back()) continue;
      whole.entry.field = found.back()->entry.field;
      const Found& here = *found.back();
      whole.document_frequency += here.entry.document_frequency - here.removed.documents;
      const std::uint64_t all = occurrences(*segment.index, here.entry);
      whole.collection_frequency += all - std::min(all, here.removed.occurrences);
    }
    // No live document has the term: an index built of what is live would not know it.
    if (whole.document_frequency == 0) {
      note_missing(plan_, uses);
    } else {
      whole.entry.document_frequency = static_cast<std::uint32_t>(whole.document_frequency);
      plan_.terms.push_back(whole);
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      add_to_segment(plan_.segments[i], *snapshot_.segments()[i].index, found[i], whole, uses);
    }
  }

  std::optional<Found> find(std::size_t segment, const Index& index, std::string_view term) const {
    const std::optional<PostingsEntry> entry = find_(segment, index, term);
    if (!entry) return std::nullopt;
    const FrequencyChange removed = index.frequency_change(entry->term_number);
    // More than there are is damage; an entry without live documents is none.
    if (removed.documents >= entry->document_frequency) return std::nullopt;
    return Found{*entry, removed};
  }

  static void add_to_segment(PlannedQuery& segment, const Index& index,
                             const std::optional<Found>& found, const PlannedTerm& whole,
                             std::span<const TermUse> uses) {
    if (!found) {
      note_missing(segment, uses);
      return;
    }
    PlannedTerm term = whole;
    term.entry = found->entry;
    const std::uint64_t removed =
        index.settings().has_forward
            ? found->removed.documents
            : std::min<std::uint64_t>(index.removed_documents(), found->entry.document_frequency);
    term.removed = static_cast<std::uint32_t>(removed);
    segment.terms.push_back(term);
  }

  const Snapshot& snapshot_;
  const FindTerm& find_;
  PlannedQuery plan_;
  std::uint32_t terms_ = 0;  ///< so far
};

}  // namespace

PlannedQuery plan_query(const Snapshot& snapshot, const Query& query) {
  return plan_query(snapshot, query, [](std::size_t, const Index& index, std::string_view term) {
    return index.find(term);
  });
}

PlannedQuery plan_query(const Snapshot& snapshot, const Query& query, const FindTerm& find) {
  if (snapshot.is_plain()) return plan_query(*snapshot.segments()[0].index, query, find);
  if (!has_excluded_words(query)) return SnapshotPlanner(snapshot, find).plan(query);
  const QueryAndWords parts = part_excluded_words(query);
  PlannedQuery plan = SnapshotPlanner(snapshot, find).plan(parts.query);
  for (std::size_t i = 0; i < plan.segments.size(); ++i) {
    plan.segments[i].excluded_words = plan_words(*snapshot.segments()[i].index, parts.words);
  }
  return plan;
}

}  // namespace warpdex
