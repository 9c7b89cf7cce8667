// Finds the long lists by one pass over the lexicon, then makes their tables in parallel.
#include "warpdex/query/gpu/exception_tables.hpp"

#include <span>
#include <string_view>

#include "gpu/layout/list_source.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::gpu {
namespace {

static_assert(kBlocksPerBase == 32, "groups of the index are those of the tables");

std::vector<PostingsEntry> long_lists(const Index& index) {
  std::vector<PostingsEntry> lists;
  index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
    if (!entry.is_short()) lists.push_back(entry);
  });
  return lists;
}

/// The docIDs or the frequencies of a list, as they lie in their section.
struct Values {
  std::span<const std::uint8_t> section;
  std::uint64_t offset;
  std::uint32_t bytes;
  std::uint32_t tail_bytes;
  std::uint8_t parameter;
};

Values docids_of(const IndexSections& sections, const PostingsEntry& entry) {
  return {sections.docids, entry.docid_offset, entry.docid_bytes, entry.docid_tail_bytes,
          entry.docid_parameter};
}

Values frequencies_of(const IndexSections& sections, const PostingsEntry& entry) {
  return {sections.frequencies, entry.frequency_offset, entry.frequency_bytes,
          entry.frequency_tail_bytes, entry.frequency_parameter};
}

/// Fills in a list's part of the table. Returns the list's flat tail if it needs one.
std::vector<std::uint8_t> fill(const CodecSettings& codec, const PostingsEntry& entry,
                               const Values& values, ExceptionTable& table) {
  const std::uint8_t* const begin = values.section.subspan(values.offset, values.bytes).data();
  const std::uint32_t blocks = (entry.document_frequency + kBlockSize - 1) / kBlockSize;
  return make_exception_table(
      {codec, values.parameter, entry.document_frequency, begin, begin + values.bytes},
      values.bytes - values.tail_bytes, std::span(table.entries).subspan(entry.first_block, blocks),
      std::span(table.bases).subspan(entry.first_base, (blocks - 1) / kBlocksPerBase));
}

/// Makes the table of all lists' docIDs or frequencies; values_of() says where they are.
template <class ValuesOf>
ExceptionTable make_table(const Index& index, const std::vector<PostingsEntry>& lists,
                          ValuesOf values_of) {
  const IndexSections& sections = index.sections();
  ExceptionTable table;
  table.entries.resize(sections.docid_codes.size());
  table.bases.resize(sections.docid_bases.size());
  std::vector<std::vector<std::uint8_t>> tails(lists.size());
  parallel_for(0, lists.size(), [&](std::size_t, std::size_t i) {
    tails[i] = fill(index.settings().codec, lists[i], values_of(sections, lists[i]), table);
  });
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (tails[i].empty()) continue;
    table.flat_tails.resize((table.flat_tails.size() + kFlatTailUnit - 1) / kFlatTailUnit *
                            kFlatTailUnit);
    table.flat_starts[lists[i].first_block] = table.flat_tails.size();
    table.flat_tails.insert(table.flat_tails.end(), tails[i].begin(), tails[i].end());
    tails[i] = {};
  }
  return table;
}

}  // namespace

ExceptionTables make_exception_tables(const Index& index) {
  if (index.settings().codec.kind != CodecKind::kPfor) return {};
  const std::vector<PostingsEntry> lists = long_lists(index);
  return {make_table(index, lists, docids_of), make_table(index, lists, frequencies_of)};
}

}  // namespace warpdex::gpu
