// Reads a body that comes in chunks (RFC 9112, section 7.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpdex::server {

/// Of one body. Extensions of chunks and fields behind the last one are passed over: they must not
/// change what was checked in the header.
class ChunkedBody {
 public:
  enum class State : std::uint8_t { kNeedsMore, kDone, kMalformed, kTooLarge };

  /// Takes bytes of the body and appends what they stand for to `body`, which gets `most` bytes at
  /// most. `used` are those that belong to the body.
  State put(std::string_view bytes, std::size_t most, std::string& body, std::size_t& used);

 private:
  enum class Place : std::uint8_t {
    kSize,
    kExtension,
    kEndOfSize,
    kData,
    kEndOfData,
    kEndOfDataLine,
    kTrailer,
    kTrailerLine,
    kEndOfTrailerLine,
    kEnd,
  };
  /// One byte that is not of kData; false if it may not stand there.
  bool take(char byte);
  bool take_size(char byte);
  bool may_pass_over();

  Place place_ = Place::kSize;
  std::uint64_t left_ = 0;  ///< of the chunk
  std::size_t digits_ = 0;
  std::size_t passed_over_ = 0;  ///< bytes of extensions and trailers
  bool is_done_ = false;
};

}  // namespace warpdex::server
