// Trees drawn at random, and their answers by the oracle's formulas, applied clause by clause in
// double precision.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/reference/oracle.hpp"
#include "tests/support.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex::test {

using TreeKind = QueryNode::Kind;
using Matches = std::map<std::uint32_t, double>;

/// Answers trees over a collection, slowly.
class SlowTrees {
 public:
  SlowTrees(const reference::Collection& collection, const ScorerSettings& scorer)
      : collection_(collection), scorer_(scorer), terms_(collection.terms()) {}

  Matches find(const QueryNode& node) const {
    Matches matches = unboosted(node);
    for (auto& [document, score] : matches) score *= static_cast<double>(node.boost);
    return matches;
  }

 private:
  Matches unboosted(const QueryNode& node) const {
    switch (node.kind) {
      case TreeKind::kAll: {
        Matches all;
        for (std::uint32_t i = 0; i < collection_.documents(); ++i) all[i] = 1;
        return all;
      }
      case TreeKind::kTerm: return of_term(node.text);
      case TreeKind::kConstant: return constant(find(node.filter[0]));
      case TreeKind::kPrefix:
        return any([&](const std::string& term) { return term.starts_with(node.text); });
      case TreeKind::kRange:
        return any([&](const std::string& term) {
          return (term > node.text || (term == node.text && node.includes_lower)) &&
                 (node.upper.empty() || term < node.upper ||
                  (term == node.upper && node.includes_upper));
        });
      case TreeKind::kAny:
        return any([&](const std::string& term) {
          return std::find(node.texts.begin(), node.texts.end(), term) != node.texts.end();
        });
      case TreeKind::kBest: return best(node);
      case TreeKind::kBoolean: return boolean(node);
      default: return {};
    }
  }

  Matches of_term(const std::string& term) const {
    Matches matches;
    const auto& postings = collection_.postings(term);
    const auto documents = static_cast<double>(collection_.documents());
    const double average = static_cast<double>(collection_.tokens()) / documents;
    for (const reference::Posting& posting : postings) {
      matches[posting.document] =
          reference::bm25(scorer_, documents, static_cast<double>(postings.size()),
                          posting.frequency, collection_.lengths()[posting.document], average);
    }
    return matches;
  }

  static Matches constant(Matches matches) {
    for (auto& [document, score] : matches) score = 1;
    return matches;
  }

  template <class Is>
  Matches any(const Is& is) const {
    constexpr std::size_t kMostTerms = 16'384;
    Matches matches;
    std::size_t taken = 0;
    for (const std::string& term : terms_) {
      if (!is(term)) continue;
      if (++taken > kMostTerms) break;
      for (const reference::Posting& posting : collection_.postings(term)) {
        matches[posting.document] = 1;
      }
    }
    return matches;
  }

  Matches best(const QueryNode& node) const {
    std::map<std::uint32_t, std::vector<double>> scores;
    for (const QueryNode& clause : node.should) {
      for (const auto& [document, score] : find(clause)) scores[document].push_back(score);
    }
    Matches matches;
    for (const auto& [document, all] : scores) {
      const double best = *std::max_element(all.begin(), all.end());
      double sum = 0;
      for (const double score : all) sum += score;
      matches[document] = best + static_cast<double>(node.tie_breaker) * (sum - best);
    }
    return matches;
  }

  Matches boolean(const QueryNode& node) const {
    std::map<std::uint32_t, std::size_t> required;
    std::map<std::uint32_t, std::size_t> optional;
    Matches sums;
    const auto add = [&](const std::vector<QueryNode>& clauses, auto& counts, bool scores) {
      for (const QueryNode& clause : clauses) {
        for (const auto& [document, score] : find(clause)) {
          ++counts[document];
          sums[document] += scores ? score : 0;
        }
      }
    };
    add(node.must, required, true);
    add(node.filter, required, false);
    add(node.should, optional, true);
    const std::size_t needed = node.must.size() + node.filter.size();
    const std::size_t least = std::max<std::size_t>(node.minimum_should_match, needed == 0 ? 1 : 0);
    Matches matches;
    for (const auto& [document, sum] : sums) {
      if (required[document] == needed && optional[document] >= least) matches[document] = sum;
    }
    for (const QueryNode& clause : node.must_not) {
      for (const auto& [document, score] : find(clause)) matches.erase(document);
    }
    return matches;
  }

