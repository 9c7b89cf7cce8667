// Terms that are all required: a block of the rarest one's list at a time, as AND does.
#include "tree/all_terms_clause.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "tree/window_parts.hpp"

namespace warpdex {
namespace {

/// If this many frequencies of a block are wanted, all are decoded.
constexpr std::size_t kManyFrequencies = 12;

/// A list, and its frequencies in documents of the leading list's block.
struct RequiredTerm {
  /// Of `wanted` frequencies of the list's current block.
  std::uint32_t frequency_at(std::uint32_t position, std::size_t wanted) {
    return wanted < kManyFrequencies ? list.frequency_at(list.block(), position)
                                     : list.frequencies()[position];
  }

  ListCursor list;
  bool scores = true;
  float bound = 0;  ///< of its scores in the window
  std::array<std::uint32_t, kBlockSize> frequencies;
};

class AllTermsClause final : public TreeClause {
 public:
  AllTermsClause(const Index& index, std::span<const PlannedNode> terms, std::size_t segment,
                 const ScorerSettings& scorer, const std::vector<CollectionStatistics>& statistics)
      : terms_(terms.size()), slack_(sum_slack(false, terms.size())) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const PlannedTerm& term = *terms[i].terms[segment];
      terms_[i].list.open(index, term.entry);
      terms_[i].list.set_scorer(index, scorer, statistics[term.entry.field], term);
      terms_[i].scores = terms[i].scores;
      order_.push_back(&terms_[i]);
    }
    std::ranges::stable_sort(order_, {}, [](const auto* term) { return term->list.size(); });
  }

  std::uint32_t next_document(const Kernels& kernels, std::uint32_t document) override {
    for (RequiredTerm* term : order_) {
      document = std::max(document, term->list.next_document(kernels, document));
      if (document == kNoDocument) break;
    }
    return document;
  }

  float bound(const TreeWindow& window) override {
    float bound = 0;
    for (RequiredTerm* term : order_) {
      term->list.skip_to_block(window.begin);
      if (term->list.at_end()) return 0;
      term->bound = term->scores ? term->list.bound_between(window.begin, window.end) : 0;
      bound += term->bound;
    }
    return bound * slack_;
  }

  std::uint64_t cost() const override { return order_[0]->list.size(); }

  void match(const Kernels& kernels, const TreeWindow& window, const WindowBits& within,
             WindowMatches& matches) override {
    matches.bits = {};
    needed_ = -1;
    ListCursor& lead = order_[0]->list;
    if (window.least > 0) needed_ = window.least / slack_ - (bound(window) - order_[0]->bound);
    const auto is_passed = [&](std::uint32_t block) {
      return (needed_ > 0 && order_[0]->scores && lead.block_bound(block) <= needed_) ||
             !has_any(within, window, lead.first_possible(block), lead.last_docid(block));
    };
    for_each_part(lead, kernels, window, is_passed, [&](std::uint32_t begin, std::uint32_t end) {
      take(kernels, window, begin, end, within);
      for (std::size_t i = 1; i < order_.size() && count_ > 0; ++i)
        keep_matches(kernels, *order_[i]);
      write(window, matches);
    });
  }

 private:
  /// Documents of the leading list's block that may match.
  void take(const Kernels& kernels, const TreeWindow& window, std::uint32_t begin,
            std::uint32_t end, const WindowBits& within) {
    RequiredTerm& lead = *order_[0];
    const std::uint32_t* const docids = lead.list.docids();
    const float* const scores = needed_ > 0 && lead.scores ? lead.list.scores(kernels) : nullptr;
    count_ = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t place = docids[i] - window.begin;
      if ((within[place / 64] >> place % 64 & 1) == 0) continue;
      if (scores != nullptr && scores[i] <= needed_) continue;
      documents_[count_] = docids[i];
      slots_[count_++] = static_cast<std::uint8_t>(i);
    }
  }

  void keep_matches(const Kernels& kernels, RequiredTerm& term) {
    std::array<std::uint8_t, kBlockSize + kBlockPadding> matched;
    std::array<std::uint8_t, kBlockSize + kBlockPadding> positions;
    std::size_t kept = 0;
    for (std::size_t next = 0; next < count_;) {
      term.list.skip_to_block(documents_[next]);
      if (term.list.at_end()) break;
      const std::uint32_t block = term.list.block();
      while (next < count_ && documents_[next] < term.list.first_possible(block)) ++next;
      std::size_t end = next;
      while (end < count_ && documents_[end] <= term.list.last_docid(block)) ++end;
      if (end == next) continue;
      const std::size_t found = term.list.intersect_block(
          kernels, documents_.data() + next, end - next, matched.data(), positions.data());
      for (std::size_t i = 0; i < found; ++i, ++kept) {
        const std::size_t from = next + matched[i];
        if (term.scores) term.frequencies[slots_[from]] = term.frequency_at(positions[i], found);
        documents_[kept] = documents_[from];
        slots_[kept] = slots_[from];
      }
      next = end;
    }
    count_ = kept;
  }

  void write(const TreeWindow& window, WindowMatches& matches) {
    RequiredTerm& lead = *order_[0];
    for (std::size_t i = 0; lead.scores && i < count_; ++i) {
      lead.frequencies[slots_[i]] = lead.frequency_at(slots_[i], count_);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint32_t document = documents_[i];
      float sum = 0;
      for (const RequiredTerm& term : terms_) {
        if (!term.scores) continue;
        sum += term.list.scorer()(term.frequencies[slots_[i]], term.list.lengths()[document]);
      }
      if (window.least > 0 && sum <= window.least) continue;
      set_bit(matches.bits, document - window.begin);
      matches.scores[document - window.begin] = sum;
    }
  }

  std::vector<RequiredTerm> terms_;   ///< in the order in which scores are added
  std::vector<RequiredTerm*> order_;  ///< the rarest first, which leads
  float slack_;                       ///< the factor of sums of bounds, for rounding
  float needed_ = -1;                 ///< the leading term's score must be above that
  std::size_t count_ = 0;             ///< documents that are left
  std::array<std::uint32_t, kBlockSize + kBlockPadding> documents_;
  std::array<std::uint8_t, kBlockSize + kBlockPadding>
      slots_;  ///< their positions in the leading block
};

}  // namespace

std::unique_ptr<TreeClause> make_all_terms_clause(
    const Index& index, std::span<const PlannedNode> terms, std::size_t segment,
    const ScorerSettings& scorer, const std::vector<CollectionStatistics>& statistics) {
  return std::make_unique<AllTermsClause>(index, terms, segment, scorer, statistics);
}

}  // namespace warpdex
