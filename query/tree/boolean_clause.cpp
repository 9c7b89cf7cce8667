// A Boolean clause, window by window. Required parts narrow the candidates, the cheapest first.
// Where only scores above some limit are wanted, candidates are dropped that all that is left
// cannot lift over it, as in MaxScore (or_search.hpp).
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "tree/parent_clauses.hpp"

namespace warpdex {
namespace {

bool is_empty(const WindowBits& bits) {
  return std::all_of(bits.begin(), bits.end(), [](std::uint64_t word) { return word == 0; });
}

/// A clause below a Boolean one.
struct Part {
  explicit Part(ScoredClause of) : clause(std::move(of.clause)), scores(of.scores) {
    found.scores.resize(kTreeWindow);
  }

  std::unique_ptr<TreeClause> clause;
  bool scores;          ///< whether its scores are added
  float bound = 0;      ///< of its scores in the window
  WindowMatches found;  ///< in the window
};

std::vector<Part> parts_of(ScoredClauses clauses, bool adds) {
  std::vector<Part> parts;
  parts.reserve(clauses.size());
  for (ScoredClause& clause : clauses) {
    parts.emplace_back(std::move(clause)).scores &= adds;
  }
  return parts;
}

class BooleanClause final : public TreeClause {
 public:
  BooleanClause(const PlannedNode& node, ScoredClauses must, ScoredClauses should,
                TreeClauses must_not)
      : constant_(node.constant),
        scores_(node.scores),
        adds_(node.scores && !node.constant),
        minimum_(node.minimum_should_match),
        must_(parts_of(std::move(must), adds_)),
        should_(parts_of(std::move(should), adds_)),
        must_not_(std::move(must_not)) {
    for (Part& part : must_) sequence_.push_back(&part);
    std::ranges::stable_sort(sequence_, {}, [](const Part* part) { return part->clause->cost(); });
    for (Part& part : should_) sequence_.push_back(&part);
    slack_ = sum_slack(false, sequence_.size());
    tails_.resize(sequence_.size() + 1);
    if (minimum_ > 1) counts_.resize(kTreeWindow);
    excluded_.scores.resize(kTreeWindow);
  }

  std::uint32_t next_document(const Kernels& kernels, std::uint32_t document) override {
    std::uint32_t next = document;
    for (const Part& part : must_) {
      next = std::max(next, part.clause->next_document(kernels, next));
      if (next == kNoDocument) return next;
    }
    if (minimum_ == 0) return next;
    std::uint32_t first = kNoDocument;
    for (const Part& part : should_) {
      first = std::min(first, part.clause->next_document(kernels, next));
    }
    return std::max(next, first);
  }

  float bound(const TreeWindow& window) override {
    if (!scores_) return 0;
    if (constant_) return *constant_;
    float bound = 0;
    for (const Part* part : sequence_) bound += part->scores ? part->clause->bound(window) : 0;
    return bound * slack_;
  }

  std::uint64_t cost() const override {
    std::uint64_t least = ~std::uint64_t{0};
    for (const Part& part : must_) least = std::min(least, part.clause->cost());
    if (!must_.empty()) return least;
    std::uint64_t sum = 0;
    for (const Part& part : should_) sum += part.clause->cost();
    return sum;
  }

  void match(const Kernels& kernels, const TreeWindow& window, const WindowBits& within,
             WindowMatches& matches) override {
    start(window, matches);
    matches.bits = within;
    match_must(kernels, window, matches.bits);
    if (is_empty(matches.bits)) return;
    if (minimum_ > 0 || adds_) match_should(kernels, window, matches.bits);
    for (std::size_t i = 0; i < must_not_.size() && !is_empty(matches.bits); ++i) {
      must_not_[i]->match(kernels, {window.begin, window.end}, matches.bits, excluded_);
      for (std::size_t w = 0; w < matches.bits.size(); ++w) matches.bits[w] &= ~excluded_.bits[w];
    }
    if (scores_) write_scores(matches);
  }

 private:
  void start(const TreeWindow& window, WindowMatches& matches) {
    sums_ = matches.scores.data();
    have_sums_ = {};
    limit_ = adds_ && window.least > 0 ? window.least / slack_ : -1;
    largest_sum_ = 0;
    if (limit_ < 0) return;
    for (Part* part : sequence_) part->bound = part->scores ? part->clause->bound(window) : 0;
    std::ranges::stable_sort(sequence_.begin() + static_cast<std::ptrdiff_t>(must_.size()),
                             sequence_.end(), std::greater<>(), &Part::bound);
    for (std::size_t i = sequence_.size(); i-- > 0;)
      tails_[i] = tails_[i + 1] + sequence_[i]->bound;
  }

  /// Finds a part's matches. It may leave out those that cannot score enough together with the
  /// parts before and all that those behind it can add.
  void find(const Kernels& kernels, const TreeWindow& window, std::size_t i,
            const WindowBits& within) {
    Part& part = *sequence_[i];
    const bool leaves_out = limit_ > 0 && part.scores;
    const float least = leaves_out ? limit_ - largest_sum_ - tails_[i + 1] : -1;
    part.clause->match(kernels, {window.begin, window.end, least > 0 ? least : -1}, within,
                       part.found);
  }

