// Streaming decoders of gzip, zstd and xz behind one small interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex {

/// What unpacking a file may take in memory: a packed file says how far back its bytes refer, up to
/// 2 GiB (zstd) or 4 GiB (xz), and all of these are kept.
struct UnpackLimit {
  std::uint64_t bytes = std::uint64_t{256} << 20;
  /// Half of a --memory that a user gave: messages say what to give.
  bool is_half_of_memory = false;
};

/// The limit of what is read within a budget of `memory` bytes.
inline UnpackLimit unpack_limit_of(std::uint64_t memory) { return {memory / 2, true}; }

/// Unpacking needs more memory than it may take.
class UnpackMemory : public InputError {
 public:
  explicit UnpackMemory(std::uint64_t needed)
      : InputError("unpacking needs more memory than is allowed"), needed_(needed) {}
  std::uint64_t needed() const { return needed_; }  ///< bytes

 private:
  std::uint64_t needed_;
};

enum class Packing { kPlain, kGzip, kZstd, kXz };

/// The packing that the first bytes of a file show; kPlain where they show none. Six bytes are
/// enough to tell.
Packing packing_from_magic(std::span<const std::uint8_t> head);

/// Whether the start of a file, which does not show a packing, could do so with more bytes.
bool may_become_packed(std::span<const std::uint8_t> head);

/// The packing that a file's name claims by its suffix (.gz, .zst, .xz); kPlain for any other.
Packing packing_from_suffix(const std::string& name);

/// "gzip", "zstd", "xz" or "plain".
const char* packing_name(Packing packing);

/// Decodes one packed file, whose members (gzip), frames (zstd) or streams (xz) may be many.
class Unpacker {
 public:
  virtual ~Unpacker() = default;

  /// Unpacks from the front of `packed` into `out` (`capacity` > 0 bytes); shortens `packed` by
  /// what it consumed and returns the bytes written. `last`: no bytes follow those in `packed`.
  /// Returns 0 without consuming anything only if it needs more input than there is. Throws
  /// InputError, whose message says what is wrong without naming the file, on damaged bytes, and
  /// UnpackMemory.
  virtual std::size_t unpack(std::span<const std::uint8_t>& packed, bool last, char* out,
                             std::size_t capacity) = 0;

  /// Whether all of the file may have been read: false within a member and before the first.
  virtual bool complete() const = 0;

  /// The bytes that it takes in memory. O(1).
  virtual std::uint64_t memory() const = 0;
};

/// The decoder of `packing`, which is not kPlain. It takes up to `max_memory` bytes, and some more
/// that do not depend on the file.
std::unique_ptr<Unpacker> make_unpacker(Packing packing, std::uint64_t max_memory);

}  // namespace warpdex
