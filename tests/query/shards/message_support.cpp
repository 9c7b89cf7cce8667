#include "tests/query/shards/message_support.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "warpdex/core/checksum.hpp"
#include "warpdex/query/shards/messages.hpp"

namespace warpdex::test {
namespace {

using namespace shards;

constexpr std::size_t kHeader = 24;
constexpr std::size_t kChecksumAt = 16;

std::uint64_t number_below(Random& random, std::uint64_t end) { return random() % end; }
bool happens(Random& random, std::uint64_t percent) { return number_below(random, 100) < percent; }

std::string draw_text(Random& random) {
  std::string text(number_below(random, happens(random, 5) ? 300 : 12), ' ');
  for (char& byte : text) byte = static_cast<char>(number_below(random, 256));
  return text;
}

float draw_score(Random& random) {
  return static_cast<float>(number_below(random, 1'000'000)) / 4096;
}

PartTerm draw_part_term(Random& random) {
  PartTerm term{.frequencies = {random(), random()}};
  for (std::uint64_t seeds = number_below(random, 4); seeds > 0; --seeds) {
    term.seeds.push_back(
        {1 + static_cast<std::uint32_t>(number_below(random, 1000)),
         {static_cast<std::uint16_t>(random()), static_cast<std::uint16_t>(random())}});
  }
  return term;
}

SearchSettings draw_settings(Random& random) {
  SearchSettings settings;
  settings.mode = happens(random, 50) ? QueryMode::kAnd : QueryMode::kOr;
  settings.k = static_cast<std::uint32_t>(random());
  settings.count = happens(random, 50);
  settings.known_threshold = draw_score(random);
  settings.scorer.kind = static_cast<ScorerKind>(number_below(random, kScorerKinds));
  settings.scorer.b = static_cast<float>(number_below(random, 3)) / 2;
  return settings;
}

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

SearchRequest draw_request(Random& random) {
  SearchRequest request{.version = random(),
                        .whole = {{random(), random()}, {{1, random()}, {2, 3}}},
                        .filter = draw_text(random),
                        .wants_names = happens(random, 50)};
  for (std::uint64_t left = number_below(random, 20); left > 0; --left) {
    Query& query = request.queries.emplace_back();
    request.settings.push_back(draw_settings(random));
    if (happens(random, 30)) query.tree = std::make_shared<QueryNode>(draw_tree(random, 3));
    for (std::uint64_t terms = number_below(random, 6); terms > 0; --terms) {
      query.terms.push_back({draw_text(random), static_cast<Occur>(number_below(random, 3)),
                             draw_score(random),
                             static_cast<std::uint32_t>(number_below(random, 3))});
      request.whole.terms[query.terms.back().term] = {random(), random()};
    }
  }
  return request;
}

PartAnswer draw_answer(Random& random) {
  PartAnswer answer{.left_out = happens(random, 50) ? -1 : draw_score(random),
                    .matches = random(),
                    .matches_are_exact = happens(random, 50),
                    .most_terms = static_cast<std::uint32_t>(random())};
  const bool has_names = happens(random, 50);
  for (std::uint64_t left = number_below(random, 12); left > 0; --left) {
    answer.hits.push_back({static_cast<std::uint32_t>(random()), draw_score(random)});
    if (has_names) answer.names.push_back(draw_text(random));
  }
  std::ranges::sort(answer.hits, [](const Hit& a, const Hit& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  });
  return answer;
}

PartDescription draw_description(Random& random) {
  PartDescription description{.version = random(),
                              .commit = random(),
                              .documents = random(),
                              .collection = {random(), random()},
                              .texts = {{random(), 1}},
                              .largest_static_score = draw_score(random),
                              .analyzer = draw_text(random),
                              .analyzer_version = 2,
                              .schema = draw_text(random),
                              .has_positions = happens(random, 50),
                              .positions_by_field = happens(random, 50)};
  if (happens(random, 50)) {
    description.impacts = ImpactSettings{1.5, 0.25, 17, ImpactSource::kQuantisedWeights};
  }
  if (happens(random, 50)) {
    description.vectors = vector::RowSettings{vector::Metric::kL2, vector::Store::kHalf, 17};
  }
  return description;
}

}  // namespace

std::vector<std::string> draw_messages(Random& random) {
  TermsRequest terms{.version = random()};
  TermsAnswer counts;
  SearchAnswer answers;
  for (std::uint64_t left = number_below(random, 9); left > 0; --left) {
    terms.terms.push_back(draw_text(random));
    counts.terms.push_back(draw_part_term(random));
    answers.queries.push_back(draw_answer(random));
  }
  NearestRequest nearest{.version = random(), .k = 7, .queries = 2, .filter = "year > 3"};
  NearestAnswer near;
  for (std::uint64_t left = number_below(random, 9); left > 0; --left) {
    nearest.rows.push_back(draw_score(random) - 9);
    near.queries.push_back({{{3, draw_score(random) - 9}, {1, 0}}, {draw_text(random), "b"}});
  }
  const auto failure = static_cast<Failure::Kind>(number_below(random, 5));
  return {write_describe(),
          write(draw_description(random)),
          write(terms),
          write(counts),
          write(draw_request(random)),
          write(answers),
          write(nearest),
          write(near),
          write(Failure{failure, draw_text(random)})};
}

std::string mended(std::string message) {
  if (message.size() < kHeader) return message;
  const std::uint64_t size = message.size() - kHeader;
  std::memcpy(message.data() + 8, &size, sizeof size);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(message.data());
  RunningChecksum sum;
  sum.add({bytes, kChecksumAt});
  sum.add({bytes + kHeader, message.size() - kHeader});
  const std::uint64_t value = sum.value();
  std::memcpy(message.data() + kChecksumAt, &value, sizeof value);
  return message;
}

std::string read_and_write(const std::string& message) {
  switch (kind_of(message)) {
    case MessageKind::kDescribe: read_describe(message); return write_describe();
    case MessageKind::kDescription: return write(read_description(message));
    case MessageKind::kTermsRequest: return write(read_terms_request(message));
    case MessageKind::kTermsAnswer: return write(read_terms_answer(message));
    case MessageKind::kSearchRequest: return write(read_search_request(message));
    case MessageKind::kSearchAnswer: return write(read_search_answer(message));
    case MessageKind::kNearestRequest: return write(read_nearest_request(message));
    case MessageKind::kNearestAnswer: return write(read_nearest_answer(message));
    case MessageKind::kFailure: return write(read_failure(message));
  }
  return {};
}

}  // namespace warpdex::test
