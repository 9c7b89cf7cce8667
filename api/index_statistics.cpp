// Adds up what the segments of an index hold.
#include "index_statistics.hpp"

#include <algorithm>
#include <string_view>

#include "warpdex/indexer/format/list_classes.hpp"

namespace warpdex {
namespace {

/// Of one segment.
std::vector<PartBytes> posting_parts(const Index& index) {
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

void add_part(const std::string& name, std::uint64_t bytes, std::vector<PartBytes>& to) {
  const auto known = std::ranges::find(to, name, &PartBytes::name);
  if (known == to.end()) {
    to.push_back({name, bytes});
  } else {
    known->bytes += bytes;
  }
}

void add_counts(const IndexCounts& from, IndexStatistics& to) {
  to.documents += from.documents;
  to.tokens += from.tokens;
  to.terms += from.terms;
  to.postings += from.postings;
  to.blocks += from.blocks;
}

void add_documents(const Index& index, IndexStatistics& to) {
  for (const StoredBlock& block : index.sections().stored_block_table) {
    to.stored_text_bytes += block.bytes;
  }
  for (std::uint64_t document = 0; document < index.counts().documents; ++document) {
    const std::uint64_t length = index.length_of(static_cast<std::uint32_t>(document));
    to.longest_document = std::max(to.longest_document, length);
    to.shortest_document = std::min(to.shortest_document, length);
    to.empty_documents += length == 0 ? 1 : 0;
  }
}

void add_lists(const Index& index, IndexStatistics& to) {
  index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
    ListCounts& counts = to.lists[list_class(entry.document_frequency)];
    ++counts.lists;
    counts.postings += entry.document_frequency;
  });
  const auto codes = index.sections().docid_codes;
  to.dense_blocks += static_cast<std::uint64_t>(std::count(codes.begin(), codes.end(), kDenseCode));
  for (const PartBytes& part : posting_parts(index)) {
    add_part(part.name, part.bytes, to.posting_parts);
    to.posting_bytes += part.bytes;
  }
}

}  // namespace

IndexStatistics statistics_of(const Snapshot& index) {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  IndexStatistics statistics{.shortest_document = kNone};
  for (const ListClass& one : kListClasses) statistics.lists.push_back({one.name});
  for (const Snapshot::Segment& segment : index.segments()) {
    add_counts(segment.index->counts(), statistics);
    add_documents(*segment.index, statistics);
    add_lists(*segment.index, statistics);
    for (const SectionInfo& info : segment.index->section_infos()) {
      add_part(info.name, info.bytes, statistics.sections);
    }
  }
  if (statistics.shortest_document == kNone) statistics.shortest_document = 0;
  return statistics;
}

}  // namespace warpdex
