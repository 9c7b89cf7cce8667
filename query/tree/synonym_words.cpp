#include "tree/synonym_words.hpp"

#include <algorithm>
#include <utility>

#include "tree/analyzed_tree.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kMaxPhrases = 64;

bool is_one_word(const SynonymTerms& words) { return words.terms.size() == 1; }

/// Whether one space is between two words of a text without weights.
bool are_neighbors(const QueryNode& one, const QueryNode& next) {
  const auto is_word = [](const QueryNode& node) {
    return node.kind == QueryNode::Kind::kMatch && node.boost == 1 && node.path.empty();
  };
  return is_word(one) && is_word(next) && one.field == next.field &&
         next.place == one.place + one.text.size() + 1;
}

}  // namespace

std::vector<QueryNode> join_words(const std::vector<QueryNode>& clauses, bool all_words) {
  std::vector<QueryNode> joined;
  for (const QueryNode& clause : clauses) {
    if (!joined.empty() && are_neighbors(joined.back(), clause)) {
      joined.back().text += " " + clause.text;
      joined.back().all_words = all_words;
    } else {
      joined.push_back(clause);
    }
  }
  return joined;
}

QueryNode SynonymWords::like_node(QueryNode::Kind kind) const {
  return {.kind = kind, .place = node_.place, .path = node_.path};
}

QueryNode SynonymWords::term(std::string_view text) const {
  QueryNode made = like_node(QueryNode::Kind::kTerm);
  made.text = mark_ + std::string(text);
  return made;
}

/// Several words in the place of others.
QueryNode SynonymWords::several(const SynonymTerms& words, std::size_t line) const {
  if (words.positions.front() == words.positions.back()) {  // parts of one word
    QueryNode all = like_node(QueryNode::Kind::kBoolean);
    for (const std::string& text : words.terms) all.must.push_back(term(text));
    return all;
  }
  if (!no_positions_.empty()) {
    refuse_clause(node_, "the synonyms of line " + std::to_string(line) +
                             " are several words, which are searched for as a phrase, and " +
                             no_positions_ + "; build it with positions");
  }
  QueryNode phrase = like_node(QueryNode::Kind::kPhrase);
  for (const std::string& text : words.terms) phrase.texts.push_back(mark_ + text);
  phrase.positions = words.positions;
  return phrase;
}

QueryNode SynonymWords::alternatives(const SynonymEntry& entry) const {
  const std::vector<SynonymTerms>& all = entry.alternatives;
  if (all.size() == 1)
    return is_one_word(all[0]) ? term(all[0].terms[0]) : several(all[0], entry.line);
  const bool are_words = std::ranges::all_of(all, is_one_word);
  QueryNode any = like_node(are_words ? QueryNode::Kind::kSynonyms : QueryNode::Kind::kBoolean);
  for (const SynonymTerms& one : all) {
    if (are_words) {
      any.texts.push_back(mark_ + one.terms[0]);
    } else {
      any.should.push_back(is_one_word(one) ? term(one.terms[0]) : several(one, entry.line));
    }
  }
  return any;
}

std::vector<QueryNode> SynonymWords::clauses(std::span<const std::string_view> terms) const {
  std::vector<QueryNode> found;
  std::size_t size = 0;
  for (std::size_t i = 0; i < terms.size(); i += size) {
    const SynonymEntry* const entry = table_.find(terms.subspan(i), size);
    found.push_back(entry == nullptr ? term(terms[i]) : alternatives(*entry));
  }
  return found;
}

std::vector<SynonymWords::Part> SynonymWords::parts(
    std::span<const std::string_view> terms, std::span<const std::uint32_t> positions) const {
  std::vector<Part> found;
  std::size_t size = 0;
  for (std::size_t i = 0; i < terms.size(); i += size) {
    const SynonymEntry* const entry = table_.find(terms.subspan(i), size);
    Part part{.position = positions[i]};
    part.length = positions[i + size - 1] - positions[i] + 1;
    part.is_of_rule = entry != nullptr;
    if (entry != nullptr) part.alternatives = entry->alternatives;
    if (entry == nullptr) part.alternatives.push_back({{std::string(terms[i])}, {0}});
    found.push_back(std::move(part));
  }
  return found;
}

/// With one of the alternatives of each part.
QueryNode SynonymWords::one_phrase(std::span<const Part> parts,
                                   std::span<const std::size_t> chosen) const {
  QueryNode phrase = like_node(QueryNode::Kind::kPhrase);
  phrase.slop = node_.slop;
  std::int64_t shift = -std::int64_t{parts[0].position};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const SynonymTerms& words = parts[i].alternatives[chosen[i]];
    for (std::size_t word = 0; word < words.terms.size(); ++word) {
      phrase.texts.push_back(mark_ + words.terms[word]);
      phrase.positions.push_back(
          static_cast<std::uint32_t>(shift + parts[i].position + words.positions[word]));
    }
    shift += std::int64_t{words.positions.back()} + 1 - parts[i].length;
  }
  if (phrase.texts.size() > 1) return phrase;
  QueryNode word = like_node(QueryNode::Kind::kTerm);
  word.text = phrase.texts[0];
  return word;
}

/// Of parts of one word each: one is enough at each place.
QueryNode SynonymWords::phrase_of_words(std::span<const Part> parts) const {
  QueryNode phrase = like_node(QueryNode::Kind::kPhrase);
  phrase.slop = node_.slop;
  for (const Part& part : parts) {
    for (const SynonymTerms& word : part.alternatives) {
      phrase.texts.push_back(mark_ + word.terms[0]);
      phrase.positions.push_back(part.position - parts[0].position);
    }
  }
  return phrase;
}

std::optional<QueryNode> SynonymWords::phrase(std::span<const std::string_view> terms,
                                              std::span<const std::uint32_t> positions) const {
  const std::vector<Part> all = parts(terms, positions);
  if (std::ranges::none_of(all, &Part::is_of_rule)) return std::nullopt;
  if (all.size() == 1) {
    std::vector<QueryNode> word = clauses(terms);
    word[0].boost *= node_.boost;
    return std::move(word[0]);
  }
  if (!no_positions_.empty()) return std::nullopt;  // which is refused as it is without rules
  const bool are_words = std::ranges::all_of(all, [](const Part& part) {
    return part.length == 1 && std::ranges::all_of(part.alternatives, is_one_word);
  });
  if (are_words) {
    QueryNode phrase = phrase_of_words(all);
    phrase.boost = node_.boost;
    return phrase;
  }
  std::size_t count = 1;
  for (const Part& part : all) {
    count *= part.alternatives.size();
    if (count > kMaxPhrases) {
      refuse_clause(node_, "with its synonyms, the phrase stands for more than " +
                               std::to_string(kMaxPhrases) + " phrases");
    }
  }
  QueryNode any = like_node(QueryNode::Kind::kBoolean);
  any.boost = node_.boost;
  std::vector<std::size_t> chosen(all.size());
  for (std::size_t number = 0; number < count; ++number) {
    std::size_t rest = number;
    for (std::size_t i = 0; i < all.size(); ++i) {
      chosen[i] = rest % all[i].alternatives.size();
      rest /= all[i].alternatives.size();
    }
    any.should.push_back(one_phrase(all, chosen));
  }
  return any;
}

}  // namespace warpdex
