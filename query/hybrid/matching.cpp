// Joins posting lists as bit sets.
#include "warpdex/query/hybrid/matching.hpp"

#include <cstdint>
#include <vector>

#include "cpu/list_cursor.hpp"
#include "plan/excluded_words.hpp"
#include "plan/roles.hpp"
#include "warpdex/query/filter/document_filter.hpp"

namespace warpdex {
namespace {

using Words = std::vector<std::uint64_t>;

class SegmentMatcher {
 public:
  explicit SegmentMatcher(const Index& index)
      : index_(index), words_(removed_words(index.counts().documents)) {}

  /// A bit for each document.
  Words run(const PlannedQuery& plan, const Roles& roles) {
    if (roles.counts.is_empty) return Words(words_);
    Words matches(words_, roles.counts.has_required ? ~std::uint64_t{0} : 0);
    for (std::size_t i = 0; i < roles.scoring.size(); ++i) {
      if (roles.counts.has_required && !roles.is_required[i]) continue;
      if (!roles.counts.has_required) {
        mark(*roles.scoring[i], matches);
        continue;
      }
      Words list(words_);
      mark(*roles.scoring[i], list);
      for (std::size_t j = 0; j < words_; ++j) matches[j] &= list[j];
    }
    for (const PlannedTerm* term : roles.prohibited) {
      Words list(words_);
      mark(*term, list);
      exclude(list, matches);
    }
    exclude(index_.removed().words(), matches);
    if (!plan.excluded_words.empty()) {
      Words words(words_);
      mark_documents_of_words(index_, plan.excluded_words, words);
      exclude(words, matches);
    }
    return matches;
  }

 private:
  /// Sets the bits of the term's documents.
  void mark(const PlannedTerm& term, Words& words) {
    for (cursor_.open(index_, term.entry); !cursor_.at_end(); cursor_.next_block()) {
      cursor_.check_order();
      const std::uint32_t* const docids = cursor_.docids();
      for (std::uint32_t i = 0; i < cursor_.count(); ++i) {
        words[docids[i] / 64] |= std::uint64_t{1} << docids[i] % 64;
      }
    }
  }
  static void exclude(std::span<const std::uint64_t> from, Words& matches) {
    for (std::size_t i = 0; i < from.size(); ++i) matches[i] &= ~from[i];
  }

  const Index& index_;
  std::size_t words_;
  ListCursor cursor_;
};

/// `filter` may be null.
vector::RowFilter match(const Snapshot& snapshot, const PlannedQuery& plan,
                        bool unsigned_is_required, const DocumentFilter* filter) {
  vector::RowFilter documents(snapshot.docid_end());
  for (std::size_t i = 0; i < snapshot.segments().size(); ++i) {
    const Snapshot::Segment& segment = snapshot.segments()[i];
    const Index& index = *segment.index;
    const PlannedQuery& own = plan.segments.empty() ? plan : plan.segments[i];
    Words words = SegmentMatcher(index).run(own, assign_roles(own, unsigned_is_required));
    for (std::size_t j = 0; filter != nullptr && j < words.size(); ++j) {
      words[j] &= ~filter->excluded[i][j];
    }
    vector::RowFilter matches = vector::RowFilter::of_bits(words, index.counts().documents);
    if (snapshot.segments().size() == 1) return matches;
    for (std::size_t row = matches.next_allowed(0); row < matches.rows();
         row = matches.next_allowed(row + 1)) {
      documents.add(segment.first_document + row);
    }
  }
  return documents;
}

}  // namespace

vector::RowFilter passing_documents(const Snapshot& snapshot,
                                    std::span<const std::uint32_t> documents,
                                    const DocumentFilter* filter) {
  vector::RowFilter passing(snapshot.docid_end());
  for (const std::uint32_t document : documents) {
    if (filter == nullptr || filter->documents.contains(document)) passing.add(document);
  }
  return passing;
}

vector::RowFilter matching_documents(const Snapshot& snapshot, const PlannedQuery& plan,
                                     const SearchSettings& settings) {
  if (settings.mode == QueryMode::kOr) return match(snapshot, plan, false, settings.documents);
  vector::RowFilter documents = match(snapshot, plan, true, settings.documents);
  const bool falls_back =
      settings.mode == QueryMode::kAndOr && documents.count() < settings.and_or_min_matches();
  return falls_back ? match(snapshot, plan, false, settings.documents) : documents;
}

}  // namespace warpdex
