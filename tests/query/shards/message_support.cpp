#include "tests/query/shards/message_support.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "tests/query/shards/message_draws.hpp"
#include "warpdex/core/checksum.hpp"

namespace warpdex::test {
namespace {

using namespace shards;

constexpr std::size_t kHeader = 24;
constexpr std::size_t kChecksumAt = 16;

PartTerm draw_part_term(Random& random) {
  PartTerm term{.frequencies = {random(), random()}};
  for (std::uint64_t seeds = number_below(random, 4); seeds > 0; --seeds) {
    term.seeds.push_back(
        {1 + static_cast<std::uint32_t>(number_below(random, 1000)),
         {static_cast<std::uint16_t>(random()), static_cast<std::uint16_t>(random())}});
  }
  return term;
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

FacetsAnswer draw_facets(Random& random) {
  FacetsAnswer answer;
  for (std::uint64_t left = number_below(random, 4); left > 0; --left) {
    CountedFacets& query = answer.queries.emplace_back(CountedFacets{.matches = random()});
    query.facets.resize(number_below(random, 3));
    for (PartFacet& facet : query.facets) {
      facet.documents = random();
      for (std::uint64_t key = 0; key < number_below(random, 5); ++key) {
        facet.texts.push_back({std::string(key, 'x') + draw_text(random), {random(), key}});
        facet.numbers.push_back({key, {random(), 3}});
      }
      std::ranges::sort(facet.texts, {}, &std::pair<std::string, KeyCount>::first);
      const auto same =
          std::ranges::unique(facet.texts, {}, &std::pair<std::string, KeyCount>::first);
      facet.texts.erase(same.begin(), same.end());
      facet.ranges.assign(number_below(random, 3), random());
    }
  }
  return answer;
}

SortValues draw_values(Random& random) {
  return {{.is_missing = happens(random, 30), .number = random()}, {.text = draw_text(random)}};
}

SortedRequest draw_sorted_request(Random& random) {
  SortedRequest request{.search = draw_request(random),
                        .keys = {{.column = draw_word(random, "n")}, {"n", true}},
                        .with_ties = happens(random, 50)};
  if (happens(random, 30)) {
    request.behind_document = static_cast<std::uint32_t>(random());
  } else if (happens(random, 50)) {
    for (std::size_t i = 0; i < request.search.queries.size(); ++i) {
      request.behind.push_back({draw_values(random), draw_score(random)});
    }
  }
  return request;
}

SortedAnswer draw_sorted_answer(Random& random) {
  SortedAnswer answer;
  for (std::uint64_t left = number_below(random, 5); left > 0; --left) {
    SortedPart& part = answer.queries.emplace_back();
    part.matches = random();
    part.most_terms = static_cast<std::uint32_t>(random());
    part.page.equal = random();
    if (happens(random, 50)) part.page.score = draw_score(random);
    if (happens(random, 50)) part.values_of_start = draw_values(random);
    const bool has_names = happens(random, 50);
    for (std::uint64_t hits = number_below(random, 5); hits > 0; --hits) {
      part.page.hits.push_back({static_cast<std::uint32_t>(random()), draw_score(random)});
      part.values.push_back(draw_values(random));
      if (has_names) part.names.push_back(draw_text(random));
    }
  }
  return answer;
}

NearWordsRequest draw_near_words_request(Random& random) {
  NearWordsRequest request{.version = random()};
  for (std::uint64_t left = number_below(random, 4); left > 0; --left) {
    request.words.push_back({draw_word(random, ""), draw_word(random, "se"),
                             static_cast<std::uint32_t>(number_below(random, 3))});
  }
  return request;
}

NearWordsAnswer draw_near_words_answer(Random& random) {
  NearWordsAnswer answer;
  for (std::uint64_t left = number_below(random, 4); left > 0; --left) {
    std::vector<NearTerm>& terms = answer.words.emplace_back();
    for (std::uint64_t more = number_below(random, 5); more > 0; --more) {
      terms.push_back({draw_text(random), static_cast<float>(number_below(random, 5)) / 4});
    }
  }
  return answer;
}

FieldsRequest draw_fields_request(Random& random) {
  FieldsRequest request{.version = random(), .queries = draw_request(random).queries};
  for (std::size_t i = 0; i < request.queries.size(); ++i) {
    request.documents.emplace_back(number_below(random, 4),
                                   static_cast<std::uint32_t>(number_below(random, 300)));
  }
  request.shown = {.fields = {draw_word(random, "n"), "n"},
                   .snippets = happens(random, 50),
                   .positions = happens(random, 50)};
  request.shown.snippet = {.max_bytes = random(),
                           .before = draw_text(random),
                           .after = draw_text(random),
                           .is_html = happens(random, 50),
                           .fragments = 1 + number_below(random, 9)};
  return request;
}

FieldsAnswer draw_fields_answer(Random& random) {
  FieldsAnswer answer;
  for (std::uint64_t left = number_below(random, 4); left > 0; --left) {
    auto& documents = answer.queries.emplace_back(number_below(random, 4));
    for (std::vector<ShownField>& fields : documents) {
      fields.resize(number_below(random, 3));
      for (ShownField& field : fields) {
        field.name = draw_text(random);
        field.text = draw_text(random);
        if (happens(random, 50)) field.snippet = draw_text(random);
        if (happens(random, 50)) field.marked = {{random(), random()}, {1, 2}};
        if (happens(random, 50)) field.fragments = {draw_text(random), ""};
      }
    }
  }
  return answer;
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
  FacetsRequest facets{.version = random(), .filter = "year > 3", .wanted = {{.column = "n"}}};
  facets.wanted.push_back({.column = draw_word(random, "n"), .ranges = {{"", "7"}, {"7", "9"}}});
  facets.queries = draw_request(random).queries;
  for (const Query& query : facets.queries) {
    facets.modes.push_back(query.tree ? QueryMode::kOr : QueryMode::kAnd);
  }
  return {write_describe(),
          write(draw_description(random)),
          write(terms),
          write(counts),
          write(draw_request(random)),
          write(answers),
          write(nearest),
          write(near),
          write(facets),
          write(draw_facets(random)),
          write(draw_sorted_request(random)),
          write(draw_sorted_answer(random)),
          write(draw_near_words_request(random)),
          write(draw_near_words_answer(random)),
          write(FoundTermsRequest{random(), {draw_tree(random, 2), draw_tree(random, 1)}}),
          write(FoundTermsAnswer{{draw_tree(random, 2), draw_tree(random, 1)}}),
          write(draw_fields_request(random)),
          write(draw_fields_answer(random)),
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
    case MessageKind::kFacetsRequest: return write(read_facets_request(message));
    case MessageKind::kFacetsAnswer: return write(read_facets_answer(message));
    case MessageKind::kSortedRequest: return write(read_sorted_request(message));
    case MessageKind::kSortedAnswer: return write(read_sorted_answer(message));
    case MessageKind::kNearWordsRequest: return write(read_near_words_request(message));
    case MessageKind::kNearWordsAnswer: return write(read_near_words_answer(message));
    case MessageKind::kFoundTermsRequest: return write(read_found_terms_request(message));
    case MessageKind::kFoundTermsAnswer: return write(read_found_terms_answer(message));
    case MessageKind::kFieldsRequest: return write(read_fields_request(message));
    case MessageKind::kFieldsAnswer: return write(read_fields_answer(message));
    case MessageKind::kFailure: return write(read_failure(message));
  }
  return {};
}

}  // namespace warpdex::test
