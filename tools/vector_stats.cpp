// Facts of an index of vectors as tables and as JSON.
#include "vector_stats.hpp"

#include <algorithm>

#include "json.hpp"
#include "table.hpp"
#include "text.hpp"

namespace warpdex::tools {
namespace {

struct ListSizes {
  std::uint64_t smallest = 0;
  std::uint64_t largest = 0;
  std::uint64_t empty = 0;
};

ListSizes sizes_of(std::span<const std::uint64_t> begins) {
  ListSizes sizes{begins[1] - begins[0], 0, 0};
  for (std::size_t list = 0; list + 1 < begins.size(); ++list) {
    const std::uint64_t size = begins[list + 1] - begins[list];
    sizes.smallest = std::min(sizes.smallest, size);
    sizes.largest = std::max(sizes.largest, size);
    sizes.empty += size == 0 ? 1 : 0;
  }
  return sizes;
}

const char* id_kind_text(vector::IdKind kind) {
  switch (kind) {
    case vector::IdKind::kRows: return "row numbers";
    case vector::IdKind::kNumbers: return "numbers";
    case vector::IdKind::kTexts: break;
  }
  return "texts";
}

bool has_lists(const vector::VectorIndex& index) {
  return index.settings().index != vector::IndexKind::kFlat;
}

bool has_codes(const vector::VectorIndex& index) {
  return index.settings().index == vector::IndexKind::kIvfPq;
}

}  // namespace

void print_vector_stats(const vector::VectorIndex& index, std::ostream& out) {
  const vector::VectorIndexSettings& settings = index.settings();
  Table facts({{"", Table::Align::kLeft}, {"", Table::Align::kLeft}});
  facts.add({"index", std::string(vector::index_kind_name(settings.index))});
  facts.add({"metric", std::string(vector::metric_name(settings.metric))});
  facts.add({"stored as", std::string(vector::store_name(settings.store))});
  facts.add({"vectors", grouped(index.rows())});
  facts.add({"dimension", grouped(settings.dimension)});
  facts.add({"ids", id_kind_text(index.id_kind())});
  if (has_lists(index)) {
    const ListSizes sizes = sizes_of(index.list_begins());
    facts.add({"lists", grouped(settings.ivf.lists) + ", of " + grouped(sizes.smallest) + " to " +
                            grouped(sizes.largest) + " vectors, " + grouped(sizes.empty) +
                            " empty"});
  }
  if (has_codes(index)) {
    facts.add({"codes", counted(settings.pq.bytes, "byte") + ", codewords of " +
                            std::to_string(settings.pq.bits) + " bits" +
                            (settings.pq.is_rotated ? ", rotated" : "") +
                            (settings.pq.keeps_vectors ? "" : ", no vectors")});
  }
  facts.print(out);
  out << "\n";
  std::uint64_t total = 0;
  Table sections({{"section", Table::Align::kLeft}, {"bytes"}});
  for (const SectionInfo& section : index.section_infos()) {
    sections.add({section.name, grouped(section.bytes)});
    total += section.bytes;
  }
  sections.add({"total", grouped(total)});
  sections.print(out);
}

std::string vector_stats_json(const vector::VectorIndex& index) {
  const vector::VectorIndexSettings& settings = index.settings();
  JsonWriter json;
  json.begin_object();
  json.member("folder", index.folder().string());
  json.member("index", vector::index_kind_name(settings.index));
  json.member("metric", vector::metric_name(settings.metric));
  json.member("store", vector::store_name(settings.store));
  json.member("vectors", std::uint64_t{index.rows()});
  json.member("dimension", std::uint64_t{settings.dimension});
  json.member("ids", id_kind_text(index.id_kind()));
  if (has_lists(index)) {
    const ListSizes sizes = sizes_of(index.list_begins());
    json.member("lists", std::uint64_t{settings.ivf.lists});
    json.member("smallest_list", sizes.smallest);
    json.member("largest_list", sizes.largest);
    json.member("empty_lists", sizes.empty);
  }
  if (has_codes(index)) {
    json.member("bytes", std::uint64_t{settings.pq.bytes});
    json.member("bits", std::uint64_t{settings.pq.bits});
    json.member("is_rotated", settings.pq.is_rotated);
    json.member("keeps_vectors", settings.pq.keeps_vectors);
  }
  json.begin_object("section_bytes");
  for (const SectionInfo& section : index.section_infos()) {
    json.member(section.name, section.bytes);
  }
  json.end_object();
  json.end_object();
  return json.take() + "\n";
}

}  // namespace warpdex::tools
