// Writes bit-set blocks, and reads them back as docIDs.
#include "dense.hpp"

#include "kernels.hpp"

namespace warpdex::dense {

void append(std::span<const std::uint32_t> docids, std::uint32_t base,
            std::vector<std::uint8_t>& bytes) {
  const std::size_t start = bytes.size();
  bytes.resize(start + size(base, docids.back()));
  for (const std::uint32_t docid : docids) {
    const std::uint32_t bit = docid - base - 1;
    bytes[start + bit / 8] |= static_cast<std::uint8_t>(1U << (bit % 8));
  }
}

void decode_docids(const Block& block, std::uint32_t base, std::uint32_t last, std::uint32_t* out) {
  const std::uint64_t bytes = size(base, last);
  if (last < base + 1 || bytes > kMaxBlockBytes) throw_damaged_block();
  check_room(block.at, block.list->end, bytes);
  std::uint16_t ends[kEnds];
  const std::uint32_t found =
      decode_kernels().find_ones(block.at, 0, block.at + bytes, block.count, ends);
  // The docIDs found so far ascend; the last one must be the last bit.
  if (found < block.count || ends[block.count - 1] != last - base) throw_damaged_block();
  for (std::uint32_t i = 0; i < block.count; ++i) out[i] = base + ends[i];
}

}  // namespace warpdex::dense
