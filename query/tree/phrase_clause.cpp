// Documents that have all words are found first; positions are read of those alone whose score can
// enter the answer.
#include "tree/phrase_clause.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "tree/leaf_clauses.hpp"
#include "tree/phrase_frequency.hpp"
#include "tree/phrase_scorer.hpp"
#include "tree/window_parts.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kNoList = ~std::size_t{0};

/// The list of a word.
struct PhraseList {
  ListCursor cursor;
  PositionReader positions;
  std::uint64_t occurrences = 0;
  std::uint32_t here = 0;  ///< the place in its block of the document that is looked at
  bool is_here = false;    ///< whether it has that document
};

std::uint64_t occurrences_of(ListCursor& list) {
  if (!list.entry().is_short()) return list.entry().collection_frequency;
  const std::uint32_t* const frequencies = list.frequencies();
  return std::accumulate(frequencies, frequencies + list.size(), std::uint64_t{0});
}

/// A place of the phrase: a document has one of its lists, or several.
struct PhrasePart {
  std::vector<std::size_t> lists{};
  std::uint64_t postings = 0;
};

/// A term in whichever segment has it, with the statistics of all.
const PlannedTerm* find_anywhere(const PlannedNode& word) {
  for (const std::optional<PlannedTerm>& term : word.terms) {
    if (term) return &*term;
  }
  return nullptr;
}

/// The text field of a phrase's words.
std::size_t field_of(const PlannedNode& phrase) {
  for (const PlannedNode& word : phrase.should) {
    if (const PlannedTerm* const term = find_anywhere(word)) return term->entry.field;
  }
  return 0;
}

class PhraseClause final : public TreeClause {
 public:
  PhraseClause(const Index& index, const PlannedNode& phrase, std::size_t segment,
               const ScorerSettings& scorer, const CollectionStatistics& statistics)
      : lengths_(index.lengths(field_of(phrase)).data()),
        scores_(phrase.scores),
        is_exact_(phrase.slop == 0) {
    open_lists(index, phrase, segment);
    if (!has_all()) return;
    counter_.emplace(places_, phrase.slop);
    order_.resize(parts_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {}, [&](std::size_t part) { return parts_[part].postings; });
    for (const std::size_t list : rarest().lists) {
      if (rarest().lists.size() > 1)
        walkers_.emplace_back().open(index, lists_[list].cursor.entry());
    }
    if (scores_) set_scorer(index, phrase, segment, scorer, statistics);
  }

  /// Whether the segment has a word for each place.
  bool has_all() const {
    return std::ranges::none_of(parts_, [](const PhrasePart& part) { return part.lists.empty(); });
  }

  std::uint32_t next_document(const Kernels& kernels, std::uint32_t document) override {
    for (std::uint32_t before = document;; before = document) {
      for (const std::size_t part : order_) {
        std::uint32_t next = kNoDocument;
        for (const std::size_t list : parts_[part].lists) {
          next = std::min(next, lists_[list].cursor.next_document(kernels, document));
        }
        if (next == kNoDocument) return next;
        document = next;
      }
      if (document == before) return document;
    }
  }

  float bound(const TreeWindow& window) override {
    if (!scores_) return 0;
    float bound = largest_;
    if (!is_bound_by_lists_) return bound;
    for (const PhrasePart& part : parts_) {
      if (part.lists.size() != 1) continue;
      ListCursor& list = lists_[part.lists[0]].cursor;
      list.skip_to_block(window.begin);
      if (list.at_end()) return 0;
      bound = std::min(bound, list.bound_between(window.begin, window.end));
    }
    return bound;
  }

