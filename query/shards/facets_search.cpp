#include "shards/facets_search.hpp"

#include <optional>
#include <utility>

#include "columns/find_column.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/columns/facets.hpp"
#include "warpdex/query/columns/matches.hpp"

namespace warpdex::shards {
namespace {

/// By part; none of one that does not answer.
using AnswersOfParts = std::vector<std::optional<FacetsAnswer>>;

void check(const FacetsAnswer& answer, const FacetsRequest& asked,
           const std::vector<Field>& fields) {
  if (answer.queries.size() != asked.queries.size()) throw FormatError("it answers other queries");
  for (const CountedFacets& query : answer.queries) {
    if (query.facets.size() != fields.size()) throw FormatError("it counts other facets");
    for (std::size_t i = 0; i < fields.size(); ++i) {
      check_part_facet(query.facets[i], fields[i], asked.wanted[i]);
    }
  }
}

AnswersOfParts ask_parts(const Whole& whole, PartCalls& calls, const FacetsRequest& asked,
                         const std::vector<Field>& fields) {
  std::vector<PartMessage> messages;
  for (std::uint32_t part = 0; part < calls.parts(); ++part) {
    if (calls.is_missing(part)) continue;
    FacetsRequest request = asked;
    request.version = whole.parts()[part].version;
    messages.push_back({part, write(request)});
  }
  AnswersOfParts answers(calls.parts());
  calls.ask(messages, [&](std::uint32_t part, const std::string& bytes) {
    FacetsAnswer answer = read_facets_answer(bytes);
    check(answer, asked, fields);
    answers[part] = std::move(answer);
  });
  return answers;
}

}  // namespace

FacetsAnswer count_facets(const Snapshot& snapshot, const FacetsRequest& request,
                          const DocumentFilter* filter) {
  FacetsAnswer answer;
  for (std::size_t i = 0; i < request.queries.size(); ++i) {
    if (request.queries[i].tree) check_query_tree(*request.queries[i].tree);
    SearchSettings settings{.mode = request.modes[i], .scorer = {}};
    settings.documents = filter;
    const vector::RowFilter matches = all_matches(snapshot, request.queries[i], settings).documents;
    CountedFacets& query = answer.queries.emplace_back();
    query.matches = matches.count();
    for (const FacetRequest& wanted : request.wanted) {
      query.facets.push_back(count_part_facet(snapshot, wanted, matches));
    }
  }
  return answer;
}

void add_facets(const Whole& whole, PartCalls& calls, const BrokerSettings& how,
                std::span<const Query> queries, std::vector<QueryMode> modes,
                std::span<MergedAnswer> answers) {
  std::vector<Field> fields;
  for (const FacetRequest& wanted : how.facets) {
    fields.push_back(whole.columns()[find_column(whole.columns(), wanted.column)]);
  }
  const AnswersOfParts counted = ask_parts(whole, calls,
                                           {.queries = {queries.begin(), queries.end()},
                                            .modes = std::move(modes),
                                            .filter = how.filter,
                                            .wanted = how.facets},
                                           fields);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    answers[i].matches = 0;
    for (std::size_t facet = 0; facet < fields.size(); ++facet) {
      std::vector<const PartFacet*> of_parts;
      for (const std::optional<FacetsAnswer>& part : counted) {
        if (part) of_parts.push_back(&part->queries[i].facets[facet]);
      }
      answers[i].facets.push_back(join_facets(fields[facet], how.facets[facet], of_parts));
    }
    for (const std::optional<FacetsAnswer>& part : counted) {
      if (part) answers[i].matches += part->queries[i].matches;
    }
  }
}

}  // namespace warpdex::shards