  /// Adds what the part scores, and drops candidates that the parts behind it cannot lift over the
  /// limit.
  void add(std::size_t i, WindowBits& candidates) {
    const Part& part = *sequence_[i];
    if (part.scores) add_scores(part.found, candidates);
    if (limit_ < 0 || limit_ <= tails_[i + 1]) return;
    const float needed = limit_ - tails_[i + 1];
    for (std::uint32_t w = 0; w < candidates.size(); ++w) {
      std::uint64_t kept = candidates[w] & have_sums_[w];
      for (std::uint64_t word = kept; word != 0; word &= word - 1) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(word));
        if (sums_[w * 64 + bit] <= needed) kept ^= std::uint64_t{1} << bit;
      }
      candidates[w] = kept;
    }
  }

  void add_scores(const WindowMatches& found, const WindowBits& candidates) {
    const float* const scores = found.scores.data();
    float* const sums = sums_;
    float largest = largest_sum_;
    const auto visit = [&](std::uint32_t w, std::uint64_t word, const auto& add) {
      for (; word != 0; word &= word - 1) {
        const std::uint32_t place = w * 64 + static_cast<std::uint32_t>(std::countr_zero(word));
        sums[place] = add(place);
        largest = std::max(largest, sums[place]);
      }
    };
    for (std::uint32_t w = 0; w < candidates.size(); ++w) {
      const std::uint64_t both = candidates[w] & found.bits[w];
      if (both == 0) continue;
      visit(w, both & have_sums_[w],
            [&](std::uint32_t place) { return sums[place] + scores[place]; });
      visit(w, both & ~have_sums_[w], [&](std::uint32_t place) { return scores[place]; });
      have_sums_[w] |= both;
    }
    largest_sum_ = largest;
  }

  void match_must(const Kernels& kernels, const TreeWindow& window, WindowBits& candidates) {
    for (std::size_t i = 0; i < must_.size() && !is_empty(candidates); ++i) {
      find(kernels, window, i, candidates);
      candidates = sequence_[i]->found.bits;
      add(i, candidates);
    }
  }

  /// Those that score most first.
  void match_should(const Kernels& kernels, const TreeWindow& window, WindowBits& candidates) {
    WindowBits any{};
    std::fill(counts_.begin(), counts_.end(), std::uint16_t{0});
    for (std::size_t i = must_.size(); i < sequence_.size(); ++i) {
      // Documents that only parts from here on have cannot score enough.
      const bool takes_no_more = must_.empty() && limit_ > 0 && tails_[i] <= limit_;
      const WindowBits& within = takes_no_more ? any : candidates;
      WindowBits& found = sequence_[i]->found.bits;
      if (is_empty(within)) {
        found = {};
        continue;
      }
      find(kernels, window, i, within);
      for (std::size_t w = 0; w < any.size(); ++w) any[w] |= found[w];
      if (minimum_ > 1) for_each_bit(found, [&](std::uint32_t place) { ++counts_[place]; });
      add(i, must_.empty() ? any : candidates);
    }
    if (minimum_ == 0) return;
    for (std::size_t w = 0; w < any.size(); ++w) candidates[w] &= any[w];
    if (minimum_ == 1) return;
    for_each_bit(any, [&](std::uint32_t place) {
      if (counts_[place] < minimum_) candidates[place / 64] &= ~(std::uint64_t{1} << place % 64);
    });
  }

  /// Scores are added in the order of the clauses, whatever they were matched in.
  void write_scores(WindowMatches& matches) {
    for_each_bit(matches.bits, [&](std::uint32_t place) {
      const bool has_sum = (have_sums_[place / 64] >> place % 64 & 1) != 0;
      if (!has_sum) matches.scores[place] = constant_.value_or(0);
    });
    if (is_in_order()) return;
    have_sums_ = {};
    for (std::vector<Part>* parts : {&must_, &should_}) {
      for (const Part& part : *parts) {
        if (part.scores) add_scores(part.found, matches.bits);
      }
    }
  }

  /// Whether the sums are those in the order of the clauses. Two scores have one sum.
  bool is_in_order() const {
    const Part* before = nullptr;
    std::size_t scoring = 0;
    bool is_sorted = true;
    for (std::size_t i = 0; i < sequence_.size(); ++i) {
      if (!sequence_[i]->scores) continue;
      ++scoring;
      const bool are_of_one = i != must_.size();
      if (before != nullptr && are_of_one && sequence_[i] < before) is_sorted = false;
      before = sequence_[i];
    }
    return scoring <= 2 || is_sorted;
  }

  std::optional<float> constant_;
  bool scores_;
  bool adds_;  ///< scores are sums of what the parts score
  std::uint32_t minimum_;
  std::vector<Part> must_;
  std::vector<Part> should_;
  TreeClauses must_not_;
  /// Required parts, the cheapest first; then the others, in a window with a limit by falling
  /// bounds.
  std::vector<Part*> sequence_;
  float slack_ = 1;           ///< the factor of sums of bounds, for rounding
  std::vector<float> tails_;  ///< by place in the sequence: the sum of the bounds from it on
  float limit_ = -1;          ///< candidates whose sums cannot pass it are dropped; negative: none
  float* sums_ = nullptr;     ///< by place in the window: of the parts so far
  WindowBits have_sums_{};    ///< where there is one
  float largest_sum_ = 0;
  std::vector<std::uint16_t> counts_;
  WindowMatches excluded_;
};

}  // namespace

std::unique_ptr<TreeClause> make_boolean_clause(const PlannedNode& node, ScoredClauses must,
                                                ScoredClauses should, TreeClauses must_not) {
  return std::make_unique<BooleanClause>(node, std::move(must), std::move(should),
                                         std::move(must_not));
}

}  // namespace warpdex
