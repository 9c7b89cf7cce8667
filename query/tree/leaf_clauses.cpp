#include "tree/leaf_clauses.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "tree/window_parts.hpp"

namespace warpdex {
namespace {

/// A list with this many times as many postings in a window as there are candidates is looked up.
constexpr std::uint64_t kListPostingsPerLookUp = 16;

std::uint64_t count_bits(const Kernels& kernels, const WindowBits& bits) {
  // The last bit apart: rank() may read 8 bytes past what it counts.
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(bits.data());
  return kernels.rank(bytes, kTreeWindow - 1) + (bits.back() >> 63);
}

class NothingClause final : public TreeClause {
 public:
  std::uint32_t next_document(const Kernels&, std::uint32_t) override { return kNoDocument; }
  float bound(const TreeWindow&) override { return 0; }
  std::uint64_t cost() const override { return 0; }
  void match(const Kernels&, const TreeWindow&, const WindowBits&,
             WindowMatches& matches) override {
    matches.bits = {};
  }
};

class AllClause final : public TreeClause {
 public:
  AllClause(float score, std::uint32_t documents) : score_(score), documents_(documents) {}
  std::uint32_t next_document(const Kernels&, std::uint32_t document) override {
    return document < documents_ ? document : kNoDocument;
  }
  float bound(const TreeWindow&) override { return score_; }
  std::uint64_t cost() const override { return documents_; }
  void match(const Kernels&, const TreeWindow&, const WindowBits& within,
             WindowMatches& matches) override {
    matches.bits = within;
    if (score_ > 0) std::fill(matches.scores.begin(), matches.scores.end(), score_);
  }

 private:
  float score_;
  std::uint32_t documents_;
};

class TermClause final : public TreeClause {
 public:
  TermClause(const Index& index, const PlannedTerm& term, bool scores, const ScorerSettings& scorer,
             const CollectionStatistics& statistics)
      : lengths_(index.lengths(term.entry.field).data()), scores_(scores) {
    list_.open(index, term.entry);
    list_.set_scorer(index, scorer, statistics, term);
  }

  std::uint32_t next_document(const Kernels& kernels, std::uint32_t document) override {
    return list_.next_document(kernels, document);
  }

  float bound(const TreeWindow& window) override {
    if (!scores_) return 0;
    list_.skip_to_block(window.begin);
    return list_.at_end() ? 0 : list_.bound_between(window.begin, window.end);
  }

  std::uint64_t cost() const override { return list_.size(); }

  void match(const Kernels& kernels, const TreeWindow& window, const WindowBits& within,
             WindowMatches& matches) override {
    matches.bits = {};
    if (is_looked_up(kernels, window, within)) {
      look_up(kernels, window, within, matches);
      return;
    }
    const auto is_passed = [&](std::uint32_t block) {
      return cannot_score(block, window) ||
             !has_any(within, window, list_.first_possible(block), list_.last_docid(block));
    };
    for_each_part(list_, kernels, window, is_passed, [&](std::uint32_t begin, std::uint32_t end) {
      const std::uint32_t* const docids = list_.docids();
      if (!scores_) {
        for (std::uint32_t i = begin; i < end; ++i) set_bit(matches.bits, docids[i] - window.begin);
        return;
      }
      const float* const scores = list_.scores(kernels);
      const float least = window.least > 0 ? window.least : -1;
      for (std::uint32_t i = begin; i < end; ++i) {
        if (scores[i] <= least) continue;
        set_bit(matches.bits, docids[i] - window.begin);
        matches.scores[docids[i] - window.begin] = scores[i];
      }
    });
    for (std::size_t i = 0; i < within.size(); ++i) matches.bits[i] &= within[i];
  }

 private:
  /// Whether no posting of the block scores enough.
  bool cannot_score(std::uint32_t block, const TreeWindow& window) {
    return scores_ && window.least > 0 && list_.block_bound(block) <= window.least;
  }

