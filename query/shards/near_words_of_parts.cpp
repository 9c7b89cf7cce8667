#include "shards/near_words_of_parts.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tree/near_words.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::shards {
namespace {

/// By word: the near terms, each once, with their boosts.
using NearTerms = std::map<NearWordsRequest::Word, std::map<std::string, float>>;

NearWordsRequest::Word word_of(const QueryNode& node) {
  return {node.field, node.text, node.edits};
}

bool is_unchosen(const QueryNode& node) {
  return node.kind == QueryNode::Kind::kFuzzy && node.texts.empty();
}

void add_words(const QueryNode& node, NearTerms& words) {
  if (is_unchosen(node)) words[word_of(node)];
  for (const auto* clauses : {&node.must, &node.filter, &node.should, &node.must_not}) {
    for (const QueryNode& clause : *clauses) add_words(clause, words);
  }
}

void choose(const NearTerms& words, QueryNode& node) {
  for (auto* clauses : {&node.must, &node.filter, &node.should, &node.must_not}) {
    for (QueryNode& clause : *clauses) choose(words, clause);
  }
  if (!is_unchosen(node)) return;
  std::vector<NearTerm> terms;
  for (const auto& [term, boost] : words.at(word_of(node))) terms.push_back({term, boost});
  keep_nearest(terms);
  if (terms.empty()) node.kind = QueryNode::Kind::kNothing;
  for (NearTerm& term : terms) node.texts.push_back(std::move(term.term));
}

void take(const NearWordsAnswer& answer, NearTerms& words) {
  if (answer.words.size() != words.size()) throw FormatError("it has other near words");
  std::size_t place = 0;
  for (auto& [word, terms] : words) {
    for (const NearTerm& term : answer.words[place]) terms.emplace(term.term, term.boost);
    ++place;
  }
}

void ask_parts(const Whole& whole, PartCalls& calls, NearTerms& words) {
  NearWordsRequest request;
  for (const auto& [word, terms] : words) request.words.push_back(word);
  std::vector<PartMessage> messages;
  for (std::uint32_t part = 0; part < calls.parts(); ++part) {
    request.version = whole.parts()[part].version;
    messages.push_back({part, write(request)});
  }
  calls.ask(messages, [&](std::uint32_t, const std::string& bytes) {
    take(read_near_words_answer(bytes), words);
  });
}

}  // namespace

NearWordsAnswer near_words(const Snapshot& snapshot, const NearWordsRequest& request) {
  NearWordsAnswer answer;
  for (const NearWordsRequest::Word& word : request.words) {
    const QueryNode node{.kind = QueryNode::Kind::kFuzzy,
                         .field = word.field,
                         .text = word.text,
                         .edits = word.edits};
    check_query_tree(node);
    bool was_cut = false;
    answer.words.push_back(near_terms(snapshot, node, was_cut));
  }
  return answer;
}

std::vector<Query> with_near_words(const Whole& whole, PartCalls& calls,
                                   std::span<const Query> queries) {
  std::vector<Query> chosen(queries.begin(), queries.end());
  NearTerms words;
  const auto add_words_of = [&](const Query& query) {
    if (!query.tree) return;
    check_query_tree(*query.tree);
    add_words(*query.tree, words);
  };
  for (const Query& query : queries) {
    add_words_of(query);
    if (query.or_else) add_words_of(*query.or_else);
  }
  if (words.empty()) return chosen;
  ask_parts(whole, calls, words);
  const auto choose_in = [&](Query& query) {
    if (!query.tree) return;
    QueryNode tree = *query.tree;
    choose(words, tree);
    query.tree = std::make_shared<const QueryNode>(std::move(tree));
  };
  for (Query& query : chosen) {
    choose_in(query);
    if (!query.or_else) continue;
    Query other = *query.or_else;
    choose_in(other);
    query.or_else = std::make_shared<const Query>(std::move(other));
  }
  return chosen;
}

}  // namespace warpdex::shards
