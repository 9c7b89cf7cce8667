#include "v1/search_call.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "http/error.hpp"
#include "http/json_writer.hpp"
#include "warpdex/query/results_json.hpp"
#include "warpdex/query/syntax/json_query.hpp"

namespace warpdex::server::v1 {
namespace {

constexpr float kMaxDeadline = 86'400'000;  ///< ms

/// Throws HttpError (400) for a parameter that has no effect.
void refuse(const Parameters& parameters, std::initializer_list<std::string_view> names,
            const std::string& why) {
  for (const std::string_view name : names) {
    if (!parameters.has(name)) continue;
    throw bad_request("'" + std::string(name) + "' " + why + ", or leave it out");
  }
}

void read_matching(Parameters& parameters, SearchOptions& options) {
  if (const auto mode = parameters.text("mode")) options.mode = query_mode_from_name(*mode);
  if (const auto min = parameters.whole("and_or_min", 1, 0xFFFFFFFF)) {
    options.and_or_min = static_cast<std::uint32_t>(*min);
  }
  if (options.mode != QueryMode::kAndOr) {
    refuse(parameters, {"and_or_min"}, "is for the mode and-or; ask for that");
  }
  options.count = parameters.flag("count").value_or(false);
  options.filter = parameters.text("filter").value_or("");
  options.sort = parse_sort(parameters.joined("sort").value_or(""));
  options.search_after = parameters.text("search_after").value_or("");
  options.facets = parse_facets(parameters.list("facets").value_or(std::vector<std::string>()));
  options.explain = parameters.flag("explain").value_or(false);
  if (const auto syntax = parameters.text("query_syntax")) {
    options.syntax = query_syntax_from_name(*syntax);
  }
  if (const auto fields = parameters.joined("query_fields")) {
    options.searched.fields = parse_searched_fields(*fields);
  }
  if (const auto rules = parameters.text("synonyms")) {
    options.searched.synonyms = parse_synonyms(*rules, "'synonyms'");
  }
  if (const auto type = parameters.text("fields_type")) {
    options.searched.type = fields_type_from_name(*type);
  }
}

/// The scorers that read a setting: "bm25".
std::string readers_of(const ScorerOption& option) {
  std::string names;
  for (const ScorerKind kind : named_scorers()) {
    if (!reads_option(kind, option)) continue;
    names += (names.empty() ? "" : " or ") + std::string(scorer_name(kind));
  }
  return names;
}

void read_scorer(Parameters& parameters, const IndexSettings& index, ScorerSettings& scorer) {
  if (index.impacts) {
    const std::string why = "cannot change the scores of an index of impacts; leave it";
    refuse(parameters, {"scorer"}, why);
    for (const ScorerOption& option : scorer_options()) refuse(parameters, {option.name}, why);
  }
  if (const auto name = parameters.text("scorer")) scorer.kind = scorer_from_name(*name);
  for (const ScorerOption& option : scorer_options()) {
    if (option.number == nullptr) {
      if (const auto form = parameters.text(option.name)) scorer.form = bm25_form_from_name(*form);
    } else if (const auto number = parameters.real(option.name)) {
      scorer.*option.number = *number;
    }
  }
  for (const ScorerOption& option : scorer_options()) {
    if (reads_option(scorer.kind, option)) continue;
    refuse(parameters, {option.name}, "is for the scorer " + readers_of(option) + "; ask for that");
  }
  scorer.validate();
}

/// How thoroughly lists and codes of vectors are searched.
void read_vector_depth(Parameters& parameters, bool has_vector, bool joins,
                       FusionSettings& fusion) {
  const bool compares_all =
      joins && (fusion.fusion == Fusion::kRerank || fusion.fusion == Fusion::kFilter);
  if (!has_vector || compares_all) {
    refuse(parameters, {"probes", "refine"},
           "is for the search of the nearest vectors: by 'vector' alone, or by rrf, convex and "
           "neighbors");
  }
  if (const auto probes = parameters.whole("probes", 1, vector::kMaxRows)) {
    fusion.probes = static_cast<std::size_t>(*probes);
  }
  if (const auto refine = parameters.whole("refine", 0, vector::kMaxRows)) {
    fusion.refine = static_cast<std::size_t>(*refine);
  }
}

void read_fusion(Parameters& parameters, std::uint32_t k, bool has_words, bool has_vector,
                 FusionSettings& fusion) {
  const bool joins = has_words && has_vector;
  if (!joins) {
    refuse(parameters, {"fusion", "fusion_weight", "fusion_depth"},
           "joins words and a vector; give 'q' and 'vector'");
  }
  if (const auto name = parameters.text("fusion")) fusion.fusion = fusion_from_name(*name);
  if (const auto weight = parameters.real("fusion_weight")) fusion.weight = *weight;
  fusion.depth = std::max(fusion.depth, k);
  if (const auto depth = parameters.whole("fusion_depth", 1, 10'000)) {
    fusion.depth = static_cast<std::uint32_t>(*depth);
  }
  if (fusion.fusion != Fusion::kReciprocalRank && fusion.fusion != Fusion::kConvex) {
    refuse(parameters, {"fusion_weight"}, "is for rrf and convex; ask for one of them");
  }
  if (fusion.fusion == Fusion::kFilter) {
    refuse(parameters, {"fusion_depth"},
           "has no effect on filter, which looks at all matches; "
           "take another fusion");
  }
  read_vector_depth(parameters, has_vector, joins, fusion);
  fusion.validate();
}

void read_shown(Parameters& parameters, SearchOptions& options) {
  const std::initializer_list<std::string_view> of_snippets{"matches_position", "snippet_bytes",
                                                            "snippet_fragments", "snippet_html"};
  options.fields = parameters.list("fields").value_or(std::vector<std::string>());
  const bool snippets = parameters.flag("snippets").value_or(true);
  options.positions = parameters.flag("matches_position").value_or(false);
  if (const auto bytes = parameters.whole("snippet_bytes", 1, 10'000)) {
    options.snippet.max_bytes = static_cast<std::size_t>(*bytes);
  }
  if (const auto fragments = parameters.whole("snippet_fragments", 1, kMaxFragments)) {
    options.snippet.fragments = static_cast<std::size_t>(*fragments);
  }
  options.snippet.is_html = parameters.flag("snippet_html").value_or(true);
  if (options.fields.empty()) {
    refuse(parameters, {"snippets"}, "is for 'fields'; name these");
    refuse(parameters, of_snippets, "is for 'fields'; name these");
  } else if (!snippets) {
    refuse(parameters, of_snippets, "is for snippets; ask for these");
    options.positions = false;
  }
  for (std::size_t i = 0; i < options.fields.size(); ++i) {
    if (std::count(options.fields.begin(), options.fields.end(), options.fields[i]) > 1) {
      throw bad_request("'fields' names '" + options.fields[i] + "' twice; name it once");
    }
  }
  options.snippets = snippets && !options.fields.empty();
}

/// k and from, both within the limit of pages.
void read_page(Parameters& parameters, const ServerLimits& limits, SearchCall& call) {
  const auto from = parameters.whole("from", 0, 0xFFFFFFFF).value_or(0);
  const auto k = parameters.whole("k", 1, limits.k).value_or(std::min<std::uint32_t>(10, limits.k));
  if (from + k > limits.k) {
    throw bad_request("'from' and 'k' together are " + std::to_string(from + k) +
                      "; an answer reaches to " + std::to_string(limits.k) + " at most");
  }
  call.from = static_cast<std::uint32_t>(from);
  call.job.options.k = static_cast<std::uint32_t>(from + k);
  call.job.options.and_or_min = static_cast<std::uint32_t>(k);  // the same for all pages
}

void read_deadline(Parameters& parameters, const ServerLimits& limits, SearchOptions& options) {
  options.deadline = limits.search_time;
  const std::optional<float> given = parameters.real("deadline");
  if (!given) return;
  if (!(*given > 0) || *given > kMaxDeadline) {
    throw bad_request("'deadline' is no number of milliseconds above 0, up to a day");
  }
  options.deadline = std::min(options.deadline, std::chrono::microseconds(std::max<std::int64_t>(
                                                    1, std::llround(double{*given} * 1000))));
}

/// The words: `q`, or `query`, an object of clauses (in an address its text).
std::optional<std::string> read_asked(Parameters& parameters, SearchOptions& options) {
  std::optional<std::string> words = parameters.text("q");
  const rapidjson::Value* const json = parameters.json("query");
  if (!parameters.has("query")) return words;
  if (words) throw bad_request("'q' and 'query' both say what to search for; give one");
  refuse(parameters, {"query_syntax", "mode"}, "is for 'q'; give that");
  options.syntax = QuerySyntax::kJson;
  if (json == nullptr) return parameters.text("query");
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  json->Accept(writer);
  return std::string(text.GetString(), text.GetSize());
}

/// Clauses on columns alone become a filter, with which engines may answer the rest. Beside a
/// vector they do not: a filter is of both halves.
Query parse_clauses(const Searcher& searcher, const std::string& text, const Schema& schema,
                    bool has_vector, SearchOptions& options) {
  QueryNode tree = parse_json_query(text);
  const std::string filter = has_vector ? "" : take_filters(tree, schema);
  if (!filter.empty()) {
    options.filter = options.filter.find_first_not_of(" \t\r\n") == std::string::npos
                         ? filter
                         : "(" + options.filter + ") AND (" + filter + ")";
  }
  return searcher.parse_tree(tree, options.searched);
}

void read_words(const std::string& text, const IndexPtr& index, const ServerLimits& limits,
                SearchJob& job) {
  SearchOptions& options = job.options;
  if (text.size() > limits.query_bytes) {
    throw bad_request("the query has " + std::to_string(text.size()) + " bytes; " +
                      std::to_string(limits.query_bytes) + " are allowed");
  }
  const Searcher& searcher = index->searcher();
  job.query = options.syntax == QuerySyntax::kJson
                  ? parse_clauses(searcher, text, index->reader()->settings().schema,
                                  !job.vector.empty(), options)
                  : searcher.parse(text, options.syntax, {}, options.mode, options.searched);
  if (job.query.terms.size() <= limits.clauses) return;
  throw bad_request("the query has " + std::to_string(job.query.terms.size()) +
                    " words, counted once for each field that they search; " +
                    std::to_string(limits.clauses) + " are allowed");
}

void check_vector(const IndexReader& reader, const std::string& field,
                  const std::vector<float>& vector) {
  if (vector_sets(reader.settings()).empty()) {
    throw bad_request("the index has no vectors; leave 'vector' out");
  }
  const std::size_t dimension = reader.vector_settings(field).dimension;
  if (vector.size() == dimension) return;
  throw bad_request("'vector' has " + std::to_string(vector.size()) +
                    " components, and those of the index have " + std::to_string(dimension));
}

}  // namespace

SearchCall read_search(Parameters& parameters, const IndexPtr& index, const ServerLimits& limits,
                       Request::Clock::time_point arrival) {
  SearchCall call;
  SearchJob& job = call.job;
  SearchOptions& options = job.options;
  job.index = index;
  job.arrival = arrival;
  const std::shared_ptr<const IndexReader> reader = index->reader();
  const std::optional<std::string> words = read_asked(parameters, options);
  const auto vector = parameters.reals("vector");
  if (!vector) refuse(parameters, {"vector_field"}, "is for 'vector'; give that");
  options.vector_field = parameters.text("vector_field").value_or("");
  read_page(parameters, limits, call);
  read_matching(parameters, options);
  read_scorer(parameters, reader->settings(), options.scorer);
  read_fusion(parameters, options.k, words.has_value(), vector.has_value(), options.fusion);
  read_shown(parameters, options);
  read_deadline(parameters, limits, options);
  const std::optional<std::string> id = parameters.text("id");
  parameters.finish();
  if (!words && !vector) throw bad_request("a search needs 'q' or 'query', 'vector' or both");
  call.has_vector = vector.has_value();
  call.is_sorted = !options.sort.empty();
  if (vector) {
    check_vector(*reader, options.vector_field, *vector);
    job.vector = *vector;
    if (options.count || options.explain) {
      throw bad_request(
          "only searches by words alone are counted and explained; leave 'vector', or "
          "'count' and 'explain', out");
    }
  }
  options.vectors_alone = !words;
  if (words) read_words(*words, index, limits, job);
  job.query.id = id.value_or("");
  return call;
}

std::string search_json(const SearchCall& call, const SearchOutcome& outcome) {
  const Answer& answer = outcome.answer;
  std::vector<NamedHit> hits;
  hits.reserve(answer.size() - std::min<std::size_t>(answer.size(), call.from));
  for (std::size_t i = call.from; i < answer.size(); ++i) {
    const AnswerHit hit = answer[i];
    hits.push_back({hit.id(), hit.score(), hit.fields(), hit.explanation(),
                    call.is_sorted ? hit.cursor() : ""});
  }
  const QueryAnswer view{.id = answer.id,
                         .hits = hits,
                         .matches = answer.matches,
                         .matches_exact = answer.matches_exact,
                         .fell_back_to_or = answer.fell_back_to_or,
                         .terms_cut = answer.terms_cut,
                         .scores_are_distances = answer.scores_are_distances,
                         .facets = answer.facets};
  JsonWriter json;
  json.begin_object();
  json.member("took_us", (outcome.waited + outcome.ran).count());
  if (!call.has_vector) json.member("answered_by", answer.is_of_gpu ? "gpu" : "cpu");
  json.member("commit", answer.commit());
  json.member("complete", answer.is_complete);
  if (!answer.is_complete) json.member("max_missing_score", answer.max_missing_score);
  json.end_object();
  std::string text = json.take();
  text.back() = ',';
  append_answer_members(view, call.from, text);
  text += '}';
  return text;
}

}  // namespace warpdex::server::v1
