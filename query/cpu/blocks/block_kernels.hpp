// The inner loops of a search by blocks of documents. All forms give the same bits. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/blocks/block_list.hpp"

namespace warpdex {

/// The sum of a document that no term touched.
inline constexpr float kUntouchedSum = -0.0F;

/// Of terms, in one order: where their records of a superblock are, null for terms that do not
/// occur there, and their weights in the query.
struct BlockRecords {
  const std::uint8_t* const* records;
  const float* weights;
  std::size_t count;
};

struct BlockKernels {
  /// places[i] = list.find(superblocks[i]) for i < count; asks for the starts of their records.
  void (*find)(const BlockList& list, const std::uint32_t* superblocks, std::uint32_t count,
               std::uint32_t* places);

  /// Adds weight * largest to the sums of the superblocks where a list with words occurs. `sums`
  /// has room for whole words of `superblocks`.
  void (*add_superblocks)(const BlockList& list, float weight, std::uint32_t superblocks,
                          float* sums);

  /// Adds weight * largest to the sums of a superblock's 16 blocks. Returns the blocks whose
  /// (sum + more) * slack is `need` or more, as bits.
  std::uint32_t (*add_blocks)(const BlockRecords& terms, float more, float slack, float need,
                              float* sums);

  /// Adds weight * impact to the sums of the documents of the blocks `wanted`, term by term.
  /// `sums` has one for each document of the superblock.
  void (*add_documents)(const BlockRecords& terms, std::uint32_t wanted, float* sums);

  /// Which of 16 sums were touched and are `need` or more, 0 or more; untouched is minus zero.
  std::uint32_t (*at_least)(const float* sums, float need);
};

/// The form for this processor.
const BlockKernels& block_kernels();

/// One form each, for block_kernels() and for tests.
extern const BlockKernels kBaselineBlockKernels;
#if defined(__x86_64__)
extern const BlockKernels kAvx512BlockKernels;
#endif

}  // namespace warpdex
