// The codecs that an input chooses among, by its first byte.
#pragma once

#include <array>
#include <cstdint>

#include "warpdex/codecs/codec.hpp"

namespace warpdex::fuzz {

/// Each codec, `pfor` with each number of levels.
inline constexpr std::array<CodecSettings, 8> kCodecs{{{CodecKind::kBitpack},
                                                       {CodecKind::kPforBlock},
                                                       {CodecKind::kRice},
                                                       {CodecKind::kPfor, 0},
                                                       {CodecKind::kPfor, 1},
                                                       {CodecKind::kPfor, 2},
                                                       {CodecKind::kPfor, 3},
                                                       {CodecKind::kPfor, 4}}};

inline const CodecSettings& chosen_codec(std::uint8_t byte) {
  return kCodecs[byte % kCodecs.size()];
}

}  // namespace warpdex::fuzz
