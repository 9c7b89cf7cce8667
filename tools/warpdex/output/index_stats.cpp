// Words, tables and JSON members for what an index of documents holds.
#include "output/index_stats.hpp"

#include "options/codec_options.hpp"
#include "output/impacts_text.hpp"
#include "output/json.hpp"
#include "output/table.hpp"
#include "output/text.hpp"

namespace warpdex::tools {
namespace {

std::uint64_t stored_bytes(const IndexStatistics& statistics) {
  std::uint64_t bytes = 0;
  for (const PartBytes& info : statistics.sections) {
    if (info.name.starts_with("stored_")) bytes += info.bytes;
  }
  return bytes;
}

std::uint64_t column_bytes(const IndexStatistics& statistics, std::size_t column) {
  const std::string name = "column_" + std::to_string(column);
  std::uint64_t bytes = 0;
  for (const PartBytes& info : statistics.sections) bytes += info.name == name ? info.bytes : 0;
  return bytes;
}

/// "year (int), 12.5 KB; tags (keyword, several), 1.0 MB".
std::string columns_text(const Schema& schema, const IndexStatistics& statistics) {
  std::string text;
  std::size_t column = 0;
  for (const Field& field : columns_of(schema)) {
    text += (text.empty() ? "" : "; ") + field.name + " (" +
            std::string(field_type_name(field.type)) + (field.multiple ? ", several" : "") + "), " +
            bytes_text(column_bytes(statistics, column++));
  }
  return text;
}

void write_columns(const Schema& schema, const IndexStatistics& statistics, JsonWriter& json) {
  if (columns_of(schema).empty()) return;
  json.begin_object("columns");
  std::size_t column = 0;
  for (const Field& field : columns_of(schema)) {
    json.begin_object(field.name);
    json.member("type", field_type_name(field.type));
    json.member("multiple", field.multiple);
    json.member("bytes", column_bytes(statistics, column++));
    json.end_object();
  }
  json.end_object();
}

std::string vectors_text(const vector::RowSettings& rows) {
  return counted(rows.dimension, "component") + " (" + std::string(vector::store_name(rows.store)) +
         "), " + std::string(vector::metric_name(rows.metric)) +
         (rows.index.is_flat() ? "" : ", found by " + rows.index.kind);
}

void write_vectors(std::string_view name, const vector::RowSettings& rows, JsonWriter& json) {
  json.begin_object(name);
  json.member("metric", vector::metric_name(rows.metric));
  json.member("store", vector::store_name(rows.store));
  json.member("dimension", std::uint64_t{rows.dimension});
  if (!rows.index.is_flat()) json.member("index", rows.index.kind);
  json.end_object();
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

double bits_per_posting(std::uint64_t bytes, const IndexStatistics& statistics) {
  const std::uint64_t postings = statistics.postings;
  return postings == 0 ? 0 : 8 * static_cast<double>(bytes) / static_cast<double>(postings);
}

/// Which texts have positions.
std::string positions_text(const IndexSettings& settings) {
  if (!settings.positions_by_field) return settings.has_positions ? "yes" : "no";
  std::vector<std::string> names;
  for (const Field& field : settings.schema.fields) {
    if (field.positions) names.push_back(field.name);
  }
  return "in " + joined(names);
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

void print_facts(const IndexReader& index, const IndexStatistics& statistics, std::ostream& out) {
  const IndexSettings& settings = index.settings();
  const double average = statistics.documents == 0 ? 0
                                                   : static_cast<double>(statistics.tokens) /
                                                         static_cast<double>(statistics.documents);
  Table table({{"", Table::Align::kLeft}, {"", Table::Align::kLeft}});
  table.add({"index", index.folder().string()});
  table.add({"codec", codec_text(settings.codec)});
  table.add({"analyzer",
             settings.analyzer.name + ", version " + std::to_string(settings.analyzer.version)});
  table.add({"fields", settings.fields});
  for (const VectorSet& set : vector_sets(settings)) {
    table.add(
        {set.name.empty() ? "vectors" : "vectors '" + set.name + "'", vectors_text(set.rows)});
  }
  if (!settings.stored_fields.empty()) {
    table.add({"stored fields", joined(settings.stored_fields) + ", " +
                                    bytes_text(stored_bytes(statistics)) + " of " +
                                    bytes_text(statistics.stored_text_bytes) + " unpacked"});
  }
  table.add({"positions of words", positions_text(settings)});
  if (!columns_of(settings.schema).empty()) {
    table.add({"columns", columns_text(settings.schema, statistics)});
  }
  table.add({"static scores", settings.has_static_scores ? "yes" : "no"});
  table.add({"scores", settings.impacts ? impacts_text(*settings.impacts) : "chosen by searches"});
  table.add({"documents", grouped(statistics.documents)});
  const std::uint64_t deleted = index.removed_documents();
  if (index.segments() != 1 || deleted > 0) {
    table.add({"deleted documents",
               grouped(deleted) + (deleted == 0 ? ""
                                                : ", counted here and below until 'warpdex merge "
                                                  "--all'")});
    table.add({"segments", grouped(index.segments())});
  }
  table.add({"commit", grouped(index.commit())});
  table.add({"statistics after deletions",
             index.settings().has_forward
                 ? "exact, by the forward index"
                 : "count deleted documents until they are merged away (no forward index)"});
  table.add({"tokens", grouped(statistics.tokens)});
  table.add({"terms", grouped(statistics.terms)});
  table.add({"postings", grouped(statistics.postings)});
  table.add({"document length", fixed(average, 1) + " tokens on average, " +
                                    grouped(statistics.shortest_document) + " to " +
                                    grouped(statistics.longest_document) + "; " +
                                    counted(statistics.empty_documents, "empty document")});
  table.add({"blocks of 128 docIDs",
             grouped(statistics.blocks) + ", of which " + grouped(statistics.dense_blocks) + " (" +
                 fixed(percent(statistics.dense_blocks, statistics.blocks), 1) +
                 " %) are bit sets"});
  table.print(out);
}

void print_sizes(const IndexStatistics& statistics, std::ostream& out) {
  out << "\n";
  Table purposes({{"what postings take", Table::Align::kLeft}, {"bytes"}, {"bits per posting"}});
  for (const PartBytes& part : statistics.posting_parts) {
    purposes.add(
        {part.name, grouped(part.bytes), fixed(bits_per_posting(part.bytes, statistics), 3)});
  }
  purposes.add({"total", grouped(statistics.posting_bytes),
                fixed(bits_per_posting(statistics.posting_bytes, statistics), 3)});
  purposes.print(out);

  out << "\n";
  Table lists({{"postings in a list", Table::Align::kLeft},
               {"lists"},
               {"% of lists"},
               {"postings"},
               {"% of postings"}});
  for (const ListCounts& counts : statistics.lists) {
    if (counts.lists == 0) continue;
    lists.add({counts.length, grouped(counts.lists),
               fixed(percent(counts.lists, statistics.terms), 2), grouped(counts.postings),
               fixed(percent(counts.postings, statistics.postings), 2)});
  }
  if (!lists.empty()) lists.print(out);

  out << "\n";
  std::uint64_t total = 0;
  Table sections({{"section", Table::Align::kLeft}, {"bytes"}});
  for (const PartBytes& section : statistics.sections) {
    sections.add({section.name, grouped(section.bytes)});
    total += section.bytes;
  }
  sections.add({"total", grouped(total)});
  sections.print(out);
}

void write_sizes(const IndexStatistics& statistics, JsonWriter& json) {
  json.begin_object("bits_per_posting");
  for (const PartBytes& part : statistics.posting_parts) {
    json.member(part.name, bits_per_posting(part.bytes, statistics));
  }
  json.member("total", bits_per_posting(statistics.posting_bytes, statistics));
  json.end_object();
  json.begin_object("section_bytes");
  for (const PartBytes& section : statistics.sections) {
    json.member(section.name, section.bytes);
  }
  json.end_object();
  json.begin_array("lists");
  for (const ListCounts& counts : statistics.lists) {
    json.begin_object();
    json.member("postings_in_list", counts.length);
    json.member("lists", counts.lists);
    json.member("postings", counts.postings);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void print_index_stats(const IndexReader& index, const IndexStatistics& statistics,
                       std::ostream& out) {
  print_facts(index, statistics, out);
  print_sizes(statistics, out);
}

std::string index_stats_json(const IndexReader& index, const IndexStatistics& statistics) {
  const IndexSettings& settings = index.settings();
  JsonWriter json;
  json.begin_object();
  json.member("folder", index.folder().string());
  json.member("codec", codec_name(settings.codec.kind));
  if (settings.codec.kind == CodecKind::kPfor) {
    json.member("pfor_levels", std::uint64_t{settings.codec.pfor_levels});
  }
  json.member("bit_sets", settings.codec.bit_sets);
  json.member("analyzer", settings.analyzer.name);
  json.member("analyzer_version", std::uint64_t{settings.analyzer.version});
  json.member("fields", settings.fields);
  if (settings.vectors) write_vectors("vectors", *settings.vectors, json);
  if (const auto fields = vector_fields(settings.schema); !fields.empty()) {
    json.begin_object("vector_fields");
    for (const Field& field : fields) write_vectors(field.name, field.vectors, json);
    json.end_object();
  }
  write_columns(settings.schema, statistics, json);
  json.member("stored_fields", joined(settings.stored_fields));
  json.member("stored_bytes", stored_bytes(statistics));
  json.member("stored_text_bytes", statistics.stored_text_bytes);
  json.member("static_scores", settings.has_static_scores);
  if (settings.impacts) write_impacts(*settings.impacts, json);
  json.member("documents", statistics.documents);
  json.member("deleted_documents", index.removed_documents());
  json.member("segments", std::uint64_t{index.segments()});
  json.member("commit", index.commit());
  json.member("forward", settings.has_forward);
  json.member("positions", settings.has_positions);
  json.member("empty_documents", statistics.empty_documents);
  json.member("shortest_document", statistics.shortest_document);
  json.member("longest_document", statistics.longest_document);
  json.member("tokens", statistics.tokens);
  json.member("terms", statistics.terms);
  json.member("postings", statistics.postings);
  json.member("blocks", statistics.blocks);
  json.member("dense_blocks", statistics.dense_blocks);
  write_sizes(statistics, json);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace warpdex::tools