  const reference::Collection& collection_;
  ScorerSettings scorer_;
  std::vector<std::string> terms_;
};

/// For messages.
inline std::string told(const QueryNode& node) {
  std::string text = std::to_string(static_cast<int>(node.kind)) + "'" + node.text + "'" +
                     node.upper + "^" + std::to_string(node.boost) + "/" +
                     std::to_string(node.minimum_should_match);
  for (const std::string& one : node.texts) text += " " + one;
  const auto add = [&](const std::vector<QueryNode>& clauses, const char* sign) {
    for (const QueryNode& clause : clauses) text += std::string(sign) + told(clause);
  };
  text += "(";
  add(node.must, " +");
  add(node.filter, " #");
  add(node.should, " ");
  add(node.must_not, " -");
  return text + ")";
}

/// Draws trees over some terms.
class TreeMaker {
 public:
  TreeMaker(test::Random& random, std::vector<std::string> terms)
      : random_(random), terms_(std::move(terms)) {
    terms_.push_back("unknown");
  }

  QueryNode draw(std::size_t depth) {
    QueryNode node{.kind = kind(depth)};
    if (test::chance(random_, 25)) node.boost = 0.25F * static_cast<float>(random_() % 12);
    switch (node.kind) {
      case TreeKind::kTerm: node.text = term(); break;
      case TreeKind::kPrefix: node.text = beginning(term(), 1 + random_() % 3); break;
      case TreeKind::kRange:
        node.text = test::chance(random_, 20) ? "" : term();
        node.upper = test::chance(random_, 20) ? "" : term();
        node.includes_lower = test::chance(random_, 50);
        node.includes_upper = test::chance(random_, 50);
        break;
      case TreeKind::kAny:
        for (std::size_t i = random_() % 5; i > 0; --i) node.texts.push_back(term());
        break;
      case TreeKind::kConstant: node.filter = some(1, depth - 1); break;
      case TreeKind::kBest:
        node.should = some(1 + random_() % 4, depth - 1);
        node.tie_breaker = test::chance(random_, 50) ? 0 : 0.5F;
        break;
      case TreeKind::kBoolean:
        node.must = some(random_() % 3, depth - 1);
        node.filter = some(test::chance(random_, 20) ? 1 : 0, depth - 1);
        node.should = some(random_() % 4, depth - 1);
        node.must_not = some(test::chance(random_, 30) ? 1 : 0, depth - 1);
        node.minimum_should_match = static_cast<std::uint32_t>(random_() % 3);
        break;
      default: break;
    }
    return node;
  }

 private:
  TreeKind kind(std::size_t depth) {
    constexpr TreeKind kLeaves[] = {TreeKind::kTerm, TreeKind::kTerm, TreeKind::kTerm,
                                    TreeKind::kTerm, TreeKind::kTerm, TreeKind::kRange,
                                    TreeKind::kAny,  TreeKind::kAll,  TreeKind::kPrefix};
    constexpr TreeKind kParents[] = {TreeKind::kBoolean, TreeKind::kBoolean, TreeKind::kBoolean,
                                     TreeKind::kBest, TreeKind::kConstant};
    if (depth == 0 || test::chance(random_, 30)) return kLeaves[random_() % std::size(kLeaves)];
    return kParents[random_() % std::size(kParents)];
  }
  /// At least so many bytes, of whole characters.
  static std::string beginning(const std::string& term, std::size_t size) {
    while (size < term.size() && (static_cast<unsigned char>(term[size]) & 0xC0) == 0x80) ++size;
    return term.substr(0, size);
  }
  std::string term() { return terms_[random_() % terms_.size()]; }
  std::vector<QueryNode> some(std::size_t count, std::size_t depth) {
    std::vector<QueryNode> nodes;
    for (; count > 0; --count) nodes.push_back(draw(depth));
    return nodes;
  }

  test::Random& random_;
  std::vector<std::string> terms_;
};

/// Terms of all frequencies, so that windows, blocks and look-ups are met.
inline std::vector<std::string> chosen_terms(const reference::Collection& collection) {
  std::vector<std::string> terms = collection.terms();
  std::stable_sort(terms.begin(), terms.end(), [&](const std::string& a, const std::string& b) {
    return collection.postings(a).size() > collection.postings(b).size();
  });
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < terms.size(); i += 1 + i / 8) chosen.push_back(terms[i]);
  return chosen;
}

}  // namespace warpdex::test
