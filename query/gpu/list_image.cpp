// The order of pieces: large alignments first, the encoded bytes last.
#include "warpdex/query/gpu/list_image.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::size_t kPieceAlignment = 16;

/// Places in ListImage::pieces.
enum Piece : std::size_t {
  kLastDocids,
  kDocidBases,
  kFrequencyBases,
  kBounds,
  kRangeBounds,
  kDocidOffsets,
  kFrequencyOffsets,
  kDocidCodes,
  kFrequencyCodes,
  kDocids,
  kFrequencies,
};

template <typename T>
std::span<const std::uint8_t> piece(std::span<const T> section, std::uint64_t first,
                                    std::uint64_t count) {
  const std::span<const T> values = section.subspan(first, count);
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

/// With the slack, which may be the next list's bytes, or the section's own.
std::span<const std::uint8_t> payload(std::span<const std::uint8_t> section, std::uint64_t first,
                                      std::uint64_t bytes) {
  return {section.subspan(first, bytes).data(), bytes + kReadSlack};
}

}  // namespace

ListImage::ListImage(const Index& index, const PostingsEntry& entry) {
  const IndexSections& sections = index.sections();
  const std::uint32_t first = entry.first_block;
  const std::uint32_t blocks = (entry.document_frequency + kBlockSize - 1) / kBlockSize;
  const std::uint32_t bases = (blocks - 1) / kBlocksPerBase;
  const std::span<const ScoreBound> ranges =
      list_range_bounds(sections, entry, index.counts().documents);
  pieces[kLastDocids].bytes = piece(sections.block_last_docids, first, blocks);
  pieces[kDocidBases].bytes = piece(sections.docid_bases, entry.first_base, bases);
  pieces[kFrequencyBases].bytes = piece(sections.frequency_bases, entry.first_base, bases);
  pieces[kBounds].bytes = piece(sections.block_bounds, first, blocks);
  pieces[kRangeBounds].bytes = piece(ranges, 0, ranges.size());
  pieces[kDocidOffsets].bytes = piece(sections.docid_offsets, first, blocks);
  pieces[kFrequencyOffsets].bytes = piece(sections.frequency_offsets, first, blocks);
  pieces[kDocidCodes].bytes = piece(sections.docid_codes, first, blocks);
  pieces[kFrequencyCodes].bytes = piece(sections.frequency_codes, first, blocks);
  pieces[kDocids].bytes = payload(sections.docids, entry.docid_offset, entry.docid_bytes);
  pieces[kFrequencies].bytes =
      payload(sections.frequencies, entry.frequency_offset, entry.frequency_bytes);
  for (ListImage::Piece& each : pieces) {
    each.offset = bytes;
    bytes += (each.bytes.size() + kPieceAlignment - 1) / kPieceAlignment * kPieceAlignment;
  }
}

void ListImage::place(const std::uint8_t* memory, List& list) const {
  const auto at = [&](std::size_t which) { return memory + pieces[which].offset; };
  list.last_docids = reinterpret_cast<const std::uint32_t*>(at(kLastDocids));
  list.bounds = reinterpret_cast<const ScoreBound*>(at(kBounds));
  list.docids.bytes = at(kDocids);
  list.docids.offsets = reinterpret_cast<const std::uint16_t*>(at(kDocidOffsets));
  list.docids.bases = reinterpret_cast<const std::uint32_t*>(at(kDocidBases));
  list.docids.codes = at(kDocidCodes);
  list.frequencies.bytes = at(kFrequencies);
  list.frequencies.offsets = reinterpret_cast<const std::uint16_t*>(at(kFrequencyOffsets));
  list.frequencies.bases = reinterpret_cast<const std::uint32_t*>(at(kFrequencyBases));
  list.frequencies.codes = at(kFrequencyCodes);
  if (!pieces[kRangeBounds].bytes.empty()) {
    list.range_bounds = reinterpret_cast<const ScoreBound*>(at(kRangeBounds));
  }
}

void describe_list(const Index& index, const PostingsEntry& entry, List& list) {
  const std::uint8_t levels = index.settings().codec.pfor_levels;
  list.docids.count = entry.document_frequency;
  list.docids.tail_offset = entry.docid_bytes - entry.docid_tail_bytes;
  list.docids.parameter = entry.docid_parameter;
  list.docids.levels = levels;
  list.frequencies.count = entry.document_frequency;
  list.frequencies.tail_offset = entry.frequency_bytes - entry.frequency_tail_bytes;
  list.frequencies.parameter = entry.frequency_parameter;
  list.frequencies.levels = levels;
}

}  // namespace warpdex::gpu
