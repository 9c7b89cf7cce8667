// Encodes the positions of a list, and reads them block by block.
#include "warpdex/indexer/format/positions.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "format/positions.hpp"
#include "warpdex/codecs/pfor_block_values.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/segment_view.hpp"
#include "warpdex/indexer/format/section_names.hpp"

namespace warpdex {

void damaged_positions() {
  throw FormatError(
      "the positions of a word are damaged; run 'warpdex verify', then restore the index or build "
      "it again");
}

void encode_positions(std::span<const std::uint32_t> frequencies,
                      std::span<const std::uint32_t> steps, EncodedPostings::Data& data) {
  if (steps.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("a word has more than 4294967295 positions; split the collection");
  }
  if (steps.size() != data.collection_frequency) {
    throw UsageError("a list has another number of positions than its frequencies say");
  }
  data.has_positions = true;
  if (steps.size() == 1) {
    data.single_position = steps[0];
    return;
  }
  EncodedValues values = encode_values(kPositionCodec, steps);
  if (steps.size() < kBlockSize) {
    data.short_positions.push_back(values.codes[0]);
    data.short_positions.insert(data.short_positions.end(), values.bytes.begin(),
                                values.bytes.end());
    return;
  }
  data.positions = std::move(values);
  if (frequencies.size() < kBlockSize) return;
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    if (i % kBlockSize == 0) data.position_starts.push_back(before);
    before += frequencies[i];
  }
}

void open_positions(const SegmentView& segment, const IndexCounts& counts,
                    const IndexSettings& settings, IndexSections& to) {
  const auto all = [&]<class T>(std::string_view name, std::span<const T>& section) {
    const SectionView& view = segment.section(name);
    section = view.as<T>(view.bytes().size() / sizeof(T));
  };
  all(section::kShortPositions, to.short_positions);
  all(section::kPositionBases, to.position_bases);
  all(section::kPositionCodes, to.position_codes);
  all(section::kPositions, to.positions);
  const SectionView& starts = segment.section(section::kPositionStarts);
  to.position_starts = starts.as<std::uint32_t>(
      settings.positions_by_field ? starts.bytes().size() / sizeof(std::uint32_t) : counts.blocks);
  to.position_offsets =
      segment.section(section::kPositionOffsets).as<std::uint16_t>(to.position_codes.size());
}

PositionReader::PositionReader(const IndexSections& sections, const PostingsEntry& entry,
                               std::uint64_t occurrences)
    : occurrences_(occurrences) {
  const bool has_blocks = entry.occurrences != 0;
  if (has_blocks ? occurrences != entry.occurrences
                 : occurrences == 0 || occurrences >= kBlockSize) {
    damaged_positions();
  }
  const std::uint8_t* const begin =
      (has_blocks ? sections.positions : sections.short_positions).data() + entry.position_offset;
  const EncodedList list{kPositionCodec, 0, static_cast<std::uint32_t>(occurrences), begin,
                         begin + entry.position_bytes};
  if (has_blocks) {
    starts_ = sections.position_starts.data() + entry.first_position_start;
    bases_ = sections.position_bases.data() + entry.first_position_base;
    offsets_ = sections.position_offsets.data() + entry.first_position_block;
    codes_ = sections.position_codes.data() + entry.first_position_block;
    list_ = list;
  } else if (entry.position_bytes == 0) {
    if (occurrences != 1) damaged_positions();
    values_[0] = entry.single_position;
    block_ = 0;
  } else {
    EncodedList behind_code = list;
    ++behind_code.begin;
    ListDecoder(behind_code, entry.position_bytes - 1).decode_values({0, 0, *begin}, values_);
    block_ = 0;
  }
}

BlockRef PositionReader::block_ref(std::uint32_t block) const {
  const std::uint32_t group = block / kBlocksPerBase;
  const std::uint32_t base = group == 0 ? 0 : bases_[group - 1];
  return {block, base + offsets_[block], codes_[block]};
}

void PositionReader::load(std::uint32_t block) {
  block_ = kNothing;  // while a damaged block throws, nothing is kept
  ListDecoder(list_, 0).decode_values(block_ref(block), values_);
  block_ = block;
}

/// Of a block that is read for the first time, few values are read alone.
const std::uint32_t* PositionReader::values_of(std::uint32_t block, std::uint32_t place,
                                               std::uint32_t count) {
  if (block == block_) return values_ + place;
  if (count > kFew || block == few_of_) {
    load(block);
    return values_ + place;
  }
  few_of_ = block;
  read_pfor_block_values(list_, block_ref(block), place, count, few_);
  return few_;
}

void PositionReader::prefetch_place(std::uint64_t begin) const {
  if (list_.begin == nullptr) return;
  __builtin_prefetch(offsets_ + begin / kBlockSize);
  __builtin_prefetch(codes_ + begin / kBlockSize);
}

void PositionReader::prefetch(std::uint64_t begin) const {
  if (list_.begin == nullptr || begin >= occurrences_) return;
  const auto block = static_cast<std::uint32_t>(begin / kBlockSize);
  if (block == block_) return;
  const std::uint8_t* const bytes = list_.begin + block_ref(block).offset;
  __builtin_prefetch(bytes);
  __builtin_prefetch(bytes + 64);
}

template <class Visit>
void PositionReader::visit(std::uint64_t begin, std::uint64_t count, const Visit& visit) {
  while (count > 0) {
    const auto block = static_cast<std::uint32_t>(begin / kBlockSize);
    const auto place = static_cast<std::uint32_t>(begin % kBlockSize);
    const auto part =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(count, kBlockSize - place));
    const std::uint32_t* const values = values_of(block, place, part);
    for (std::uint32_t i = 0; i < part; ++i) visit(values[i]);
    begin += part;
    count -= part;
  }
}

void PositionReader::read(std::uint64_t begin, std::uint32_t frequency,
                          std::vector<std::uint32_t>& to) {
  if (begin > occurrences_ || frequency > occurrences_ - begin) damaged_positions();
  std::uint64_t position = 0;
  to.resize(to.size() + frequency);
  std::uint32_t* next = to.data() + to.size() - frequency;
  visit(begin, frequency, [&](std::uint32_t step) {
    position += step;
    *next++ = static_cast<std::uint32_t>(position);
  });
  if (position > kMaxPositions) damaged_positions();
}

void PositionReader::read_steps(std::uint64_t begin, std::uint64_t count,
                                std::vector<std::uint32_t>& to) {
  if (begin > occurrences_ || count > occurrences_ - begin) damaged_positions();
  visit(begin, count, [&](std::uint32_t step) { to.push_back(step); });
}

std::vector<std::uint32_t> read_steps(const Index& index, const PostingsEntry& entry,
                                      const std::vector<std::uint32_t>& frequencies) {
  const std::uint64_t occurrences =
      std::accumulate(frequencies.begin(), frequencies.end(), std::uint64_t{0});
  std::vector<std::uint32_t> steps;
  PositionReader reader(index.sections(), entry, occurrences);
  steps.reserve(occurrences);
  reader.read_steps(0, occurrences, steps);
  return steps;
}

}  // namespace warpdex
