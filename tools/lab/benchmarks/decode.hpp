// Timing of the device decoders, to registers or to memory.
#pragma once

#include <cstdint>
#include <span>
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

/// Up to 32 neighbouring blocks of a list.
struct alignas(16) DecodeRun {
  std::uint32_t list;
  std::uint32_t first;   ///< block of the list
  std::uint32_t size;    ///< blocks
  std::uint32_t before;  ///< blocks of the runs before
};

/// Cuts lists of so many values into runs.
std::vector<DecodeRun> cut_into_runs(std::span<const std::uint32_t> counts);

/// What to decode: runs of uploaded lists.
struct DecodeWork {
  CodecKind codec = CodecKind::kBitpack;
  bool docids = true;      ///< false: values, gaps or frequencies
  bool to_memory = false;  ///< all values are written, block after block, kBlockSize for each
  const UploadedList* lists = nullptr;
  std::span<const DecodeRun> runs{};  ///< in the host's memory
};

/// The seconds that each of `passes` launches took, after an untimed one, and the checksum of one.
struct DecodeTimes {
  std::vector<double> seconds;
  DecodeChecksum checksum;
};

/// Decodes everything, once a pass, by one launch.
DecodeTimes time_decoding(const DecodeWork& work, int passes, const Stream& stream);

}  // namespace warpdex::tools
