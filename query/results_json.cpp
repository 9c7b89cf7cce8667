// Search results as JSON: RapidJSON writes each answer into a buffer, which then goes out whole.
#include "warpdex/query/results_json.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>
#include <ostream>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/query/json_text.hpp"

namespace warpdex {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void write_text(Writer& json, std::string_view text) {
  const std::string written = json_text(text);
  json.String(written.data(), static_cast<rapidjson::SizeType>(written.size()));
}

void write_key(Writer& json, std::string_view key) {
  json.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
}

void write_marked(Writer& json, std::span<const MarkedWord> marked) {
  json.StartArray();
  for (const MarkedWord& word : marked) {
    json.StartObject();
    write_key(json, "start");
    json.Uint64(word.start);
    write_key(json, "length");
    json.Uint64(word.length);
    json.EndObject();
  }
  json.EndArray();
}

void write_fields(Writer& json, std::span<const ShownField> fields) {
  write_key(json, "fields");
  json.StartObject();
  for (const ShownField& field : fields) {
    write_key(json, json_text(field.name));
    write_text(json, field.text);
  }
  json.EndObject();
  if (!fields[0].snippet) return;
  write_key(json, "snippets");
  json.StartObject();
  for (const ShownField& field : fields) {
    write_key(json, json_text(field.name));
    write_text(json, field.snippet.value_or(""));
  }
  json.EndObject();
  if (!fields[0].marked) return;
  write_key(json, "matches_position");
  json.StartObject();
  for (const ShownField& field : fields) {
    write_key(json, json_text(field.name));
    write_marked(json, *field.marked);
  }
  json.EndObject();
}

void write_hit(Writer& json, const NamedHit& hit, unsigned rank) {
  json.StartObject();
  write_key(json, "rank");
  json.Uint(rank);
  write_key(json, "document");
  write_text(json, hit.document);
  write_key(json, "score");
  if (std::isfinite(hit.score)) {
    const std::string score = format_score(hit.score);
    json.RawValue(score.data(), score.size(), rapidjson::kNumberType);
  } else {
    json.Null();
  }
  if (!hit.cursor.empty()) {
    write_key(json, "cursor");
    write_text(json, hit.cursor);
  }
  if (!hit.fields.empty()) write_fields(json, hit.fields);
  if (hit.explanation != nullptr) {
    const std::string explanation = to_json(*hit.explanation);
    write_key(json, "explanation");
    json.RawValue(explanation.data(), explanation.size(), rapidjson::kObjectType);
  }
  json.EndObject();
}

void write_facet(Writer& json, const Facet& facet) {
  json.StartObject();
  const auto number = [&](std::string_view name, std::uint64_t value) {
    write_key(json, name);
    json.Uint64(value);
  };
  number("documents", facet.documents);
  number("values", facet.values);
  number("distinct", facet.distinct);
  for (const auto& [name, value] :
       {std::pair{"min", facet.min}, {"max", facet.max}, {"sum", facet.sum}}) {
    write_key(json, name);
    std::isfinite(value) ? json.Double(value) : json.Null();  // a sum may be past all doubles
  }
  write_key(json, "top");
  json.StartArray();
  for (const FacetCount& count : facet.top) {
    json.StartObject();
    write_key(json, "value");
    write_text(json, count.value);
    number("documents", count.documents);
    json.EndObject();
  }
  json.EndArray();
  if (!facet.ranges.empty()) {
    write_key(json, "ranges");
    json.StartArray();
    for (const FacetRangeCount& count : facet.ranges) {
      json.StartObject();
      for (const auto& [name, limit] :
           {std::pair{"from", &count.range.from}, {"to", &count.range.to}}) {
        if (limit->empty()) continue;
        write_key(json, name);
        write_text(json, *limit);
      }
      number("documents", count.documents);
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

void write_answer(Writer& json, const QueryAnswer& answer, std::size_t before) {
  json.StartObject();
  write_key(json, "id");
  write_text(json, answer.id);
  write_key(json, "matches");
  json.Uint64(answer.matches);
  write_key(json, "matches_exact");
  json.Bool(answer.matches_exact);
  write_key(json, "fell_back_to_or");
  json.Bool(answer.fell_back_to_or);
  if (answer.terms_cut) {
    write_key(json, "terms_cut");
    json.Bool(true);
  }
  write_key(json, "score_is");
  json.String(answer.scores_are_distances ? "distance" : "score");
  write_key(json, "hits");
  json.StartArray();
  auto rank = static_cast<unsigned>(before);
  for (const NamedHit& hit : answer.hits) write_hit(json, hit, ++rank);
  json.EndArray();
  if (!answer.facets.empty()) {
    write_key(json, "facets");
    json.StartObject();
    for (const Facet& facet : answer.facets) {
      write_key(json, facet.column);
      write_facet(json, facet);
    }
    json.EndObject();
  }
  json.EndObject();
}

}  // namespace

void append_answer_members(const QueryAnswer& answer, std::size_t before, std::string& out) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  write_answer(json, answer, before);
  out.append(buffer.GetString() + 1, buffer.GetSize() - 2);
}

void JsonResultWriter::write(const QueryAnswer& answer) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  write_answer(json, answer, 0);
  write_out(started_ ? ",\n" : "{\"queries\":[\n");
  started_ = true;
  write_out({buffer.GetString(), buffer.GetSize()});
}

void JsonResultWriter::finish() {
  write_out(started_ ? "\n]}\n" : "{\"queries\":[]}\n");
  out_.flush();
  write_out("");
}

void JsonResultWriter::write_out(std::string_view text) {
  out_.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!out_) throw IoError("the results cannot be written; check the space left at their target");
}

}  // namespace warpdex
