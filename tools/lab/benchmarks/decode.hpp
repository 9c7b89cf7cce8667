// Timing of the device decoders, to registers or to memory.
#pragma once

#include <cstdint>
#include <vector>

#include "benchmarks/uploaded_lists.hpp"

namespace warpdex::tools {

/// A checksum of the decoded values, modulo 2^32. Where they stay in registers, nothing else leaves
/// the kernel.
struct DecodeChecksum {
  std::uint32_t sum = 0;
  std::uint32_t bits = 0;  ///< exclusive or

  void add(std::uint32_t value) {
    sum += value;
    bits ^= value;
  }
  bool operator==(const DecodeChecksum&) const = default;
};

/// What to decode: the first `lists` uploaded ones, each of `blocks` blocks.
struct DecodeWork {
  CodecKind codec = CodecKind::kBitpack;
  bool docids = true;      ///< false: values, gaps or frequencies
  bool to_memory = false;  ///< all values are written, block after block, kBlockSize for each
  const UploadedList* lists = nullptr;
  std::uint64_t list_count = 0;
  std::uint32_t blocks = 0;
};

/// The seconds that each of `passes` launches took, after an untimed one, and the checksum of one.
struct DecodeTimes {
  std::vector<double> seconds;
  DecodeChecksum checksum;
};

/// Decodes everything, once a pass, by one launch.
DecodeTimes time_decoding(const DecodeWork& work, int passes, const Stream& stream);

}  // namespace warpdex::tools
