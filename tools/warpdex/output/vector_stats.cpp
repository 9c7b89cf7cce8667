// Facts of an index of vectors as tables and as JSON.
#include "output/vector_stats.hpp"

#include <algorithm>
#include <vector>

#include "output/json.hpp"
#include "output/table.hpp"
#include "output/text.hpp"

namespace warpdex::tools {
namespace {

struct ListSizes {
  std::uint64_t smallest = 0;
  std::uint64_t largest = 0;
  std::uint64_t empty = 0;
};

/// Of all segments together, removed vectors too.
ListSizes sizes_of(const vector::VectorIndex& index) {
  std::vector<std::uint64_t> all(index.settings().ivf.lists);
  for (const vector::VectorSegment& segment : index.segments()) {
    const std::span<const std::uint64_t> begins = vector::list_begins_of(segment.vectors);
    for (std::size_t list = 0; list < all.size(); ++list) {
      all[list] += begins[list + 1] - begins[list];
    }
  }
  ListSizes sizes{all.front(), 0, 0};
  for (const std::uint64_t size : all) {
    sizes.smallest = std::min(sizes.smallest, size);
    sizes.largest = std::max(sizes.largest, size);
    sizes.empty += size == 0 ? 1 : 0;
  }
  return sizes;
}

std::size_t removed_rows(const vector::VectorIndex& index) {
  std::size_t sum = 0;
  for (const vector::VectorSegment& segment : index.segments()) {
    sum += segment.rows - segment.live_rows;
  }
  return sum;
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
  return vector::has_lists(index.settings().index);
}

bool has_codewords(const vector::VectorIndex& index) {
  return index.settings().index == vector::IndexKind::kIvfPq;
}

bool has_binary_codes(const vector::VectorIndex& index) {
  return vector::has_binary_codes(index.settings().index);
}

}  // namespace

void print_vector_stats(const vector::VectorIndex& index, std::ostream& out) {
  const vector::VectorIndexSettings& settings = index.settings();
  Table facts({{"", Table::Align::kLeft}, {"", Table::Align::kLeft}});
  facts.add({"index", std::string(vector::index_kind_name(settings.index))});
  facts.add({"metric", std::string(vector::metric_name(settings.metric))});
  facts.add({"stored as", std::string(vector::store_name(settings.store))});
  facts.add({"vectors", grouped(index.live_rows())});
  if (const std::size_t removed = removed_rows(index); removed > 0) {
    facts.add({"removed", grouped(removed) + ", stored until a merge"});
  }
  facts.add({"segments", grouped(index.segments().size())});
  facts.add({"commit", grouped(index.commit())});
  facts.add({"dimension", grouped(settings.dimension)});
  facts.add({"ids", id_kind_text(index.id_kind())});
  if (has_lists(index)) {
    const ListSizes sizes = sizes_of(index);
    facts.add({"lists", grouped(settings.ivf.lists) + ", of " + grouped(sizes.smallest) + " to " +
                            grouped(sizes.largest) + " vectors, " + grouped(sizes.empty) +
                            " empty"});
  }
  if (has_codewords(index)) {
    facts.add({"codes", counted(settings.pq.bytes, "byte") + ", codewords of " +
                            std::to_string(settings.pq.bits) + " bits" +
                            (settings.pq.is_rotated ? ", rotated" : "") +
                            (settings.pq.keeps_vectors ? "" : ", no vectors")});
  }
  if (has_binary_codes(index)) {
    facts.add({"codes", counted(settings.xfbq.bits, "bit") + " a component" +
                            (settings.xfbq.is_rotated ? ", rotated" : "") +
                            (settings.xfbq.is_corrected ? ", corrected" : "") +
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
  json.member("vectors", std::uint64_t{index.live_rows()});
  json.member("removed", std::uint64_t{removed_rows(index)});
  json.member("segments", std::uint64_t{index.segments().size()});
  json.member("commit", index.commit());
  json.member("dimension", std::uint64_t{settings.dimension});
  json.member("ids", id_kind_text(index.id_kind()));
  if (has_lists(index)) {
    const ListSizes sizes = sizes_of(index);
    json.member("lists", std::uint64_t{settings.ivf.lists});
    json.member("smallest_list", sizes.smallest);
    json.member("largest_list", sizes.largest);
    json.member("empty_lists", sizes.empty);
  }
  if (has_codewords(index)) {
    json.member("bytes", std::uint64_t{settings.pq.bytes});
    json.member("bits", std::uint64_t{settings.pq.bits});
    json.member("is_rotated", settings.pq.is_rotated);
    json.member("keeps_vectors", settings.pq.keeps_vectors);
  }
  if (has_binary_codes(index)) {
    json.member("bits", std::uint64_t{settings.xfbq.bits});
    json.member("is_rotated", settings.xfbq.is_rotated);
    json.member("is_corrected", settings.xfbq.is_corrected);
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
