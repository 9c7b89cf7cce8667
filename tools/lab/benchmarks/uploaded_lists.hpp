// Encoded lists in GPU memory, laid out as an index has them: for tests and benchmarks of what
// decodes them there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/codecs/codec.hpp"
#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/core/cuda/buffer.hpp"

namespace warpdex::tools {

/// A list in GPU memory. Device pointers.
struct UploadedList {
  device::DeviceValues values;                 ///< of `pfor` with several levels: with a flat tail
  const std::uint32_t* last_docids = nullptr;  ///< of the blocks
};

/// Collects encoded lists on the host, then uploads them once. Each section is an array for all
/// lists, with slack, as in an index; the sections lie one behind the other.
class UploadedLists {
 public:
  /// Adds a list of `count` values. `last_docids` has one entry a block, or is empty.
  void add(const CodecSettings& settings, const EncodedValues& encoded, std::uint32_t count,
           std::span<const std::uint32_t> last_docids = {});

  /// Uploads the lists `copies` times, each to a place of its own.
  void upload(std::size_t copies, const Stream& stream);

  /// The lists in GPU memory, in order, copy by copy; null before upload().
  const UploadedList* data() const { return lists_.data(); }
  /// Their number, copies counted.
  std::size_t size() const { return lists_.size(); }
  /// Blocks of all lists, of one copy.
  std::size_t blocks() const { return codes_.size(); }
  /// Bytes of all sections of one copy, without slack: what decoding must read. Of `pfor` with
  /// several levels, the tails as they are on disk.
  std::size_t bytes() const;

 private:
  struct Start {
    CodecSettings settings;
    std::size_t bytes;
    std::size_t block;
    std::size_t base;
    std::uint32_t count;
    std::uint32_t tail_offset;
    std::size_t flat_tail;  ///< start of its flat tail in flat_tails_
    std::uint8_t parameter;
  };

  /// Where the sections start in a copy, and where the next copy does: multiples of 256.
  struct Layout {
    std::size_t offsets;
    std::size_t bases;
    std::size_t codes;
    std::size_t last_docids;
    std::size_t exceptions;
    std::size_t exception_bases;
    std::size_t flat_tails;
    std::size_t bytes;
    std::size_t size;
  };
  void add_exceptions(const CodecSettings& settings, const EncodedValues& encoded,
                      std::uint32_t count);
  Layout layout() const;
  UploadedList placed(const Start& start, const Layout& layout, const std::uint8_t* copy) const;

  std::vector<Start> starts_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint16_t> offsets_;
  std::vector<std::uint32_t> bases_;
  std::vector<std::uint8_t> codes_;
  std::vector<std::uint32_t> last_docids_;
  std::vector<ExceptionEntry> exceptions_;      ///< by block; of `pfor` only
  std::vector<ExceptionBase> exception_bases_;  ///< as `bases_`
  std::vector<std::uint8_t> flat_tails_;        ///< of `pfor` with several levels, with slack
  DeviceBuffer buffer_;
  DeviceArray<UploadedList> lists_;
};

}  // namespace warpdex::tools
