#include "phrase_ranges.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace warpdex {
namespace {

template <class Visit>
void visit_clauses(const QueryNode& node, const Visit& visit) {
  if (node.boost == 0) return;
  visit(node);
  for (const auto* part : {&node.must, &node.filter, &node.should}) {
    for (const QueryNode& clause : *part) visit_clauses(clause, visit);
  }
}

/// The words of one place of a phrase.
struct Place {
  std::uint32_t offset = 0;
  std::span<const std::string> words;
  bool has(std::string_view term) const { return std::ranges::find(words, term) != words.end(); }
};

std::vector<Place> places_of(const QueryNode& phrase) {
  std::vector<Place> places;
  const std::span<const std::string> texts = phrase.texts;
  for (std::size_t begin = 0; begin < texts.size();) {
    std::size_t end = begin + 1;
    while (end < texts.size() && phrase.positions[end] == phrase.positions[begin]) ++end;
    places.push_back({phrase.positions[begin], texts.subspan(begin, end - begin)});
    begin = end;
  }
  return places;
}

/// Where the phrase that begins with that word ends, exactly as it is; 0: it does not begin there.
std::size_t exact_end(const std::vector<Place>& places, const std::vector<Token>& words,
                      std::size_t first) {
  std::size_t end = words[first].end;
  std::size_t next = first + 1;
  for (std::size_t i = 1; i < places.size(); ++i) {
    const std::uint64_t wanted = std::uint64_t{words[first].position} + places[i].offset;
    while (next < words.size() && words[next].position < wanted) ++next;
    std::size_t found = next;
    while (found < words.size() && words[found].position == wanted &&
           !places[i].has(words[found].term)) {
      ++found;
    }
    if (found == words.size() || words[found].position != wanted) return 0;
    end = std::max(end, words[found].end);
  }
  return end;
}

/// The last of the words, from `first` on, that has each place's; none within the distance: 0.
std::size_t sloppy_end(const std::vector<Place>& places, std::uint64_t slop,
                       const std::vector<Token>& words, std::size_t first) {
  const std::uint64_t last = words[first].position + places.back().offset + slop;
  std::vector<bool> has(places.size());
  std::size_t missing = places.size();
  for (std::size_t i = first; i < words.size() && words[i].position <= last; ++i) {
    for (std::size_t place = 0; place < places.size(); ++place) {
      if (has[place] || !places[place].has(words[i].term)) continue;
      has[place] = true;
      if (--missing == 0) return words[i].end;
      break;  // a word is in one place
    }
  }
  return 0;
}

}  // namespace

std::vector<const QueryNode*> phrases_of(const QueryNode& analyzed) {
  std::vector<const QueryNode*> phrases;
  visit_clauses(analyzed, [&](const QueryNode& node) {
    if (node.kind == QueryNode::Kind::kPhrase) phrases.push_back(&node);
  });
  return phrases;
}

std::vector<std::string_view> words_beside_phrases(const QueryNode& analyzed) {
  std::vector<std::string_view> words;
  visit_clauses(analyzed, [&](const QueryNode& node) {
    if (node.kind == QueryNode::Kind::kTerm) words.emplace_back(node.text);
    if (node.kind != QueryNode::Kind::kPhrase) {
      words.insert(words.end(), node.texts.begin(), node.texts.end());
    }
  });
  return words;
}

void append_ranges(const QueryNode& phrase, std::size_t number, const std::vector<Token>& words,
                   std::vector<MarkedRange>& ranges) {
  const std::vector<Place> places = places_of(phrase);
  for (std::size_t first = 0; first < words.size(); ++first) {
    const bool may_begin = phrase.slop == 0 ? places[0].has(words[first].term)
                                            : std::ranges::any_of(places, [&](const Place& of) {
                                                return of.has(words[first].term);
                                              });
    if (!may_begin) continue;
    const std::size_t end = phrase.slop == 0 ? exact_end(places, words, first)
                                             : sloppy_end(places, phrase.slop, words, first);
    if (end > 0) ranges.push_back({words[first].begin, end, number});
  }
}

}  // namespace warpdex
