// Dispatches to the codecs, and puts bit sets in the place of blocks that they make no larger.
#include "warpdex/codecs/codec.hpp"

#include <algorithm>

#include "bitpack.hpp"
#include "dense.hpp"
#include "pfor.hpp"
#include "pfor_block.hpp"
#include "rice.hpp"
#include "warpdex/codecs/block.hpp"

namespace warpdex {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"bitpack", "pfor", "pfor-block", "rice"};

EncodedValues encode(const CodecSettings& settings, const BlockedValues& values) {
  EncodedValues encoded;
  encoded.codes.reserve(values.blocks());
  encoded.offsets.reserve(values.blocks() + 1);
  encoded.offsets.push_back(0);
  switch (settings.kind) {
    case CodecKind::kBitpack: bitpack::encode(values, encoded); break;
    case CodecKind::kPfor: pfor::encode(values, settings.pfor_levels, encoded); break;
    case CodecKind::kPforBlock: pfor_block::encode(values, encoded); break;
    case CodecKind::kRice: rice::encode(values, encoded); break;
  }
  return encoded;
}

/// DocIDs as the codecs encode them: gaps less one, the first docID unchanged.
std::vector<std::uint32_t> gaps_of(std::span<const std::uint32_t> docids) {
  std::vector<std::uint32_t> gaps(docids.size());
  std::uint32_t before = static_cast<std::uint32_t>(-1);
  for (std::size_t i = 0; i < docids.size(); ++i) {
    gaps[i] = docids[i] - before - 1;
    before = docids[i];
  }
  return gaps;
}

/// The docIDs of a block, and the docID before them.
struct DocidBlock {
  std::span<const std::uint32_t> docids;
  std::uint32_t base;

  DocidBlock(std::span<const std::uint32_t> all, std::size_t index)
      : docids(all.subspan(index * kBlockSize,
                           std::min<std::size_t>(kBlockSize, all.size() - index * kBlockSize))),
        base(index == 0 ? static_cast<std::uint32_t>(-1) : all[index * kBlockSize - 1]) {}

  std::uint64_t dense_size() const { return dense::size(base, docids.back()); }
};

/// Which blocks become bit sets, since these are no larger; empty if none. `shares` has the bytes
/// outside of the blocks that count for each.
std::vector<std::uint8_t> dense_blocks(std::span<const std::uint32_t> docids,
                                       const EncodedValues& encoded,
                                       std::span<const std::uint32_t> shares) {
  std::vector<std::uint8_t> dense(encoded.codes.size());
  bool any = false;
  for (std::size_t i = 0; i < dense.size(); ++i) {
    const std::uint32_t own =
        encoded.offsets[i + 1] - encoded.offsets[i] + (shares.empty() ? 0 : shares[i]);
    if (DocidBlock(docids, i).dense_size() > std::min<std::uint64_t>(own, kMaxBlockBytes)) continue;
    dense[i] = 1;
    any = true;
  }
  if (!any) dense.clear();
  return dense;
}

/// Puts bit sets in the blocks that `dense` names; these are empty in `sparse`.
EncodedValues splice(std::span<const std::uint32_t> docids, std::span<const std::uint8_t> dense,
                     const EncodedValues& sparse) {
  EncodedValues spliced;
  spliced.parameter = sparse.parameter;
  spliced.codes = sparse.codes;
  spliced.offsets.reserve(sparse.offsets.size());
  spliced.bytes.reserve(sparse.bytes.size() + dense.size() * 16);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    spliced.offsets.push_back(static_cast<std::uint32_t>(spliced.bytes.size()));
    const DocidBlock block(docids, i);
    if (dense[i] != 0) {
      spliced.codes[i] = kDenseCode;
      dense::append(block.docids, block.base, spliced.bytes);
    } else {
      const auto from = sparse.bytes.begin();
      spliced.bytes.insert(spliced.bytes.end(), from + sparse.offsets[i],
                           from + sparse.offsets[i + 1]);
    }
  }
  spliced.offsets.push_back(static_cast<std::uint32_t>(spliced.bytes.size()));
  spliced.bytes.insert(spliced.bytes.end(), sparse.bytes.begin() + sparse.offsets.back(),
                       sparse.bytes.end());
  return spliced;
}

Block block_of(const EncodedList& list, std::uint32_t tail_offset, const BlockRef& ref,
               std::uint32_t count) {
  if (ref.offset > static_cast<std::uint64_t>(list.end - list.begin)) throw_damaged_block();
  return {&list, list.begin + ref.offset, count, ref.index, tail_offset, ref.code};
}

}  // namespace

