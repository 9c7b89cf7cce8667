// Cuts one buffer into aligned pieces. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpdex {

inline constexpr std::size_t aligned_piece(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Cuts pieces off a buffer, each aligned to 256 bytes. With a null buffer it only measures how
/// much memory is needed.
class Arena {
 public:
  explicit Arena(void* begin) : next_(static_cast<std::uint8_t*>(begin)), begin_(next_) {}

  template <typename T>
  T* take(std::size_t count) {
    auto* const piece = reinterpret_cast<T*>(next_);
    next_ += aligned_piece(count * sizeof(T));
    return piece;
  }
  std::size_t used() const { return static_cast<std::size_t>(next_ - begin_); }

 private:
  std::uint8_t* next_;
  std::uint8_t* begin_;
};

}  // namespace warpdex
