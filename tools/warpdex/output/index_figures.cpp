// Adds up what the segments of an index hold.
#include "output/index_figures.hpp"

#include <algorithm>
#include <string_view>

namespace warpdex::tools {
namespace {

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

void add_segment(const Index& index, IndexFigures& statistics) {
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

}  // namespace

IndexFigures gather_figures(const Snapshot& index) {
  IndexFigures statistics;
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  statistics.shortest_document = kNone;
  for (const Snapshot::Segment& segment : index.segments()) {
    add_segment(*segment.index, statistics);
  }
  if (statistics.shortest_document == kNone) statistics.shortest_document = 0;
  return statistics;
}

}  // namespace warpdex::tools