  bool is_looked_up(const Kernels& kernels, const TreeWindow& window, const WindowBits& within) {
    list_.skip_to_block(window.begin);
    const std::uint64_t few = count_bits(kernels, within) * kListPostingsPerLookUp;
    std::uint64_t postings = 0;
    for (std::uint32_t block = list_.block();
         postings < few && block < list_.blocks() && list_.first_possible(block) < window.end;
         ++block) {
      postings += list_.block_count(block);
    }
    return postings >= few;
  }

  void look_up(const Kernels& kernels, const TreeWindow& window, const WindowBits& within,
               WindowMatches& matches) {
    for_each_bit(within, [&](std::uint32_t place) {
      const std::uint32_t document = window.begin + place;
      list_.skip_to_block(document);
      if (list_.at_end() || cannot_score(list_.block(), window)) return;
      if (!list_.contains(kernels, document)) return;
      set_bit(matches.bits, place);
      if (scores_) {
        matches.scores[place] = list_.scorer()(list_.frequency_here(), lengths_[document]);
      }
    });
  }

  ListCursor list_;
  const std::uint32_t* lengths_;
  bool scores_;
};

/// Documents of any of many lists, all decoded at once.
class UnionClause final : public TreeClause {
 public:
  UnionClause(const Index& index, const std::vector<PostingsEntry>& entries, float score)
      : score_(score), documents_(static_cast<std::uint32_t>(index.counts().documents)) {
    bits_.resize((index.counts().documents + 63) / 64 + kTreeWindow / 64);
    ListCursor list;
    for (const PostingsEntry& entry : entries) {
      list.open(index, entry);
      for (; !list.at_end(); list.next_block()) {
        list.check_order();
        const std::uint32_t* const docids = list.docids();
        for (std::uint32_t i = 0; i < list.count(); ++i) {
          bits_[docids[i] / 64] |= std::uint64_t{1} << docids[i] % 64;
        }
      }
    }
  }

  std::uint32_t next_document(const Kernels&, std::uint32_t document) override {
    if (document >= documents_) return kNoDocument;
    std::size_t word = document / 64;
    std::uint64_t rest = bits_[word] & ~std::uint64_t{0} << document % 64;
    while (rest == 0) {
      if (++word * 64 >= documents_) return kNoDocument;
      rest = bits_[word];
    }
    return static_cast<std::uint32_t>(word * 64) +
           static_cast<std::uint32_t>(std::countr_zero(rest));
  }
  float bound(const TreeWindow&) override { return score_; }
  /// The lists were read.
  std::uint64_t cost() const override { return 0; }
  void match(const Kernels&, const TreeWindow& window, const WindowBits& within,
             WindowMatches& matches) override {
    for (std::size_t i = 0; i < within.size(); ++i) {
      matches.bits[i] = within[i] & bits_[window.begin / 64 + i];
    }
    if (score_ > 0) std::fill(matches.scores.begin(), matches.scores.end(), score_);
  }

 private:
  float score_;
  std::uint32_t documents_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

std::unique_ptr<TreeClause> make_nothing_clause() { return std::make_unique<NothingClause>(); }

std::unique_ptr<TreeClause> make_all_clause(const Index& index, float score) {
  return std::make_unique<AllClause>(score, static_cast<std::uint32_t>(index.counts().documents));
}

std::unique_ptr<TreeClause> make_term_clause(const Index& index, const PlannedTerm& term,
                                             bool scores, const ScorerSettings& scorer,
                                             const CollectionStatistics& statistics) {
  return std::make_unique<TermClause>(index, term, scores, scorer, statistics);
}

std::unique_ptr<TreeClause> make_union_clause(const Index& index,
                                              const std::vector<PostingsEntry>& entries,
                                              float score) {
  return std::make_unique<UnionClause>(index, entries, score);
}

std::uint64_t occurrences_of(ListCursor& list) {
  if (!list.entry().is_short()) return list.entry().collection_frequency;
  const std::uint32_t* const counts = list.frequencies();
  return std::accumulate(counts, counts + list.size(), std::uint64_t{0});
}

}  // namespace warpdex
