#include "tests/query/shards/message_draws.hpp"

#include <memory>

namespace warpdex::test {

std::string draw_text(Random& random) {
  std::string text(number_below(random, happens(random, 5) ? 300 : 12), ' ');
  for (char& byte : text) byte = static_cast<char>(number_below(random, 256));
  return text;
}

/// Often one that the part of the fuzz target has.
std::string draw_word(Random& random, const char* known) {
  return happens(random, 70) ? known : draw_text(random);
}

float draw_score(Random& random) {
  return static_cast<float>(number_below(random, 1'000'000)) / 4096;
}

namespace {

SearchSettings draw_settings(Random& random) {
  SearchSettings settings;
  settings.mode = happens(random, 50) ? QueryMode::kAnd : QueryMode::kOr;
  settings.k = happens(random, 50) ? 7 : static_cast<std::uint32_t>(random());
  settings.count = happens(random, 50);
  settings.known_threshold = draw_score(random);
  settings.scorer.kind = static_cast<ScorerKind>(number_below(random, kScorerKinds));
  settings.scorer.b = static_cast<float>(number_below(random, 3)) / 2;
  return settings;
}

}  // namespace

QueryNode draw_tree(Random& random, int depth) {
  QueryNode node{.kind = QueryNode::Kind::kBoolean, .boost = 2};
  if (depth == 0 || happens(random, 30)) {
    node.kind = happens(random, 50) ? QueryNode::Kind::kPhrase : QueryNode::Kind::kRange;
    node.text = draw_text(random);
    node.upper = draw_text(random);
    node.includes_upper = happens(random, 50);
    node.texts = {draw_text(random), draw_text(random)};
    node.positions = {0, 1};
    node.slop = static_cast<std::uint32_t>(number_below(random, 4));
    return node;
  }
  for (auto* clauses : {&node.must, &node.filter, &node.should, &node.must_not}) {
    if (happens(random, 40)) clauses->push_back(draw_tree(random, depth - 1));
  }
  return node;
}

shards::SearchRequest draw_request(Random& random) {
  shards::SearchRequest request{.version = random(),
                                .whole = {{random(), random()}, {{1, random()}, {2, 3}}},
                                .filter = draw_text(random),
                                .wants_names = happens(random, 50)};
  for (std::uint64_t left = number_below(random, 20); left > 0; --left) {
    Query& query = request.queries.emplace_back();
    request.settings.push_back(draw_settings(random));
    if (happens(random, 30)) query.tree = std::make_shared<QueryNode>(draw_tree(random, 3));
    for (std::uint64_t terms = number_below(random, 6); terms > 0; --terms) {
      query.terms.push_back({draw_word(random, "sea"), static_cast<Occur>(number_below(random, 3)),
                             1 + draw_score(random),
                             static_cast<std::uint32_t>(number_below(random, 3))});
      request.whole.terms[query.terms.back().term] = {random(), random()};
    }
  }
  return request;
}

}  // namespace warpdex::test