  void match(const Kernels& kernels, const TreeWindow& window, const WindowBits& within,
             WindowMatches& matches) override {
    matches.bits = {};
    if (walkers_.empty()) {
      match_by_list(kernels, window, within, matches);
      return;
    }
    WindowBits candidates{};
    for (ListCursor& walker : walkers_) {
      for_each_part(walker, kernels, window, [&](std::uint32_t begin, std::uint32_t end) {
        const std::uint32_t* const docids = walker.docids();
        for (std::uint32_t i = begin; i < end; ++i) set_bit(candidates, docids[i] - window.begin);
      });
    }
    for (std::size_t i = 0; i < within.size(); ++i) candidates[i] &= within[i];
    for_each_bit(candidates,
                 [&](std::uint32_t place) { look_at(kernels, window, place, kNoList, matches); });
  }

 private:
  const PhrasePart& rarest() const { return parts_[order_[0]]; }

  void open_lists(const Index& index, const PlannedNode& phrase, std::size_t segment);
  void set_scorer(const Index& index, const PlannedNode& phrase, std::size_t segment,
                  const ScorerSettings& scorer, const CollectionStatistics& statistics);

  /// By the documents of the rarest word.
  void match_by_list(const Kernels& kernels, const TreeWindow& window, const WindowBits& within,
                     WindowMatches& matches) {
    const std::size_t rarest = this->rarest().lists[0];
    ListCursor& list = lists_[rarest].cursor;
    const bool prunes = is_bound_by_lists_ && window.least > 0;
    const auto is_passed = [&](std::uint32_t block) {
      return prunes && list.block_bound(block) <= window.least;
    };
    for_each_part(list, kernels, window, is_passed, [&](std::uint32_t begin, std::uint32_t end) {
      const std::uint32_t* const docids = list.docids();
      for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint32_t place = docids[i] - window.begin;
        if ((within[place / 64] >> place % 64 & 1) == 0) continue;
        lists_[rarest].here = i;
        lists_[rarest].is_here = true;
        look_at(kernels, window, place, rarest, matches);
      }
    });
  }

  /// `known`: a list that has the document.
  void look_at(const Kernels& kernels, const TreeWindow& window, std::uint32_t place,
               std::size_t known, WindowMatches& matches) {
    const std::uint32_t document = window.begin + place;
    for (const std::size_t part : order_) {
      if (!is_in_part(kernels, parts_[part], document, known)) return;
    }
    if (scores_ && window.least > 0 && largest_at(document) <= window.least) return;
    for (std::size_t i = 0; i < parts_.size(); ++i) read_positions(parts_[i], places_[i]);
    const float frequency = counter_->count(places_);
    if (frequency == 0) return;
    set_bit(matches.bits, place);
    if (scores_) matches.scores[place] = scorer_.score(frequency, lengths_[document]);
  }

  bool is_in_part(const Kernels& kernels, const PhrasePart& part, std::uint32_t document,
                  std::size_t known) {
    bool is_in = false;
    for (const std::size_t number : part.lists) {
      PhraseList& list = lists_[number];
      if (number != known) {
        list.is_here = list.cursor.contains(kernels, document);
        if (list.is_here) list.here = list.cursor.position();
      }
      is_in = is_in || list.is_here;
    }
    return is_in;
  }

  /// Of the scores that the words' frequencies in the document allow.
  float largest_at(std::uint32_t document) {
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t sum = 0;
    for (const PhrasePart& part : parts_) {
      std::uint64_t own = 0;
      for (const std::size_t number : part.lists) {
        PhraseList& list = lists_[number];
        if (list.is_here) own += list.cursor.frequencies()[list.here];
      }
      least = std::min(least, own);
      sum += own;
    }
    // A sloppy match begins at a position of one of the words.
    return scorer_.bound(static_cast<float>(is_exact_ ? least : sum), lengths_[document]);
  }

  void read_positions(const PhrasePart& part, PhrasePlace& place) {
    place.positions.clear();
    std::size_t lists = 0;
    for (const std::size_t number : part.lists) {
      PhraseList& list = lists_[number];
      if (!list.is_here) continue;
      ++lists;
      list.positions.read(list.cursor.occurrences_before(list.here, list.positions),
                          list.cursor.frequencies()[list.here], place.positions);
    }
    if (lists < 2) return;
    std::ranges::sort(place.positions);
    place.positions.erase(std::unique(place.positions.begin(), place.positions.end()),
                          place.positions.end());
  }

  const std::uint32_t* lengths_;
  bool scores_;
  bool is_exact_;
  bool is_bound_by_lists_ = false;  ///< bounds of lists bound the phrase, too
  float largest_ = 0;
  std::vector<PhraseList> lists_;  ///< of different words
  std::vector<PhrasePart> parts_;
  std::vector<PhrasePlace> places_;  ///< of the parts
  std::vector<std::size_t> order_;   ///< of the parts, the rarest first
  std::vector<ListCursor> walkers_;  ///< of the rarest, where it has several lists
  std::optional<PhraseCounter> counter_;
  PhraseScorer scorer_;
};

