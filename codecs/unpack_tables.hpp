// Byte shuffles and shifts that bring packed values into 32-bit lanes, for each width up to
// kShuffleWidth: a value then lies within four bytes, wherever it starts. Internal to codecs/.
#pragma once

#include <array>
#include <cstdint>

namespace warpdex {

inline constexpr std::uint32_t kShuffleWidth = 25;

/// `Lanes` values of one width: lane i takes bytes `bytes[4 * i .. 4 * i + 3]` of what was loaded
/// and shifts them right by `shifts[i]`. Every `Chunk` lanes were loaded anew, from the whole byte
/// that the chunk's first value starts in.
template <std::uint32_t Lanes>
struct alignas(64) Shuffle {
  std::array<std::uint8_t, 4 * Lanes> bytes{};
  std::array<std::uint32_t, Lanes> shifts{};
};

template <std::uint32_t Lanes, std::uint32_t Chunk>
constexpr std::array<Shuffle<Lanes>, kShuffleWidth + 1> make_shuffles() {
  std::array<Shuffle<Lanes>, kShuffleWidth + 1> shuffles{};
  for (std::uint32_t width = 0; width <= kShuffleWidth; ++width) {
    for (std::uint32_t lane = 0; lane < Lanes; ++lane) {
      const std::uint32_t loaded_from = lane / Chunk * Chunk * width / 8;
      const std::uint32_t bit = lane * width - 8 * loaded_from;
      shuffles[width].shifts[lane] = bit % 8;
      for (std::uint32_t byte = 0; byte < 4; ++byte) {
        shuffles[width].bytes[4 * lane + byte] = static_cast<std::uint8_t>(bit / 8 + byte);
      }
    }
  }
  return shuffles;
}

}  // namespace warpdex
