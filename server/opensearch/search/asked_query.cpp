#include "opensearch/search/asked_query.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "opensearch/search/column_query.hpp"
#include "opensearch/search/field_query.hpp"
#include "opensearch/search/word_query.hpp"
#include "warpdex/query/filter/filter.hpp"
#include "warpdex/query/syntax/json_query.hpp"

namespace warpdex::server::opensearch {
namespace {

constexpr std::size_t kMaxIds = 10'000;

std::string_view name_of(const rapidjson::Value::Member& member) {
  return {member.name.GetString(), member.name.GetStringLength()};
}

float read_score(Parameters& members) {
  const float score = members.real("boost").value_or(1);
  if (score >= 0) return score;
  throw illegal_argument("'boost' must be 0 or more");
}

AskedQuery read_match_all(const rapidjson::Value& json) {
  Parameters members(json, "[match_all]");
  AskedQuery query{.kind = QueryKind::kAll, .score = read_score(members)};
  members.finish();
  return query;
}

AskedQuery read_ids(const rapidjson::Value& json) {
  Parameters members(json, "[ids]");
  AskedQuery query{.kind = QueryKind::kIds, .score = read_score(members)};
  auto ids = members.texts("values");
  members.finish();
  if (!ids) throw parsing_error("[ids] has no 'values'");
  if (ids->size() > kMaxIds) {
    throw illegal_argument("[ids] has more than " + std::to_string(kMaxIds) + " values");
  }
  query.ids = std::move(*ids);
  return query;
}

void read_vector_of(Parameters& members, const QueryContext& context, const VectorField& field,
                    AskedQuery& query) {
  auto vector = members.reals("vector");
  if (!vector) throw parsing_error("[knn] has no 'vector'");
  if (vector->size() != field.settings.dimension) {
    throw illegal_argument("[knn] has a vector of " + std::to_string(vector->size()) +
                           " components, and those of the index have " +
                           std::to_string(field.settings.dimension));
  }
  const auto nearest = members.whole("k", 1, context.limits.k);
  if (!nearest) throw parsing_error("[knn] has no 'k'");
  query.vector = std::move(*vector);
  query.vector_field = field.own;
  query.nearest = static_cast<std::uint32_t>(*nearest);
}

/// Of [knn]: by columns, or by words.
void read_vector_filter(const rapidjson::Value& json, const QueryContext& context,
                        AskedQuery& query) {
  if (const auto columns = read_column_query(json, context)) {
    query.filter = *columns;
    return;
  }
  const auto& asked = only_member(json, "the filter of [knn]");
  if (!is_word_query(name_of(asked))) {
    throw parsing_error("[knn] with a filter of [" + std::string(name_of(asked)) +
                        "] is not supported");
  }
  query.words = question_of(read_word_query(name_of(asked), asked.value, context), context);
  query.is_filtered = true;
}

AskedQuery read_knn(const rapidjson::Value& json, const QueryContext& context) {
  const auto& member = only_member(json, "[knn]");
  const std::string field(name_of(member));
  const VectorField* const searched = context.fields.vector(field);
  if (searched == nullptr) {
    std::string known;
    for (const VectorField& each : context.fields.vectors) {
      known += (known.empty() ? "'" : ", '") + each.name + "'";
    }
    throw illegal_argument("the field '" + field + "' is no knn_vector; the index has " +
                           (known.empty() ? "none" : known));
  }
  AskedQuery query{.kind = QueryKind::kVector};
  Parameters members(member.value, "[knn] of '" + field + "'");
  read_vector_of(members, context, *searched, query);
  if (const auto* filter = members.json("filter")) read_vector_filter(*filter, context, query);
  if (const auto* parameters = members.json("method_parameters")) {
    Parameters depth(*parameters, "'method_parameters'");
    query.fusion.probes = static_cast<std::size_t>(
        depth.whole("nprobes", 1, vector::kMaxRows).value_or(query.fusion.probes));
    depth.finish();
  }
  members.finish();
  return query;
}

AskedQuery read_hybrid(const rapidjson::Value& json, const QueryContext& context) {
  Parameters members(json, "[hybrid]");
  const rapidjson::Value* const queries = members.json("queries");
  const auto depth = members.whole("pagination_depth", 1, 10'000);
  members.finish();
  if (queries == nullptr || !queries->IsArray() || queries->Size() != 2) {
    throw illegal_argument("[hybrid] joins two 'queries': one by words, then [knn]");
  }
  const auto& first = only_member((*queries)[0], "a query of [hybrid]");
  const auto& second = only_member((*queries)[1], "a query of [hybrid]");
  if (!is_word_query(name_of(first)) || name_of(second) != "knn") {
    throw illegal_argument("[hybrid] joins one query by words and then [knn]; here are [" +
                           std::string(name_of(first)) + "] and [" + std::string(name_of(second)) +
                           "]");
  }
  AskedQuery query = read_knn(second.value, context);
  if (query.is_filtered || !query.filter.empty()) {
    throw illegal_argument("[knn] with a filter in [hybrid] is not supported");
  }
  query.kind = QueryKind::kHybrid;
  query.words = question_of(read_word_query(name_of(first), first.value, context), context);
  if (depth && *depth != query.nearest) {
    throw illegal_argument(
        "'pagination_depth' and the 'k' of [knn] are how many documents each "
        "query of [hybrid] finds; give both the same number, or 'k' alone");
  }
  query.fusion.depth = query.nearest;
  return query;
}

/// {"technique": …, "parameters": …}; the technique is one of `known`.
std::string read_technique(Parameters& members, std::string_view known) {
  const std::string name = members.text("technique").value_or(std::string(known));
  if (name == known) return name;
  throw illegal_argument("the technique '" + name + "' of a search pipeline is not supported; " +
                         std::string(known) + " is");
}

/// The weight of the first of two.
void read_pair_of_weights(Parameters& members, FusionSettings& fusion) {
  const rapidjson::Value* const json = members.json("parameters");
  if (json == nullptr) return;
  Parameters parameters(*json, "'parameters'");
  const auto weights = parameters.reals("weights");
  parameters.finish();
  if (!weights) return;
  const bool are_two = weights->size() == 2 && (*weights)[0] >= 0 && (*weights)[1] >= 0 &&
                       (*weights)[0] + (*weights)[1] > 0;
  if (!are_two) throw illegal_argument("'weights' are two numbers of 0 or more, not both 0");
  fusion.weight = (*weights)[0] / ((*weights)[0] + (*weights)[1]);
}

void read_normalization(const rapidjson::Value& json, FusionSettings& fusion) {
  Parameters members(json, "[normalization-processor]");
  if (const auto* how = members.json("normalization")) {
    Parameters normalization(*how, "'normalization'");
    read_technique(normalization, "min_max");
    normalization.finish();
  }
  fusion.fusion = Fusion::kConvex;
  if (const auto* how = members.json("combination")) {
    Parameters combination(*how, "'combination'");
    read_technique(combination, "arithmetic_mean");
    read_pair_of_weights(combination, fusion);
    combination.finish();
  }
  members.finish();
}

void read_ranker(const rapidjson::Value& json, FusionSettings& fusion) {
  Parameters members(json, "[score-ranker-processor]");
  fusion.fusion = Fusion::kReciprocalRank;
  if (const auto* how = members.json("combination")) {
    Parameters combination(*how, "'combination'");
    read_technique(combination, "rrf");
    combination.whole("rank_constant", 60, 60);
    read_pair_of_weights(combination, fusion);
    combination.finish();
  }
  members.finish();
}

/// A query of all documents, with one score.
Query all_documents(float score, const QueryContext& context) {
  return question_of({.kind = QueryNode::Kind::kAll, .boost = score}, context);
}

/// Whether all documents that a clause on columns matches score the same.
bool scores_alike(const QueryNode& node) {
  return node.kind != QueryNode::Kind::kBoolean || (node.must.empty() && node.should.empty());
}

/// By words and columns.
AskedQuery read_words(std::string_view name, const rapidjson::Value& value,
                      const QueryContext& context) {
  AskedQuery query{.kind = QueryKind::kWords};
  QueryNode node = read_word_query(name, value, context);
  const auto columns = scores_alike(node) ? filter_of_clause(node, context.fields.schema)
                                          : std::optional<FilterNode>();
  if (columns) {
    query.filter = filter_text(*columns);
    query.words = all_documents(node.kind == QueryNode::Kind::kBoolean ? 0 : node.boost, context);
    return query;
  }
  query.filter = take_filters(node, context.fields.schema);
  query.words = question_of(node, context);
  return query;
}

}  // namespace

void restrict_query(AskedQuery& query, const std::string& filter, const QueryContext& context) {
  if (filter.empty()) return;
  query.filter = both_filters(query.filter, filter);
  if (query.kind != QueryKind::kAll && query.kind != QueryKind::kIds) return;
  if (query.kind == QueryKind::kIds) {
    query.filter = both_filters(
        query.filter,
        filter_text({.kind = FilterNode::Kind::kIn, .field = "id", .values = query.ids}));
  }
  query.kind = QueryKind::kWords;
  query.words = all_documents(query.score, context);
}

AskedQuery read_query(const rapidjson::Value& json, const QueryContext& context) {
  const auto& member = only_member(json, "a query");
  const std::string_view name = name_of(member);
  AskedQuery query;
  if (name == "match_all") return read_match_all(member.value);
  if (name == "ids") return read_ids(member.value);
  if (name == "bool" && member.value.IsObject() && member.value.MemberCount() == 0) return query;
  if (name == "knn") {
    query = read_knn(member.value, context);
  } else if (name == "hybrid") {
    query = read_hybrid(member.value, context);
  } else if (is_word_query(name)) {
    query = read_words(name, member.value, context);
  } else {
    throw parsing_error("unknown query [" + std::string(name) + "], or not supported here");
  }
  return query;
}

AskedQuery read_address_query(Parameters& address, const QueryContext& context) {
  const std::optional<std::string> text = address.text("q");
  if (!text) {
    for (const char* name : {"df", "default_operator"}) {
      if (address.has(name)) throw illegal_argument("'" + std::string(name) + "' is for 'q'");
    }
    return {};
  }
  const std::string field = address.text("df").value_or("*");
  check_all_fields({field}, context.fields);
  const bool are_required = read_operator(address, "default_operator");
  AskedQuery query{.kind = QueryKind::kWords};
  query.words = question_of(read_query_string(*text, context, are_required, {field}), context);
  return query;
}

void read_pipeline(const rapidjson::Value& json, AskedQuery& query) {
  if (query.kind != QueryKind::kHybrid) {
    throw illegal_argument("'search_pipeline' is for the query [hybrid]");
  }
  Parameters members(json, "'search_pipeline'");
  const rapidjson::Value* const all = members.json("phase_results_processors");
  members.finish();
  if (all == nullptr || !all->IsArray() || all->Size() != 1) {
    throw illegal_argument("'search_pipeline' has one of 'phase_results_processors'");
  }
  const auto& processor = only_member((*all)[0], "a processor");
  if (name_of(processor) == "normalization-processor") {
    return read_normalization(processor.value, query.fusion);
  }
  if (name_of(processor) == "score-ranker-processor") {
    return read_ranker(processor.value, query.fusion);
  }
  throw illegal_argument("the processor [" + std::string(name_of(processor)) +
                         "] is not supported");
}

}  // namespace warpdex::server::opensearch