void throw_damaged_block() {
  throw FormatError(
      "a block of a posting list is damaged; run `warpdex verify` to learn which part of the "
      "index it is in, and build the index anew");
}

void check_ascending(const std::uint32_t* docids, std::uint32_t count, std::uint32_t base) {
  bool ascending = docids[0] >= base + 1;  // base + 1 is 0 for a list's first block
  for (std::uint32_t i = 1; i < count; ++i) ascending &= docids[i] > docids[i - 1];
  if (!ascending) throw_damaged_block();
}

std::string_view codec_name(CodecKind kind) { return kNames.at(static_cast<std::size_t>(kind)); }

CodecKind codec_from_name(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found != kNames.end()) return static_cast<CodecKind>(found - kNames.begin());
  throw UsageError("there is no codec '" + std::string(name) +
                   "'; choose bitpack, pfor, pfor-block or rice");
}

EncodedValues encode_values(const CodecSettings& settings, std::span<const std::uint32_t> values) {
  return encode(settings, BlockedValues(values, {}));
}

EncodedValues encode_docids(const CodecSettings& settings, std::span<const std::uint32_t> docids,
                            bool allow_dense) {
  const std::vector<std::uint32_t> gaps = gaps_of(docids);
  EncodedValues encoded = encode(settings, BlockedValues(gaps, {}));
  if (!allow_dense || !settings.bit_sets || docids.size() < kBlockSize) return encoded;
  std::vector<std::uint32_t> shares;
  if (settings.kind == CodecKind::kPfor) {
    shares = pfor::tail_shares(BlockedValues(gaps, {}), encoded);
  }
  const std::vector<std::uint8_t> dense = dense_blocks(docids, encoded, shares);
  if (dense.empty()) return encoded;
  EncodedValues spliced = splice(docids, dense, encode(settings, BlockedValues(gaps, dense)));
  // The share of a tail is an estimate: a `pfor` list may lose more by its small gaps than it
  // gains.
  return spliced.bytes.size() <= encoded.bytes.size() ? spliced : encoded;
}

ListDecoder::ListDecoder(const EncodedList& list, std::uint32_t tail_offset)
    : list_(list), tail_offset_(tail_offset) {}

void ListDecoder::decode_values(const BlockRef& ref, std::uint32_t* out) const {
  const Block block = block_of(list_, tail_offset_, ref, block_count(ref.index));
  switch (list_.settings.kind) {
    case CodecKind::kBitpack: return bitpack::decode_values(block, out);
    case CodecKind::kPfor: return pfor::decode_values(block, out);
    case CodecKind::kPforBlock: return pfor_block::decode_values(block, out);
    case CodecKind::kRice: return rice::decode_values(block, out);
  }
  throw_damaged_block();
}

void ListDecoder::decode_docids(const BlockRef& ref, std::uint32_t base, std::uint32_t last,
                                std::uint32_t* out) const {
  const Block block = block_of(list_, tail_offset_, ref, block_count(ref.index));
  if (ref.code == kDenseCode) return dense::decode_docids(block, base, last, out);
  switch (list_.settings.kind) {
    case CodecKind::kBitpack: return bitpack::decode_docids(block, base, last, out);
    case CodecKind::kPfor: return pfor::decode_docids(block, base, last, out);
    case CodecKind::kPforBlock: return pfor_block::decode_docids(block, base, last, out);
    case CodecKind::kRice: return rice::decode_docids(block, base, last, out);
  }
  throw_damaged_block();
}

std::uint32_t ListDecoder::value_at(const BlockRef& ref, std::uint32_t index) const {
  const Block block = block_of(list_, tail_offset_, ref, block_count(ref.index));
  switch (list_.settings.kind) {
    case CodecKind::kBitpack: return bitpack::value_at(block, index);
    case CodecKind::kPfor: return pfor::value_at(block, index);
    case CodecKind::kPforBlock: return pfor_block::value_at(block, index);
    case CodecKind::kRice: return rice::value_at(block, index);
  }
  throw_damaged_block();
}

std::uint32_t ListDecoder::single_block_size(const BlockRef& ref) const {
  const Block block = block_of(list_, tail_offset_, ref, block_count(ref.index));
  switch (list_.settings.kind) {
    case CodecKind::kBitpack: return bitpack::single_block_size(block);
    case CodecKind::kPfor: return pfor::single_block_size(block);
    case CodecKind::kPforBlock: return pfor_block::single_block_size(block);
    case CodecKind::kRice: return rice::single_block_size(block);
  }
  throw_damaged_block();
}

}  // namespace warpdex
