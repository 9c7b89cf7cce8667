#include "net/chunked_body.hpp"

#include <algorithm>

namespace warpdex::server {
namespace {

/// Hexadecimal digits of a chunk's size, which then fits 64 bits.
constexpr std::size_t kMaxDigits = 15;
constexpr std::size_t kMaxPassedOver = 8 << 10;

}  // namespace

bool ChunkedBody::may_pass_over() { return ++passed_over_ <= kMaxPassedOver; }

bool ChunkedBody::take_size(char byte) {
  int digit = -1;
  if (byte >= '0' && byte <= '9') digit = byte - '0';
  if (byte >= 'a' && byte <= 'f') digit = byte - 'a' + 10;
  if (byte >= 'A' && byte <= 'F') digit = byte - 'A' + 10;
  if (digit >= 0) {
    left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
    return ++digits_ <= kMaxDigits;
  }
  if (digits_ == 0) return false;
  if (byte == '\r') {
    place_ = Place::kEndOfSize;
    return true;
  }
  place_ = Place::kExtension;
  return byte == ';' || byte == ' ' || byte == '\t';
}

bool ChunkedBody::take(char byte) {
  switch (place_) {
    case Place::kSize: return take_size(byte);
    case Place::kExtension:
      if (byte == '\r') place_ = Place::kEndOfSize;
      return byte != '\n' && may_pass_over();
    case Place::kEndOfSize:
      place_ = left_ == 0 ? Place::kTrailer : Place::kData;
      return byte == '\n';
    case Place::kData: return false;  // put() takes it
    case Place::kEndOfData: place_ = Place::kEndOfDataLine; return byte == '\r';
    case Place::kEndOfDataLine:
      place_ = Place::kSize;
      digits_ = 0;
      return byte == '\n';
    case Place::kTrailer:
      place_ = byte == '\r' ? Place::kEnd : Place::kTrailerLine;
      return byte != '\n' && may_pass_over();
    case Place::kTrailerLine:
      if (byte == '\r') place_ = Place::kEndOfTrailerLine;
      return byte != '\n' && may_pass_over();
    case Place::kEndOfTrailerLine: place_ = Place::kTrailer; return byte == '\n';
    case Place::kEnd: is_done_ = true; return byte == '\n';
  }
  return false;
}

ChunkedBody::State ChunkedBody::put(std::string_view bytes, std::size_t most, std::string& body,
                                    std::size_t& used) {
  for (used = 0; used < bytes.size() && !is_done_;) {
    if (place_ != Place::kData) {
      if (!take(bytes[used++])) return State::kMalformed;
      continue;
    }
    if (left_ > most - std::min(most, body.size())) return State::kTooLarge;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - used));
    body += bytes.substr(used, size);
    used += size;
    left_ -= size;
    if (left_ == 0) place_ = Place::kEndOfData;
  }
  return is_done_ ? State::kDone : State::kNeedsMore;
}

}  // namespace warpdex::server
