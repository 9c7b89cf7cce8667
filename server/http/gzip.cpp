#include "http/gzip.hpp"

#include <zlib.h>

#include <algorithm>

#include "http/error.hpp"

namespace warpdex::server {
namespace {

/// zlib's number for a gzip header and trailer, with the largest window.
constexpr int kGzipWindow = 15 + 16;
constexpr std::size_t kFirstRoom = 64 << 10;

class Inflater {
 public:
  explicit Inflater(std::string_view packed) {
    // zlib reads, but does not change, what next_in points at.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    if (::inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Bytes written, and whether the stream has ended. Throws HttpError (400).
  std::size_t next(char* out, std::size_t room, bool& has_ended) {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(room);
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    has_ended = result == Z_STREAM_END;
    const bool is_stuck = result == Z_BUF_ERROR || (stream_.avail_in == 0 && stream_.avail_out > 0);
    if ((result != Z_OK && !has_ended) || (is_stuck && !has_ended) ||
        (has_ended && stream_.avail_in > 0)) {
      throw bad_request("the body is no whole gzip stream");
    }
    return room - stream_.avail_out;
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::string gunzipped(std::string_view packed, std::size_t most) {
  Inflater inflater(packed);
  std::string bytes;
  for (bool has_ended = false; !has_ended;) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min(most + 1, std::max(kFirstRoom, 2 * before)));
    bytes.resize(before + inflater.next(bytes.data() + before, bytes.size() - before, has_ended));
    if (bytes.size() > most) {
      throw too_large("the unpacked body is too large; at most " + std::to_string(most) +
                      " bytes are taken");
    }
  }
  return bytes;
}

}  // namespace warpdex::server
