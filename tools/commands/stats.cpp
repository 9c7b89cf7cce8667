// warpdex stats: what an index holds, and what its parts take on disk.
#include <algorithm>
#include <array>
#include <iostream>

#include "codec_options.hpp"
#include "command.hpp"
#include "impacts_text.hpp"
#include "json.hpp"
#include "list_classes.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "places.hpp"
#include "table.hpp"
#include "text.hpp"
#include "vector_stats.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/section_names.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/vector/format/verify.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Shows what an index holds: how it was built, counts, bytes of each section, bits per posting\n"
    "by purpose, lists by length, and how many blocks of docIDs are bit sets. Of an index of\n"
    "vectors: its settings, its lists, and the bytes of each section.";

/// Bytes for one purpose.
struct Share {
  const char* name;
  std::uint64_t bytes;
};

struct ClassCounts {
  std::uint64_t lists = 0;
  std::uint64_t postings = 0;
};

struct Statistics {
  IndexCounts counts;                 ///< of all segments, removed documents included
  std::vector<SectionInfo> sections;  ///< with the bytes of all segments together
  std::vector<Share> shares;          ///< of what postings take, documents' own data left out
  std::uint64_t posting_bytes = 0;    ///< sum of shares
  std::array<ClassCounts, kListClasses.size()> classes;
  std::uint64_t dense_blocks = 0;
  std::uint64_t stored_text_bytes = 0;  ///< of stored documents, unpacked
  std::uint64_t shortest_document = 0;
  std::uint64_t longest_document = 0;
  std::uint64_t empty_documents = 0;
};

/// Of one segment.
std::vector<Share> shares(const Index& index) {
  const IndexSections& parts = index.sections();
  return {
      {"docIDs", parts.docids.size_bytes()},
      {index.settings().impacts ? "impacts" : "frequencies", parts.frequencies.size_bytes()},
      {"short lists, docIDs and frequencies", parts.short_lists.size_bytes()},
      {"block metadata of docIDs",
       parts.block_last_docids.size_bytes() + parts.docid_bases.size_bytes() +
           parts.docid_offsets.size_bytes() + parts.docid_codes.size_bytes()},
      {"block metadata of frequencies", parts.frequency_bases.size_bytes() +
                                            parts.frequency_offsets.size_bytes() +
                                            parts.frequency_codes.size_bytes()},
      {"block score bounds", parts.block_bounds.size_bytes()},
      {"range score bounds and seeds", parts.range_bounds.size_bytes() + parts.seeds.size_bytes()},
      {"list headers, lists of one posting whole",
       parts.lexicon.size_bytes() -
           std::min<std::uint64_t>(index.counts().term_text_bytes, parts.lexicon.size_bytes()) +
           parts.lexicon_index.size_bytes()}};
}

void add_counts(const IndexCounts& from, IndexCounts& to) {
  to.documents += from.documents;
  to.tokens += from.tokens;
  to.terms += from.terms;
  to.postings += from.postings;
  to.blocks += from.blocks;
  to.term_text_bytes += from.term_text_bytes;
}

void add_sections(const Index& index, std::vector<SectionInfo>& sections) {
  for (const SectionInfo& info : index.section_infos()) {
    const auto known = std::find_if(sections.begin(), sections.end(),
                                    [&](const SectionInfo& one) { return one.name == info.name; });
    if (known == sections.end()) {
      sections.push_back(info);
    } else {
      known->bytes += info.bytes;
    }
  }
}

void add_segment(const Index& index, Statistics& statistics) {
  const bool is_first = statistics.shares.empty();
  add_counts(index.counts(), statistics.counts);
  add_sections(index, statistics.sections);
  const std::vector<Share> own = shares(index);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (is_first) {
      statistics.shares.push_back(own[i]);
    } else {
      statistics.shares[i].bytes += own[i].bytes;
    }
    statistics.posting_bytes += own[i].bytes;
  }
  index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
    ClassCounts& counts = statistics.classes[list_class(entry.document_frequency)];
    ++counts.lists;
    counts.postings += entry.document_frequency;
  });
  for (const StoredBlock& block : index.sections().stored_block_table) {
    statistics.stored_text_bytes += block.bytes;
  }
  const auto codes = index.sections().docid_codes;
  statistics.dense_blocks +=
      static_cast<std::uint64_t>(std::count(codes.begin(), codes.end(), kDenseCode));
  for (const std::uint32_t length : index.lengths()) {
    statistics.longest_document = std::max<std::uint64_t>(statistics.longest_document, length);
    statistics.shortest_document = std::min<std::uint64_t>(statistics.shortest_document, length);
    statistics.empty_documents += length == 0 ? 1 : 0;
  }
}

