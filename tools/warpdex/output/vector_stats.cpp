// Facts of an index of vectors as tables and as JSON.
#include "output/vector_stats.hpp"

#include "output/json.hpp"
#include "output/table.hpp"
#include "output/text.hpp"

namespace warpdex::tools {
namespace {

const char* id_kind_text(vector::IdKind kind) {
  switch (kind) {
    case vector::IdKind::kRows: return "row numbers";
    case vector::IdKind::kNumbers: return "numbers";
    case vector::IdKind::kTexts: break;
  }
  return "texts";
}

}  // namespace

void print_vector_stats(const VectorIndex& index, std::ostream& out) {
  const VectorIndexStats stats = index.stats();
  const NewVectorIndex& settings = stats.settings;
  Table facts({{"", Table::Align::kLeft}, {"", Table::Align::kLeft}});
  facts.add({"index", std::string(vector_kind_name(settings))});
  facts.add({"metric", std::string(vector::metric_name(settings.metric))});
  facts.add({"stored as", std::string(vector::store_name(settings.store))});
  facts.add({"vectors", grouped(stats.live_rows)});
  if (stats.removed_rows > 0) {
    facts.add({"removed", grouped(stats.removed_rows) + ", stored until a merge"});
  }
  facts.add({"segments", grouped(stats.segments)});
  facts.add({"commit", grouped(stats.commit)});
  facts.add({"dimension", grouped(settings.dimension)});
  facts.add({"ids", id_kind_text(stats.ids)});
  if (settings.lists != 0) {
    facts.add({"lists", grouped(settings.lists) + ", of " + grouped(stats.smallest_list) + " to " +
                            grouped(stats.largest_list) + " vectors, " +
                            grouped(stats.empty_lists) + " empty"});
  }
  if (settings.coding == VectorCoding::kPq) {
    const std::string to = settings.rotated_dimension == 0
                               ? ""
                               : " to " + counted(settings.rotated_dimension, "component");
    facts.add({"codes", counted(settings.pq_bytes, "byte") + ", codewords of " +
                            std::to_string(settings.pq_bits) + " bits" +
                            (settings.is_rotated ? ", rotated" + to : "") +
                            (settings.keeps_vectors ? "" : ", no vectors")});
  }
  if (settings.coding == VectorCoding::kBinary) {
    facts.add({"codes", counted(settings.binary_bits, "bit") + " a component" +
                            (settings.is_rotated ? ", rotated" : "") +
                            (settings.is_corrected ? ", corrected" : "") +
                            (settings.keeps_vectors ? "" : ", no vectors")});
  }
  if (settings.coding == VectorCoding::kSq8) {
    facts.add({"codes",
               std::string("a byte a component") + (settings.keeps_vectors ? "" : ", no vectors")});
  }
  facts.print(out);
  out << "\n";
  std::uint64_t total = 0;
  Table sections({{"section", Table::Align::kLeft}, {"bytes"}});
  for (const VectorIndexStats::Section& section : stats.sections) {
    sections.add({section.name, grouped(section.bytes)});
    total += section.bytes;
  }
  sections.add({"total", grouped(total)});
  sections.print(out);
}

std::string vector_stats_json(const VectorIndex& index) {
  const VectorIndexStats stats = index.stats();
  const NewVectorIndex& settings = stats.settings;
  JsonWriter json;
  json.begin_object();
  json.member("folder", index.folder().string());
  json.member("index", vector_kind_name(settings));
  json.member("metric", vector::metric_name(settings.metric));
  json.member("store", vector::store_name(settings.store));
  json.member("vectors", std::uint64_t{stats.live_rows});
  json.member("removed", std::uint64_t{stats.removed_rows});
  json.member("segments", std::uint64_t{stats.segments});
  json.member("commit", stats.commit);
  json.member("dimension", std::uint64_t{settings.dimension});
  json.member("ids", id_kind_text(stats.ids));
  if (settings.lists != 0) {
    json.member("lists", std::uint64_t{settings.lists});
    json.member("smallest_list", stats.smallest_list);
    json.member("largest_list", stats.largest_list);
    json.member("empty_lists", stats.empty_lists);
  }
  if (settings.coding == VectorCoding::kPq) {
    json.member("bytes", std::uint64_t{settings.pq_bytes});
    json.member("bits", std::uint64_t{settings.pq_bits});
    json.member("is_rotated", settings.is_rotated);
    if (settings.rotated_dimension > 0) {
      json.member("rotated_dimension", std::uint64_t{settings.rotated_dimension});
    }
    json.member("keeps_vectors", settings.keeps_vectors);
  }
  if (settings.coding == VectorCoding::kBinary) {
    json.member("bits", std::uint64_t{settings.binary_bits});
    json.member("is_rotated", settings.is_rotated);
    json.member("is_corrected", settings.is_corrected);
    json.member("keeps_vectors", settings.keeps_vectors);
  }
  if (settings.coding == VectorCoding::kSq8) json.member("keeps_vectors", settings.keeps_vectors);
  json.begin_object("section_bytes");
  for (const VectorIndexStats::Section& section : stats.sections) {
    json.member(section.name, section.bytes);
  }
  json.end_object();
  json.end_object();
  return json.take() + "\n";
}

}  // namespace warpdex::tools
