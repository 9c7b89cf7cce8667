// Finds the long lists by one pass over the lexicon, then makes their tables in parallel.
#include "gpu/index/exception_tables.hpp"

#include <span>
#include <string_view>

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

void fill(const CodecSettings& codec, const PostingsEntry& entry, const Values& values,
          ExceptionTable& table) {
  const std::uint8_t* const begin = values.section.subspan(values.offset, values.bytes).data();
  const EncodedList list{codec, values.parameter, entry.document_frequency, begin,
                         begin + values.bytes};
  const std::uint32_t blocks = (entry.document_frequency + kBlockSize - 1) / kBlockSize;
  make_exception_table(
      list, values.bytes - values.tail_bytes,
      std::span(table.entries).subspan(entry.first_block, blocks),
      std::span(table.bases).subspan(entry.first_base, (blocks - 1) / kBlocksPerBase));
}

}  // namespace

ExceptionTables make_exception_tables(const Index& index) {
  ExceptionTables tables;
  const CodecSettings& codec = index.settings().codec;
  if (codec.kind != CodecKind::kPfor) return tables;
  const IndexSections& sections = index.sections();
  for (ExceptionTable* const table : {&tables.docids, &tables.frequencies}) {
    table->entries.resize(sections.docid_codes.size());
    table->bases.resize(sections.docid_bases.size());
  }
  const std::vector<PostingsEntry> lists = long_lists(index);
  parallel_for(0, lists.size(), [&](std::size_t, std::size_t i) {
    const PostingsEntry& entry = lists[i];
    fill(codec, entry,
         {sections.docids, entry.docid_offset, entry.docid_bytes, entry.docid_tail_bytes,
          entry.docid_parameter},
         tables.docids);
    fill(codec, entry,
         {sections.frequencies, entry.frequency_offset, entry.frequency_bytes,
          entry.frequency_tail_bytes, entry.frequency_parameter},
         tables.frequencies);
  });
  return tables;
}

}  // namespace warpdex::gpu
