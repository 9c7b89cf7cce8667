#include "tree/parent_clauses.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace warpdex {
namespace {

bool is_empty(const WindowBits& bits) {
  return std::all_of(bits.begin(), bits.end(), [](std::uint64_t word) { return word == 0; });
}

/// The factor by which a sum of bounds is raised, since sums of scores are rounded.
constexpr float kSumSlack = 1.0F + 1e-5F;

/// The clauses below one, and room for what they find.
class ParentClause : public TreeClause {
 protected:
  ParentClause() { found_.scores.resize(kTreeWindow); }

  WindowMatches found_;
};

class BooleanClause final : public ParentClause {
 public:
  BooleanClause(const PlannedNode& node, TreeClauses must, TreeClauses should, TreeClauses must_not)
      : constant_(node.constant),
        scores_(node.scores),
        minimum_(node.minimum_should_match),
        must_(std::move(must)),
        should_(std::move(should)),
        must_not_(std::move(must_not)) {
    for (const PlannedNode& clause : node.must) must_score_.push_back(clause.scores);
    for (const PlannedNode& clause : node.should) should_score_.push_back(clause.scores);
    if (minimum_ > 1) counts_.resize(kTreeWindow);
    const auto leaves_out = [](const PlannedNode& clause) {
      return clause.scores && (clause.kind == PlannedNode::Kind::kPhrase ||
                               clause.kind == PlannedNode::Kind::kBoolean);
    };
    leaves_out_ = !constant_ && (std::ranges::any_of(node.must, leaves_out) ||
                                 std::ranges::any_of(node.should, leaves_out));
    must_scores_.resize(must_.size());
    order_.resize(must_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_partition(order_, [&](std::size_t i) {
      return node.must[i].kind == PlannedNode::Kind::kColumns ||
             node.must[i].kind == PlannedNode::Kind::kTerm ||
             node.must[i].kind == PlannedNode::Kind::kUnion;
    });
  }

  std::uint32_t next_document(const Kernels& kernels, std::uint32_t document) override {
    std::uint32_t next = document;
    for (const auto& clause : must_) {
      next = std::max(next, clause->next_document(kernels, next));
      if (next == kNoDocument) return next;
    }
    if (minimum_ == 0) return next;
    std::uint32_t first = kNoDocument;
    for (const auto& clause : should_) {
      first = std::min(first, clause->next_document(kernels, next));
    }
    return std::max(next, first);
  }

  float bound(const TreeWindow& window) override {
    if (!scores_) return 0;
    if (constant_) return *constant_;
    float bound = 0;
    for (const auto& clause : must_) bound += clause->bound(window);
    for (const auto& clause : should_) bound += clause->bound(window);
    return bound;
  }

  void match(const Kernels& kernels, const TreeWindow& window, const WindowBits& within,
             WindowMatches& matches) override {
    matches.bits = within;
    const bool adds = scores_ && !constant_;
    const float least = leaves_out_ ? least_rest(window) : -1;
    if (adds) std::fill(matches.scores.begin(), matches.scores.end(), 0.0F);
    match_must(kernels, window, least, adds, matches);
    if (!is_empty(matches.bits)) match_should(kernels, window, least, adds, matches);
    for (std::size_t i = 0; i < must_not_.size() && !is_empty(matches.bits); ++i) {
      must_not_[i]->match(kernels, {window.begin, window.end}, matches.bits, found_);
      for (std::size_t w = 0; w < matches.bits.size(); ++w) matches.bits[w] &= ~found_.bits[w];
    }
    if (constant_) std::fill(matches.scores.begin(), matches.scores.end(), *constant_);
  }

 private:
  /// What must be left of `least` for one clause, where all others score as much as they can; a
  /// clause adds its own bound to that. Below 0: no clause may leave out a match.
  float least_rest(const TreeWindow& window) {
    if (window.least <= 0) return -1;
    return window.least - bound(window) * kSumSlack;
  }
  TreeWindow window_of(TreeClause& clause, const TreeWindow& window, float rest) const {
    if (!leaves_out_ || window.least <= 0) return {window.begin, window.end};
    const float least = rest + clause.bound(window);
    return {window.begin, window.end, least > 0 ? least : -1};
  }

  void add(WindowMatches& matches) {
    for_each_bit(found_.bits,
                 [&](std::uint32_t place) { matches.scores[place] += found_.scores[place]; });
  }

  /// Lists first: positions, say, are then read of fewer documents. Scores are added in the order
  /// of the clauses all the same.
  void match_must(const Kernels& kernels, const TreeWindow& window, float least, bool adds,
                  WindowMatches& matches) {
    for (const std::size_t i : order_) {
      if (is_empty(matches.bits)) return;
      must_[i]->match(kernels, window_of(*must_[i], window, least), matches.bits, found_);
      matches.bits = found_.bits;
      if (!adds || !must_score_[i]) continue;
      must_scores_[i].resize(kTreeWindow);
      std::swap(must_scores_[i], found_.scores);
    }
    for (std::size_t i = 0; adds && i < must_.size(); ++i) {
      if (!must_score_[i]) continue;
      for_each_bit(matches.bits,
                   [&](std::uint32_t place) { matches.scores[place] += must_scores_[i][place]; });
    }
  }

  void match_should(const Kernels& kernels, const TreeWindow& window, float least, bool adds,
                    WindowMatches& matches) {
    if (minimum_ == 0 && !adds) return;
    WindowBits any{};
    std::fill(counts_.begin(), counts_.end(), std::uint16_t{0});
    for (std::size_t i = 0; i < should_.size(); ++i) {
      should_[i]->match(kernels, window_of(*should_[i], window, least), matches.bits, found_);
      for (std::size_t w = 0; w < any.size(); ++w) any[w] |= found_.bits[w];
      if (adds && should_score_[i]) add(matches);
      if (minimum_ > 1) for_each_bit(found_.bits, [&](std::uint32_t place) { ++counts_[place]; });
    }
    if (minimum_ == 1) matches.bits = any;
    if (minimum_ <= 1) return;
    matches.bits = {};
    for_each_bit(any, [&](std::uint32_t place) {
      if (counts_[place] >= minimum_) set_bit(matches.bits, place);
    });
  }

  std::optional<float> constant_;
  bool scores_;
  std::uint32_t minimum_;
  TreeClauses must_;
  TreeClauses should_;
  TreeClauses must_not_;
  std::vector<std::size_t> order_;               ///< of must
  std::vector<std::vector<float>> must_scores_;  ///< of a window, by place
  std::vector<bool> must_score_;
  std::vector<bool> should_score_;
  std::vector<std::uint16_t> counts_;
  bool leaves_out_ = false;  ///< a clause may leave out matches that cannot score enough
};

class BestClause final : public ParentClause {
 public:
  BestClause(const PlannedNode& node, TreeClauses clauses)
      : scores_(node.scores), tie_breaker_(node.tie_breaker), clauses_(std::move(clauses)) {
    for (const PlannedNode& clause : node.should) clause_scores_.push_back(clause.scores);
    sums_.resize(kTreeWindow);
  }