void PhraseClause::open_lists(const Index& index, const PlannedNode& phrase, std::size_t segment) {
  lists_.reserve(phrase.should.size());
  for (std::size_t word = 0; word < phrase.should.size(); ++word) {
    if (word == 0 || phrase.positions[word] != phrase.positions[word - 1]) {
      parts_.emplace_back();
      places_.push_back({.offset = phrase.positions[word]});
    }
    const std::optional<PlannedTerm>& term = phrase.should[word].terms[segment];
    if (!term) continue;
    PhrasePart& part = parts_.back();
    std::size_t number = 0;
    while (number < lists_.size() &&
           lists_[number].cursor.entry().term_number != term->entry.term_number) {
      ++number;
    }
    if (number == lists_.size()) {
      PhraseList& list = lists_.emplace_back();
      list.cursor.open(index, term->entry);
      list.occurrences = occurrences_of(list.cursor);
      list.positions = PositionReader(index.sections(), term->entry, list.occurrences);
    }
    if (std::ranges::find(part.lists, number) != part.lists.end()) continue;
    part.lists.push_back(number);
    part.postings += term->entry.document_frequency;
    places_.back().words.push_back(static_cast<std::uint32_t>(number));
  }
}

void PhraseClause::set_scorer(const Index& index, const PlannedNode& phrase, std::size_t segment,
                              const ScorerSettings& scorer,
                              const CollectionStatistics& statistics) {
  std::vector<TermScorer> words;
  for (const PlannedNode& word : phrase.should) {
    const PlannedTerm* const term = find_anywhere(word);
    if (term == nullptr) continue;  // an alternative that the index has not
    std::uint64_t documents = term->document_frequency;
    std::uint64_t occurrences = term->collection_frequency;
    if (documents == 0) {  // of an index of one segment, which has the word
      const std::uint32_t number = word.terms[segment]->entry.term_number;
      const auto list = std::ranges::find_if(
          lists_, [&](const PhraseList& one) { return one.cursor.entry().term_number == number; });
      documents = list->cursor.size();
      occurrences = list->occurrences;
    }
    words.push_back(make_term_scorer(scorer, statistics, documents, occurrences, term->weight));
  }
  scorer_ = PhraseScorer(words);
  std::uint64_t most = 0;
  for (const PhraseList& list : lists_) most += list.occurrences;
  largest_ = scorer_.largest(most);
  is_bound_by_lists_ = is_exact_ && scorer_.only() != nullptr && scorer_.rises();
  if (!is_bound_by_lists_) return;
  for (PhraseList& list : lists_) list.cursor.set_scorer(index, *scorer_.only(), list.occurrences);
}

}  // namespace

std::unique_ptr<TreeClause> make_phrase_clause(
    const Index& index, const PlannedNode& phrase, std::size_t segment,
    const ScorerSettings& scorer, const std::vector<CollectionStatistics>& statistics) {
  auto clause =
      std::make_unique<PhraseClause>(index, phrase, segment, scorer, statistics[field_of(phrase)]);
  if (!clause->has_all()) return make_nothing_clause();
  return clause;
}

}  // namespace warpdex
