// Documents that have all words are found first; positions are read of those alone whose score can
// enter the answer.
#include "tree/phrase_words.hpp"

#include <algorithm>
#include <numeric>

namespace warpdex {
namespace {

/// The text field of a phrase's words.
std::size_t field_of(const PlannedNode& phrase) {
  for (const PlannedNode& word : phrase.should) {
    if (const PlannedTerm* const term = find_anywhere(word)) return term->entry.field;
  }
  return 0;
}

}  // namespace

PhraseWords::PhraseWords(const Index& index, const PlannedNode& phrase, std::size_t segment,
                         const ScorerSettings& scorer,
                         const std::vector<CollectionStatistics>& statistics)
    : lengths_(index.lengths(field_of(phrase)).data()),
      scores_(phrase.scores),
      is_exact_(phrase.slop == 0) {
  open_lists(index, phrase, segment);
  if (!has_all()) return;
  if (!is_exact_) counter_.emplace(places_, phrase.slop);
  for (Part& part : parts_) {
    part.same_as = static_cast<std::size_t>(std::ranges::find(parts_, part.lists, &Part::lists) -
                                            parts_.begin());
  }
  order_.resize(parts_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::stable_sort(order_, {}, [&](std::size_t part) { return parts_[part].postings; });
  if (scores_) set_scorer(index, phrase, segment, scorer, statistics[field_of(phrase)]);
  candidates_.blocks.resize(lists_.size());
  candidates_.places.resize(lists_.size());
  if (std::ranges::any_of(parts_, [](const Part& part) { return part.lists.size() > 1; })) return;
  for (const std::size_t part : order_) {
    const std::size_t list = parts_[part].lists[0];
    const bool is_known =
        list == rarest()[0] || std::ranges::find(other_lists_, list) != other_lists_.end();
    if (!is_known) other_lists_.push_back(list);
  }
  looked_at_ = is_exact_ ? std::min<std::size_t>(1, other_lists_.size()) : other_lists_.size();
}

void PhraseWords::open_lists(const Index& index, const PlannedNode& phrase, std::size_t segment) {
  lists_.reserve(phrase.should.size());
  for (std::size_t word = 0; word < phrase.should.size(); ++word) {
    if (word == 0 || phrase.positions[word] != phrase.positions[word - 1]) {
      parts_.emplace_back();
      places_.push_back({.offset = phrase.positions[word]});
    }
    const std::optional<PlannedTerm>& term = phrase.should[word].terms[segment];
    if (!term) continue;
    Part& part = parts_.back();
    const std::size_t number = list_of(term->entry.term_number);
    if (number == lists_.size()) {
      lists_.emplace_back().open(index, term->entry);
      term_numbers_.push_back(term->entry.term_number);
    }
    if (std::ranges::find(part.lists, number) != part.lists.end()) continue;
    part.lists.push_back(number);
    part.postings += term->entry.document_frequency;
    places_.back().words.push_back(static_cast<std::uint32_t>(number));
  }
}

void PhraseWords::set_scorer(const Index& index, const PlannedNode& phrase, std::size_t segment,
                             const ScorerSettings& scorer, const CollectionStatistics& statistics) {
  scorer_ = make_phrase_scorer(phrase, scorer, statistics, [&](std::size_t word) {
    const std::size_t number = list_of(phrase.should[word].terms[segment]->entry.term_number);
    return std::pair<std::uint64_t, std::uint64_t>(lists_[number].cursor.size(),
                                                   lists_[number].occurrences());
  });
  std::uint64_t most = 0;
  for (const PhraseList& list : lists_) most += list.occurrences();
  largest_ = scorer_.largest(most);
  is_bound_by_lists_ = is_exact_ && scorer_.only() != nullptr && scorer_.rises();
  if (!is_bound_by_lists_) return;
  for (PhraseList& list : lists_)
    list.cursor.set_scorer(index, *scorer_.only(), list.occurrences());
}

bool PhraseWords::has_all() const {
  return std::ranges::none_of(parts_, [](const Part& part) { return part.lists.empty(); });
}

std::uint32_t PhraseWords::next_document(const Kernels& kernels, std::uint32_t document) {
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

float PhraseWords::bound(const TreeWindow& window) {
  if (!scores_) return 0;
  float bound = largest_;
  if (!is_bound_by_lists_) return bound;
  for (const Part& part : parts_) {
    if (part.lists.size() != 1) continue;
    ListCursor& list = lists_[part.lists[0]].cursor;
    list.skip_to_block(window.begin);
    if (list.at_end()) return 0;
    bound = std::min(bound, list.bound_between(window.begin, window.end));
  }
  return bound;
}

bool PhraseWords::has(const Kernels& kernels, const Part& part, std::uint32_t document,
                      std::size_t known) {
  bool is_in = false;
  for (const std::size_t list : part.lists) {
    const bool is_here = list == known || lists_[list].find(kernels, document);
    is_in = is_in || is_here;
  }
  return is_in;
}

void PhraseWords::take(const Kernels& kernels, std::uint32_t document, float least,
                       std::size_t known) {
  for (const std::size_t part : order_) {
    if (!has(kernels, parts_[part], document, known)) return;
  }
  if (scores_ && least > 0 && largest_at(document) <= least) return;
  take_spots(document);
}

void PhraseWords::take_of_block(const Kernels& kernels, const std::uint32_t* documents,
                                const std::uint8_t* places, std::size_t count, float least) {
  const std::size_t rarest = this->rarest()[0];
  const std::uint32_t block = lists_[rarest].cursor.block();
  if (other_lists_.empty()) {  // a place has several lists, or all have one
    for (std::size_t i = 0; i < count; ++i) {
      lists_[rarest].set_here(block, places[i]);
      take(kernels, documents[i], least, rarest);
    }
    return;
  }
  Candidates& found = candidates_;
  found.count = count;
  std::copy_n(documents, count, found.documents.begin());
  std::copy_n(places, count, found.places[rarest].begin());
  std::fill_n(found.blocks[rarest].begin(), count, block);
  for (const std::size_t list : other_lists_) intersect(kernels, list);
  for (std::size_t i = 0; i < found.count; ++i) take_candidate(i, least);
}

void PhraseWords::take_candidate(std::size_t candidate, float least) {
  const Candidates& found = candidates_;
  const std::uint32_t document = found.documents[candidate];
  std::uint64_t smallest = ~std::uint64_t{0};
  std::uint64_t sum = 0;
  const auto look_at = [&](std::size_t list) {
    lists_[list].set_here(found.blocks[list][candidate], found.places[list][candidate]);
    smallest = std::min<std::uint64_t>(smallest, lists_[list].frequency());
    sum += lists_[list].frequency();
  };
  look_at(rarest()[0]);
  for (std::size_t i = 0; i < looked_at_; ++i) look_at(other_lists_[i]);
  if (scores_ && least > 0) {
    // A word that is twice in the phrase adds its frequency twice.
    const std::uint64_t most = is_exact_ ? smallest : sum * parts_.size();
    if (scorer_.bound(static_cast<float>(most), lengths_[document]) <= least) return;
  }
  const std::size_t first = spots_.size();
  take_spots(document);
  for (std::size_t i = looked_at_; i < other_lists_.size(); ++i) {
    const std::size_t list = other_lists_[i];
    spots_[first + list] = {.frequency = PhraseSpot::kUnknown,
                            .block = found.blocks[list][candidate],
                            .place = found.places[list][candidate]};
  }
}

/// Keeps the candidates that the list has.
void PhraseWords::intersect(const Kernels& kernels, std::size_t list) {
  Candidates& found = candidates_;
  ListCursor& cursor = lists_[list].cursor;
  std::array<std::uint8_t, kBlockSize + kBlockPadding> matched;
  std::array<std::uint8_t, kBlockSize + kBlockPadding> places;
  std::size_t kept = 0;
  for (std::size_t begin = 0; begin < found.count;) {
    cursor.skip_to_block(found.documents[begin]);
    if (cursor.at_end()) break;
    const std::uint32_t last = cursor.last_docid(cursor.block());
    std::size_t end = begin + 1;
    while (end < found.count && found.documents[end] <= last) ++end;
    const std::size_t count = cursor.intersect_block(kernels, found.documents.data() + begin,
                                                     end - begin, matched.data(), places.data());
    for (std::size_t i = 0; i < count; ++i, ++kept) {
      const std::size_t from = begin + matched[i];
      found.documents[kept] = found.documents[from];
      for (std::size_t other = 0; kept != from && other < lists_.size(); ++other) {
        found.blocks[other][kept] = found.blocks[other][from];
        found.places[other][kept] = found.places[other][from];
      }
      found.blocks[list][kept] = cursor.block();
      found.places[list][kept] = places[i];
    }
    begin = end;
  }
  found.count = kept;
}

/// The document's occurrences, where the lists are at it.
void PhraseWords::take_spots(std::uint32_t document) {
  taken_.push_back(document);
  for (PhraseList& list : lists_) {
    spots_.push_back(list.spot());
    list.positions.prefetch_place(spots_.back().begin);
  }
}

/// Of the scores that the words' frequencies in the document allow.
float PhraseWords::largest_at(std::uint32_t document) {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t sum = 0;
  for (const Part& part : parts_) {
    std::uint64_t own = 0;
    for (const std::size_t list : part.lists) own += lists_[list].frequency();
    least = std::min(least, own);
    sum += own;
  }
  // A sloppy match begins at a position of one of the words.
  return scorer_.bound(static_cast<float>(is_exact_ ? least : sum), lengths_[document]);
}

void PhraseWords::fetch_taken() const {
  for (std::size_t i = 0; i < spots_.size(); ++i) {
    const bool is_known = spots_[i].frequency != PhraseSpot::kUnknown && spots_[i].frequency > 0;
    if (is_known) lists_[i % lists_.size()].positions.prefetch(spots_[i].begin);
  }
}

float PhraseWords::count(std::span<PhraseSpot> spots) {
  if (is_exact_) return count_exact(spots);
  for (std::size_t part = 0; part < parts_.size(); ++part) read_positions(part, spots);
  return counter_->count(places_);
}

/// The rarest words first: positions of others are mostly not read.
float PhraseWords::count_exact(std::span<PhraseSpot> spots) {
  bool is_first = true;
  for (const std::size_t part : order_) {
    const std::size_t same = parts_[part].same_as;
    if (same == part) read_positions(part, spots);
    const std::vector<std::uint32_t>& positions = places_[same].positions;
    if (is_first) starts_.begin(positions, places_[part].offset);
    if (!is_first) starts_.narrow(positions, places_[part].offset);
    if (starts_.size() == 0) return 0;
    is_first = false;
  }
  return static_cast<float>(starts_.size());
}

void PhraseWords::read_positions(std::size_t part, std::span<PhraseSpot> spots) {
  std::vector<std::uint32_t>& positions = places_[part].positions;
  positions.clear();
  std::size_t lists = 0;
  for (const std::size_t list : parts_[part].lists) {
    PhraseSpot& spot = spots[list];
    if (spot.frequency == 0) continue;
    if (spot.frequency == PhraseSpot::kUnknown) {
      lists_[list].set_here(spot.block, spot.place);
      spot = lists_[list].spot();
    }
    ++lists;
    lists_[list].positions.read(spot.begin, spot.frequency, positions);
  }
  if (lists < 2) return;
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
}

}  // namespace warpdex
