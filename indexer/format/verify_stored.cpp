// Reads every stored document.
#include "format/verify_stored.hpp"

#include "format/stored_blocks.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/stored_fields.hpp"

namespace warpdex {

void check_stored(const Index& index) {
  const std::size_t fields = index.settings().stored_fields.size();
  if (fields == 0) return;
  StoredBlocks blocks(index);
  const IndexSections& sections = index.sections();
  std::uint32_t block = 0;
  std::uint64_t bytes = 0;  // of the block so far
  const auto end_block = [&] {
    if (bytes == sections.stored_block_table[block].bytes) return;
    throw FormatError("a block of stored documents has other bytes than its documents");
  };
  for (std::uint64_t i = 0; i < index.counts().documents; ++i) {
    const std::uint32_t own = sections.stored_block_numbers[i];
    if (i == 0 ? own != 0 : own != block && own != block + 1) {
      throw FormatError("the blocks of stored documents do not ascend");
    }
    const std::string_view record = blocks.record(static_cast<std::uint32_t>(i));
    if (own != block) {
      end_block();
      block = own;
      bytes = 0;
    }
    bytes += record.size();
    decode_stored(record, fields);
  }
  if (index.counts().documents > 0) end_block();
  if (sections.stored_block_table.size() != (index.counts().documents > 0 ? block + 1 : 0)) {
    throw FormatError("there are more blocks of stored documents than documents have");
  }
}

}  // namespace warpdex
