// Streaming decoders of gzip, zstd and xz behind one small interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace warpdex {

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
  /// InputError, whose message says what is wrong without naming the file, on damaged bytes.
  virtual std::size_t unpack(std::span<const std::uint8_t>& packed, bool last, char* out,
                             std::size_t capacity) = 0;

  /// Whether all of the file may have been read: false within a member and before the first.
  virtual bool complete() const = 0;
};

/// The decoder of `packing`, which is not kPlain.
std::unique_ptr<Unpacker> make_unpacker(Packing packing);

}  // namespace warpdex