  std::uint32_t next_document(const Kernels& kernels, std::uint32_t document) override {
    std::uint32_t first = kNoDocument;
    for (const auto& clause : clauses_) {
      first = std::min(first, clause->next_document(kernels, document));
    }
    return first;
  }

  float bound(const TreeWindow& window) override {
    if (!scores_) return 0;
    float best = 0;
    float sum = 0;
    for (const auto& clause : clauses_) {
      const float own = clause->bound(window);
      best = std::max(best, own);
      sum += own;
    }
    return best + tie_breaker_ * sum;
  }

  void match(const Kernels& kernels, const TreeWindow& window, const WindowBits& within,
             WindowMatches& matches) override {
    matches.bits = {};
    if (scores_) {
      std::fill(matches.scores.begin(), matches.scores.end(), 0.0F);
      std::fill(sums_.begin(), sums_.end(), 0.0F);
    }
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
      clauses_[i]->match(kernels, {window.begin, window.end}, within, found_);
      for (std::size_t w = 0; w < within.size(); ++w) matches.bits[w] |= found_.bits[w];
      if (!scores_ || !clause_scores_[i]) continue;
      for_each_bit(found_.bits, [&](std::uint32_t place) {
        matches.scores[place] = std::max(matches.scores[place], found_.scores[place]);
        sums_[place] += found_.scores[place];
      });
    }
    if (!scores_ || tie_breaker_ == 0) return;
    for_each_bit(matches.bits, [&](std::uint32_t place) {
      const float best = matches.scores[place];
      matches.scores[place] = best + tie_breaker_ * (sums_[place] - best);
    });
  }

 private:
  bool scores_;
  float tie_breaker_;
  TreeClauses clauses_;
  std::vector<bool> clause_scores_;
  std::vector<float> sums_;
};

}  // namespace

std::unique_ptr<TreeClause> make_boolean_clause(const PlannedNode& node, TreeClauses must,
                                                TreeClauses should, TreeClauses must_not) {
  return std::make_unique<BooleanClause>(node, std::move(must), std::move(should),
                                         std::move(must_not));
}

std::unique_ptr<TreeClause> make_best_clause(const PlannedNode& node, TreeClauses should) {
  return std::make_unique<BestClause>(node, std::move(should));
}

}  // namespace warpdex
