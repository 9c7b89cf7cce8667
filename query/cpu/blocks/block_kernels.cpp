// The form for any processor, and the choice. Most records are of one or two blocks, so loops over
// set bits do without vectors.
#include "cpu/blocks/block_kernels.hpp"

#include <bit>
#include <cstring>

#include "warpdex/core/cpu_features.hpp"

namespace warpdex {
namespace {

std::uint32_t load_u16(const std::uint8_t* bytes) {
  std::uint16_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void find(const BlockList& list, const std::uint32_t* superblocks, std::uint32_t count,
          std::uint32_t* places) {
  for (std::uint32_t i = 0; i < count; ++i) {
    places[i] = list.find(superblocks[i]);
    if (places[i] != BlockList::kNone) __builtin_prefetch(list.starts + places[i]);
  }
}

/// sums[i] += weight * the next value, for all bits i of a mask.
void add_expanded(std::uint64_t mask, const std::uint8_t* values, float weight, float* sums) {
  for (; mask != 0; mask &= mask - 1) {
    sums[std::countr_zero(mask)] += weight * static_cast<float>(*values++);
  }
}

void add_superblocks(const BlockList& list, float weight, std::uint32_t superblocks, float* sums) {
  const std::uint32_t words = (superblocks + 63) / 64;
  for (std::uint32_t i = 0; i < words; ++i) {
    add_expanded(list.words[i].bits, list.largest + list.words[i].rank, weight,
                 sums + std::size_t{64} * i);
  }
}

std::uint32_t add_blocks(const BlockRecords& terms, float more, float slack, float need,
                         float* sums) {
  for (std::size_t i = 0; i < terms.count; ++i) {
    const std::uint8_t* const record = terms.records[i];
    if (record != nullptr) add_expanded(load_u16(record), record + 2, terms.weights[i], sums);
  }
  std::uint32_t mask = 0;
  for (std::uint32_t i = 0; i < kBlocksOfSuperblock; ++i) {
    mask |= static_cast<std::uint32_t>((sums[i] + more) * slack >= need) << i;
  }
  return mask;
}

void add_documents(const BlockRecords& terms, std::uint32_t wanted, float* sums) {
  for (std::size_t i = 0; i < terms.count; ++i) {
    const std::uint8_t* const record = terms.records[i];
    if (record == nullptr) continue;
    const std::uint32_t blocks = load_u16(record);
    const int count = std::popcount(blocks);
    const std::uint8_t* const documents = record + 2 + count;
    const std::uint8_t* const first = documents + 2 * count;
    for (std::uint32_t left = blocks & wanted; left != 0; left &= left - 1) {
      const int block = std::countr_zero(left);
      const int place = std::popcount(blocks & ((1U << block) - 1));
      add_expanded(load_u16(documents + 2 * place), first + count + first[place], terms.weights[i],
                   sums + std::size_t{kDocumentsOfBlock} * static_cast<std::size_t>(block));
    }
  }
}

std::uint32_t at_least(const float* sums, float need) {
  const auto need_bits = std::bit_cast<std::int32_t>(need);
  std::uint32_t mask = 0;
  for (std::uint32_t i = 0; i < kDocumentsOfBlock; ++i) {
    mask |= static_cast<std::uint32_t>(std::bit_cast<std::int32_t>(sums[i]) >= need_bits) << i;
  }
  return mask;
}

}  // namespace

const BlockKernels kBaselineBlockKernels{find, add_superblocks, add_blocks, add_documents,
                                         at_least};

const BlockKernels& block_kernels() {
#if defined(__x86_64__)
  if (isa() == Isa::kAvx512) return kAvx512BlockKernels;
#endif
  return kBaselineBlockKernels;
}

}  // namespace warpdex
