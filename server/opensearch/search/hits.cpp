#include "opensearch/search/hits.hpp"

#include <algorithm>

#include "opensearch/search/explanation.hpp"

namespace warpdex::server::opensearch {
namespace {

/// Larger is better for OpenSearch's clients, so a distance is turned round.
float shown_score(const Answer& answer, float score) {
  return answer.scores_are_distances ? 1 / (1 + score) : score;
}

void begin_answer(Request::Clock::time_point arrival, bool timed_out, JsonWriter& json) {
  json.begin_object();
  json.member("took", millis_since(arrival));
  json.member("timed_out", timed_out);
  write_shards(json);
}

void write_total(const SearchAsk& ask, Total total, JsonWriter& json) {
  if (!ask.counts) return;
  if (ask.counts_up_to && total.value > *ask.counts_up_to) total = {*ask.counts_up_to, false};
  json.begin_object("total");
  json.member("value", total.value);
  json.member("relation", total.is_exact ? "eq" : "gte");
  json.end_object();
}

void write_max_score(std::optional<float> score, JsonWriter& json) {
  json.key("max_score");
  if (score) {
    json.value(*score);
  } else {
    json.null();
  }
}

void write_head(const std::string& index, std::string_view id, std::optional<float> score,
                JsonWriter& json) {
  json.member("_index", index);
  json.member("_id", id);
  json.key("_score");
  if (score) {
    json.value(*score);
  } else {
    json.null();
  }
}

/// Fields in which a word matched.
void write_highlights(const SearchAsk& ask, const std::vector<ShownField>& fields,
                      JsonWriter& json) {
  bool is_open = false;
  for (const ShownField& field : fields) {
    const bool is_marked = field.snippet && field.marked && !field.marked->empty();
    if (!is_marked || std::ranges::find(ask.highlighted, field.name) == ask.highlighted.end()) {
      continue;
    }
    if (!is_open) json.begin_object("highlight");
    is_open = true;
    json.begin_array(field.name);
    for (const std::string& fragment : field.fragments) json.value(fragment);
    json.end_array();
  }
  if (is_open) json.end_object();
}

/// The values that a hit is sorted by, and its place, as search_after takes them.
void write_columns_place(const SearchAsk& ask, const AnswerHit& hit, JsonWriter& json) {
  json.begin_array("sort");
  for (const SortKey& key : ask.order.columns) {
    const std::vector<FieldValue> values = hit.values(key.column);
    if (values.empty()) {
      json.null();
    } else {
      std::visit([&](const auto& value) { json.value(value); },
                 key.descending ? values.back() : values.front());
    }
  }
  json.value(hit.cursor());
  json.end_array();
}

void write_hit(const SearchAsk& ask, const Answer& answer, const AnswerHit& hit, JsonWriter& json) {
  json.begin_object();
  write_head(ask.index->name(), hit.id(), shown_score(answer, hit.score()), json);
  if (ask.source.is_shown) {
    std::map<std::string, std::string> stored;
    for (const ShownField& field : hit.fields()) stored.emplace(field.name, field.text);
    std::map<std::string, std::vector<FieldValue>> values;
    for (const Field& field : ask.source.columns) {
      values.emplace(field.name, hit.values(field.name));
    }
    write_source(stored, values, ask.source, json);
  }
  if (const Explanation* explanation = hit.explanation()) {
    write_explanation("_explanation", *explanation, json);
  }
  write_highlights(ask, hit.fields(), json);
  if (ask.order.columns.empty()) {
    write_place(ask.order, {hit.document(), hit.score()}, json);
  } else {
    write_columns_place(ask, hit, json);
  }
  json.end_object();
}

/// The nearest k, or as many as there are; of a page that ends before the k-th at least these.
Total total_of_nearest(const SearchAsk& ask, const Answer& answer) {
  const std::uint64_t asked = std::min<std::uint64_t>(ask.from + ask.size, ask.query.nearest);
  return {answer.size(), answer.size() < asked || asked == ask.query.nearest};
}

Total total_of(const SearchAsk& ask, const Answer& answer) {
  if (ask.query.kind == QueryKind::kVector) return total_of_nearest(ask, answer);
  if (ask.query.has_no_words() && ask.query.kind == QueryKind::kWords) return {0, true};
  return {std::max<std::uint64_t>(answer.matches, answer.size()), answer.matches_exact};
}

}  // namespace

void write_answer(const SearchAsk& ask, const SearchOutcome& outcome, JsonWriter& json) {
  const Answer& answer = outcome.answer;
  begin_answer(ask.arrival, !answer.is_complete, json);
  if (!answer.is_complete) json.member("max_missing_score", answer.max_missing_score);
  json.begin_object("hits");
  write_total(ask, total_of(ask, answer), json);
  const bool has_best = ask.size > 0 && !answer.empty();
  write_max_score(has_best ? std::optional(shown_score(answer, answer[0].score())) : std::nullopt,
                  json);
  json.begin_array("hits");
  if (ask.size > 0) {
    for (std::size_t i = ask.from; i < answer.size(); ++i) {
      write_hit(ask, answer, answer[i], json);
    }
  }
  json.end_array();
  json.end_object();
  write_aggregations(ask.aggregations, answer.facets, ask.has_typed_keys, json);
}

void write_documents(const SearchAsk& ask, const IndexReader& reader,
                     std::span<const ScoredDocument> documents, Total total,
                     Request::Clock::time_point arrival, const std::string& scroll_id,
                     JsonWriter& json) {
  begin_answer(arrival, false, json);
  if (!scroll_id.empty()) json.member("_scroll_id", scroll_id);
  json.begin_object("hits");
  write_total(ask, total, json);
  const bool has_best = !documents.empty() && !ask.order.after;
  write_max_score(has_best ? documents[0].score : std::nullopt, json);
  json.begin_array("hits");
  for (const ScoredDocument& each : documents) {
    json.begin_object();
    write_head(ask.index->name(), reader.id(each.document), each.score, json);
    if (ask.source.is_shown) {
      write_source(stored_of(reader, each.document), reader.values(each.document), ask.source,
                   json);
    }
    write_place(ask.order, each, json);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void end_answer(JsonWriter& json) { json.end_object(); }

std::map<std::string, std::string> stored_of(const IndexReader& reader, std::uint32_t document) {
  if (reader.settings().stored_fields.empty()) return {};
  return reader.stored(document);
}

std::int64_t millis_since(Request::Clock::time_point arrival) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Request::Clock::now() - arrival)
      .count();
}

}  // namespace warpdex::server::opensearch
