// Which posting codec an index has, and its settings.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpdex {

/// The codecs; docs/codecs.md has their layouts.
enum class CodecKind : std::uint8_t {
  kBitpack = 0,    ///< all values of a block in the width of its largest
  kPfor = 1,       ///< one width a list; larger values are exceptions, in the list's tail
  kPforBlock = 2,  ///< one width a block; exceptions within the block
  kRice = 3,       ///< Rice codes, one parameter a list
};

/// The maximum number of levels of recursion of `pfor`.
inline constexpr int kMaxPforLevels = 4;

/// A codec and its settings, as the manifest records them.
struct CodecSettings {
  CodecKind kind = CodecKind::kBitpack;  ///< the codec
  std::uint8_t pfor_levels = 1;          ///< 0 to kMaxPforLevels; read by kPfor only
  bool bit_sets = true;                  ///< whether dense blocks of docIDs may be bit sets
  bool operator==(const CodecSettings&) const = default;
};

/// "bitpack", "pfor", "pfor-block" or "rice".
std::string_view codec_name(CodecKind kind);
/// The codec of that name; UsageError, naming the known ones, for any other.
CodecKind codec_from_name(std::string_view name);

}  // namespace warpdex
