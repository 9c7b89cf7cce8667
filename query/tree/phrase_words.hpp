// The words of a phrase in one segment: which documents have them all, and how often they stand as
// in the phrase. Internal.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tree/phrase_frequency.hpp"
#include "tree/phrase_list.hpp"
#include "tree/phrase_scorer.hpp"
#include "tree/tree_clause.hpp"

namespace warpdex {

/// Documents are taken, then looked at together: so memory is fetched for some while positions of
/// those before are read.
class PhraseWords {
 public:
  static constexpr std::size_t kNoList = ~std::size_t{0};

  /// `statistics`: by text field.
  PhraseWords(const Index& index, const PlannedNode& phrase, std::size_t segment,
              const ScorerSettings& scorer, const std::vector<CollectionStatistics>& statistics);

  /// Whether the segment has a word for each place.
  bool has_all() const;
  /// The lists of the rarest place; a document has one of them, or several.
  const std::vector<std::size_t>& rarest() const { return parts_[order_[0]].lists; }
  PhraseList& list(std::size_t number) { return lists_[number]; }
  const PhraseList& list(std::size_t number) const { return lists_[number]; }
  bool scores() const { return scores_; }
  /// Whether what a word could score with all of the phrase's weight bounds the phrase's score.
  bool is_bound_by_lists() const { return is_bound_by_lists_; }
  /// The factor of bounds, for their rounding.
  float slack() const { return scorer_.slack(); }

  /// As TreeClause's functions of these names.
  std::uint32_t next_document(const Kernels& kernels, std::uint32_t document);
  float bound(const TreeWindow& window);

  /// Takes the document if it has all words, and often enough to score more than `least`. `known`:
  /// a list that is known to have it, or kNoList. Documents must not fall from call to call.
  void take(const Kernels& kernels, std::uint32_t document, float least, std::size_t known);

  /// The same of some documents of the rarest place's one list: `documents` of its block, up to
  /// kBlockSize and kBlockPadding behind them, at `places` there.
  void take_of_block(const Kernels& kernels, const std::uint32_t* documents,
                     const std::uint8_t* places, std::size_t count, float least);

  /// Calls visit(document, score, frequency) for those that were taken and have the phrase, in
  /// order; without scores, the score is 0.
  template <class Visit>
  void visit_matches(const Visit& visit) {
    fetch_taken();
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      const float frequency = count({spots_.data() + i * lists_.size(), lists_.size()});
      if (frequency == 0) continue;
      visit(taken_[i], scores_ ? scorer_.score(frequency, lengths_[taken_[i]]) : 0, frequency);
    }
    taken_.clear();
    spots_.clear();
  }

 private:
  /// A place of the phrase.
  struct Part {
    std::vector<std::size_t> lists{};  ///< a document has one of them, or several
    std::uint64_t postings = 0;
    std::size_t same_as = 0;  ///< the first part with the same lists
  };

  void open_lists(const Index& index, const PlannedNode& phrase, std::size_t segment);
  void set_scorer(const Index& index, const PlannedNode& phrase, std::size_t segment,
                  const ScorerSettings& scorer, const CollectionStatistics& statistics);
  bool has(const Kernels& kernels, const Part& part, std::uint32_t document, std::size_t known);
  /// As many as there are: none.
  std::size_t list_of(std::uint32_t term_number) const {
    const auto found = std::ranges::find(term_numbers_, term_number);
    return static_cast<std::size_t>(found - term_numbers_.begin());
  }
  void intersect(const Kernels& kernels, std::size_t list);
  void take_candidate(std::size_t candidate, float least);
  void take_spots(std::uint32_t document);
  float largest_at(std::uint32_t document);
  void fetch_taken() const;
  float count(std::span<PhraseSpot> spots);
  float count_exact(std::span<PhraseSpot> spots);
  void read_positions(std::size_t part, std::span<PhraseSpot> spots);

  const std::uint32_t* lengths_;
  bool scores_;
  bool is_exact_;
  bool is_bound_by_lists_ = false;
  float largest_ = 0;
  std::vector<PhraseList> lists_;            ///< of different words
  std::vector<std::uint32_t> term_numbers_;  ///< of the lists
  std::vector<Part> parts_;
  std::vector<PhrasePlace> places_;  ///< of the parts
  std::vector<std::size_t> order_;   ///< of the parts, the rarest first
  PhraseStarts starts_;
  std::optional<SloppyCounter> counter_;
  PhraseScorer scorer_;
  /// Documents that are looked for in all lists, and where each list has them.
  struct Candidates {
    std::size_t count = 0;
    std::array<std::uint32_t, kBlockSize + kBlockPadding> documents;
    std::vector<std::array<std::uint32_t, kBlockSize>> blocks;  ///< by list
    std::vector<std::array<std::uint8_t, kBlockSize>> places;
  };
  /// Than the rarest, where each place has one; the rarer ones first. Those behind the first
  /// `looked_at_` are looked at only if the words before stand as in the phrase.
  std::vector<std::size_t> other_lists_;
  std::size_t looked_at_ = 0;
  Candidates candidates_;
  std::vector<std::uint32_t> taken_;  ///< documents
  std::vector<PhraseSpot> spots_;     ///< by what was taken, then by list
};

}  // namespace warpdex