std::uint64_t stored_bytes(const Statistics& statistics) {
  std::uint64_t bytes = 0;
  for (const SectionInfo& info : statistics.sections) {
    if (info.name.starts_with("stored_")) bytes += info.bytes;
  }
  return bytes;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

Statistics gather(const Snapshot& index) {
  Statistics statistics;
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  statistics.shortest_document = kNone;
  for (const Snapshot::Segment& segment : index.segments()) {
    add_segment(*segment.index, statistics);
  }
  if (statistics.shortest_document == kNone) statistics.shortest_document = 0;
  return statistics;
}

double bits_per_posting(std::uint64_t bytes, const Statistics& statistics) {
  const std::uint64_t postings = statistics.counts.postings;
  return postings == 0 ? 0 : 8 * static_cast<double>(bytes) / static_cast<double>(postings);
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

void print_facts(const Snapshot& index, const Statistics& statistics, std::ostream& out) {
  const IndexSettings& settings = index.settings();
  const IndexCounts& counts = statistics.counts;
  const double average = counts.documents == 0 ? 0
                                               : static_cast<double>(counts.tokens) /
                                                     static_cast<double>(counts.documents);
  Table table({{"", Table::Align::kLeft}, {"", Table::Align::kLeft}});
  table.add({"index", index.folder().string()});
  table.add({"codec", codec_text(settings.codec)});
  table.add({"analyzer", settings.analyzer});
  table.add({"fields", settings.fields});
  if (settings.vectors) {
    table.add({"vectors", std::to_string(settings.vectors->dimension) + " components (" +
                              std::string(vector::store_name(settings.vectors->store)) + "), " +
                              std::string(vector::metric_name(settings.vectors->metric))});
  }
  if (!settings.stored_fields.empty()) {
    table.add({"stored fields", joined(settings.stored_fields) + ", " +
                                    bytes_text(stored_bytes(statistics)) + " of " +
                                    bytes_text(statistics.stored_text_bytes) + " unpacked"});
  }
  table.add({"static scores", settings.has_static_scores ? "yes" : "no"});
  table.add({"scores", settings.impacts ? impacts_text(*settings.impacts) : "chosen by searches"});
  table.add({"documents", grouped(counts.documents)});
  if (!index.is_plain()) {
    table.add({"deleted documents", grouped(index.removed_documents()) +
                                        ", counted here and below until 'warpdex merge'"});
    table.add({"segments", grouped(index.segments().size())});
  }
  table.add({"statistics after deletions",
             index.settings().has_forward
                 ? "exact, by the forward index"
                 : "count deleted documents until they are merged away (no forward index)"});
  table.add({"tokens", grouped(counts.tokens)});
  table.add({"terms", grouped(counts.terms)});
  table.add({"postings", grouped(counts.postings)});
  table.add({"document length", fixed(average, 1) + " tokens on average, " +
                                    grouped(statistics.shortest_document) + " to " +
                                    grouped(statistics.longest_document) + "; " +
                                    counted(statistics.empty_documents, "empty document")});
  table.add({"blocks of 128 docIDs",
             grouped(counts.blocks) + ", of which " + grouped(statistics.dense_blocks) + " (" +
                 fixed(percent(statistics.dense_blocks, counts.blocks), 1) + " %) are bit sets"});
  table.print(out);
}

void print_sizes(const Statistics& statistics, std::ostream& out) {
  out << "\n";
  Table purposes({{"what postings take", Table::Align::kLeft}, {"bytes"}, {"bits per posting"}});
  for (const Share& share : statistics.shares) {
    purposes.add(
        {share.name, grouped(share.bytes), fixed(bits_per_posting(share.bytes, statistics), 3)});
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
  for (std::size_t i = 0; i < kListClasses.size(); ++i) {
    const ClassCounts& counts = statistics.classes[i];
    if (counts.lists == 0) continue;
    lists.add({kListClasses[i].name, grouped(counts.lists),
               fixed(percent(counts.lists, statistics.counts.terms), 2), grouped(counts.postings),
               fixed(percent(counts.postings, statistics.counts.postings), 2)});
  }
  if (!lists.empty()) lists.print(out);

  out << "\n";
  std::uint64_t total = 0;
  Table sections({{"section", Table::Align::kLeft}, {"bytes"}});
  for (const SectionInfo& section : statistics.sections) {
    sections.add({section.name, grouped(section.bytes)});
    total += section.bytes;
  }
  sections.add({"total", grouped(total)});
  sections.print(out);
}

void write_sizes(const Statistics& statistics, JsonWriter& json) {
  json.begin_object("bits_per_posting");
  for (const Share& share : statistics.shares) {
    json.member(share.name, bits_per_posting(share.bytes, statistics));
  }
  json.member("total", bits_per_posting(statistics.posting_bytes, statistics));
  json.end_object();
  json.begin_object("section_bytes");
  for (const SectionInfo& section : statistics.sections) {
    json.member(section.name, section.bytes);
  }
  json.end_object();
  json.begin_array("lists");
  for (std::size_t i = 0; i < kListClasses.size(); ++i) {
    json.begin_object();
    json.member("postings_in_list", kListClasses[i].name);
    json.member("lists", statistics.classes[i].lists);
    json.member("postings", statistics.classes[i].postings);
    json.end_object();
  }
  json.end_array();
}

std::string to_json(const Snapshot& index, const Statistics& statistics) {
  const IndexSettings& settings = index.settings();
  const IndexCounts& counts = statistics.counts;
  JsonWriter json;
  json.begin_object();
  json.member("folder", index.folder().string());
  json.member("codec", codec_name(settings.codec.kind));
  if (settings.codec.kind == CodecKind::kPfor) {
    json.member("pfor_levels", std::uint64_t{settings.codec.pfor_levels});
  }
  json.member("bit_sets", settings.codec.bit_sets);
  json.member("analyzer", settings.analyzer);
  json.member("fields", settings.fields);
  if (settings.vectors) {
    json.begin_object("vectors");
    json.member("metric", vector::metric_name(settings.vectors->metric));
    json.member("store", vector::store_name(settings.vectors->store));
    json.member("dimension", std::uint64_t{settings.vectors->dimension});
    json.end_object();
  }
  json.member("stored_fields", joined(settings.stored_fields));
  json.member("stored_bytes", stored_bytes(statistics));
  json.member("stored_text_bytes", statistics.stored_text_bytes);
  json.member("static_scores", settings.has_static_scores);
  if (settings.impacts) write_impacts(*settings.impacts, json);
  json.member("documents", counts.documents);
  json.member("deleted_documents", index.removed_documents());
  json.member("segments", std::uint64_t{index.segments().size()});
  json.member("forward", settings.has_forward);
  json.member("empty_documents", statistics.empty_documents);
  json.member("shortest_document", statistics.shortest_document);
  json.member("longest_document", statistics.longest_document);
  json.member("tokens", counts.tokens);
  json.member("terms", counts.terms);
  json.member("postings", counts.postings);
  json.member("blocks", counts.blocks);
  json.member("dense_blocks", statistics.dense_blocks);
  write_sizes(statistics, json);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace

int run_stats(const std::vector<std::string>& arguments) {
  std::string folder;
  std::string json;
  CommandLine command("stats", "INDEX [--json FILE]", kAbout);
  command.add_positional("INDEX", &folder, "the folder of an index");
  po::options_description group = option_group("Options");
  add_json_option(group, "figures", &json);
  command.add(group);
  if (!command.parse(arguments)) return 0;

  check_outputs_outside(folder, {json});
  if (vector::is_vector_index(folder)) {
    const vector::VectorIndex index = vector::VectorIndex::open(folder);
    if (json != "-") print_vector_stats(index, std::cout);
    if (!json.empty()) write_output(json, vector_stats_json(index));
    return 0;
  }
  const Snapshot index = Snapshot::open(folder);
  const Statistics statistics = gather(index);
  if (json != "-") {
    print_facts(index, statistics, std::cout);
    print_sizes(statistics, std::cout);
  }
  if (!json.empty()) write_output(json, to_json(index, statistics));
  return 0;
}

}  // namespace warpdex::tools
