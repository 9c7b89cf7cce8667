// Adds up a word's frequencies over its fields, window by window.
#include "tree/combined_clause.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tree/leaf_clauses.hpp"
#include "tree/phrase_scorer.hpp"
#include "tree/window_parts.hpp"

namespace warpdex {
namespace {

/// The word in one of its fields.
struct WeightedList {
  ListCursor list;
  float weight = 1;
};

/// Where the lengths of documents in a field are.
struct WeightedLengths {
  const std::uint32_t* lengths = nullptr;
  float weight = 1;
};

class CombinedClause final : public TreeClause {
 public:
  CombinedClause(std::vector<WeightedList> lists, std::vector<WeightedLengths> lengths,
                 const PhraseScorer& scorer, bool scores)
      : lists_(std::move(lists)), lengths_(std::move(lengths)), scorer_(scorer), scores_(scores) {
    if (scores_) frequencies_.resize(kTreeWindow);
    largest_ = scorer_.largest(std::numeric_limits<std::uint32_t>::max());
  }

  std::uint32_t next_document(const Kernels& kernels, std::uint32_t document) override {
    std::uint32_t next = kNoDocument;
    for (WeightedList& of : lists_) next = std::min(next, of.list.next_document(kernels, document));
    return next;
  }

  float bound(const TreeWindow& window) override {
    if (!scores_) return 0;
    for (WeightedList& of : lists_) {
      of.list.skip_to_block(window.begin);
      if (!of.list.at_end() && of.list.first_possible(of.list.block()) < window.end) {
        return largest_;
      }
    }
    return 0;
  }

  std::uint64_t cost() const override {
    std::uint64_t sum = 0;
    for (const WeightedList& of : lists_) sum += of.list.size();
    return sum;
  }

  void match(const Kernels& kernels, const TreeWindow& window, const WindowBits& within,
             WindowMatches& matches) override {
    matches.bits = {};
    std::fill(frequencies_.begin(), frequencies_.end(), 0.0F);
    for (WeightedList& of : lists_) {
      for_each_part(of.list, kernels, window, [&](std::uint32_t begin, std::uint32_t end) {
        const std::uint32_t* const docids = of.list.docids();
        for (std::uint32_t i = begin; i < end; ++i) set_bit(matches.bits, docids[i] - window.begin);
        if (scores_) add_frequencies(of, window, begin, end);
      });
    }
    for (std::size_t i = 0; i < within.size(); ++i) matches.bits[i] &= within[i];
    if (!scores_) return;
    for_each_bit(matches.bits, [&](std::uint32_t place) {
      matches.scores[place] = scorer_.score(frequencies_[place], length(window.begin + place));
    });
  }

 private:
  void add_frequencies(WeightedList& of, const TreeWindow& window, std::uint32_t begin,
                       std::uint32_t end) {
    const std::uint32_t* const docids = of.list.docids();
    const std::uint32_t* const counts = of.list.frequencies();
    for (std::uint32_t i = begin; i < end; ++i) {
      frequencies_[docids[i] - window.begin] += of.weight * static_cast<float>(counts[i]);
    }
  }

  /// In all fields together, at least 1.
  std::uint32_t length(std::uint32_t document) const {
    float sum = 0;
    for (const WeightedLengths& of : lengths_) {
      sum += of.weight * static_cast<float>(of.lengths[document]);
    }
    constexpr float kMost = 4e9F;
    return static_cast<std::uint32_t>(std::clamp(std::floor(sum + 0.5F), 1.0F, kMost));
  }

  std::vector<WeightedList> lists_;
  std::vector<WeightedLengths> lengths_;
  PhraseScorer scorer_;
  bool scores_;
  float largest_ = 0;
  std::vector<float> frequencies_;  ///< by place in the window
};

}  // namespace

std::unique_ptr<TreeClause> make_combined_clause(
    const Index& index, const PlannedNode& word, std::size_t segment, const ScorerSettings& scorer,
    const std::vector<CollectionStatistics>& statistics) {
  std::vector<WeightedList> lists;
  lists.reserve(word.fields.size());  // they do not move
  std::vector<WeightedLengths> lengths;
  CollectionStatistics whole;
  std::uint64_t documents = 0;
  double occurrences = 0;
  for (std::size_t i = 0; i < word.fields.size(); ++i) {
    const CombinedField& field = word.fields[i];
    if (i == 0 || field.field != word.fields[i - 1].field) {  // the first of its synonyms there
      lengths.push_back({index.lengths(field.field).data(), field.weight});
      whole.documents = std::max(whole.documents, statistics[field.field].documents);
      whole.tokens = static_cast<std::uint64_t>(
          static_cast<double>(whole.tokens) +
          static_cast<double>(field.weight) * static_cast<double>(statistics[field.field].tokens));
    }
    documents = std::max(documents, field.documents);
    std::uint64_t of_field = field.occurrences;
    if (const auto& term = word.should[i].terms[segment]) {
      WeightedList& of = lists.emplace_back();
      of.list.open(index, term->entry);
      of.weight = field.weight;
      if (of_field == 0) of_field = occurrences_of(of.list);
    }
    occurrences += static_cast<double>(field.weight) * static_cast<double>(of_field);
  }
  if (lists.empty()) return make_nothing_clause();
  const TermScorer one = make_term_scorer(
      scorer, whole, documents, std::max<std::uint64_t>(1, static_cast<std::uint64_t>(occurrences)),
      word.weight);
  return std::make_unique<CombinedClause>(std::move(lists), std::move(lengths),
                                          PhraseScorer({&one, 1}), word.scores);
}

}  // namespace warpdex
