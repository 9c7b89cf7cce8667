// A phrase among other clauses, window by window, or alone, block by block of its rarest word.
#include "tree/phrase_clause.hpp"

#include <array>
#include <utility>
#include <vector>

#include "tree/leaf_clauses.hpp"
#include "tree/phrase_words.hpp"
#include "tree/window_parts.hpp"

namespace warpdex {
namespace {

class PhraseClause final : public TreeClause {
 public:
  explicit PhraseClause(const Index& index, PhraseWords words) : words_(std::move(words)) {
    if (words_.rarest().size() == 1) return;
    walkers_.reserve(words_.rarest().size());  // they do not move
    for (const std::size_t list : words_.rarest()) {
      walkers_.emplace_back().open(index, words_.list(list).cursor.entry());
    }
  }

  std::uint32_t next_document(const Kernels& kernels, std::uint32_t document) override {
    return words_.next_document(kernels, document);
  }
  float bound(const TreeWindow& window) override { return words_.bound(window); }
  /// Positions cost more than postings.
  std::uint64_t cost() const override {
    constexpr std::uint64_t kPostingsPerDocument = 16;
    std::uint64_t documents = 0;
    for (const std::size_t list : words_.rarest()) documents += words_.list(list).cursor.size();
    return documents * kPostingsPerDocument;
  }

  void match(const Kernels& kernels, const TreeWindow& window, const WindowBits& within,
             WindowMatches& matches) override {
    matches.bits = {};
    const auto add_matches = [&] {
      words_.visit_matches([&](std::uint32_t document, float score, float) {
        set_bit(matches.bits, document - window.begin);
        matches.scores[document - window.begin] = score;
      });
    };
    if (walkers_.empty()) {
      ListCursor& list = rarest().cursor;
      const auto is_passed = [&](std::uint32_t block) {
        return !has_any(within, window, list.first_possible(block), list.last_docid(block)) ||
               is_block_passed(window.least);
      };
      for_each_part(list, kernels, window, is_passed, [&](std::uint32_t begin, std::uint32_t end) {
        const auto is_wanted = [&](std::uint32_t document) {
          const std::uint32_t place = document - window.begin;
          return (within[place / 64] >> place % 64 & 1) != 0;
        };
        take_of_block(kernels, begin, end, window.least, is_wanted);
        add_matches();
      });
      return;
    }
    for_each_bit(candidates(kernels, window, within), [&](std::uint32_t place) {
      words_.take(kernels, window.begin + place, window.least, PhraseWords::kNoList);
    });
    add_matches();
  }

  bool is_walked() const override { return walkers_.empty(); }

  bool walk(const Kernels& kernels, float least, std::vector<ScoredDocument>& matches) override {
    ListCursor& list = rarest().cursor;
    while (!list.at_end() && is_block_passed(least)) {
      list.next_block();
      list.check_order();
    }
    if (list.at_end()) return false;
    take_of_block(kernels, 0, list.count(), least, [](std::uint32_t) { return true; });
    words_.visit_matches([&](std::uint32_t document, float score, float) {
      matches.push_back({document, score});
    });
    list.next_block();
    list.check_order();
    return true;
  }

 private:
  PhraseList& rarest() { return words_.list(words_.rarest()[0]); }

  bool prunes(float least) const { return words_.is_bound_by_lists() && least > 0; }
  /// Of the rarest word's block.
  bool is_block_passed(float least) {
    ListCursor& list = rarest().cursor;
    return prunes(least) && list.block_bound(list.block()) <= least;
  }

  /// Takes documents of the rarest word's block.
  template <class IsWanted>
  void take_of_block(const Kernels& kernels, std::uint32_t begin, std::uint32_t end, float least,
                     const IsWanted& is_wanted) {
    ListCursor& list = rarest().cursor;
    const std::uint32_t* const docids = list.docids();
    const float* const scores = prunes(least) ? list.scores(kernels) : nullptr;
    const float least_score = least * (2 - words_.slack());  // below least / slack
    std::array<std::uint32_t, kBlockSize + kBlockPadding> documents;
    std::array<std::uint8_t, kBlockSize> places;
    std::size_t count = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      if (scores != nullptr && scores[i] <= least_score) continue;
      if (!is_wanted(docids[i])) continue;
      documents[count] = docids[i];
      places[count++] = static_cast<std::uint8_t>(i);
    }
    if (count > 0) words_.take_of_block(kernels, documents.data(), places.data(), count, least);
  }

  /// Documents of any of the rarest place's lists.
  WindowBits candidates(const Kernels& kernels, const TreeWindow& window,
                        const WindowBits& within) {
    WindowBits found{};
    for (ListCursor& walker : walkers_) {
      for_each_part(walker, kernels, window, [&](std::uint32_t begin, std::uint32_t end) {
        const std::uint32_t* const docids = walker.docids();
        for (std::uint32_t i = begin; i < end; ++i) set_bit(found, docids[i] - window.begin);
      });
    }
    for (std::size_t i = 0; i < within.size(); ++i) found[i] &= within[i];
    return found;
  }

  PhraseWords words_;
  std::vector<ListCursor> walkers_;  ///< of the rarest place, where it has several lists
};

}  // namespace

std::unique_ptr<TreeClause> make_phrase_clause(
    const Index& index, const PlannedNode& phrase, std::size_t segment,
    const ScorerSettings& scorer, const std::vector<CollectionStatistics>& statistics) {
  PhraseWords words(index, phrase, segment, scorer, statistics);
  if (!words.has_all()) return make_nothing_clause();
  return std::make_unique<PhraseClause>(index, std::move(words));
}

}  // namespace warpdex
