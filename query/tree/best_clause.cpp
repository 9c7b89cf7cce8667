// The best of several clauses, window by window.
#include <algorithm>
#include <utility>

#include "tree/parent_clauses.hpp"

namespace warpdex {
namespace {

class BestClause final : public TreeClause {
 public:
  BestClause(const PlannedNode& node, TreeClauses clauses)
      : scores_(node.scores), tie_breaker_(node.tie_breaker), clauses_(std::move(clauses)) {
    for (const PlannedNode& clause : node.should) clause_scores_.push_back(clause.scores);
    sums_.resize(kTreeWindow);
    found_.scores.resize(kTreeWindow);
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

  std::uint64_t cost() const override {
    std::uint64_t sum = 0;
    for (const auto& clause : clauses_) sum += clause->cost();
    return sum;
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
  WindowMatches found_;
};

}  // namespace

std::unique_ptr<TreeClause> make_best_clause(const PlannedNode& node, TreeClauses should) {
  return std::make_unique<BestClause>(node, std::move(should));
}

}  // namespace warpdex
