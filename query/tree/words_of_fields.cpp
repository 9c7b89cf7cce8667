#include "tree/words_of_fields.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace warpdex {
namespace {

bool is_word(const QueryNode& clause) {
  return clause.kind == QueryNode::Kind::kTerm || clause.kind == QueryNode::Kind::kSynonyms;
}

}  // namespace

QueryNode join_fields(QueryNode::Kind kind, std::span<QueryNode> words,
                      std::span<const TextAnalyzers::Searched> fields) {
  const bool are_words = std::ranges::all_of(words, is_word);
  QueryNode all{.kind = are_words ? kind : QueryNode::Kind::kBest, .place = words[0].place};
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i].boost *= fields[i].weight;
    if (!are_words || words[i].kind == QueryNode::Kind::kTerm) {
      all.should.push_back(std::move(words[i]));
      continue;
    }
    for (std::string& text : words[i].texts) {
      all.should.push_back({.kind = QueryNode::Kind::kTerm,
                            .boost = words[i].boost,
                            .text = std::move(text),
                            .place = words[i].place});
    }
  }
  return all;
}

}  // namespace warpdex
